// Pages of shared memory as they were at a cut, while threads go on writing to them.
//
// Several processes of a host have a slice mapped, so a fork does not keep it. From the cut until the checkpoint is
// complete, each of these processes protects the pages that have contents (os/linux/write_faults.h). Who writes to one
// waits for a kernel thread of its process, which saves the page first: in the slice's memory file, behind the slice.
//
//      | slice, 64 GiB | saved pages, 64 GiB | a state for each page, 16 MiB | header |      the memory file
//
// The slice's keeper writes the copy. It takes a page from the slice, or, if that has been written to meanwhile, from
// where it was saved. All processes see the states, and change them atomically:
//
//      (other generation) -- claimed -- saved      by a process in which somebody wants to write to the page
//                                    \- written    by the writer of the copy, which has read the page
//
// Invariants
//  * Nobody may write to a page before it is saved or written, or the copy is `spoiled`, which the writer sees at its
//    end: the checkpoint fails.
//  * A process that has not protected a slice does not write to it while a copy is made. Who cannot protect says so in
//    the header before it has the slice mapped; then the keeper copies what the slice has before the cut is over
//    (slice_contents.h). Who maps a slice later protects it first.
//  * States of another checkpoint mean nothing, since each has a generation of its own. The writers of a checkpoint
//    that is over have ended, and all that was saved has been given back, before this node halts for the next one. So
//    nobody works with the states of two checkpoints at once.
//
// What handlers and hooks of the program write during the cut belongs to no checkpoint in particular
// (skein_on_checkpoint says so). Rejected: copying slices during the cut (0.7 s for a GiB); writing down which pages
// were written (the writer would have to read them before anybody writes, so somebody has to wait in any case).
#ifndef SKEIN_CHECKPOINT_KEPT_PAGES_H
#define SKEIN_CHECKPOINT_KEPT_PAGES_H

#include <cstddef>
#include <cstdint>

namespace skein {

/// Begins to keep pages in this process, if its nodes share slices. For a run that makes checkpoints.
void kept_pages_start();
/// In a process that is made of a copy: before the new memory files are mapped; and when kernel threads may be started.
void kept_pages_reborn();
void kept_pages_begin_again();

/// At the cut: protects what this process has mapped. Calls `found` for each part with contents of the slices that this
/// node keeps, and whose pages are kept; `begin` and `end` are offsets in the slice.
void kept_pages_cut(void (*found)(int owner, uint64_t begin, uint64_t end));
/// After that, about a slice that this node keeps: the generation under which its pages are kept. 0: they are not,
/// since one of the processes cannot do so.
uint8_t kept_pages_generation(int owner);
/// The checkpoint is complete, or has failed: pages may be written as ever. Does not wait for that to be done.
void kept_pages_over();

/// In the writer, by any of its kernel threads, without libc's memory: reads a page as it was at the cut. False: that
/// is not possible, and the copy is worth nothing.
bool kept_pages_read(int owner, uint64_t offset, uint8_t generation, void *to);
/// In the writer, when it has read all pages of a slice: whether all of them were kept.
bool kept_pages_good(int owner, uint8_t generation);

/// Whether a mapping is one that serves this, which a process that is made of the copy makes anew.
bool kept_pages_has(uint64_t begin);

} // namespace skein

#endif
