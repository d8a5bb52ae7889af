// The page of the run's secret; see secret.h.
#include "net/wire/secret.h"
#include "base/once.h"
#include "os/linux/memory.h"

namespace skein {

namespace {

uint8_t *page;
Once once;

} // namespace

uint8_t *run_secret() {
  once([] { page = static_cast<uint8_t *>(memory_for_secrets()); });
  return page;
}

} // namespace skein
