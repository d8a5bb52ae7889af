// The name of the function around a program counter, for messages about a thread that is dying.
//
// These may be used in a signal handler: they neither allocate nor take a lock of the runtime's. They look in this
// order: the frame maps (which survive `strip`), the symbol table of the program's file (functions without maps), the
// dynamic symbols (libraries).
#ifndef SKEIN_THREAD_FUNCTION_NAME_H
#define SKEIN_THREAD_FUNCTION_NAME_H

#include <cstddef>
#include <cstdint>

namespace skein {

/// Writes the name, cut to `bytes`, and returns `to`; "(unknown)" if it is not found.
const char *function_name(uintptr_t program_counter, char *to, size_t bytes);

/// The file name of the library that a program counter lies in. False: it lies in the program itself, or in no library.
bool library_name(uintptr_t program_counter, char *to, size_t bytes);

/// The same for a variable of the program: "name", or "name+24" for what lies inside. False if there is none, or it has
/// no name.
bool variable_name(uintptr_t address, char *to, size_t bytes);

/// The name according to the frame maps alone. Null: they do not know it.
const char *function_name_in_maps(uintptr_t program_counter);

} // namespace skein

#endif
