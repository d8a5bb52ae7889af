// membarrier(2).
#include "base/uneven_barrier.h"

#include "base/assert.h"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace skein {

bool barrier_asymmetric = false;

void barrier_start() {
#if !__has_feature(thread_sanitizer) // it knows fences only
  barrier_asymmetric = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
#endif
}

void barrier_heavy() {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (barrier_asymmetric)
    SKEIN_ASSERT(syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0,
                 "membarrier failed, though the kernel has registered this process for it");
}

} // namespace skein
