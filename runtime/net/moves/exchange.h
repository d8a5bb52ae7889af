// Threads on their way between nodes: shipments, verdicts, and the promise that a thread is never in two places nor in
// none.
//
// Vocabulary. A *shipment* is a message with the images of some threads. Its *verdict* says which of them have arrived;
// if all have, and nobody waits for it, that is only a number, which leaves with other news (outbox.h). A thread in a
// shipment is *in flight*: its record and stack stay at the source, untouched, until it is *settled*:
//
//     taken out of a queue, or self --> in flight --> arrived: record and stack released here; or, if that is known
//                                           |                from its coming back, they are those of its new life
//                                           |
//                                           +-------> refused: ready again here, with the reason
//                                           |
//                                           +-------> the destination died: lost, whether it had arrived or not
//
// Invariants
//  * A thread runs at its destination only after its image was accepted there; it runs at its source again only after a
//    verdict that says it was not. So it never runs twice; a death leaves open which it was, so then it runs no more.
//  * News of a thread that could only come from its new life (it ended, or came back) settles it as arrived, since they
//    may overtake the verdict. So it does not matter how late that is, but for the memory of the record and the stack
//    (1 ms at most, unless the destination is in the kernel or without a core) and for the span in which a death loses
//    the thread's trace.
//
// Rejected: a verdict at once for each shipment (over TCP that message takes as long as the thread's own, and is in its
// way: a worker that drives sends it before it runs the thread); no verdict where the thread itself comes back (a
// damaged image must not say that it has arrived, and then nobody would); a two-phase handover (destination asks again
// before it runs the thread). With reliable messages one round trip is enough, and a node that dies takes the run along
// anyway.
#ifndef SKEIN_NET_MOVES_EXCHANGE_H
#define SKEIN_NET_MOVES_EXCHANGE_H

#include "migrate/refusal.h"
#include "net/wire/link.h"
#include "sched/sched.h"
#include "thread/thread.h"

namespace skein {

void exchange_start();

/// Of a thread that was made for another node and does not exist here before it is there.
enum class Newborn : uint8_t { no, spawn, start };

/// Who is told how a shipment came out, when every thread of it is settled.
struct Order {
  Thread *waiter = nullptr;  // blocked in `function`; or
  uint64_t pending = 0;      // an operation that ends with it; or nobody
  unsigned *moved = nullptr; // of the waiter, or null: how many threads have arrived
  const char *function = "";
  bool go_on =
      false; // the threads may leave again before they have run there; else whoever was pushed runs there first
  Newborn newborn = Newborn::no; // skein_spawn_with's: its waiter wants the id, or 0; or skein_start's
  uint64_t id = 0;               // of that thread
};
/// Tell them, with an error's text or `moved` threads.
void order_end(const Order &order, int code, const char *text, unsigned moved);

/// The other node did not want the newborn thread: it exists no more, or waits for skein_start again.
void order_unborn(const Order &order, Thread *thread);

/// Which threads somebody wants.
struct Wanted {
  skein_wanted what = SKEIN_WANT_FRESH_FIRST;
  const skein_bundle *bundle = nullptr; // null: any
};

/// How an answer to a steal request came out.
struct ShipOutcome {
  uint32_t threads = 0; // that are in the shipment
  uint32_t refused = 0; // candidates that could not leave
  int code = 0;         // SKEIN_E* and text of the last refusal
  char text[error_text_bytes] = {};
};

/// Ship up to `most` ready threads to `to` (as the answer to steal `request`, or 0), as far as they fit in
/// knobs.steal_bytes; at least one if any may leave; `most` 0: half of what is ready. If none is shipped, `order` is
/// not told. In a handler, or under link_exclusive, or by a running thread: so that a node with a thread in nobody's
/// hands is not at rest.
ShipOutcome exchange_ship_ready(int to, uint64_t request, uint32_t most, const Wanted &wanted, const Order &order = {});

/// Ship one thread to `to`, in flight already, as the calling thread's own wish (`self`: the verdict is its result) or
/// not. False with the reason: it may not leave, and `order` is not told. After true the thread belongs to whoever
/// settles it. Circumstances as above.
bool exchange_ship(Thread *thread, int to, bool self, const Order &order, Refusal &why);

/// If set, hears why a thread that wanted to go elsewhere by itself stayed: refused here or there.
extern void (*exchange_refused)(const char *text);

/// News of a thread: if it is in flight, it has arrived.
void exchange_settle(uint64_t id);
/// News of a stack slot of this node, which is free elsewhere: if a thread in flight has it, it has arrived.
void exchange_settle_slot(uint32_t slot);

/// The peer is dead: what was on its way there is lost. After link_forget.
void exchange_fail(int peer);

} // namespace skein

#endif
