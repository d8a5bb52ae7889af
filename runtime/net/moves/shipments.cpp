// See shipments.h.
#include "net/moves/shipments.h"
#include "base/id_table.h"
#include "base/tally.h"
#include "base/text.h"
#include "net/messages/pending.h"
#include "net/moves/awaits.h"
#include "net/moves/births.h"
#include "net/moves/pushes.h"
#include "private/regions/extents.h"
#include "sched/bundle.h"
#include "sync/join.h"

#include <cstdio>
#include <cstring>

namespace skein {

void (*exchange_refused)(const char *text) = nullptr;

namespace {

struct Shipment {
  uint64_t number;
  int to;
  Order order;
  uint32_t count;
  uint32_t left;    // not settled
  uint32_t arrived; // of those that are
  int code;         // of the last that did not arrive, with
  char *text;       // its reason, from malloc
  Item *items;      // &only, or from malloc
  Item only;
  Shipment *next; // of those that are over
};

struct InFlight {
  Shipment *shipment;
  uint32_t index;
};

SpinLock lock{Rank::net};
IdTable<Shipment *> shipments; // by number
IdTable<InFlight> in_flight;   // by thread, of those in flight
uint64_t last_shipment;
Shipment *over; // free records
uint32_t over_count;
constexpr uint32_t over_most = 1024;

void departed(const Item &item, int to) {
  tally(Tally::sent);
  tally(Tally::sent_bytes, item.bytes);
  Thread *thread = item.thread;
  pushes_disappoint(thread, "went to another node");
  join_departs(thread); // from here on nobody sets `joined` or `wanted`
  births_departed(*thread, to);
  Stack stack = thread->stack;
  thread->stack = Stack{};
  const bool close = thread->numbered != nullptr; // who makes an address of the number, here, shall hear of it
  const bool joined = thread->joined && thread_id_node(item.id) != node.self; // else births_departed sees to it
  private_depart(*thread);
  bundle_leave(thread);
  thread_delete(thread);
  if (stack)
    stack_leave(stack, close);
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
  in_flight.erase(item.id);
  return item;
}

/// What is left to do when a shipment is over.
struct Outcome {
  Order order;
  int code;   // if nothing arrived
  char *text; // from malloc, or null
  Item *items;
  unsigned arrived;
  Shipment *surplus = nullptr;

  /// Under the lock: the shipment is no more.
  explicit Outcome(Shipment *shipment)
      : order(shipment->order), code(shipment->code), text(shipment->text),
        items(shipment->items == &shipment->only ? nullptr : shipment->items), arrived(shipment->arrived) {
    shipments.erase(shipment->number);
    if (over_count == over_most) {
      surplus = shipment;
    } else {
      shipment->next = over;
      __atomic_store_n(&over, shipment, __ATOMIC_RELAXED);
      over_count++;
    }
  }
  /// After its threads are settled. Without the lock.
  void tell() {
    if (order.waiter || order.pending)
      order_end(order, arrived ? static_cast<int>(SKEIN_OK) : code, text ? text : "", arrived);
    free(text);
    free(items);
    free(surplus);
  }
};

/// So many that were taken out are settled, and so many of them have arrived; `code` and `text` are of the last that
/// has not. After the last of a shipment, it is no more.
void finish(Shipment *shipment, uint32_t settled, uint32_t arrived, int code, const char *text) {
  lock.lock();
  shipment->arrived += arrived;
  if (settled > arrived) {
    shipment->code = code;
    free(shipment->text);
    shipment->text = text_copy(text);
  }
  shipment->left -= settled;
  if (shipment->left > 0)
    return lock.unlock();
  Outcome outcome(shipment);
  lock.unlock();
  outcome.tell();
}

/// Under the lock, which it releases: this one has arrived. `depart(item, to)`: what becomes of its record here.
/// Returns the shipment's number if that is over now, else 0.
template <class Depart> uint64_t settle_one(Shipment *shipment, uint32_t index, Depart &&depart) {
  const int to = shipment->to;
  const Item item = take_item(shipment, index);
  if (shipment->left > 1) {
    lock.unlock();
    depart(item, to);
    finish(shipment, 1, 1, SKEIN_OK, "");
    return 0;
  }
  const uint64_t number = shipment->number;
  shipment->arrived++;
  Outcome outcome(shipment);
  lock.unlock();
  depart(item, to);
  outcome.tell();
  return number;
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
  lock.lock();
  Shipment **found = shipments.find(number);
  if (!found || (*found)->to != from)
    return lock.unlock();
  Shipment *shipment = *found;
  if (shipment->items == &shipment->only && refused_count == 0 && shipment->only.thread) {
    settle_one(shipment, 0, departed);
    return;
  }
  uint32_t settled = 0, arrived = 0;
  for (uint32_t i = 0; i < shipment->count; i++) {
    Item &item = shipment->items[i];
    item.settled = item.thread ? take_item(shipment, i).thread : nullptr;
    settled += item.settled != nullptr;
  }
  lock.unlock();
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

constexpr char never_sent[] = "no shipment %llu has gone there";
unsigned long long number_of(uint64_t shipment) { return shipment; }

/// What this node knows of a shipment that node `from` names: there never was such a one, it is over, or it is under
/// way, with so many threads.
enum class Known : uint8_t { never, over, under_way };
Known known_shipment(uint64_t number, int from, uint32_t &threads) {
  Guard guard(lock);
  Shipment **found = shipments.find(number);
  if (!found)
    return number <= last_shipment ? Known::over : Known::never;
  threads = (*found)->count;
  return (*found)->to == from ? Known::under_way : Known::never;
}

void on_verdict(Arrival &arrival) {
  const auto &verdict = arrival.body<VerdictMessage>();
  auto *refused = static_cast<const RefusedThread *>(arrival.data<VerdictMessage>());
  uint32_t threads = 0;
  const Known known = known_shipment(verdict.shipment, arrival.from, threads);
  if (known == Known::never)
    return link_reject(arrival.from, MessageType::verdict, never_sent, number_of(verdict.shipment));
  for (uint32_t i = 0; known == Known::under_way && i < verdict.refused; i++)
    if (refused[i].index >= threads)
      return link_reject(arrival.from, MessageType::verdict, "it refuses thread %u of a shipment of %u",
                         refused[i].index, threads);
  settle_shipment(verdict.shipment, arrival.from, refused, verdict.refused);
}

void on_arrived(Arrival &arrival) {
  const void *numbers = arrival.data<ArrivedMessage>();
  const size_t bytes = arrival.data_bytes<ArrivedMessage>();
  if (shipments_may_arrive(arrival.from, MessageType::arrived, numbers, bytes))
    settle_shipments(arrival.from, numbers, bytes);
}

/// The id of a thread in flight that `is(thread)`, 0 if there is none.
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

uint64_t shipment_enter(int to, const Order &order, Item *items, uint32_t count, bool from_malloc) {
  Shipment *fresh = nullptr;
  if (!__atomic_load_n(&over, __ATOMIC_RELAXED)) // a hint
    fresh = static_cast<Shipment *>(message_memory(sizeof(Shipment)));
  for (;;) {
    {
      Guard guard(lock);
      if (!fresh && over) {
        fresh = over;
        __atomic_store_n(&over, fresh->next, __ATOMIC_RELAXED);
        over_count--;
      }
      if (fresh) {
        fresh->number = ++last_shipment;
        fresh->to = to;
        fresh->order = order;
        fresh->count = fresh->left = count;
        fresh->arrived = 0;
        fresh->code = SKEIN_OK;
        fresh->text = nullptr;
        fresh->only = *items;
        fresh->items = from_malloc ? items : &fresh->only;
        shipments[fresh->number] = fresh;
        for (uint32_t i = 0; i < count; i++)
          in_flight[fresh->items[i].id] = {fresh, i};
        return fresh->number;
      }
    }
    fresh = static_cast<Shipment *>(message_memory(sizeof(Shipment)));
  }
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
      departed(item, to);
  });
  return back;
}

// As `departed`, of a thread that is listed again. What its birth node was told of its way here it need not hear: that
// it left for `to` is old when it hears from there. Who has begun to wait for it here is seen to by `joined`, which
// stays; a mark that it is to end holds of the new life, too.
void shipment_is_back(const Return &back) {
  tally(Tally::sent);
  tally(Tally::sent_bytes, back.item.bytes);
  pushes_disappoint(back.thread, "went to another node");
}

void shipment_departed(const Return &back) { departed(back.item, back.to); }

bool shipments_may_arrive(int from, MessageType type, const void *numbers, size_t bytes) {
  const auto *at = static_cast<const uint64_t *>(numbers);
  for (size_t i = 0; i < bytes / sizeof *at; i++)
    if (uint32_t threads; known_shipment(at[i], from, threads) == Known::never) {
      link_reject(from, type, never_sent, number_of(at[i]));
      return false;
    }
  return true;
}

void settle_shipments(int from, const void *numbers, size_t bytes) {
  for (size_t i = 0; i < bytes / sizeof(uint64_t); i++) {
    uint64_t number;
    memcpy(&number, static_cast<const unsigned char *>(numbers) + i * sizeof number, sizeof number);
    settle_shipment(number, from, nullptr, 0);
  }
}

bool settle_former_owners(const ImageHeader &image) {
  bool any = false;
  while (uint64_t id = in_flight_that([&](const Thread &thread) { return image_owns_what(image, thread); })) {
    exchange_settle(id);
    any = true;
  }
  return any;
}

void exchange_settle(uint64_t id) {
  lock.lock();
  const InFlight *flight = in_flight.find(id);
  if (!flight)
    return lock.unlock();
  settle_one(flight->shipment, flight->index, departed);
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
