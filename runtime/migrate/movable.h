// May this thread leave? This is the first station of every move, and the only place that has the reasons against it.
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
// A move to another stack of this process (relocation stress) consists of the first station and thread_restack
// (migrate/relocate.h).
//
// `movable` asks what the thread's record says and what is known of the node. Whether globals of the program hold
// addresses of its stack (check_globals), and what its words are (check_words), takes longer, so that is looked at only
// by the kernel thread that moves it. thread_may_leave (sched/bundle.h) is a hint for choosing among many threads: it
// knows nothing that takes time to find out, and says no to threads that may be pushed by name but should not be
// stolen.
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
