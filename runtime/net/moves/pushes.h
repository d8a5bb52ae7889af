// Pushes: the part of <skein/migration.h> with which a thread sends itself or another to a node, and spawning on
// another node. How threads travel is net/moves/exchange.
//
// A thread that runs on another worker cannot be sent while it runs. So a *wish* is noted and the thread interrupted,
// and at its next poll it leaves. The order ends where the wish is taken out of the table: by the thread at its poll;
// by its end, or a departure for another reason (then the wish fails); or by the pusher, if the thread turns out not to
// run.
#ifndef SKEIN_NET_MOVES_PUSHES_H
#define SKEIN_NET_MOVES_PUSHES_H

#include "net/moves/exchange.h"

struct skein_choice;

namespace skein {

void pushes_start();

/// What skein_push_self does, on a worker's stack: sends the calling thread, which is suspended, to another node. If it
/// may not leave, the reason is its result and error text. Returns the thread to resume.
Thread *push_self(Thread *self, int to);

/// Sends a thread that is ready here, or waits for what can follow it, to another node. If it was `refused`, it stays
/// as it was, and `why` says the reason; if it was `not_taken`, `state` is the one in which it was found. The order is
/// told only of what was `shipped`.
enum class Pushed : uint8_t { shipped, refused, not_taken };
Pushed push_at_rest(uint64_t id, int to, const Order &order, ThreadState &state, Refusal &why);

/// The same for a thread that may also run, with no order. `begun`: it is on its way, or leaves at its next poll.
/// `again`: it is on its way between its bundle and its worker. To be called in a handler.
enum class Attempt : uint8_t { begun, again, stays };
Attempt push_attempt(uint64_t id, int to, Refusal &why);

/// Begins to push a thread of this node for somebody who is no Skein thread, and is not told how it ends. False: it
/// cannot be pushed, for the reason in `why`.
bool push_for_nobody(uint64_t id, int to, Refusal &why);

/// Which threads a program's choice admits; null admits any.
Wanted choice_wanted(const skein_choice *choice);
/// SKEIN_OK, or an error of `self` if the choice cannot be told to other nodes, since they do not know its bundle.
int choice_check(Thread *self, const skein_choice *choice, const char *function);

/// The thread cannot be pushed from here any more, since it `what` ("ended", ...): a wish for it fails.
void pushes_fail_wish(Thread *thread, const char *what);

} // namespace skein

#endif
