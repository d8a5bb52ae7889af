// Numbers that were made of addresses of the program or of its libraries.
//
// A function, a variable or a label that a thread knows as an address is relocated where the program lies elsewhere. A
// number that was computed from such an address (a hash, half of it, one under a key) is not, and nobody can find it:
// it may be in any variable of any thread, or in memory that all of them read. So it is noted that there is one, and
// from then on no thread leaves the node for one where any module lies elsewhere.
//
// Where all modules lie at the same address (image=same, the default of `skein run`) such numbers are right everywhere,
// and compiled code does not even look for them: __skein_watch says so.
#ifndef SKEIN_MIGRATE_PROGRAM_NUMBERS_H
#define SKEIN_MIGRATE_PROGRAM_NUMBERS_H

#include <stdint.h>

namespace skein {

// All modules are relocated: functions of libraries may be called.
void program_numbers_relocated();
// There is no other node.
void program_numbers_ignore();
// Called once, when it is known whether modules lie elsewhere on other nodes; before, it is taken for true.
void program_numbers_settle(bool differ);

// Compiled code makes a number of an address, or what may be one. `how` is noted if it leads into a module.
void program_number_made(uintptr_t address, const char *how);

// How the first was made ("was made into a number in `f` (file:line)"); null while none was.
const char *program_numbered();
// The same of an address of a library that was loaded since the start, and may lie anywhere on any other node.
const char *late_numbered();

#define PROGRAM_NUMBERED_TEXT "an address of the program %s, and the program or a library lies elsewhere on that node"
#define LATE_NUMBERED_TEXT "an address of a library that was loaded later %s, and may be another one on that node"

} // namespace skein

#endif
