// The end of a run: main has returned and no thread lives anywhere.
//
// Every node counts the threads created on it and the threads that ended on it, wherever they were born; both only
// grow. Node 0 asks everybody for both counters, in rounds, one after the other. If the sum of *ended* of one round
// equals the sum of *created* of the next, then at every moment between the two rounds no thread lived: ended there >=
// ended(round k) == created(round k+1) >= created there >= ended there. Threads on their way need no extra counting:
// they are created and not ended. (Mattern's four counters, 1987.)
//
// Rounds begin when main has returned, and again when a node reports that nothing lives there, or after a while (0.2
// ms, doubling to 20 ms).
//
// Rejected: a count of living threads at the birth node (the end of the last thread then has to travel twice); a token
// ring (slower with the number of nodes, and no simpler).
#ifndef SKEIN_NET_TERMINATION_H
#define SKEIN_NET_TERMINATION_H

#include <cstdint>

namespace skein {

/// `finished(status)` is called on node 0, in the progress thread or a handler, when the run is over.
void termination_start(void (*finished)(int status));

/// Progress thread: the next round, if it is time. Returns nanoseconds until it wants to be called again.
uint64_t termination_tick(uint64_t now);

} // namespace skein

#endif
