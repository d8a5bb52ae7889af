// What slices of shared memory hold at a cut.
//
// On one host a slice is a memory file that several processes have mapped, so a fork does not keep it as it is: the
// others go on writing to it. In a copy, what the slice has is private memory of the node that keeps it, and goes back
// to a new file in the process that is made of the copy. Before the fork there is only room for it: the writer fetches
// the pages as they were at the cut (kept_pages.h). Where that is not possible, they are copied before the fork. (A
// slice that no other process has mapped is private memory, and needs nothing.)
#ifndef SKEIN_CHECKPOINT_SLICE_CONTENTS_H
#define SKEIN_CHECKPOINT_SLICE_CONTENTS_H

#include "checkpoint/copy.h"

namespace skein {

/// At the cut: notes the contents of all such slices that this node keeps. Null; or why that is not possible.
const char *slice_contents_note();
/// What of it the writer has to fetch.
FetchedMemory slice_contents_to_fetch();
/// Frees what was noted.
void slice_contents_forget();
/// In a process that is made of the copy: fills the new file of a slice, which is mapped (slice_refill).
void slice_contents_refill(int owner);

} // namespace skein

#endif
