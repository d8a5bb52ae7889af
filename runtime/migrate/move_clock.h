// Time stamps of the latest move, for `skein bench migrate`; abi/move_times.h says what they mean. They are taken only
// once a program has asked for them, since three readings of the clock take a tenth of a move.
#ifndef SKEIN_MIGRATE_MOVE_CLOCK_H
#define SKEIN_MIGRATE_MOVE_CLOCK_H

#include "os/linux/futex.h"

#include <atomic>
#include <stdint.h>

namespace skein {

struct MoveTimes {
  std::atomic<bool> wanted{false};
  std::atomic<uint64_t> captured_ns{0};
  std::atomic<uint64_t> arrived_ns{0};
  std::atomic<uint64_t> restored_ns{0};
};
extern MoveTimes move_times;

inline void note_time(std::atomic<uint64_t> &stamp) {
  if (__builtin_expect(move_times.wanted.load(std::memory_order_relaxed), 0))
    stamp.store(clock_ns(), std::memory_order_relaxed);
}

} // namespace skein

#endif
