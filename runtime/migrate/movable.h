// May this thread leave? The first station of every move, and the only place that has the reasons.
//
// A move to another node has six stations; each is a function, in the file that it is named with:
//
//     movable     migrate/movable.cpp       does anything known keep the thread here?
//     capture     migrate/image_write.cpp   its image, if every word of it may go
//     post        net/moves/exchange.cpp    the message; from here on the thread is in flight
//     admit       net/moves/arrivals.cpp    at the other node: is the image whole, and may such a thread come?
//     restore     migrate/image_restore.cpp a record and a stack, relocated
//     ready       sched/sched.cpp           thread_arrived: its bundle has it
//
// A move to another stack of this process (relocation stress) has the first and thread_restack (migrate/relocate.h).
//
// `movable` asks what the thread's record says and what is known of the node. Whether the program's globals know its
// stack (check_globals), and its words (check_words), are looked at by who moves it, since that takes time.
// thread_may_leave (sched/bundle.h) is a hint for who chooses among many: it knows nothing of what costs a look, and
// says no to threads that may be pushed by name but should not be stolen.
#ifndef SKEIN_MIGRATE_MOVABLE_H
#define SKEIN_MIGRATE_MOVABLE_H

#include "migrate/refusal.h"
#include "thread/thread.h"

namespace skein {

enum class Journey : uint8_t { to_stack, to_node };

// Whether the thread, which is suspended or has not run, may make that journey now; else `why` says what keeps it.
bool movable(const Thread &thread, Journey journey, Refusal &why);

} // namespace skein

#endif
