// The rings of this process: memory of the node's file, which kernel threads write and the recorder reads.
#ifndef SKEIN_TRACE_RINGS_H
#define SKEIN_TRACE_RINGS_H

#include "trace/file.h"

#include <cstddef>

namespace skein {

/// From here on kernel threads get their rings from this file, which is mapped at `header`.
void rings_open(TraceFileHeader *header, TraceClock clock);
/// In the child of a fork, where the rings are the parent's: nothing is recorded any more.
void rings_abandon();

/// Called by the recorder before it records itself: what it samples has nothing to do with what others do.
void rings_begin_recorder();

/// What a record's time is taken from.
uint64_t trace_time();

struct RingView {
  TraceRing *ring;
  uint64_t *words; // the one of number n is at n modulo their number
};
RingView ring_of(TraceFileHeader *header, uint32_t index);

/// Calls take(kind, key) for functions and texts that have been recorded since the last time. One caller at a time.
void rings_each_new_name(void (*take)(TraceTextKind kind, uint64_t key));

/// The recorder sleeps in this call, until a ring is half full, or it is told to look, or the time is over.
void rings_wait(uint64_t nanoseconds);
void rings_wake();

} // namespace skein

#endif
