// One worker's ready threads. All functions take the queue's lock themselves; any kernel thread may call any of them.
#ifndef SKEIN_SCHED_QUEUE_H
#define SKEIN_SCHED_QUEUE_H

#include "sched/sched.h"

namespace skein {

/// State ready (unless initialised), at the end.
void queue_push(ReadyQueue &queue, Thread *thread);
/// The one whose turn it is; state running, or still initialised if it has not run yet. Null if empty.
Thread *queue_pop(ReadyQueue &queue);
/// The one whose turn it is, and `running` goes to the end of the queue; null, and nothing happens, if it is empty.
Thread *queue_exchange(ReadyQueue &queue, Thread *running);
/// As queue_pop, but only one that has a stack.
Thread *queue_pop_started(ReadyQueue &queue);
/// Whether there is one that has a stack.
bool queue_has_started(ReadyQueue &queue);
/// For a thief: see Take. State in_flight.
Thread *queue_take(ReadyQueue &queue, Take what);
/// Take this one out if it still is in this queue; state in_flight.
bool queue_take_this(ReadyQueue &queue, Thread *thread);

} // namespace skein

#endif
