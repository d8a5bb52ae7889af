// The arguments of main, in a run of several nodes.
//
// The system puts argv, the environment and their texts on the process's own stack, which stays behind, and main holds
// argv to its end. So main gets a copy in an extent of its own, which moves with it like its heap:
//
//     | Arguments | argv[0] … argv[argc - 1] null | envp[0] … null | texts |
//
// The words are pointers: a program may permute them, and put addresses of its own there. The variables in which
// getopt answers (optind, optarg, …) are the C library's, one for the process; main's go along in the header. What
// getopt remembers besides cannot be read, so a thread stays while it reads its options: from the first call of getopt
// to the one that returns -1.
//
// The copy stays mapped on the node where main began, also when main has left or ended: other threads, exit handlers
// and variables of the process may know it. They see what it was when main left.
//
// Alone on its node main keeps the system's argv: a program may write over it to change what `ps` shows.
#ifndef SKEIN_PRIVATE_GLOBALS_ARGUMENTS_H
#define SKEIN_PRIVATE_GLOBALS_ARGUMENTS_H

#include "private/regions/extents.h"

#include <cstddef>
#include <cstdint>

namespace skein {

/// Gives main its copy, and sets `argv` and `envp` to it. Without memory they stay what they are.
void arguments_copy(Thread &main, int argc, char **&argv, char **&envp);

/// Whether this extent is mapped in this process wherever its thread is.
bool arguments_stay(const Extent &extent);

/// Before main is captured, and when it has arrived: getopt's variables go to and fro.
void arguments_note(const Thread &thread);
void arguments_restore(const Thread &thread);

/// Whether the word at `offset` of such an extent is a pointer.
bool arguments_pointer(const Extent &extent, size_t offset);
/// Whether the word there is text that nobody has written over. Such text holds no address, though any four of its
/// characters may be those of one: stacks lie where addresses begin with a capital letter (thread/places.h).
bool arguments_text_as_given(const Extent &extent, size_t offset);

} // namespace skein

#endif
