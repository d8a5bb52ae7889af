// Variables of shared libraries stay behind when a thread leaves for another node, as the program's globals do
// (check.h). One that holds an address of the thread's stack must keep the thread here. Libraries have no records that
// the runtime could find, whichever compiler made them; so all memory that a library can write to is searched, as
// relocation stress does (outside.h).
//
// The libraries that the program is linked with, and those that it loads later, are searched. Not searched are the
// libraries of C and C++, whose functions that keep an address are listed (LibraryKeeps.def), and those that the
// runtime loads for itself. A position-dependent program (-no-pie) has copies of variables of libraries that it names,
// and the libraries use these copies; they are searched as well. A program without other libraries pays only for a look
// at whether any was loaded since.
//
// Rejected: a constructor in each library that reports its records. It would have to come with every object file or
// with the link, and libraries of other compilers would have none.
#ifndef SKEIN_MIGRATE_LIBRARY_VARIABLES_H
#define SKEIN_MIGRATE_LIBRARY_VARIABLES_H

#include "migrate/refusal.h"

#include <stddef.h>
#include <stdint.h>

namespace skein {

/// Called when the runtime is about to load libraries of its own.
void library_variables_before_own();
/// Called when it has loaded them. The functions below look at libraries from here on; before, they find none.
void library_variables_start();

/// Whether some variable holds an address in [begin, end); `why` then names it.
bool library_variables_hold(uintptr_t begin, uintptr_t end, Refusal &why);
/// Whether library_variables_hold looks at that place.
bool library_variables_contain(uintptr_t place);
/// How many bytes library_variables_hold searches.
size_t library_variables_bytes();

/// Refuses a move because of the word at `found`, in a library.
bool refuse_library_variable(const void *found, Refusal &why);

} // namespace skein

#endif
