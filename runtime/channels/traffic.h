// How many messages over channels have gone from this node to each other one (the Testbed's REM-COMM, section 4.1.3).
#ifndef SKEIN_CHANNELS_TRAFFIC_H
#define SKEIN_CHANNELS_TRAFFIC_H

#include "base/node.h"
#include "sched/sched.h"

#include <atomic>
#include <cstdint>

namespace skein {

extern std::atomic<uint64_t> channel_traffic[nodes_max];

inline void traffic_note(int peer) {
  count(channel_traffic[peer]);
  count(statistics.channels_sent);
}
inline uint64_t traffic_to(int peer) { return channel_traffic[peer].load(std::memory_order_relaxed); }

} // namespace skein

#endif
