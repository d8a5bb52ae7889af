// Recording what happens: which thread a worker runs, what moves, who waits for what. (Seed 3, sections 2.2.3, 2.2.4.)
//
// Vocabulary. An *event* (events.def) belongs to a *class* that can be switched on and off. A *record* is an event with
// the time and the thread. Each kernel thread has a *ring* of records; the *recorder*, a kernel thread of its own,
// writes them to the node's file.
//
// Invariants
//  * An event of a class that is off costs a load and a branch. One that is on takes no lock and makes no system call,
//    except that now and then the recorder is woken.
//  * Times of a kernel thread's records do not go back. Two have the same time if a few steps of the runtime lie
//    between them, such as where a thread waits and the worker takes the next one (rings.cpp).
//  * What does not fit into the ring is counted, and `skein trace` says how much that was. Nothing is overwritten.
//  * The rings lie in the file (file.h), so what was recorded survives the process, however that ends.
//
// Rejected: to write records into the file where they are made, since each first touch of a page of the file costs as
// much as a hundred records; one ring for all workers, since each record would move its cache line; a string for each
// event, since a name is longer than all the rest.
#ifndef SKEIN_TRACE_TRACE_H
#define SKEIN_TRACE_TRACE_H

#include "abi/trace_calls.h"
#include "trace/events.h"

#include <cstdint>

namespace skein {

/// Whether one of these classes is recorded now; none is unless this process records.
inline bool trace_on(uint32_t classes) {
  return __builtin_expect(__atomic_load_n(&__skein_trace_classes, __ATOMIC_RELAXED) & classes, 0);
}
inline uint32_t trace_classes() { return __atomic_load_n(&__skein_trace_classes, __ATOMIC_RELAXED); }
void trace_classes_set(uint32_t classes);

/// May be called by any kernel thread, but not in a signal handler.
[[gnu::noinline]] __attribute__((preserve_most)) void trace_record(TraceEvent event, uint64_t thread, uint64_t a,
                                                                   uint32_t b, uint16_t c);

/// Records an event if its class is on.
[[gnu::always_inline]] inline void trace(TraceEvent event, uint64_t thread, uint64_t a = 0, uint32_t b = 0,
                                         uint16_t c = 0) {
  if (trace_on(trace_class_of[static_cast<unsigned>(event)]))
    trace_record(event, thread, a, b, c);
}

/// Events that follow one another in a few steps of the runtime have one time. This is called where something lies
/// between them that may take longer: it waits, calls the program, or copies much.
void trace_time_passed();
inline void trace_time_passes() {
  if (trace_on(UINT32_MAX))
    trace_time_passed();
}

/// A text of the runtime's own as a word of an event: its distance from a place in the program. 0, which is no text,
/// for one that lies elsewhere.
extern const char trace_text_base[1];
uint32_t trace_text(const char *text);

/// This kernel thread is that worker's, also for what it has recorded so far.
void trace_worker(uint32_t index);

template <class Function> uint64_t trace_function(Function *function) { return reinterpret_cast<uint64_t>(function); }

/// A name of the program's as a word of an event, the same for equal names.
uint32_t trace_name(const char *name);

} // namespace skein

#endif
