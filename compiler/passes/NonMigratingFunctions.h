//===- NonMigratingFunctions.h - What the headers said about functions -----===//
//
// IR knows neither which header a function was declared in nor the annotations of a mere declaration. The Clang half
// runs in the same process, before code generation, and records here the assembler name of each function that
//
//   * is declared in a system header and has no body in this translation unit (the C library and its like), or
//   * carries SKEIN_NOMIGRATE;
//
// the pass `migration-points` reads the set. A call to such a function is not a migration point. Functions of system
// headers that call back into the program (qsort, bsearch, twalk, ftw, scandir, glob, pthread_once, ...) are in the set
// too, and rightly so: when the callback asks to migrate, the library's own frame is on the stack and has no frame map,
// so the thread is pinned there whatever the call in the caller says.
//
// Rejected: an attribute on the llvm::Function (clang offers a plugin no way to put one on a declaration) and
// llvm.global.annotations (definitions only). For IR inputs (-x ir, opt) the set is empty, and the pass has to use
// TargetLibraryInfo and the function attribute `skein-nomigrate` alone.
//
//===----------------------------------------------------------------------===//
#ifndef SKEIN_PASSES_NONMIGRATINGFUNCTIONS_H
#define SKEIN_PASSES_NONMIGRATINGFUNCTIONS_H

#include "llvm/ADT/StringRef.h"

namespace skein {

/// Records the assembler name of a function that never reaches a migration point.
void addNonMigrating(llvm::StringRef AssemblerName);

/// Whether `addNonMigrating` was called with this name. A leading \01 (as in llvm::Function::getName) is ignored.
bool isDeclaredNonMigrating(llvm::StringRef AssemblerName);

} // namespace skein

#endif
