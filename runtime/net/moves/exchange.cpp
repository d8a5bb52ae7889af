// How shipments of threads are built and sent; see exchange.h.
#include "net/moves/exchange.h"
#include "base/knobs.h"
#include "base/log.h"
#include "migrate/check.h"
#include "migrate/image.h"
#include "migrate/image_layout.h"
#include "migrate/lazy_moves.h"
#include "migrate/movable.h"
#include "migrate/move_handlers.h"
#include "net/messages/lent_memory.h"
#include "net/moves/births.h"
#include "net/moves/outbox.h"
#include "net/moves/refused.h"
#include "net/moves/shipments.h"
#include "net/run/stdio.h"
#include "os/linux/futex.h"
#include "private/regions/extents.h"
#include "sched/bundle.h"
#include "sched/sched.h"
#include "trace/trace.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>

namespace skein {

namespace {

constexpr uint32_t candidates_refused_most = 8; // for one answer

// Threads that leave without an order leave in parts, each of which fits into one fragment of the transport.
constexpr size_t part_bytes = 8000;
constexpr uint32_t part_most = 32;

constexpr uint32_t spread_at_once = 256; // threads that are picked before the first of them is sent

/// The thread's image will be made next: fetches its record and stack, which may lie in another core's cache.
void prefetch_thread(const Thread &thread) {
  constexpr size_t line = 64, most = 8192;
  thread_prefetch(thread);
  const size_t live = std::min(live_bytes(thread), most);
  for (size_t at = 0; at < live; at += line)
    __builtin_prefetch(static_cast<const std::byte *>(thread.sp) + at);
}

/// At most so much of the thread can be lent at once: its stack, or its private memory.
size_t bytes_to_lend(const Thread &thread, bool in_place) {
  return std::max(in_place ? 0 : live_bytes(thread), thread.owned ? extents_bytes(*thread.owned) : 0);
}

/// The link mostly needs a message no longer once it is sent. As many are kept as exchange_ship_ready has loads.
__thread KeptBuffers message_blocks;

/// A shipment under construction: images in a buffer behind a message header.
class Load {
public:
  Load() = default;
  Load(const Load &) = delete;
  ~Load() {
    drop();
    message_blocks.keep_from(buffer_);
  }

  /// To be called first: makes room for up to `most` threads.
  void begin(uint32_t most) {
    if (most > 1)
      items_ = static_cast<Item *>(message_memory(most * sizeof(Item)));
    most_ = most;
    if (!buffer_.room())
      message_blocks.give_to(buffer_);
    if (unsigned char *header = buffer_.extend(sizeof(ThreadsMessage), likely_bytes))
      memset(header, 0, sizeof(ThreadsMessage));
  }

  uint32_t count() const { return count_; }
  bool full() const { return count_ == most_; }
  /// With what is lent.
  size_t bytes() const { return buffer_.size() + lent_; }

  bool add_thread(Thread *thread, int to, bool self, Refusal &why, bool globals_checked = false) {
    size_t before = buffer_.size();
    if (before < sizeof(ThreadsMessage))
      return why.set(SKEIN_EMEMORY, "no memory for the image of thread %s", thread_name(thread->id).text);
    births_mark(*thread);
    // Handlers are not called for a thread that is known to stay.
    if (thread->move_handlers && !movable(*thread, Journey::to_node, why))
      return false;
    if (!move_leaves(*thread, to, why))
      return false;
    if (lazy_likely(*thread, to))
      link_send(to, message_new<ComingMessage>(), 0, /*plain=*/true);
    const bool in_place = thread->stack && stack_keeps_memory(thread->stack) && shipments_leave_stacks(to);
    const bool lends = memory_is_read_by(to, bytes_to_lend(*thread, in_place));
    if (!image_capture(*thread, buffer_, why,
                       {.globals_checked = globals_checked,
                        .lazily_to = to,
                        .lend_least = lends ? knobs.lend_least : UINT64_MAX,
                        .in_place = in_place})) {
      move_arrives(*thread, node.self);
      return false;
    }
    auto &image = *reinterpret_cast<ImageHeader *>(buffer_.data() + round_up_8(before));
    const bool stays = (image.flags & image_in_place) != 0;
    Item &item = items_[count_++] = {thread, nullptr, nullptr, thread->id, buffer_.size() - before, self, stays};
    if (lends)
      lend(item, to, image);
    return true;
  }

  /// Forgets what was added: begin() may be called again.
  void drop() {
    for (uint32_t i = 0; i < count_; i++)
      memory_back(items_[i].lent);
    if (items_ != &only_)
      free(items_);
    forget();
  }

  /// Sends the shipment. From here on the threads belong to whoever settles them, and this object may begin another.
  void post(int to, uint64_t request, const Order &order, uint32_t answer = 0) {
    stdio_flush();
    for (uint32_t i = 0; i < count_; i++) {
      events.outgoing(items_[i].thread, to);
      births_leaving(*items_[i].thread, to);
      trace(TraceEvent::departs, items_[i].id, items_[i].bytes, items_[i].thread->moves + 1u,
            static_cast<uint16_t>(to));
    }
    // As soon as the shipment is entered, news of its threads may settle them, and end it.
    const auto [number, leaves] = shipment_enter(to, order, items_, count_, items_ != &only_);
    if (__builtin_expect(leaves, 0)) {
      forget();
      return shipment_stays(number);
    }
    const uint32_t count = count_, arrived = add_arrived(to);
    inject_fault();
    auto *message = reinterpret_cast<ThreadsMessage *>(buffer_.data());
    message->header.type = static_cast<uint8_t>(MessageType::threads);
    message->shipment = number;
    message->request = request;
    message->count = count;
    message->arrived = arrived;
    message->go_on = order.go_on;
    message->awaited = order.waiter || order.pending;
    message->answer = answer;
    if (link_lend(to, &message->header, buffer_.size()))
      buffer_.take(); // the memory belongs to the link now
    forget();
    if (arrived)
      outbox_taken(arrived);
    if (!link_alive(to))
      exchange_fail(to);
  }

private:
  /// If the image lends memory, says where.
  void lend(Item &item, int to, ImageHeader &image) {
    const uint64_t bytes = image_lent_bytes(image);
    if (!bytes)
      return;
    LentPlace place;
    item.lent = thread_lend(to, item.id, bytes, place);
    item.bytes += bytes;
    lent_ += bytes;
    image_lend(image, place);
  }

  void forget() {
    items_ = &only_;
    count_ = 0;
    lent_ = 0;
    buffer_.clear();
  }

  /// Adds the numbers of shipments of node `to` that have arrived here, which spares a message. Returns how many.
  uint32_t add_arrived(int to) {
    uint64_t shipments[arrived_most];
    const uint32_t count = outbox_take_arrived(to, shipments, arrived_most);
    if (!count)
      return 0;
    auto *at = buffer_.extend(count * sizeof(uint64_t));
    if (!at)
      fatal("out of memory for a message to node %d", to);
    memcpy(at, shipments, count * sizeof(uint64_t));
    return count;
  }

  /// For tests (knob `fault`): damages the first image that leaves this node.
  void inject_fault() {
    static std::atomic<bool> done{false};
    if (knobs.fault < Fault::build_id || knobs.fault > Fault::checksum || done.exchange(true))
      return;
    auto *image = reinterpret_cast<ImageHeader *>(buffer_.data() + sizeof(ThreadsMessage));
    if (knobs.fault == Fault::build_id) {
      image->build_id[0] ^= 1; // an intact image of another program
      image_seal(*image);
    } else if (knobs.fault == Fault::version)
      image->wire_version++;
    else
      reinterpret_cast<unsigned char *>(image)[image->bytes - 1] ^= 1;
  }

  static constexpr size_t likely_bytes = 4096;
  uint32_t most_ = 0, count_ = 0;
  Item only_ = {}; // the only item, if most_ is 1
  Item *items_ = &only_;
  size_t lent_ = 0;
  Buffer buffer_;
};

} // namespace

void exchange_start() {
  shipments_start();
  arrivals_start();
}

bool exchange_ship(Thread *thread, int to, bool self, const Order &order, Refusal &why) {
  if (!self)
    prefetch_thread(*thread); // while check_globals searches the variables of the program
  Load load;
  load.begin(1);
  if (!load.add_thread(thread, to, self, why)) {
    move_refused(*thread, to, why.code, why.text);
    return false;
  }
  load.post(to, 0, order);
  return true;
}

// The threads leave in parts, so that the thief restores and runs the first while images of the others are still made.
// With an order, all leave in one shipment, since the order is told when one shipment is settled.
ShipOutcome exchange_ship_ready(int to, uint64_t request, uint32_t most, const Wanted &wanted, const Order &order) {
  ShipOutcome outcome;
  if (most == 0)
    most = static_cast<uint32_t>(std::min<uint64_t>((threads_ready() + 1) / 2, shipment_most));
  if (most == 0)
    return outcome;
  if (most > shipment_most)
    most = shipment_most;
  const bool whole = order.waiter || order.pending;
  const bool globals_checked = most > 1 && globals_hold_no_stack();
  Load parts[2];
  Load *part = &parts[0];
  part->begin(whole ? most : std::min(most, part_most));
  List<Thread> refused;
  size_t bytes = 0, last_bytes = 0;
  Thread *next = bundle_outgoing(wanted.what, wanted.bundle);
  while (Thread *thread = next) {
    next = nullptr;
    Load *into = part;
    if (!whole && (part->full() || (part->count() && part->bytes() + last_bytes > part_bytes))) {
      into = part == &parts[0] ? &parts[1] : &parts[0];
      into->begin(std::min(most - outcome.threads, part_most));
    }
    const bool one_more = outcome.threads + 1 < most && bytes + last_bytes < knobs.steal_bytes;
    if (one_more && (next = bundle_outgoing(wanted.what, wanted.bundle)))
      prefetch_thread(*next);
    const size_t before = into->bytes();
    Refusal why;
    if (into->add_thread(thread, to, false, why, globals_checked)) {
      outcome.threads++;
      last_bytes = into->bytes() - before;
      bytes += last_bytes;
      if (into != part)
        part->post(to, request, order);
      part = into;
    } else {
      move_refused(*thread, to, why.code, why.text);
      outcome.refused++;
      outcome.code = why.code;
      memcpy(outcome.text, why.text, sizeof outcome.text);
      refused.push_back(thread);
      if (into != part)
        into->drop();
      if (!next && outcome.refused < candidates_refused_most)
        next = bundle_outgoing(wanted.what, wanted.bundle);
    }
    if (next && (outcome.threads == most || outcome.refused == candidates_refused_most ||
                 (outcome.threads && bytes >= knobs.steal_bytes))) {
      thread_ready(next);
      break;
    }
  }
  while (Thread *thread = refused.pop_front())
    thread_ready(thread);
  if (outcome.threads)
    part->post(to, request, order, request ? outcome.threads : 0);
  return outcome;
}

namespace {

struct Picked {
  Thread *thread;
  int to;
};

/// Takes up to spread_at_once threads out of their queues, and sorts them by where they go, and by their stacks. Those
/// that no node is chosen for go to `staying`.
uint32_t pick(Picked *picked, int (*choose)(const Thread &), List<Thread> &staying) {
  uint32_t count = 0;
  while (count < spread_at_once) {
    Thread *thread = bundle_outgoing(SKEIN_WANT_FRESH_FIRST, nullptr);
    if (!thread)
      break;
    const int to = choose(*thread);
    if (to < 0) {
      staying.push_back(thread);
      break;
    }
    picked[count++] = {thread, to};
  }
  std::sort(picked, picked + count, [](const Picked &one, const Picked &other) {
    return one.to != other.to ? one.to < other.to : one.thread->stack.slot < other.thread->stack.slot;
  });
  return count;
}

} // namespace

uint32_t exchange_spread(int (*choose)(const Thread &), uint64_t until_ns) {
  const Order order{nullptr, 0, nullptr, "", true};
  Picked picked[spread_at_once];
  List<Thread> staying; // until the end, so that none is picked twice
  uint32_t sent = 0, refused = 0;
  for (bool more = true; more;) {
    const uint32_t count = pick(picked, choose, staying);
    const bool globals_checked = count > 1 && globals_hold_no_stack();
    more = count == spread_at_once;
    for (uint32_t next = 0; next < count;) {
      if (sent && clock_ns() >= until_ns) {
        for (more = false; next < count; next++)
          thread_ready(picked[next].thread);
        break;
      }
      const int to = picked[next].to;
      Load part;
      part.begin(part_most);
      for (size_t last_bytes = 0; next < count && picked[next].to == to && !part.full() &&
                                  (!part.count() || part.bytes() + last_bytes <= part_bytes);
           next++) {
        Thread *const thread = picked[next].thread;
        if (next + 1 < count)
          prefetch_thread(*picked[next + 1].thread);
        const size_t before = part.bytes();
        Refusal why;
        if (part.add_thread(thread, to, false, why, globals_checked)) {
          last_bytes = part.bytes() - before;
          continue;
        }
        move_refused(*thread, to, why.code, why.text);
        staying.push_back(thread);
        refused++;
      }
      sent += part.count();
      if (part.count())
        part.post(to, 0, order);
    }
    more &= refused < candidates_refused_most;
  }
  while (Thread *thread = staying.pop_front())
    thread_ready(thread);
  return sent;
}

} // namespace skein
