// skein_statistics_get: a program asks for the counters of this node or of a peer.
#ifndef SKEIN_NET_RUN_STATISTICS_H
#define SKEIN_NET_RUN_STATISTICS_H

struct skein_statistics;

namespace skein {

/// Those of this node, now.
skein_statistics statistics_here();

void statistics_start();

} // namespace skein

#endif
