// Views: what kernel threads of the program's own see of their host's private globals, if there are thread-local
// variables among them.
//
// All private variables are reached by one base (gs), and of those that are no thread-local ones such a thread shares
// its host's. So its *view* is address space as large as the template, in which the pages of the thread-local variables
// are its own, and all others are the host's once more, at a second address:
//
//     host's copy     | shared | thread-local | shared |
//                     |   ||   |              |   ||   |      the same memory
//     view            | shared | thread-local | shared |
//
// Nobody can tell by an address, since addresses of shared variables, in the view's address words too, are always those
// in the host's copy (globals.cpp).
//
// For that the pages of the copy have to be shared memory. They are from the first kernel thread that the host starts
// until none of them runs, when the host may leave: its copy is private memory again, whose pages can be told touched
// or not (memory_touched). What else shared memory does, fork must not: the child gets a copy of it as it was before.
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

/// Makes these parts of the copy visible to views. Nothing, if they are. Called by the one who uses the copy, while no
/// view of it is in use. False without memory.
bool view_share(uintptr_t copy, const ViewPart (&parts)[view_parts]);
/// No view of the copy is in use any more: it is private memory again.
void view_unshare(uintptr_t copy);

/// The calling kernel thread's view of a shared copy, of `bytes`: what is not shared is inaccessible. 0 without memory.
/// Safe in a signal handler that interrupted the program.
uintptr_t view_make(uintptr_t copy, size_t bytes);
/// The calling kernel thread's, or 0.
uintptr_t view_mine();
/// It ends: its view goes.
void view_end();

} // namespace skein

#endif
