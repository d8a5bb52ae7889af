// Shipments and verdicts; see exchange.h.
#include "net/exchange.h"
#include "base/id_table.h"
#include "base/knobs.h"
#include "base/text.h"
#include "migrate/check.h"
#include "migrate/image.h"
#include "net/awaits.h"
#include "net/births.h"
#include "net/calls.h"
#include "net/outbox.h"
#include "net/pending.h"
#include "net/pushes.h"
#include "net/stdio.h"
#include "net/steals.h"
#include "private/extents.h"
#include "sched/bundle.h"
#include "sched/sched.h"
#include "sync/join.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace skein {

void (*exchange_refused)(const char *text) = nullptr;

namespace {

struct Item {
  Thread *thread;  // null once it is taken out, to be settled
  Thread *settled; // it was, by the verdict that is being handled
  uint64_t id;
  uint32_t bytes;
  bool self; // pushed itself: the verdict is its result
};

struct Shipment {
  uint64_t number;
  int to;
  Order order;
  uint32_t count;
  uint32_t left;    // not settled
  uint32_t arrived; // of those that are
  int code;         // of the last that did not arrive, with
  char *text;       // its reason, from malloc
  Item items[];     // a flexible array, as in C: the runtime has no containers
};

struct Seat {
  Shipment *shipment;
  uint32_t index;
};

SpinLock lock{Rank::net};
IdTable<Shipment *> shipments; // by number
IdTable<Seat> seats;           // by thread, of those in flight
uint64_t last_shipment;

constexpr uint32_t candidates_refused_most = 8; // in a row, for one answer
constexpr uint32_t shipment_most = 1024;

// --- building and sending --------------------------------------------------------------------------------------------

/// Its image will be made next: what of it lies in another cache, or none, may come already.
void prefetch_stack(const Thread &thread) {
  constexpr size_t line = 64, most = 2048;
  if (!thread.stack)
    return;
  const auto *begin = static_cast<const std::byte *>(thread.sp);
  const size_t live = std::min(static_cast<size_t>(thread.stack.high - begin), most);
  for (size_t at = 0; at < live; at += line)
    __builtin_prefetch(begin + at);
}

/// Under construction: images in a buffer behind a message header.
class Load {
public:
  Load() = default;
  Load(const Load &) = delete;
  ~Load() { free(shipment_); }

  /// Room for up to `most` threads. Before anything else.
  void begin(uint32_t most) {
    shipment_ = static_cast<Shipment *>(message_memory(sizeof(Shipment) + most * sizeof(Item)));
    *shipment_ = {};
    most_ = most;
    if (unsigned char *header = buffer_.extend(sizeof(ThreadsMessage), likely_bytes))
      memset(header, 0, sizeof(ThreadsMessage));
  }

  uint32_t count() const { return shipment_ ? shipment_->count : 0; }
  bool full() const { return count() == most_; }
  size_t bytes() const { return buffer_.size(); }

  bool add(Thread *thread, bool self, Refusal &why, bool globals_checked = false) {
    size_t before = buffer_.size();
    if (before < sizeof(ThreadsMessage))
      return why.set(SKEIN_EMEMORY, "no memory for the image of thread %s", thread_name(thread->id).text);
    births_mark(*thread);
    if (!image_capture(*thread, buffer_, why, globals_checked))
      return false;
    shipment_->items[shipment_->count++] = {thread, nullptr, thread->id, static_cast<uint32_t>(buffer_.size() - before),
                                            self};
    return true;
  }

  /// Nothing was added: it never began.
  void drop() {
    free(shipment_);
    shipment_ = nullptr;
    buffer_.clear();
  }

  /// Sends it. From here on the threads belong to whoever settles them.
  void ship(int to, uint64_t request, const Order &order, uint32_t answer = 0) {
    Shipment *shipment = shipment_;
    shipment_ = nullptr;
    shipment->to = to;
    shipment->order = order;
    shipment->left = shipment->count;
    stdio_flush();
    for (uint32_t i = 0; i < shipment->count; i++) {
      events.outgoing(shipment->items[i].thread, to);
      births_leaving(*shipment->items[i].thread, to);
    }
    uint64_t number;
    {
      Guard guard(lock);
      number = shipment->number = ++last_shipment;
      shipments[number] = shipment;
      for (uint32_t i = 0; i < shipment->count; i++)
        seats[shipment->items[i].id] = {shipment, i};
    }
    uint32_t count = shipment->count; // a verdict may free it while we are still here
    const uint32_t arrived = add_arrived(to);
    size_t bytes = buffer_.size();
    inject_fault();
    auto *message = reinterpret_cast<ThreadsMessage *>(buffer_.take());
    message->header.type = static_cast<uint8_t>(MessageType::threads);
    message->shipment = number;
    message->request = request;
    message->count = count;
    message->arrived = arrived;
    message->go_on = order.go_on;
    message->awaited = order.waiter || order.pending;
    message->answer = answer;
    link_send(to, &message->header, bytes);
    if (arrived)
      outbox_taken(arrived);
    if (!link_alive(to))
      exchange_fail(to);
  }

private:
  /// What can be said of the other's shipments goes along. Returns how many of them.
  uint32_t add_arrived(int to) {
    constexpr uint32_t most = 16;
    uint64_t shipments[most];
    const uint32_t count = outbox_take_arrived(to, shipments, most);
    if (!count)
      return 0;
    auto *at = buffer_.extend(count * sizeof(uint64_t));
    if (!at)
      fatal("out of memory for a message to node %d", to);
    memcpy(at, shipments, count * sizeof(uint64_t));
    return count;
  }

  /// For tests (knob `fault`): damages the first image that leaves this node, once.
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
  Shipment *shipment_ = nullptr;
  uint32_t most_ = 0;
  Buffer buffer_;
};

// --- settling --------------------------------------------------------------------------------------------------------

void departed(const Item &item, int to) {
  count(statistics.threads_sent);
  count(statistics.bytes_sent, item.bytes);
  Thread *thread = item.thread;
  pushes_disappoint(thread, "went to another node");
  thread_unlist(thread); // from here on nobody sets `joined` or `wanted`
  births_departed(*thread, to);
  Stack stack = thread->stack;
  thread->stack = Stack{};
  const bool joined = thread->joined && thread_id_node(item.id) != node.self; // else births_departed sees to it
  private_depart(*thread);
  bundle_leave(thread);
  thread_delete(thread);
  if (stack)
    stack_leave(stack);
  if (joined && join_elsewhere)
    join_elsewhere(item.id); // the waiters here follow it
}

void stayed(const Item &item, const Order &order, int code, const char *text) {
  count(statistics.moves_refused);
  births_stayed(item.id);
  if (order.newborn != Newborn::no) {
    order_unborn(order, item.thread);
    return;
  }
  if (item.self) {
    if (exchange_refused)
      exchange_refused(text);
    thread_error(item.thread, code, "skein_push_self: %s", text);
    item.thread->result = static_cast<uint64_t>(code);
  }
  if (item.thread->awaiting)
    await_again(item.thread);
  else
    thread_ready(item.thread);
}

/// Whether it arrived or not: it is nowhere any more, and whoever waits for it hears that from its birth node.
void lost_on_its_way(const Item &item, int to) {
  if (item.thread->awaiting)
    await_lost(item.thread);
  departed(item, to);
}

/// Under the lock: take an item out of its shipment, to be settled.
Item take_item(Shipment *shipment, uint32_t index) {
  Item item = shipment->items[index];
  shipment->items[index].thread = nullptr;
  seats.erase(item.id);
  return item;
}

/// So many that were taken out are settled, and so many of them have arrived; `code` and `text` are of the last that
/// has not. After the last of a shipment, it is no more.
void finish(Shipment *shipment, uint32_t settled, uint32_t arrived, int code, const char *text) {
  {
    Guard guard(lock);
    shipment->arrived += arrived;
    if (settled > arrived) {
      shipment->code = code;
      free(shipment->text);
      shipment->text = text_copy(text);
    }
    shipment->left -= settled;
    if (shipment->left > 0)
      return;
    shipments.erase(shipment->number);
  }
  order_end(shipment->order, shipment->arrived ? static_cast<int>(SKEIN_OK) : shipment->code,
            shipment->text ? shipment->text : "", shipment->arrived);
  free(shipment->text);
  free(shipment);
}

/// What the verdict says about item `index`, null if it arrived.
const RefusedThread *refused_at(const RefusedThread *refused, uint32_t count, uint32_t index) {
  for (uint32_t i = 0; i < count; i++)
    if (refused[i].index == index)
      return &refused[i];
  return nullptr;
}

/// Node `from` has said what became of a shipment: all but the given ones have arrived.
void settle_shipment(uint64_t number, int from, const RefusedThread *refused, uint32_t refused_count) {
  Shipment *shipment;
  uint32_t settled = 0, arrived = 0;
  {
    Guard guard(lock);
    Shipment **found = shipments.find(number);
    if (!found || (*found)->to != from)
      return;
    shipment = *found;
    for (uint32_t i = 0; i < shipment->count; i++) {
      Item &item = shipment->items[i];
      item.settled = item.thread ? take_item(shipment, i).thread : nullptr;
      settled += item.settled != nullptr;
    }
  }
  if (!settled) // others have taken them out, and end the shipment
    return;
  const RefusedThread *last = nullptr;
  for (uint32_t i = 0; i < shipment->count; i++) {
    if (!shipment->items[i].settled)
      continue;
    Item item = shipment->items[i];
    item.thread = item.settled;
    if (const RefusedThread *no = refused_at(refused, refused_count, i)) {
      stayed(item, shipment->order, no->code, no->text);
      last = no;
    } else {
      departed(item, from);
      arrived++;
    }
  }
  finish(shipment, settled, arrived, last ? last->code : SKEIN_OK, last ? last->text : "");
}

void on_verdict(Arrival &arrival) {
  const auto &verdict = arrival.body<VerdictMessage>();
  auto *refused = static_cast<const RefusedThread *>(arrival.data<VerdictMessage>());
  if (arrival.data_bytes<VerdictMessage>() / sizeof(RefusedThread) >= verdict.refused)
    settle_shipment(verdict.shipment, arrival.from, refused, verdict.refused);
}

void settle_shipments(int from, const void *numbers, size_t bytes) {
  for (size_t i = 0; i < bytes / sizeof(uint64_t); i++) {
    uint64_t number;
    memcpy(&number, static_cast<const unsigned char *>(numbers) + i * sizeof number, sizeof number);
    settle_shipment(number, from, nullptr, 0);
  }
}

void on_arrived(Arrival &arrival) {
  settle_shipments(arrival.from, arrival.data<ArrivedMessage>(), arrival.data_bytes<ArrivedMessage>());
}

// --- receiving -------------------------------------------------------------------------------------------------------

class Verdict {
public:
  void refuse(uint32_t index, ImageFault fault, const Refusal &why) {
    if (!rows_)
      rows_ = static_cast<VerdictMessage *>(message_memory(sizeof(VerdictMessage) + rows_most * sizeof(RefusedThread)));
    SKEIN_ASSERT(count_ < rows_most, "more refusals than threads in a shipment");
    auto &row = reinterpret_cast<RefusedThread *>(rows_ + 1)[count_++];
    row = {};
    row.index = index;
    row.code = why.code;
    row.fault = static_cast<uint32_t>(fault);
    snprintf(row.text, sizeof row.text, "node %d refused the thread (%s): %s", node.self, image_fault_name(fault),
             why.text);
  }
  bool refuses() const { return count_ > 0; }
  void send(int to, uint64_t shipment) {
    if (!rows_)
      rows_ = static_cast<VerdictMessage *>(message_memory(sizeof(VerdictMessage)));
    rows_->header.type = static_cast<uint8_t>(MessageType::verdict);
    rows_->shipment = shipment;
    rows_->refused = count_;
    rows_->reserved = 0;
    link_send(to, &rows_->header, sizeof(VerdictMessage) + count_ * sizeof(RefusedThread));
    rows_ = nullptr;
  }

private:
  static constexpr uint32_t rows_most = shipment_most;
  VerdictMessage *rows_ = nullptr;
  uint32_t count_ = 0;
};

bool in_flight(uint64_t id) {
  Guard guard(lock);
  return seats.find(id) != nullptr;
}

/// The id of a thread in flight that `is(thread)`, 0 if there is none.
template <class Predicate> uint64_t in_flight_that(Predicate is) {
  uint64_t id = 0;
  Guard guard(lock);
  seats.each([&](uint64_t flying, Seat &seat) {
    if (is(*seat.shipment->items[seat.index].thread))
      id = flying;
  });
  return id;
}

/// Addresses belong to one thread at a time, and are given back where it ends. So if the thread of an intact image has
/// some that a thread in flight has here, too, that one has arrived, and ended, and only its verdict is late: by way of
/// a third node the news may be faster. False: there was none.
bool settle_former_owners(const ImageHeader &image) {
  bool any = false;
  while (uint64_t id = in_flight_that([&](const Thread &thread) { return image_owns_what(image, thread); })) {
    exchange_settle(id);
    any = true;
  }
  return any;
}

/// The image at `at` as a thread of this node; null with the reason.
Thread *receive_image(const unsigned char *at, size_t bytes, ImageFault &fault, Refusal &why) {
  // It comes back before the verdict of its departure: only an intact image may say so.
  const auto *header = reinterpret_cast<const ImageHeader *>(at);
  if (bytes >= sizeof(ImageHeader) && in_flight(header->thread) && image_check(at, bytes, fault, why))
    exchange_settle(header->thread);
  Thread *thread = image_restore(at, bytes, fault, why);
  const bool taken = fault == ImageFault::no_stack || fault == ImageFault::no_memory;
  if (!thread && taken && settle_former_owners(*header))
    thread = image_restore(at, bytes, fault, why);
  if (!thread)
    return nullptr;
  births_arrived(thread->id);
  events.incoming(thread);
  count(statistics.threads_received);
  count(statistics.bytes_received, bytes);
  return thread;
}

void on_threads(Arrival &arrival) {
  const auto &message = arrival.body<ThreadsMessage>();
  auto *at = static_cast<const unsigned char *>(arrival.data<ThreadsMessage>());
  size_t left = arrival.data_bytes<ThreadsMessage>();
  uint32_t images = message.count < shipment_most ? message.count : shipment_most;
  if (const size_t bytes = message.arrived * sizeof(uint64_t); bytes <= left) {
    left -= bytes;
    settle_shipments(arrival.from, at + left, bytes); // first: one of those may be coming back
  }
  Verdict verdict;
  List<Thread> accepted;
  uint32_t accepted_count = 0;
  for (uint32_t index = 0; index < images; index++) {
    ImageFault fault = ImageFault::truncated;
    Refusal why;
    uint32_t bytes = left >= sizeof(ImageHeader) ? reinterpret_cast<const ImageHeader *>(at)->bytes : 0;
    if (bytes < sizeof(ImageHeader) || bytes > left || bytes % 8 != 0) {
      why.set(SKEIN_EREFUSED, "its image is truncated");
      verdict.refuse(index, fault, why);
      continue;
    }
    if (Thread *thread = receive_image(at, bytes, fault, why)) {
      // Who was pushed here runs here, whatever thieves want; of a loot one, or two idle nodes could play ball
      // with it.
      thread->settling = message.request ? message.answer && accepted_count == 0 : !message.go_on;
      accepted.push_back(thread);
      accepted_count++;
    } else {
      verdict.refuse(index, fault, why);
    }
    at += bytes;
    left -= bytes;
  }
  if (message.request)
    count(statistics.threads_stolen, accepted_count);
  // Who waits for it gets it before they run; else their going on comes first.
  const bool at_once = message.awaited || verdict.refuses();
  if (at_once)
    verdict.send(arrival.from, message.shipment);
  while (Thread *thread = accepted.pop_front())
    if (thread->awaiting)
      await_arrived(thread, arrival.from);
    else
      thread_arrived(thread);
  if (!at_once)
    outbox_arrived(arrival.from, message.shipment);
  if (message.request)
    steal_answered(message.request, message.answer, images, accepted_count);
}

} // namespace

void exchange_start() {
  link_handle<ThreadsMessage>(on_threads);
  link_handle<VerdictMessage>(on_verdict);
  link_handle<ArrivedMessage>(on_arrived);
}

bool exchange_ship(Thread *thread, int to, bool self, const Order &order, Refusal &why) {
  Load load;
  load.begin(1);
  if (!load.add(thread, self, why)) {
    count(statistics.moves_refused);
    return false;
  }
  load.ship(to, 0, order);
  return true;
}

// An answer leaves in parts, so that the thief restores and runs the first threads while the others are still made
// ready for the way; each fits into one fragment of the transport. But an order is told of one shipment.
Loot exchange_ship_ready(int to, uint64_t request, uint32_t most, const Wanted &wanted, const Order &order) {
  constexpr size_t part_bytes = 8000;
  constexpr uint32_t part_most = 32;
  Loot loot;
  if (most == 0)
    most = static_cast<uint32_t>(std::min<uint64_t>((threads_ready() + 1) / 2, shipment_most));
  if (most == 0)
    return loot;
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
      into->begin(std::min(most - loot.threads, part_most));
    }
    const bool one_more = loot.threads + 1 < most && bytes + last_bytes < knobs.steal_bytes;
    if (one_more && (next = bundle_outgoing(wanted.what, wanted.bundle)))
      prefetch_stack(*next);
    const size_t before = into->bytes();
    Refusal why;
    if (into->add(thread, false, why, globals_checked)) {
      loot.threads++;
      last_bytes = into->bytes() - before;
      bytes += last_bytes;
      if (into != part)
        part->ship(to, request, order);
      part = into;
    } else {
      count(statistics.moves_refused);
      loot.refused++;
      loot.code = why.code;
      memcpy(loot.text, why.text, sizeof loot.text);
      refused.push_back(thread);
      if (into != part)
        into->drop();
      if (!next && loot.refused < candidates_refused_most)
        next = bundle_outgoing(wanted.what, wanted.bundle);
    }
    if (next && (loot.threads == most || loot.refused == candidates_refused_most ||
                 (loot.threads && bytes >= knobs.steal_bytes))) {
      thread_ready(next);
      break;
    }
  }
  while (Thread *thread = refused.pop_front())
    thread_ready(thread);
  if (loot.threads)
    part->ship(to, request, order, request ? loot.threads : 0);
  return loot;
}

void exchange_settle(uint64_t id) {
  Item item{};
  Shipment *shipment;
  int to;
  {
    Guard guard(lock);
    Seat *seat = seats.find(id);
    if (!seat)
      return;
    shipment = seat->shipment;
    to = shipment->to;
    item = take_item(shipment, seat->index);
  }
  departed(item, to);
  finish(shipment, 1, 1, SKEIN_OK, "");
}

void exchange_settle_slot(uint32_t slot) {
  if (uint64_t id = in_flight_that([&](const Thread &thread) { return thread.stack.slot == slot; }))
    exchange_settle(id);
}

void exchange_fail(int peer) {
  char text[80];
  snprintf(text, sizeof text, "node %d died before it said whether the thread had arrived", peer);
  for (;;) {
    Item item{};
    Shipment *shipment = nullptr;
    {
      Guard guard(lock);
      seats.each([&](uint64_t, Seat &seat) {
        if (seat.shipment->to == peer) {
          shipment = seat.shipment;
          item.id = shipment->items[seat.index].id;
        }
      });
      if (!shipment)
        return;
      item = take_item(shipment, seats.find(item.id)->index);
    }
    lost_on_its_way(item, peer);
    finish(shipment, 1, 0, SKEIN_EDEAD, text);
  }
}

void order_unborn(const Order &order, Thread *thread) {
  if (order.newborn == Newborn::start)
    thread->state.store(ThreadState::created, std::memory_order_release); // pairs with the table's lock in skein_start
  else
    thread_abandon(thread);
}

void order_end(const Order &order, int code, const char *text, unsigned moved) {
  if (order.moved)
    *order.moved = moved; // on the stack of the waiter, who is blocked
  if (order.newborn != Newborn::no) {
    if (code)
      thread_error(order.waiter, code, "%s: %s", order.function, text);
    thread_wake(order.waiter, order.newborn == Newborn::start ? static_cast<uint64_t>(code) : code ? 0 : order.id);
  } else if (order.waiter && code)
    wake_with_error(order.waiter, code, "%s: %s", order.function, text);
  else if (order.waiter)
    thread_wake(order.waiter, SKEIN_OK);
  if (!order.pending)
    return;
  char whole[error_text_bytes];
  snprintf(whole, sizeof whole, "%s: %s", order.function, text);
  pending_end(order.pending, code, whole, moved);
}

} // namespace skein
