// The page of the run's secret; see secret.h.
#include "net/wire/secret.h"
#include "base/log.h"

#include <cerrno>
#include <sys/mman.h>

namespace skein {

uint8_t *run_secret() {
  static uint8_t *const page = [] {
    constexpr size_t bytes = 4096;
    void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
      fatal("no memory for the run's secret (errno %d)", errno);
    madvise(memory, bytes, MADV_DONTDUMP);
    madvise(memory, bytes, MADV_WIPEONFORK);
    return static_cast<uint8_t *>(memory);
  }();
  return page;
}

} // namespace skein
