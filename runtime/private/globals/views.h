// Views: how kernel threads of the program's own see the private globals of their host, if some of these are
// thread-local variables.
//
// All private variables are reached by one base (gs). Of the thread-local ones such a kernel thread has its own, and
// the others it shares with its host. So its *view* is address space as large as the template, in which the pages of
// the thread-local variables are its own, and all other pages are those of the host, at a second address:
//
//     host's copy     | shared | thread-local | shared |
//                     |   ||   |              |   ||   |      the same memory
//     view            | shared | thread-local | shared |
//
// No program sees the second address, since addresses of shared variables, also those in the view's address words, are
// always those in the host's copy (globals.cpp).
//
// For that the pages of the copy must be shared memory. They are, from the first kernel thread that the host starts
// until none of these runs any more. Then the copy is private memory again, of which it can be told which pages were
// touched (memory_touched), and the host may leave. A fork must not share the memory: the child gets a copy of it, as
// it would of private memory.
#ifndef SKEIN_PRIVATE_GLOBALS_VIEWS_H
#define SKEIN_PRIVATE_GLOBALS_VIEWS_H

#include <cstddef>
#include <cstdint>

namespace skein {

/// A part of a copy, in whole pages.
struct ViewPart {
  size_t offset, bytes;
};
inline constexpr unsigned view_parts = 2;

/// Makes these parts of the copy visible to views, if they are not. Called by the thread that uses the copy, while no
/// view of it is in use. False without memory.
bool view_share(uintptr_t copy, const ViewPart (&parts)[view_parts]);
/// No view of the copy is in use any more: it is private memory again.
void view_unshare(uintptr_t copy);

/// Makes the calling kernel thread's view of a shared copy of `bytes`; what is not shared is inaccessible in it. 0
/// without memory. Safe in a signal handler that interrupted the program.
uintptr_t view_make(uintptr_t copy, size_t bytes);
/// The view of the calling kernel thread, or 0.
uintptr_t view_mine();
/// The calling kernel thread ends: removes its view.
void view_end();

} // namespace skein

#endif
