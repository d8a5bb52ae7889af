/* Recording events: what the headers and the library (stdlib/src), which are compiled to migrate, ask of the runtime.
 * The header that programs see is <skein/trace.h>. */
#ifndef SKEIN_ABI_TRACE_CALLS_H
#define SKEIN_ABI_TRACE_CALLS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The classes that are recorded now; 0 in a process that records nothing. */
extern uint32_t __skein_trace_classes;

enum { SKEIN_TRACE_CHANNELS = 4, SKEIN_TRACE_PROGRAM = 128 };

enum {
  SKEIN_TRACE_SENDS,
  SKEIN_TRACE_SENT,
  SKEIN_TRACE_RECEIVES,
  SKEIN_TRACE_RECEIVED,
  SKEIN_TRACE_SELECTS,
  SKEIN_TRACE_SELECTED,
};

/* Records an event of a channel for the running thread. Does not block, does not migrate. */
void __skein_trace_channel(unsigned what, uint64_t channel, uint32_t bytes, uint32_t code);

#ifdef __cplusplus
}
#endif
#endif
