// Pushes: a thread leaves because its own node, or itself, wants it to. The API of <skein/migration.h> that sends, and
// spawning on another node; how threads are on their way is net/moves/exchange.
//
// Who runs in another worker cannot be taken: a *wish* is noted, the thread interrupted, and at its next poll it
// leaves. Whoever takes a wish out of the table ends its order: the thread at its poll, its end or departure by other
// means (then the wish fails), or the one who wanted to note it.
#ifndef SKEIN_NET_MOVES_PUSHES_H
#define SKEIN_NET_MOVES_PUSHES_H

#include "net/moves/exchange.h"

struct skein_choice;

namespace skein {

void pushes_start();

/// What skein_push_self does: the calling thread, suspended, goes to `to`, another node; or stays, with the reason as
/// its result and error text. Returns the thread to resume. On a worker's stack.
Thread *push_self(Thread *self, int to);

/// Which threads somebody wants; null: any.
Wanted choice_wanted(const skein_choice *choice);
/// SKEIN_OK, or said to `self` why it cannot be had: its bundle is unknown elsewhere.
int choice_check(Thread *self, const skein_choice *choice, const char *function);

/// The thread is no longer to be had here, since it `what` ("ended", ...): a wish for it fails.
void pushes_disappoint(Thread *thread, const char *what);

} // namespace skein

#endif
