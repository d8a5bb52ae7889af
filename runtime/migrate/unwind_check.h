// A debug check of the frame maps: a walk by frame maps and a walk by libunwind, which reads .eh_frame, must agree
// about a stack.
//
// Both describe the same frames, but different parts of the compiler make them. With the knob unwind_check=K, before
// and after every K-th move of a thread, both walk its stack frame by frame down to the trampoline and must agree on
// the return address, the CFA and the values of the six callee-saved registers. A disagreement names function and line
// and ends the program. After the move the walk is over the relocated stack, so a saved rbp or a return address that
// was changed wrongly is found.
//
//
//     a move by stress              thread_restack: before and after
//     a move from node to node      image_capture: before, at the source; image_restore: after, at the destination
//
// libunwind is loaded when the knob asks for it, so no program depends on it. A program that is checked needs unwind
// tables, which x86-64 has by default; a frame without one (-fno-asynchronous-unwind-tables) counts as a disagreement.
//
// Rejected: a reader of .eh_frame of our own (it would be written by the authors of the walk, and share their
// mistakes); checking every move always (libunwind takes 100 times as long as the walk).
#ifndef SKEIN_MIGRATE_UNWIND_CHECK_H
#define SKEIN_MIGRATE_UNWIND_CHECK_H

#include "base/knobs.h"
#include "thread/thread.h"

namespace skein {

// Whether this move is one of those to be checked; counts it.
[[gnu::cold]] bool unwind_check_due_now();
inline bool unwind_check_due() { return knobs.unwind_check != 0 && unwind_check_due_now(); }

// Compares both walks of a suspended thread. `when` ("before the move", say) is for the message. Where the walk by maps
// is refused (a foreign frame, a pinned call) nothing is compared: such a thread does not move.
void unwind_check(const Thread &thread, const char *when);

} // namespace skein

#endif
