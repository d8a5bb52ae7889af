// What all transports do inside of `progress`: look repeatedly whether something has come, and keep messages that
// have arrived whole in a list until they can be handed to `receive` with no lock held, in blocks that the receiver may
// keep. All of it belongs to the kernel thread that is inside of `progress`.
#ifndef SKEIN_NET_WIRE_ARRIVED_H
#define SKEIN_NET_WIRE_ARRIVED_H

#include "base/fifo.h"
#include "net/wire/transport.h"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>

namespace skein {

/// Calls `look` until it says that this is enough, at most `looks` times and for about a microsecond. A look may be a
/// few instructions or a system call, so the clock is read only now and then.
template <class Look> void look_repeatedly(unsigned looks, Look &&look) {
  constexpr unsigned first_clock = 8;
  constexpr int64_t most_ns = 1000;
  unsigned next_clock = first_clock;
  timespec began = {}, now;
  for (unsigned i = 1; !look() && i < looks; i++) {
    if (i != next_clock)
      continue;
    next_clock *= 2;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (i == first_clock)
      began = now;
    if ((now.tv_sec - began.tv_sec) * 1000000000 + now.tv_nsec - began.tv_nsec > most_ns)
      return;
  }
}

/// Blocks from malloc for messages that arrive, used again when the receiver has not kept them. malloc itself is quick
/// enough for small ones.
class Blocks {
public:
  /// A block for a message of so many bytes; null: no memory.
  void *take(size_t bytes, size_t &room) {
    if (bytes <= small) {
      room = small;
      return malloc(bytes ? bytes : 1);
    }
    for (unsigned i = count_; i-- > 0;)
      if (bytes <= spare_[i].room && spare_[i].room / 4 <= bytes) {
        const Spare found = spare_[i];
        spare_[i] = spare_[--count_];
        room = found.room;
        return found.memory;
      }
    room = (bytes + 1023) / 1024 * 1024;
    return malloc(room);
  }
  void give(void *memory, size_t room) {
    if (room <= small || room > large)
      return free(memory);
    if (count_ == most)
      free(spare_[--count_].memory);
    spare_[count_++] = {memory, room};
  }

private:
  static constexpr size_t small = 1024, large = 64 << 10;
  static constexpr unsigned most = 8;
  struct Spare {
    void *memory;
    size_t room;
  } spare_[most] = {};
  unsigned count_ = 0;
};

/// A message on its way in, in a block of `room` bytes.
struct Incoming {
  Incoming *next;
  int from; // -1: the transport cannot tell
  void *message;
  size_t bytes, room;
};

/// To lose a message silently is worse than to end: a thread may be in it.
[[noreturn, gnu::cold]] inline void no_memory_for_message(size_t bytes) {
  fprintf(stderr, "skein: out of memory for a message of %zu bytes\n", bytes);
  abort();
}

/// The list, in order of arrival.
class Arrived {
public:
  /// A record and a block for a message of so many bytes; null: no memory.
  Incoming *expect(int from, size_t bytes) {
    Incoming *incoming = record();
    if (!incoming)
      return nullptr;
    if (!(incoming->message = blocks_.take(bytes, incoming->room))) {
      forget(incoming);
      return nullptr;
    }
    incoming->from = from;
    incoming->bytes = bytes;
    return incoming;
  }
  /// The same, or the process ends.
  Incoming *expect_surely(int from, size_t bytes) {
    Incoming *incoming = expect(from, bytes);
    if (!incoming)
      no_memory_for_message(bytes);
    return incoming;
  }
  void append(Incoming *incoming) { list_.push(incoming); }
  /// Appends a message that is in memory from malloc already. False: no memory for the record.
  bool adopt(int from, void *message, size_t bytes) {
    Incoming *incoming = record();
    if (!incoming)
      return false;
    *incoming = {nullptr, from, message, bytes, bytes};
    append(incoming);
    return true;
  }
  /// The message will not arrive after all.
  void drop(Incoming *incoming) {
    blocks_.give(incoming->message, incoming->room);
    forget(incoming);
  }
  bool empty() const { return list_.empty(); }
  /// Takes all out of the list; they are to be given to `deliver`.
  Incoming *take() { return list_.pop_all(); }
  /// Returns how many there were.
  unsigned deliver(Incoming *batch, const skein_transport_setup &setup) {
    unsigned count = 0;
    for (; batch; count++) {
      Incoming *incoming = batch;
      batch = incoming->next;
      if (!setup.receive(setup.context, incoming->from, incoming->message, incoming->bytes))
        blocks_.give(incoming->message, incoming->room);
      forget(incoming);
    }
    return count;
  }

private:
  Incoming *record() {
    Incoming *incoming = unused_;
    if (!incoming)
      return static_cast<Incoming *>(malloc(sizeof(Incoming)));
    unused_ = incoming->next;
    return incoming;
  }
  void forget(Incoming *incoming) {
    incoming->next = unused_;
    unused_ = incoming;
  }
  Fifo<Incoming> list_;
  Incoming *unused_ = nullptr;
  Blocks blocks_;
};

} // namespace skein

#endif
