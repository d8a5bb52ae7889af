// The debug check that two witnesses agree about a stack: the walk by frame maps and libunwind's by .eh_frame.
//
// Both describe the same frames, made by different parts of the compiler. With the knob unwind_check=K, before and
// after every K-th move of a thread, both walk it frame by frame down to the trampoline and must agree on the return
// address, the CFA and the values of the six callee-saved registers. A disagreement names function and line and ends
// the program. After the move the walk is of the relocated stack, so a saved rbp or a return address that was changed
// wrongly shows.
//
//     move by stress              thread_restack: before, after
//     from node to node           image_capture: before at the source; image_restore: after at the destination
//
// libunwind is loaded when the knob asks for it, so no program depends on it. A program that is checked needs unwind
// tables, which x86-64 has by default; a frame without (-fno-asynchronous-unwind-tables) is a disagreement.
//
// Rejected: an own reader of .eh_frame (one more witness written by us); checking on every move always (libunwind costs
// 100 times the walk).
#ifndef SKEIN_MIGRATE_UNWIND_CHECK_H
#define SKEIN_MIGRATE_UNWIND_CHECK_H

#include "base/knobs.h"
#include "thread/thread.h"

namespace skein {

// Whether this move is one of those to be checked. Counts.
[[gnu::cold]] bool unwind_check_due_now();
inline bool unwind_check_due() { return knobs.unwind_check != 0 && unwind_check_due_now(); }

// Compares both walks of a suspended thread; `when` ("before the move", ...) is for the message. What the walk by maps
// refuses (a foreign frame, a pinned call) is not compared: such a thread does not move.
void unwind_check(const Thread &thread, const char *when);

} // namespace skein

#endif
