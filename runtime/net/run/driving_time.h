// How long a worker that has nothing to do drives the transport before it sleeps (progress.cpp).
//
// Twice as long as it had to wait last time, if that was short, else only a moment. Two nodes between which a thread
// goes to and fro thus stay awake for each other (2-3 us a hop). Asleep they need 150 us, and with a fixed time of
// 100 us they would never get out of that.
//
// Nodes that meet at a barrier after each step wait there for as long as another one is slower, some milliseconds for
// example. So with a core for each worker waits of up to 4 ms are short: the 150 us are 4 % of such a wait or more, and
// nobody else in the run needs the core. Where cores are shared, the limit is a tenth of that.
#ifndef SKEIN_NET_RUN_DRIVING_TIME_H
#define SKEIN_NET_RUN_DRIVING_TIME_H

#include <algorithm>
#include <cstdint>

namespace skein {

class DrivingTime {
public:
  static constexpr uint64_t least_ns = 50'000;
  static constexpr uint64_t short_ns = 4'000'000, short_crowded_ns = 400'000;

  /// For the next wait.
  uint64_t ns() const { return ns_; }
  /// The worker slept, and had to wait so long from when it began to drive. `crowded`: the run has more workers than
  /// cores.
  void waited(uint64_t ns, bool crowded) {
    ns_ = ns < (crowded ? short_crowded_ns : short_ns) ? std::max(2 * ns, least_ns) : least_ns;
  }

private:
  uint64_t ns_ = least_ns;
};

} // namespace skein

#endif
