// What a thread's record has of this room.
#ifndef SKEIN_NET_IN_THREAD_H
#define SKEIN_NET_IN_THREAD_H

#include <cstdint>

namespace skein {

/// The call whose answer a blocked thread waits for; it may leave and have the answer sent after it (messages/calls).
struct Awaiting {
  uint64_t call = 0;
};

/// What the node where a thread was born has told about it (moves/births).
struct Birth {
  bool wanted = false; // it wants to hear of the thread's end at once
};

} // namespace skein

#endif
