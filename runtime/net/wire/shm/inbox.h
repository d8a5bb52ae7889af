// The memory file of a node in which the others leave messages for it: a head, and a ring for each number of a node.
//
//     | asleep | ring of node 0 | ring of node 1 | ... |
//
// The file is sealed against being cut, so a peer that is damaged or malicious makes nobody fault. Only processes of
// the run have a descriptor of it, which they got from the launcher (net/wire/bootstrap.h); so nobody else can write
// there or read.
#ifndef SKEIN_NET_WIRE_SHM_INBOX_H
#define SKEIN_NET_WIRE_SHM_INBOX_H

#include "net/wire/shm/ring.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace skein::shm {

struct alignas(line_bytes) InboxHead {
  uint32_t asleep; // 1: the node sleeps, or is about to, and has to be woken by its bell. Atomic
};

/// The bytes of a ring in a run of so many nodes. Two nodes stream as fast with 128 KiB as with more, and the pages of
/// a ring that messages go round in are in memory: the inbox of a node has 4 MiB at most.
constexpr uint32_t ring_bytes(int nodes) {
  constexpr uint32_t most = 128 << 10, least = 16 << 10, inbox = 4 << 20;
  uint32_t bytes = most;
  while (bytes > least && bytes * static_cast<uint64_t>(nodes) > inbox)
    bytes /= 2;
  return bytes;
}
constexpr size_t inbox_bytes(int nodes) {
  return sizeof(InboxHead) + static_cast<size_t>(nodes) * (sizeof(RingHead) + ring_bytes(nodes));
}
/// The ring in which node `from` writes.
inline RingHead *ring_of(InboxHead *inbox, int nodes, int from) {
  const size_t stride = sizeof(RingHead) + ring_bytes(nodes);
  return reinterpret_cast<RingHead *>(reinterpret_cast<char *>(inbox + 1) + static_cast<size_t>(from) * stride);
}

/// What a node says of its inbox. The descriptors that come along are the file and the bell, an eventfd.
struct Address {
  static constexpr uint32_t version_now = 1;
  uint32_t version;
  int32_t nodes;
};

} // namespace skein::shm

#endif
