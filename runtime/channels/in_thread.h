// What a thread's record has of this room.
#ifndef SKEIN_CHANNELS_IN_THREAD_H
#define SKEIN_CHANNELS_IN_THREAD_H

#include <atomic>
#include <cstdint>

namespace skein {

/// With whom the thread has had its latest message over a channel since it came to this node: 1 + the other's node; 0:
/// with one of this node, or with nobody.
struct Talking {
  std::atomic<uint16_t> last{0};
};

} // namespace skein

#endif
