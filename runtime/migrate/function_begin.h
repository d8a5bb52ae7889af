// Whether an address is where a function begins. A thread that has not run yet arrives as the address of its function,
// and that is the one word of an image that would be jumped to without a frame map in between: an address in the middle
// of an instruction or of data would end the node.
//
// The witness is the table of .eh_frame that every linker makes for the unwinder: the begins of all functions, sorted.
// Symbols would say the same, but a program may be stripped of them.
#ifndef SKEIN_MIGRATE_FUNCTION_BEGIN_H
#define SKEIN_MIGRATE_FUNCTION_BEGIN_H

#include <stdint.h>

namespace skein {

// False: no code lies there, or the middle of a function. True as well where nobody can tell: code of which .eh_frame
// says nothing (assembly without unwind information), and modules without such a table.
bool begins_function(uintptr_t address);

} // namespace skein

#endif
