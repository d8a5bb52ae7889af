// Thread to data, or data to thread: what remote reads and moves cost here, and who reads where.
//
// Measured all the time, as running means: the round trip of a small read (`read_ns`), what a byte of a large one adds,
// and what a node spends to restore a thread that arrives. A move is then one way of a round trip, the bytes of the
// stack, and the work at both ends; it pays if the reads that it saves cost more (thesis, section 8.4: the break-even
// of moving and fetching).
//
// Each thread counts its accesses by message, by node, since it came to this node; the four nodes it asks most have a
// counter each, and one that is new takes the place of the smallest, so the counts are too large rather than too small
// (Metwally, space saving). An access by message costs microseconds, so none is left out.
#ifndef SKEIN_DSM_FOLLOW_H
#define SKEIN_DSM_FOLLOW_H

#include "thread/thread.h"

namespace skein {

/// The thread, blocked, asks a node for something.
void follow_count(Thread *thread, int owner);
/// A read of so many bytes by message took so long.
void follow_read_took(uint64_t bytes, uint64_t ns);

} // namespace skein

#endif
