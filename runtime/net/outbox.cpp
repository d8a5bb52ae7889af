// See outbox.h.
#include "net/outbox.h"
#include "base/lock.h"
#include "base/log.h"
#include "net/link.h"
#include "net/progress.h"
#include "os/linux/futex.h"
#include "sched/sched.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>

namespace skein {

namespace {

constexpr uint64_t patience = 10000000; // ns
constexpr uint32_t batch_most = 256;

/// A message on its way out, as link_send wants it.
struct Letter {
  MessageHeader *message;
  size_t bytes;
};

/// Entries that will be the data of one Message.
template <class Message, class Entry> struct Batch {
  uint32_t count;
  Entry entries[batch_most];

  bool full() const { return count == batch_most; }
  void add(const Entry &entry) { entries[count++] = entry; }
  /// Empties it. Without entries: no message.
  Letter seal() {
    if (!count)
      return {};
    size_t bytes = count * sizeof(Entry);
    auto *message = message_new<Message>(bytes);
    memcpy(message + 1, entries, bytes);
    count = 0;
    return {&message->header, sizeof(Message) + bytes};
  }
};

// To one node, under `lock`.
struct Outbox {
  uint64_t sent_ns;  // when something was told last
  uint64_t since_ns; // since when the oldest entry waits; 0: empty
  Batch<MovedMessage, MovedThread> moved;
  Batch<EndedMessage, EndedThread> ended;
  Batch<WantedMessage, uint64_t> wanted;
  Batch<RegionsMessage, FreedRegion> regions;
};

SpinLock lock{Rank::net};
Outbox **outboxes; // by node, made when needed
std::atomic<uint64_t> unsent{0};

/// What was in a box, to be sent after the lock is free.
struct Parcel {
  int to;
  Letter letters[4];

  uint64_t entries;

  void send() const {
    for (const Letter &letter : letters)
      if (letter.message)
        link_send(to, letter.message, letter.bytes);
    if (entries)
      unsent.fetch_sub(entries, std::memory_order_seq_cst); // the link has counted what they are in
  }
};

/// Under the lock.
Parcel wrap(int to, Outbox &box, uint64_t now) {
  box.since_ns = 0;
  box.sent_ns = now;
  uint64_t entries = box.moved.count + box.ended.count + box.wanted.count + box.regions.count;
  return {to, {box.moved.seal(), box.ended.seal(), box.wanted.seal(), box.regions.seal()}, entries};
}

Outbox &outbox(int to) {
  if (!outboxes)
    outboxes = static_cast<Outbox **>(calloc(static_cast<size_t>(node.count), sizeof(Outbox *)));
  if (outboxes && !outboxes[to])
    outboxes[to] = static_cast<Outbox *>(calloc(1, sizeof(Outbox)));
  if (!outboxes || !outboxes[to])
    fatal("out of memory for messages to node %d", to);
  return *outboxes[to];
}

template <class Batch, class Entry> void tell(int to, Batch Outbox::*kind, const Entry &entry, bool at_once) {
  uint64_t now = clock_ns();
  Parcel parcel{};
  bool must_poke = false;
  {
    Guard guard(lock);
    Outbox &box = outbox(to);
    (box.*kind).add(entry);
    unsent.fetch_add(1, std::memory_order_seq_cst);
    if (at_once || threads_ready() == 0 || (box.*kind).full() || now - box.sent_ns > patience) {
      parcel = wrap(to, box, now);
    } else if (!box.since_ns) {
      box.since_ns = now;
      must_poke = true;
    }
  }
  parcel.send();
  if (must_poke)
    progress_wake_within(patience);
}

/// Send what has waited for `age`. Returns nanoseconds until the rest is due, UINT64_MAX if nothing is left.
uint64_t flush(int to, uint64_t age) {
  Parcel parcel{};
  {
    Guard guard(lock);
    Outbox *box = outboxes ? outboxes[to] : nullptr;
    if (!box || !box->since_ns)
      return UINT64_MAX;
    uint64_t now = clock_ns(), waited = now - box->since_ns;
    if (waited < age)
      return age - waited;
    parcel = wrap(to, *box, now);
  }
  parcel.send();
  return UINT64_MAX;
}

} // namespace

void outbox_ended(int to, const EndedThread &ended, bool at_once) { tell(to, &Outbox::ended, ended, at_once); }
void outbox_moved(int to, const MovedThread &moved, bool at_once) { tell(to, &Outbox::moved, moved, at_once); }
void outbox_wanted(int to, uint64_t thread) { tell(to, &Outbox::wanted, thread, false); }

void outbox_region(int to, const FreedRegion &region) { tell(to, &Outbox::regions, region, false); }

bool outbox_holds() { return unsent.load(std::memory_order_seq_cst) != 0; }

void outbox_send(int to) { flush(to, 0); }

uint64_t outbox_flush(bool all) {
  uint64_t next = UINT64_MAX;
  for (int to = 0; to < node.count; to++)
    next = std::min(next, flush(to, all ? 0 : patience));
  return next;
}

} // namespace skein
