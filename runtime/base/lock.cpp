// The slow sides of a lock: waiting, and the debug check of ranks.
#include "base/lock.h"

#include <sched.h>
#include <time.h>

namespace skein {

void lock_wait_step(unsigned &round) {
  constexpr unsigned spins = 64; // about a microsecond: longer than any lock is held by a running holder
  constexpr unsigned yields = 8;
  if (++round % spins)
    __builtin_ia32_pause();
  else if (round < spins * yields)
    sched_yield();
  else {
    // The holder has lost its core, perhaps to us: a real-time thread (net's progress thread) never yields to it.
    timespec nap = {0, 20000};
    nanosleep(&nap, nullptr);
  }
}

#ifndef NDEBUG
namespace {
constexpr unsigned held_max = 16;
struct Held {
  const void *lock[held_max];
  Rank rank[held_max];
  unsigned count;
};
__thread Held held;
} // namespace

void lock_rank_push(Rank rank, const void *lock) {
  for (unsigned i = 0; i < held.count; i++)
    SKEIN_ASSERT(held.rank[i] < rank,
                 "lock of rank %u is wanted while one of rank %u is held: order them (base/lock.h)",
                 static_cast<unsigned>(rank), static_cast<unsigned>(held.rank[i]));
  SKEIN_ASSERT(held.count < held_max, "more than %u locks held", held_max);
  held.lock[held.count] = lock;
  held.rank[held.count++] = rank;
}

void lock_rank_pop(Rank rank, const void *lock) {
  for (unsigned i = held.count; i-- > 0;)
    if (held.lock[i] == lock) {
      held.count--;
      for (; i < held.count; i++) {
        held.lock[i] = held.lock[i + 1];
        held.rank[i] = held.rank[i + 1];
      }
      return;
    }
  SKEIN_ASSERT(false, "a lock of rank %u is released by a kernel thread that does not hold it",
               static_cast<unsigned>(rank));
}
#endif

} // namespace skein
