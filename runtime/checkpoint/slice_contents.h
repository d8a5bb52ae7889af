// What slices of shared memory hold at a cut.
//
// On one host a slice is a memory file that several processes have mapped, so a fork does not keep it as it is: the
// others go on writing to it. The node that keeps the slice copies what has contents to private memory before the fork;
// that is a part of the copy, and goes back to a new file in the process that is made of it. (A slice that no other
// process has mapped is private memory, and needs nothing.)
#ifndef SKEIN_CHECKPOINT_SLICE_CONTENTS_H
#define SKEIN_CHECKPOINT_SLICE_CONTENTS_H

namespace skein {

/// Notes the contents of all such slices that this node keeps. Null; or why that is not possible.
const char *slice_contents_note();
/// Frees what was noted.
void slice_contents_forget();
/// In a process that is made of the copy: fills the new file of a slice, which is mapped (slice_refill).
void slice_contents_refill(int owner);

} // namespace skein

#endif
