// A thread that is sent to another node must never run on both, and must not be forgotten by both, whatever is refused
// or dies on the way. This file has the protocol for that, and functions that send threads.
//
// A *shipment* is a message with the images of some threads. Its *verdict* says which of them have arrived; if all
// have, and nobody waits to hear that, it is only the number of the shipment, which leaves with other news (outbox.h).
// A thread in a shipment is *in flight*: its record and stack stay at the source, untouched, until it is *settled*:
//
//     taken out of a queue, or the caller --> in flight --> arrived: record and stack are released here; or reused,
//                                                 |                  if the thread itself comes back with that news
//                                                 |
//                                                 +-------> refused: ready again here, with the reason
//                                                 |
//                                                 +-------> the destination died: lost, whether it had arrived or not
//
// Invariants
//  * A thread runs at its destination only after its image was accepted there. It runs at its source again only after a
//    verdict that says it was not. So it never runs twice. A death leaves open whether it had arrived, so after one it
//    does not run again anywhere.
//  * News about a thread may overtake the verdict. News that only its new life can cause (it ended, or came back)
//    settle it as arrived. So a late verdict does no harm, except that it holds the memory of the record and the stack
//    (for 1 ms at most, unless the destination is in the kernel or has no core), and that a death in the meantime
//    leaves open where the thread was.
//
// docs/models/migration.pml is a model of this, with late messages, refusals and a death.
//
// Rejected: a verdict at once for each shipment (over TCP that message takes as long as the thread's own, and delays
// it: the worker of the destination would send it before it runs the thread); no verdict where the thread itself comes
// back (a damaged image must not count as an arrival, and then nothing would); a two-phase handover, in which the
// destination asks again before it runs the thread (messages are reliable, so one round trip is enough).
#ifndef SKEIN_NET_MOVES_EXCHANGE_H
#define SKEIN_NET_MOVES_EXCHANGE_H

#include "migrate/refusal.h"
#include "net/wire/link.h"
#include "sched/sched.h"
#include "thread/thread.h"

namespace skein {

void exchange_start();

/// Whether the thread of a shipment begins its life at the destination, and which function sends it there.
enum class Newborn : uint8_t { no, spawn, start };

/// Who is told the outcome of a shipment, when every thread of it is settled: a waiter, an operation, or nobody.
struct Order {
  Thread *waiter = nullptr;  // blocked in `function`
  uint64_t pending = 0;      // the operation that ends with the shipment
  unsigned *moved = nullptr; // where the waiter wants to know how many threads have arrived, or null
  const char *function = "";
  bool go_on = false;            // the threads may leave the destination again before they have run there
  Newborn newborn = Newborn::no; // spawn: the waiter's result is the thread's id, or 0; start: it is a code
  uint64_t id = 0;               // of the newborn thread
};
/// Tells whoever the order names, with the text of an error or the number of threads that moved.
void order_end(const Order &order, int code, const char *text, unsigned moved);

/// The other node refused a newborn thread. A spawned one is deleted, a started one waits for skein_start again.
void order_unborn(const Order &order, Thread *thread);

/// Which threads a push or a steal asks for.
struct Wanted {
  skein_wanted what = SKEIN_WANT_FRESH_FIRST;
  const skein_bundle *bundle = nullptr; // null: any
};

/// What exchange_ship_ready has sent.
struct ShipOutcome {
  uint32_t threads = 0; // how many it sent
  uint32_t refused = 0; // candidates that could not leave
  int code = 0;         // SKEIN_E* of the last refusal, with
  char text[error_text_bytes] = {};
};

/// Ships up to `most` ready threads (0: half of what is ready) to `to`, as the answer to steal `request` if that is not
/// 0. It stops when their images exceed knobs.steal_bytes, but ships at least one thread if any may leave. If it ships
/// none, `order` is not told. To be called in a handler, under link_exclusive or by a running thread, so that the node
/// does not count as at rest while a thread is in no queue.
ShipOutcome exchange_ship_ready(int to, uint64_t request, uint32_t most, const Wanted &wanted, const Order &order = {});

/// Ships ready threads, each to the node that `choose` names for it, until it is that late by clock_ns, or none is left
/// that may leave. They may leave their destinations again before they have run there. Those that go to the same node
/// leave in the order of their stacks. Returns how many it sent; 0 unless there is a thread that may leave. `choose`
/// may return -1: the thread stays. To be called as exchange_ship_ready is.
uint32_t exchange_spread(int (*choose)(const Thread &), uint64_t until_ns);

/// Ships one thread, which is in flight already. `self`: the thread asked for it, so the verdict is its result. False
/// with the reason if it may not leave; then `order` is not told. After true the thread belongs to whoever settles it.
/// To be called as exchange_ship_ready is.
bool exchange_ship(Thread *thread, int to, bool self, const Order &order, Refusal &why);

/// Something is known of a thread that proves that it is not in flight any more: if it was, it has arrived.
void exchange_settle(uint64_t id);
/// Another node has given back a stack slot of this node. If a thread in flight still has that slot here, the thread
/// has arrived there, since only the end of its life elsewhere frees the slot.
void exchange_settle_slot(uint32_t slot);

/// The peer has died: threads on their way there are lost. To be called after link_forget.
void exchange_fail(int peer);

} // namespace skein

#endif
