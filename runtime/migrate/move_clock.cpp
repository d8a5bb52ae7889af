// The time stamps of the latest move; see move_clock.h.
#include "migrate/move_clock.h"

#include "abi/move_times.h"

namespace skein {

MoveTimes move_times;

} // namespace skein

extern "C" void __skein_move_times(skein_move_times *to) {
  skein::move_times.wanted.store(true, std::memory_order_relaxed);
  to->captured_ns = skein::move_times.captured_ns.load(std::memory_order_relaxed);
  to->arrived_ns = skein::move_times.arrived_ns.load(std::memory_order_relaxed);
  to->restored_ns = skein::move_times.restored_ns.load(std::memory_order_relaxed);
}
