// A ring of bytes in memory that two processes share: one of them writes entries, the other one reads them, and neither
// waits for the other.
//
//        reader takes here                writer puts here
//              v                                v
//   | .......  [entry][entry][entry][entry][       ....... |
//
// An entry begins on a cache line with a header of 16 bytes, which says how many bytes follow, and has no gap inside:
// what does not fit before the end begins at the start again, behind an entry that says `skip`.
//
// Invariants
//  * A header begins with a *stamp*: 64 bits that follow from its place in the order of all bytes and from a key that
//    only the run's nodes know. The writer writes it last, with release. So what the reader finds at its place is a
//    header that is complete, with all that lies behind it, or anything else: what was there a lap before has another
//    stamp, and bytes of a message that happen to be the one that the reader waits for are as improbable as a token
//    that somebody guesses. A writer that dies in the middle has written nothing.
//  * The writer does not write where the reader has not said, with release, that it has copied what was there.
//  * What the reader finds is checked before it is used: a damaged writer makes no reader touch memory outside of the
//    ring.
//
// What a message costs is lines that go from one core to the other, 0.1 to 0.2 us each if nothing goes on beside. Its
// first 48 bytes come with the header, and further lines are fetched together. Rejected, since each is one line more
// that has to come before the message can be seen: a counter of entries, which a queue for many writers needs (so each
// pair of nodes has a ring of its own); headers without a stamp, before which the writer clears the place of the next
// one (0.12 to 0.3 us). If the reader clears what it has read, that is hidden for small messages, but large ones take a
// third longer.
#ifndef SKEIN_NET_WIRE_SHM_RING_H
#define SKEIN_NET_WIRE_SHM_RING_H

#include "base/random.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace skein::shm {

inline constexpr uint32_t line_bytes = 64;

enum class Kind : uint32_t {
  whole, // a message
  first, // of the parts of a large one; begins with the message's length, in 8 bytes
  more,  // the next part
  skip,  // the next entry is at the ring's start
};

struct alignas(16) Header {
  uint64_t stamp; // atomic
  uint32_t bytes; // that follow
  Kind kind;
};

/// What both sides see of a ring, in shared memory, before its bytes.
struct alignas(line_bytes) RingHead {
  uint64_t taken; // by the reader: so many bytes, skips and gaps included, since the beginning. Atomic
};

constexpr uint32_t entry_bytes(size_t bytes) {
  return static_cast<uint32_t>((sizeof(Header) + bytes + line_bytes - 1) / line_bytes * line_bytes);
}
/// The longest entry. So that the reader copies one while the writer writes the next, many of them fit.
constexpr uint32_t entry_most(uint32_t ring_bytes) {
  return std::min<uint32_t>(ring_bytes / 4, 8 << 10) - static_cast<uint32_t>(sizeof(Header));
}

/// What both sides know of their place in a ring.
class Place {
public:
  /// `bytes`: a power of two.
  void begin(RingHead *head, uint32_t bytes, uint64_t key) {
    head_ = head;
    data_ = reinterpret_cast<unsigned char *>(head + 1);
    bytes_ = bytes;
    key_ = key;
    move_to(0);
  }
  RingHead &head() const { return *head_; }
  uint32_t most() const { return entry_most(bytes_); }
  uint32_t ring_bytes() const { return bytes_; }
  uint32_t rest() const { return bytes_ - offset(); } // until the ring's end
  uint64_t at() const { return at_.load(std::memory_order_relaxed); }
  Header *header() const { return reinterpret_cast<Header *>(data_ + offset()); }
  /// The stamp of a header that is here.
  uint64_t stamp() const { return stamp_.load(std::memory_order_relaxed); }
  void move_by(uint32_t bytes) { move_to(at() + bytes); }

private:
  uint32_t offset() const { return static_cast<uint32_t>(at() & (bytes_ - 1)); }
  void move_to(uint64_t at) {
    at_.store(at, std::memory_order_relaxed);
    // Never that of memory which is new.
    stamp_.store(splitmix64(key_ + at * UINT64_C(0x9e3779b97f4a7c15)) | 1, std::memory_order_relaxed);
  }

  RingHead *head_ = nullptr;
  unsigned char *data_ = nullptr;
  uint32_t bytes_ = 0;
  uint64_t key_ = 0;
  std::atomic<uint64_t> at_{0}, stamp_{0}; // as RingHead::taken
};

/// The writer's side. Its caller sees to it that one kernel thread at a time is in it.
class Writer {
public:
  void attach(RingHead *head, uint32_t bytes, uint64_t key) {
    place_.begin(head, bytes, key);
    attached_ = true;
  }
  bool attached() const { return attached_; }
  void detach() { attached_ = false; }
  uint32_t most() const { return place_.most(); }
  uint32_t ring_bytes() const { return place_.ring_bytes(); }

  /// Whether an entry of so many bytes has room, and as many bytes more would remain free.
  bool has_room(uint32_t bytes, uint32_t spare = 0) {
    const uint64_t need = place_.at() + left_out(bytes) + entry_bytes(bytes) + spare;
    if (need - taken_ <= place_.ring_bytes())
      return true;
    taken_ = __atomic_load_n(&place_.head().taken, __ATOMIC_ACQUIRE); // the reader has copied what was there
    return need - taken_ <= place_.ring_bytes();
  }
  /// Where has_room: puts an entry of two pieces, the first of which may be empty.
  void put(Kind kind, const void *begin, uint32_t begin_bytes, const void *data, uint32_t bytes) {
    const uint32_t all = begin_bytes + bytes;
    if (const uint32_t left = left_out(all)) {
      publish(Kind::skip, 0);
      place_.move_by(left);
    }
    auto *to = reinterpret_cast<unsigned char *>(place_.header() + 1);
    if (begin_bytes)
      memcpy(to, begin, begin_bytes);
    memcpy(to + begin_bytes, data, bytes);
    publish(kind, all);
    place_.move_by(entry_bytes(all));
  }

private:
  /// How much is left out at the end, since an entry of so many bytes does not fit there.
  uint32_t left_out(uint32_t bytes) const { return place_.rest() < entry_bytes(bytes) ? place_.rest() : 0; }
  void publish(Kind kind, uint32_t bytes) {
    Header *header = place_.header();
    header->bytes = bytes;
    header->kind = kind;
    __atomic_store_n(&header->stamp, place_.stamp(), __ATOMIC_RELEASE); // pairs with Reader::empty
  }

  Place place_;
  bool attached_ = false;
  uint64_t taken_ = 0; // what was seen of RingHead::taken
};

/// An entry as the reader finds it.
struct Entry {
  Kind kind;
  uint32_t bytes;
  const unsigned char *data;
};

/// The reader's side. One kernel thread at a time looks and takes; any may ask whether there is something.
class Reader {
public:
  void attach(RingHead *head, uint32_t bytes, uint64_t key) {
    place_.begin(head, bytes, key);
    attached_.store(true, std::memory_order_relaxed);
  }
  bool attached() const { return attached_.load(std::memory_order_relaxed); }
  void detach() { attached_.store(false, std::memory_order_relaxed); }
  bool empty() const {
    return __atomic_load_n(&place_.header()->stamp, __ATOMIC_ACQUIRE) != place_.stamp(); // pairs with Writer::publish
  }
  /// Where it is not empty: the entry, which is no skip; or false: the ring holds what no writer writes.
  bool look(Entry &entry) {
    const Header *header = place_.header();
    entry = {header->kind, header->bytes, reinterpret_cast<const unsigned char *>(header + 1)};
    return entry.kind <= Kind::more && entry.bytes <= place_.most() && entry_bytes(entry.bytes) <= place_.rest();
  }
  /// Where it is not empty: goes past a skip, if there is one.
  void pass_skip() {
    if (place_.header()->kind == Kind::skip)
      go_on(place_.rest());
  }
  /// The entry has been copied.
  void take(const Entry &entry) { go_on(entry_bytes(entry.bytes)); }

private:
  void go_on(uint32_t bytes) {
    place_.move_by(bytes);
    __atomic_store_n(&place_.head().taken, place_.at(), __ATOMIC_RELEASE); // pairs with Writer::has_room
  }

  Place place_;
  std::atomic<bool> attached_{false};
};

} // namespace skein::shm

#endif
