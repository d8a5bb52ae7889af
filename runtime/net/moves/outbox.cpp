// News for other nodes, in a box for each; see outbox.h.
#include "net/moves/outbox.h"
#include "base/lock.h"
#include "base/log.h"
#include "net/run/progress.h"
#include "net/wire/link.h"
#include "os/linux/futex.h"
#include "sched/sched.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>

namespace skein {

namespace {

constexpr uint64_t patience = 10000000, patience_arrived = 1000000; // ns

/// A message as link_send takes it.
struct Letter {
  MessageHeader *message;
  size_t bytes;
};

/// News of one kind, which will be the data of one Message.
template <class Message, class Entry, uint32_t most = batch_most> struct Batch {
  uint32_t count;
  Entry entries[most];

  bool full() const { return count == most; }
  void add(const Entry &entry) { entries[count++] = entry; }
  /// Empties the batch into a message; none if it was empty.
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

/// The news for one node, under `lock`.
struct Outbox {
  uint64_t sent_ns; // when news were sent last
  uint64_t due_ns;  // when news other than `arrived` are to be sent at the latest; 0 if there are none
  bool looked_at;   // the progress thread has been asked to look at `arrived` within patience_arrived
  Batch<ArrivedMessage, uint64_t, arrived_most> arrived;
  Batch<MovedMessage, MovedThread> moved;
  Batch<EndedMessage, EndedThread> ended;
  Batch<WantedMessage, uint64_t> wanted;
  Batch<RegionsMessage, FreedRegion> regions;
};

SpinLock lock{Rank::net};
Outbox **outboxes; // by node, made when needed
// Entries in all boxes and in messages that the link does not have yet. Changes under `lock`.
std::atomic<uint64_t> unsent{0};

void count_unsent(uint64_t more) {
  unsent.store(unsent.load(std::memory_order_relaxed) + more, std::memory_order_release); // pairs with outbox_holds
}
/// The link has so many entries that were taken out. It counts the messages that they are in, so quiescence sees them.
void count_sent(uint64_t entries) {
  Guard guard(lock);
  count_unsent(-entries);
}

/// The contents of a box, which are sent after the lock is released.
struct Delivery {
  int to;
  Letter letters[5];

  uint64_t entries;

  void send_all() const {
    for (const Letter &letter : letters)
      if (letter.message)
        link_send(to, letter.message, letter.bytes);
    if (entries)
      count_sent(entries);
  }
};

/// Under the lock: empties a box.
Delivery empty_box(int to, Outbox &box, uint64_t now) {
  box.due_ns = 0;
  box.sent_ns = now;
  uint64_t entries = box.arrived.count + box.moved.count + box.ended.count + box.wanted.count + box.regions.count;
  return {to, {box.arrived.seal(), box.moved.seal(), box.ended.seal(), box.wanted.seal(), box.regions.seal()}, entries};
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

template <class Batch, class Entry> void add_news(int to, Batch Outbox::*kind, const Entry &entry, bool at_once) {
  uint64_t now = clock_ns();
  Delivery delivery{};
  bool must_poke = false;
  {
    Guard guard(lock);
    Outbox &box = outbox(to);
    (box.*kind).add(entry);
    count_unsent(1);
    if (at_once || threads_ready() == 0 || (box.*kind).full() || now - box.sent_ns > patience) {
      delivery = empty_box(to, box, now);
    } else if (!box.due_ns) {
      box.due_ns = now + patience;
      must_poke = true;
    }
  }
  delivery.send_all();
  if (must_poke)
    progress_wake_within(patience);
}

/// Sends the news for `to` if some of them are due, or if `all`. Returns nanoseconds until some will be due, UINT64_MAX
/// if none are left.
uint64_t flush_box(int to, bool all) {
  Delivery delivery{};
  {
    Guard guard(lock);
    Outbox *box = outboxes ? outboxes[to] : nullptr;
    if (!box)
      return UINT64_MAX;
    box->looked_at &= all;
    if (!box->due_ns && !box->arrived.count)
      return UINT64_MAX;
    uint64_t now = clock_ns();
    if (!all && !box->arrived.count && box->due_ns > now)
      return box->due_ns - now;
    delivery = empty_box(to, *box, now);
  }
  delivery.send_all();
  return UINT64_MAX;
}

} // namespace

void outbox_ended(int to, const EndedThread &ended, bool at_once) { add_news(to, &Outbox::ended, ended, at_once); }
void outbox_moved(int to, const MovedThread &moved, bool at_once) { add_news(to, &Outbox::moved, moved, at_once); }
void outbox_wanted(int to, uint64_t thread) { add_news(to, &Outbox::wanted, thread, false); }

// Whoever hears of the end of a packed thread may unpack it, and needs its addresses.
void outbox_region(int to, const FreedRegion &region) {
  add_news(to, &Outbox::regions, region, (region.bytes & region_kept) != 0);
}

// If it were sent at once, the worker would send it before it runs the thread that has arrived. Mostly the worker is
// idle soon, or threads leave for the sender, and the number goes along; else the progress thread sends it.
void outbox_arrived(int to, uint64_t shipment) {
  bool full, must_poke;
  {
    Guard guard(lock);
    Outbox &box = outbox(to);
    box.arrived.add(shipment);
    count_unsent(1);
    full = box.arrived.full();
    must_poke = !full && !box.looked_at;
    box.looked_at |= must_poke;
  }
  if (full)
    outbox_send(to);
  if (must_poke)
    progress_wake_within(patience_arrived);
}

uint32_t outbox_take_arrived(int to, uint64_t *shipments, uint32_t most) {
  Guard guard(lock);
  Outbox &box = outbox(to);
  const uint32_t count = std::min(box.arrived.count, most);
  for (uint32_t i = 0; i < count; i++)
    shipments[i] = box.arrived.entries[--box.arrived.count];
  return count;
}

void outbox_taken(uint32_t count) { count_sent(count); }

bool outbox_holds() { return unsent.load(std::memory_order_acquire) != 0; } // pairs with count_unsent

void outbox_send(int to) { flush_box(to, true); }

uint64_t outbox_flush(bool all) {
  uint64_t next = UINT64_MAX;
  for (int to = 0; to < node.count; to++)
    next = std::min(next, flush_box(to, all));
  return next;
}

} // namespace skein
