/* Recording what a program does, beside what the runtime does: marks, intervals and counters with names.
 *
 *     skein run -n 2 --trace run.pftrace ./program        # or SKEIN_OPTIONS=trace_in=FOLDER
 *
 *     skein_trace_begin("sweep", row);
 *     …
 *     skein_trace_end("sweep");
 *     skein_trace_counter("cells", cells);
 *
 * Where nothing is recorded each of these costs a load and a branch. What is recorded belongs to the running thread and
 * follows it to other nodes; an interval may begin on one node and end on another. Intervals of a thread nest. Names
 * are copied; 60 characters of them, and 4000 different ones on a node, are kept.
 *
 * These functions never block or migrate. They are not to be called in a signal handler. docs/tracing.md says what is
 * recorded besides, and how to look at it. (Seed 3, section 2.2.3.) */
#ifndef SKEIN_TRACE_H
#define SKEIN_TRACE_H

#include <skein/skein.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The classes that are recorded now, as bits. */
extern SKEIN_NODE_LOCAL uint32_t __skein_trace_classes;
SKEIN_NOMIGRATE void __skein_trace_program(unsigned what, const char *name, int64_t value);

/* Whether what these functions record is recorded now; for values that are expensive to find out. */
SKEIN_NOMIGRATE static inline int skein_trace_on(void) { return (__skein_trace_classes & 128) != 0; }

/* Something happened. */
SKEIN_NOMIGRATE static inline void skein_trace_event(const char *name, int64_t value) {
  if (__builtin_expect(skein_trace_on(), 0))
    __skein_trace_program(0, name, value);
}

/* An interval of the running thread begins, or ends. */
SKEIN_NOMIGRATE static inline void skein_trace_begin(const char *name, int64_t value) {
  if (__builtin_expect(skein_trace_on(), 0))
    __skein_trace_program(1, name, value);
}
SKEIN_NOMIGRATE static inline void skein_trace_end(const char *name) {
  if (__builtin_expect(skein_trace_on(), 0))
    __skein_trace_program(2, name, 0);
}

/* A figure of this node, which stays as it is until the next time. */
SKEIN_NOMIGRATE static inline void skein_trace_counter(const char *name, int64_t value) {
  if (__builtin_expect(skein_trace_on(), 0))
    __skein_trace_program(3, name, value);
}

/* Switches classes of events on and off, on all nodes: here at once, elsewhere when the news arrives. `classes` is
 * "all", "none", or names joined by '+', such as "moves+program" (`skein trace --events` lists them). SKEIN_OK.
 * SKEIN_ETHREAD: there is no such class. SKEIN_ENODE: this run records nothing, since it was started without --trace
 * and without trace_in. */
SKEIN_NOMIGRATE int skein_trace_classes_set(const char *classes);

#ifdef __cplusplus
}
#endif
#endif
