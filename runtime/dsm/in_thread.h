// What a thread's record has of this room.
#ifndef SKEIN_DSM_IN_THREAD_H
#define SKEIN_DSM_IN_THREAD_H

#include <cstdint>

namespace skein {

/// How often a thread asked a node for shared memory; 0: unused.
struct RemoteCount {
  int node;
  uint32_t count;
};

/// Which data a thread may follow to another node (follow.h).
struct Following {
  RemoteCount remote[4] = {}; // since it came to this node
  RemoteCount lately = {};    // the node that it asks most of late, and how much more than all others
};

} // namespace skein

#endif
