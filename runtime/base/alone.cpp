// See alone.h.
#include "base/alone.h"

#include "base/barrier.h"

#include <sched.h>
#include <unistd.h>

namespace skein {

std::atomic<Company> alone_state{Company::unknown};
std::atomic<bool> skein_alone_inside{false};
__thread bool alone_mine;

void alone_start() {
  if (!barrier_asymmetric || gettid() != getpid())
    return alone_end();
  Company unknown = Company::unknown;
  alone_mine = alone_state.compare_exchange_strong(unknown, Company::alone) || unknown == Company::alone;
}

void alone_end(Company now) {
  for (;;) {
    Company before = alone_state.load(std::memory_order_acquire);
    if (before >= now)
      return;
    if (before == Company::alone) {
      alone_state.compare_exchange_strong(before, Company::leaving);
      continue;
    }
    if (before == Company::leaving && !alone_mine) {             // whoever is alone calls this outside of alone_enter
      barrier_heavy();                                           // partner: the light one in alone_enter
      while (skein_alone_inside.load(std::memory_order_acquire)) // pairs with the release in alone_leave
        sched_yield();
    }
    if (alone_state.compare_exchange_strong(before, now, std::memory_order_release))
      return;
  }
}

void alone_workers_ended() {
  Company workers = Company::workers;
  alone_state.compare_exchange_strong(workers, Company::many);
}

void alone_forked() {
  alone_state.store(Company::many, std::memory_order_relaxed);
  skein_alone_inside.store(false, std::memory_order_relaxed);
}

void alone_come() {
  const Company company = alone_state.load(std::memory_order_relaxed);
  if (company == Company::alone || company == Company::leaving || gettid() != getpid())
    alone_end();
}

} // namespace skein
