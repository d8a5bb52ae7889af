// A thread may hold a number that was computed from an address of the program or of a library: a hash of it, half of
// it, or the address under a key. Where the program lies elsewhere, an address that is known as one is relocated, but
// such a number is not, and it cannot be found: it may be in any variable of any thread, or in memory that all of them
// read. So it is noted that there is one, and from then on no thread leaves the node for one where any module lies
// elsewhere.
//
// Where all modules lie at the same addresses (image=same, the default of `skein run`) such numbers are right
// everywhere, and compiled code does not report them: __skein_watch tells it not to.
#ifndef SKEIN_MIGRATE_PROGRAM_NUMBERS_H
#define SKEIN_MIGRATE_PROGRAM_NUMBERS_H

#include <stdint.h>

namespace skein {

// All modules are relocated, so functions of libraries may be called.
void program_numbers_relocated();
// There is no other node, so numbers do not matter.
void program_numbers_ignore();
// Called once, when it is known whether modules lie elsewhere on other nodes. Before that they are assumed to.
void program_numbers_settle(bool differ);

// Compiled code makes a number of what is or may be an address. `how` is noted if the address leads into a module.
void program_number_made(uintptr_t address, const char *how);

// The same of code that makes such numbers without a word about each.
void program_number_untold(const char *how);

// How the first number was made ("was made into a number in `f` (file:line)"); null while there is none.
const char *program_numbered();
// The same for an address of a library that was loaded after the start, and may lie anywhere on another node.
const char *late_numbered();

#define PROGRAM_NUMBERED_TEXT "an address of the program %s, and the program or a library lies elsewhere on that node"
#define LATE_NUMBERED_TEXT "an address of a library that was loaded later %s, and may be another one on that node"

} // namespace skein

#endif
