// The part of tracing that takes messages: which classes are on is the same for all nodes, and their clocks are
// compared with node 0's.
#ifndef SKEIN_NET_RUN_TRACING_H
#define SKEIN_NET_RUN_TRACING_H

namespace skein {

/// Called in a run of several nodes, before they meet.
void tracing_start();

} // namespace skein

#endif
