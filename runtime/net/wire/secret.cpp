// The page of the run's secret; see secret.h.
#include "net/wire/secret.h"
#include "os/linux/memory.h"

namespace skein {

uint8_t *run_secret() {
  static auto *const page = static_cast<uint8_t *>(memory_for_secrets());
  return page;
}

} // namespace skein
