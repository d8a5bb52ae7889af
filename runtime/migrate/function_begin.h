// A thread that has not run yet arrives as the address of its function. That is the one word of an image that is jumped
// to without a frame map in between, so an address in the middle of an instruction or of data would end the node. This
// file checks that a function begins there.
//
// It reads the table of .eh_frame that every linker makes for the unwinder: the begins of all functions, sorted.
// Symbols would say the same, but a program may be stripped of them.
#ifndef SKEIN_MIGRATE_FUNCTION_BEGIN_H
#define SKEIN_MIGRATE_FUNCTION_BEGIN_H

#include <stdint.h>

namespace skein {

// False: no code lies there, or the middle of a function. True also where the answer is unknown: for code of which
// .eh_frame says nothing (assembly without unwind information), and for modules without such a table.
bool begins_function(uintptr_t address);

} // namespace skein

#endif
