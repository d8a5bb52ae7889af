// Which moves may leave memory behind (`moves=lazy`; private/paging/paging.h), and why others do not.
//
// A page that is left behind is not looked at again. So nothing in it may have to change: the thread's stack keeps its
// address, and the program and all libraries lie at the same addresses on all nodes. What else a page must not hold is
// what paging calls plain. Where any of that does not hold, or nobody knows, the thread takes all of its memory along,
// as always, and the reason is counted.
#ifndef SKEIN_MIGRATE_LAZY_MOVES_H
#define SKEIN_MIGRATE_LAZY_MOVES_H

#include "private/paging/paging.h"
#include "thread/thread.h"

namespace skein {

// Whether the thread will leave memory behind if it moves to node `to`, as far as is known before its memory is looked
// through.
bool lazy_likely(const Thread &thread, int to);

// The thread is about to leave for node `to`. True: `leaving` says what it takes along, and the rest is left, until it
// departs or paging_stayed is called.
bool lazy_leave(const Thread &thread, int to, Leaving &leaving);

// Why a thread stays of which pages are missing here; with the node that has them.
#define MISSING_TEXT "memory that it left on node %d is still on its way here (moves=lazy)"

// Set before threads run if no move of this node may be lazy although `moves` says so: the reason.
extern const char *lazy_never;

// For `move_report`: prints how many moves left memory behind, and why others did not.
void lazy_print(const char *who);

} // namespace skein

#endif
