// Which node this process is. The room net sets it once, before the first thread is created. A process alone is node 0
// of 1.
#ifndef SKEIN_BASE_NODE_H
#define SKEIN_BASE_NODE_H

#include <cstdint>

namespace skein {

struct Node {
  int self = 0;
  int count = 1;
  uint64_t seed = 0; // random, the same on all nodes of a run; 0 alone
};
extern Node node;

/// As many as there are slices of shared memory.
inline constexpr int nodes_max = 512;

} // namespace skein

#endif
