// The table of shipments that are not settled; see shipments.h.
#include "net/moves/shipments.h"
#include "base/id_table.h"
#include "base/node.h"
#include "base/tally.h"
#include "base/text.h"
#include "migrate/move_handlers.h"
#include "net/messages/lent_memory.h"
#include "net/messages/pending.h"
#include "net/moves/awaits.h"
#include "net/moves/births.h"
#include "net/moves/pushes.h"
#include "net/moves/refused.h"
#include "private/paging/paging.h"
#include "private/regions/extents.h"
#include "sched/bundle.h"
#include "sync/join.h"

#include <atomic>
#include <cstdio>
#include <cstring>

namespace skein {

namespace {

struct Shipment {
  uint64_t number;
  int to;
  Order order;
  uint32_t count;
  uint32_t unsettled; // threads
  uint32_t arrived;   // of those that are settled
  int code;           // why the last one did not arrive, with
  char *text;         // from malloc
  Item *items;        // &only, or from malloc
  Item only;
  Shipment *next; // in the list of free records
};

struct InFlight {
  Shipment *shipment;
  uint32_t index;
};

SpinLock lock{Rank::net};
IdTable<Shipment *> shipments; // by number
IdTable<InFlight> in_flight;   // by the thread's id
// How many shipments were ever entered. Written under the lock.
std::atomic<uint64_t> entered{0};
Shipment *free_shipments; // records to be used again
uint32_t free_count;
constexpr uint32_t free_most = 1024;

std::atomic<bool> refuses_stacks[nodes_max]; // in place, by node: it has loaded a library since its hello

void count_sent(const Item &item) {
  tally(Tally::sent);
  tally(Tally::sent_bytes, item.bytes);
  if (item.lent)
    tally(Tally::sent_lending);
  if (item.in_place)
    tally(Tally::sent_in_place);
}

/// The thread has arrived elsewhere: its record and stack here are released.
void release_departed(const Item &item, int to) {
  count_sent(item);
  memory_back(item.lent);
  Thread *thread = item.thread;
  pushes_fail_wish(thread, "went to another node");
  join_departs(thread); // from here on `joined` and `wanted` do not change
  births_departed(*thread, to);
  Stack stack = thread->stack;
  thread->stack = Stack{};
  // If the thread turned an address of its stack into a number, a use of that number here is to be caught.
  const bool close = thread_numbered(*thread) != nullptr;
  const bool joined =
      thread->join.awaited && thread_id_node(item.id) != node.self; // births_departed does it for others
  private_depart(*thread);
  bundle_leave(thread);
  thread_delete(thread);
  if (stack)
    stack_leave(stack, close);
  if (joined && join_elsewhere)
    join_elsewhere(item.id); // those who wait for it here now wait for an answer of its birth node
}

/// The thread was refused: it goes on here.
void resume_refused(const Item &item, int to, const Order &order, int code, const char *text) {
  memory_back(item.lent);
  move_refused(*item.thread, to, code, text);
  paging_stayed(*item.thread, /*refused=*/true);
  births_stayed(item.id);
  if (order.newborn != Newborn::no) {
    order_unborn(order, item.thread);
    return;
  }
  if (item.self) {
    thread_error(item.thread, code, "skein_push_self: %s", text);
    item.thread->result = static_cast<uint64_t>(code);
  }
  move_arrives(*item.thread, node.self);
  if (item.thread->awaiting)
    await_again(item.thread);
  else
    thread_ready(item.thread);
}

/// The destination died, so the thread is lost, whether it had arrived or not. Those who wait for it hear that from its
/// birth node.
void release_lost(const Item &item, int to) {
  if (item.thread->awaiting)
    await_lost(item.thread);
  release_departed(item, to);
}

/// Under the lock: takes an item out of its shipment, so that the caller alone settles it.
Item take_item(Shipment *shipment, uint32_t index) {
  Item item = shipment->items[index];
  shipment->items[index].thread = nullptr;
  in_flight.erase(item.id);
  return item;
}

/// Under the lock: takes out all that others have not, so that the caller alone settles them. Returns how many.
uint32_t take_items(Shipment *shipment) {
  uint32_t taken = 0;
  for (uint32_t i = 0; i < shipment->count; i++) {
    Item &item = shipment->items[i];
    item.settled = item.thread ? take_item(shipment, i).thread : nullptr;
    taken += item.settled != nullptr;
    if (item.settled) // nobody has looked at it since it left
      thread_prefetch(*item.settled);
  }
  return taken;
}

/// What has to be told and freed when all threads of a shipment are settled.
struct Outcome {
  Order order;
  int code;   // of the order, if nothing arrived
  char *text; // from malloc, or null
  Item *items;
  unsigned arrived;
  Shipment *surplus = nullptr;

  /// Under the lock: takes the shipment out of the table; its record may be used again at once.
  explicit Outcome(Shipment *shipment)
      : order(shipment->order), code(shipment->code), text(shipment->text),
        items(shipment->items == &shipment->only ? nullptr : shipment->items), arrived(shipment->arrived) {
    shipments.erase(shipment->number);
    if (free_count == free_most) {
      surplus = shipment;
    } else {
      shipment->next = free_shipments;
      __atomic_store_n(&free_shipments, shipment, __ATOMIC_RELAXED);
      free_count++;
    }
  }
  /// Without the lock, after the last thread is settled.
  void tell_order() {
    if (order.waiter || order.pending)
      order_end(order, arrived ? static_cast<int>(SKEIN_OK) : code, text ? text : "", arrived);
    free(text);
    free(items);
    free(surplus);
  }
};

/// The caller has settled so many items that it took out, and so many of them have arrived; `code` and `text` say why
/// the last of the others did not. Ends the shipment if nothing of it is unsettled any more.
void count_settled(Shipment *shipment, uint32_t settled, uint32_t arrived, int code, const char *text) {
  lock.lock();
  shipment->arrived += arrived;
  if (settled > arrived) {
    shipment->code = code;
    free(shipment->text);
    shipment->text = text_copy(text);
  }
  shipment->unsettled -= settled;
  if (shipment->unsettled > 0)
    return lock.unlock();
  Outcome outcome(shipment);
  lock.unlock();
  outcome.tell_order();
}

/// To be called under the lock, which it releases: the thread at `index` has arrived, and `release(item, to)` disposes
/// of its record here. Returns the shipment's number if all of it is settled now, else 0.
template <class Release> uint64_t settle_one(Shipment *shipment, uint32_t index, Release &&release) {
  const int to = shipment->to;
  const Item item = take_item(shipment, index);
  if (shipment->unsettled > 1) {
    lock.unlock();
    release(item, to);
    count_settled(shipment, 1, 1, SKEIN_OK, "");
    return 0;
  }
  const uint64_t number = shipment->number;
  shipment->arrived++;
  Outcome outcome(shipment);
  lock.unlock();
  release(item, to);
  outcome.tell_order();
  return number;
}

/// The row of a verdict that refuses item `index`, null if that arrived.
const RefusedThread *refused_at(const RefusedThread *refused, uint32_t count, uint32_t index) {
  for (uint32_t i = 0; i < count; i++)
    if (refused[i].index == index)
      return &refused[i];
  return nullptr;
}

/// To be called under the lock, which it releases: all threads of the shipment are settled that others have not
/// settled. `refused_at(i)` says why thread i goes on here; null: it has arrived.
template <class RefusedAt> void settle_all(Shipment *shipment, RefusedAt &&refused_at) {
  const uint32_t settled = take_items(shipment);
  uint32_t arrived = 0;
  lock.unlock();
  if (!settled) // other news have taken all of them out; whoever handles these ends the shipment
    return;
  const RefusedThread *last = nullptr;
  for (uint32_t i = 0; i < shipment->count; i++) {
    if (!shipment->items[i].settled)
      continue;
    Item item = shipment->items[i];
    item.thread = item.settled;
    if (const RefusedThread *no = refused_at(i)) {
      // The next time it takes all along.
      if (no->fault == static_cast<uint32_t>(ImageFault::unread))
        memory_not_lent_to(shipment->to);
      if (no->fault == static_cast<uint32_t>(ImageFault::not_in_place))
        refuses_stacks[shipment->to].store(true, std::memory_order_relaxed);
      resume_refused(item, shipment->to, shipment->order, no->code, no->text);
      last = no;
    } else {
      release_departed(item, shipment->to);
      arrived++;
    }
  }
  count_settled(shipment, settled, arrived, last ? last->code : SKEIN_OK, last ? last->text : "");
}

/// The node to which a shipment has gone has told what became of it: all threads have arrived but those that `refused`
/// names.
void settle_shipment(uint64_t number, const RefusedThread *refused, uint32_t refused_count) {
  lock.lock();
  Shipment **found = shipments.find(number);
  if (!found)
    return lock.unlock();
  Shipment *shipment = *found;
  if (shipment->items == &shipment->only && refused_count == 0 && shipment->only.thread)
    settle_one(shipment, 0, release_departed);
  else
    settle_all(shipment, [&](uint32_t i) { return refused_at(refused, refused_count, i); });
}

/// A shipment's number says where it has gone, and that so many were entered before: so what a peer says of one is
/// judged without a look into the table.
constexpr unsigned number_shift = 16;
static_assert(sizeof(MessageHeader::from) * 8 <= number_shift);
uint64_t number_of(uint64_t before, int to) { return (before + 1) << number_shift | static_cast<uint64_t>(to); }

/// Whether a shipment of that number has gone to node `to`.
bool was_sent(uint64_t number, int to) {
  const uint64_t count = number >> number_shift; // a peer has heard of none that was entered later than we look
  return count != 0 && count <= entered.load(std::memory_order_relaxed) && number == number_of(count - 1, to);
}

[[gnu::cold]] void reject_number(int from, MessageType type, uint64_t number) {
  link_reject(from, type, "no shipment 0x%llx has gone there", static_cast<unsigned long long>(number));
}

/// How many threads a shipment has that is not settled, else 0.
uint32_t threads_under_way(uint64_t number) {
  Guard guard(lock);
  Shipment **found = shipments.find(number);
  return found ? (*found)->count : 0;
}

void on_verdict(Arrival &arrival) {
  const auto &verdict = arrival.body<VerdictMessage>();
  auto *refused = static_cast<const RefusedThread *>(arrival.data<VerdictMessage>());
  if (!was_sent(verdict.shipment, arrival.from))
    return reject_number(arrival.from, MessageType::verdict, verdict.shipment);
  const uint32_t threads = threads_under_way(verdict.shipment);
  for (uint32_t i = 0; threads && i < verdict.refused; i++)
    if (refused[i].index >= threads)
      return link_reject(arrival.from, MessageType::verdict, "it refuses thread %u of a shipment of %u",
                         refused[i].index, threads);
  settle_shipment(verdict.shipment, refused, verdict.refused);
}

void on_arrived(Arrival &arrival) {
  const void *numbers = arrival.data<ArrivedMessage>();
  const size_t bytes = arrival.data_bytes<ArrivedMessage>();
  if (shipments_may_arrive(arrival.from, MessageType::arrived, numbers, bytes))
    settle_shipments(numbers, bytes);
}

/// The id of a thread in flight for which `is` holds, 0 if there is none.
template <class Predicate> uint64_t in_flight_that(Predicate is) {
  uint64_t id = 0;
  Guard guard(lock);
  in_flight.each([&](uint64_t flying, InFlight &flight) {
    if (is(*flight.shipment->items[flight.index].thread))
      id = flying;
  });
  return id;
}

} // namespace

void shipments_start() {
  link_handle<VerdictMessage>(on_verdict);
  link_handle<ArrivedMessage>(on_arrived);
}

bool shipments_leave_stacks(int to) {
  return !refuses_stacks[to].load(std::memory_order_relaxed) && link_same_modules(to);
}

// A kernel thread may have been away for long since it looked whether the node takes threads, and the node may have
// left meanwhile. So the look that counts is that under the lock: either shipments_go_to, which takes it later, sees
// the shipment, or the node's leaving is seen here.
Entered shipment_enter(int to, const Order &order, Item *items, uint32_t count, bool from_malloc) {
  Shipment *fresh = nullptr;
  // Allocates before it takes the lock. What it reads here without the lock is only a hint.
  if (!__atomic_load_n(&free_shipments, __ATOMIC_RELAXED))
    fresh = static_cast<Shipment *>(message_memory(sizeof(Shipment)));
  for (;;) {
    {
      Guard guard(lock);
      if (!fresh && free_shipments) {
        fresh = free_shipments;
        __atomic_store_n(&free_shipments, fresh->next, __ATOMIC_RELAXED);
        free_count--;
      }
      if (fresh) {
        const uint64_t before = entered.load(std::memory_order_relaxed);
        entered.store(before + 1, std::memory_order_relaxed);
        fresh->number = number_of(before, to);
        fresh->to = to;
        fresh->order = order;
        fresh->count = fresh->unsettled = count;
        fresh->arrived = 0;
        fresh->code = SKEIN_OK;
        fresh->text = nullptr;
        fresh->only = *items;
        fresh->items = from_malloc ? items : &fresh->only;
        shipments[fresh->number] = fresh;
        for (uint32_t i = 0; i < count; i++)
          in_flight[fresh->items[i].id] = {fresh, i};
        return {fresh->number, !link_takes(to) && (link_alive(to) || node_has_left(to))};
      }
    }
    fresh = static_cast<Shipment *>(message_memory(sizeof(Shipment)));
  }
}

void shipment_stays(uint64_t number) {
  lock.lock();
  Shipment **found = shipments.find(number);
  if (!found)
    return lock.unlock();
  const int to = (*found)->to;
  RefusedThread leaves{};
  leaves.code = link_state_code(to);
  snprintf(leaves.text, sizeof leaves.text, "node %d %s", to, link_state(to));
  settle_all(*found, [&](uint32_t) { return &leaves; });
}

bool shipments_go_to(int to) {
  bool any = false;
  Guard guard(lock);
  shipments.each([&](uint64_t, Shipment *&shipment) { any |= shipment->to == to; });
  return any;
}

Return shipment_take_back(const ImageHeader &image) {
  lock.lock();
  const InFlight *flight = in_flight.find(image.travels.id);
  if (!flight) {
    lock.unlock();
    return {};
  }
  Return back = {};
  back.over = settle_one(flight->shipment, flight->index, [&](const Item &item, int to) {
    back.item = item;
    back.to = to;
    if (image_fits(image, *item.thread))
      back.thread = item.thread;
    else
      release_departed(item, to);
  });
  return back;
}

// Does of release_departed only what concerns a thread whose record is in use again. The birth node is not told that
// the thread left for `to`: it hears from there that the thread came here. Those who wait for the thread here stay on
// its list, since `joined` stays set; a mark that it is to end stays, too.
void shipment_is_back(const Return &back) {
  count_sent(back.item);
  memory_back(back.item.lent);
  pushes_fail_wish(back.thread, "went to another node");
}

void shipment_departed(const Return &back) { release_departed(back.item, back.to); }

bool shipments_may_arrive(int from, MessageType type, const void *numbers, size_t bytes) {
  const auto *at = static_cast<const uint64_t *>(numbers);
  for (size_t i = 0; i < bytes / sizeof *at; i++)
    if (!was_sent(at[i], from)) {
      reject_number(from, type, at[i]);
      return false;
    }
  return true;
}

void settle_shipments(const void *numbers, size_t bytes) {
  for (size_t i = 0; i < bytes / sizeof(uint64_t); i++) {
    uint64_t number;
    memcpy(&number, static_cast<const unsigned char *>(numbers) + i * sizeof number, sizeof number);
    settle_shipment(number, nullptr, 0);
  }
}

namespace {

template <class Wanted> bool settle_all_that(Wanted &&wanted) {
  bool any = false;
  while (uint64_t id = in_flight_that(wanted)) {
    exchange_settle(id);
    any = true;
  }
  return any;
}

} // namespace

bool settle_former_owners(const ImageHeader &image) {
  return settle_all_that([&](const Thread &thread) { return image_owns_what(image, thread); });
}

void settle_former_owners_of_memory(const ImageHeader &image) {
  settle_all_that([&](const Thread &thread) { return image_owns_memory_of(image, thread); });
}

void exchange_settle(uint64_t id) {
  lock.lock();
  const InFlight *flight = in_flight.find(id);
  if (!flight)
    return lock.unlock();
  settle_one(flight->shipment, flight->index, release_departed);
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
      in_flight.each([&](uint64_t, InFlight &flight) {
        if (flight.shipment->to == peer) {
          shipment = flight.shipment;
          item.id = shipment->items[flight.index].id;
        }
      });
      if (!shipment)
        return;
      item = take_item(shipment, in_flight.find(item.id)->index);
    }
    release_lost(item, peer);
    count_settled(shipment, 1, 0, SKEIN_EDEAD, text);
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
    *order.moved = moved; // on the stack of the waiter, which is blocked
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
