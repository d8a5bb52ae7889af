// The variables of shared libraries. Like the program's globals (check.h) they stay behind when a thread leaves for
// another node, and one that holds an address of its stack keeps it here. Libraries have no records that the runtime
// could find, whoever compiled them; so all that a library can write to is searched, as relocation stress does
// (outside.h).
//
// Searched are the libraries that the program is linked with and those that it loads later. Not searched are those of
// the C and C++ languages, whose functions that keep an address are listed (LibraryKeeps.def), and what the runtime
// loads for itself. A position-dependent program (-no-pie) has copies of variables of libraries that it names, and the
// libraries use these; they are searched, too. A program that has no others pays for a look at whether any was
// loaded since.
//
// Rejected: a constructor in each library that reports its records: it would come with every object file or with the
// link, and see nothing of libraries that another compiler made.
#ifndef SKEIN_MIGRATE_LIBRARY_VARIABLES_H
#define SKEIN_MIGRATE_LIBRARY_VARIABLES_H

#include "migrate/refusal.h"

#include <stddef.h>
#include <stdint.h>

namespace skein {

/// The runtime is about to load libraries of its own.
void library_variables_before_own();
/// It has. From here on the functions below look at libraries; before, they find none.
void library_variables_start();

/// Whether one holds an address in [begin, end), of which `why` names it.
bool library_variables_hold(uintptr_t begin, uintptr_t end, Refusal &why);
/// Whether it looks at that place.
bool library_variables_contain(uintptr_t place);
/// How many bytes it looks through.
size_t library_variables_bytes();

/// Refuses because of the word at `found`, in a library.
bool refuse_library_variable(const void *found, Refusal &why);

} // namespace skein

#endif
