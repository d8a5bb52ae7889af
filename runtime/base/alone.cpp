// See alone.h.
#include "base/alone.h"

#include "base/uneven_barrier.h"

#include <sched.h>
#include <unistd.h>

namespace skein {

std::atomic<RuntimeUsers> alone_state{RuntimeUsers::unknown};
std::atomic<bool> alone_inside{false};
__thread bool alone_mine;

void alone_start() {
  if (!barrier_asymmetric || gettid() != getpid())
    return alone_end();
  RuntimeUsers unknown = RuntimeUsers::unknown;
  alone_mine = alone_state.compare_exchange_strong(unknown, RuntimeUsers::alone) || unknown == RuntimeUsers::alone;
}

void alone_end(RuntimeUsers now) {
  for (;;) {
    RuntimeUsers before = alone_state.load(std::memory_order_acquire);
    if (before >= now)
      return;
    if (before == RuntimeUsers::alone) {
      alone_state.compare_exchange_strong(before, RuntimeUsers::leaving);
      continue;
    }
    // The kernel thread that is alone calls this outside of alone_enter.
    if (before == RuntimeUsers::leaving && !alone_mine) {
      barrier_heavy();                                     // partner: the light one in alone_enter
      while (alone_inside.load(std::memory_order_acquire)) // pairs with the release in alone_leave
        sched_yield();
    }
    if (alone_state.compare_exchange_strong(before, now, std::memory_order_release))
      return;
  }
}

void alone_workers_ended() {
  RuntimeUsers workers = RuntimeUsers::workers;
  alone_state.compare_exchange_strong(workers, RuntimeUsers::many);
}

void alone_forked() {
  alone_state.store(RuntimeUsers::many, std::memory_order_relaxed);
  alone_inside.store(false, std::memory_order_relaxed);
}

void alone_come() {
  const RuntimeUsers users = alone_state.load(std::memory_order_relaxed);
  if (users == RuntimeUsers::alone || users == RuntimeUsers::leaving || gettid() != getpid())
    alone_end();
}

} // namespace skein
