//===- NonMigratingFunctions.h - What the frontend knows, the passes don't -===//
//
// The Clang half knows where a function was declared, which IR does not say. Before the optimiser runs, in the same
// process, it records the assembler name of each function that
//
//   * is declared in a system header and has no body in this translation unit (the C library and the like),
//   * carries SKEIN_NOMIGRATE, a claim that the pass `source-facts` checks, or
//   * carries SKEIN_ASSUME_NOMIGRATE, which is not checked.
//
// `source-facts` writes all this into the module, where every later pass finds it, in this process or in that of the
// linker.
//
// Functions of system headers that call back into the program (qsort, bsearch, twalk, ftw, scandir, glob, pthread_once,
// ...) are recorded as well. This is right: when the callback asks to migrate, the library's own frame is on the stack
// and has no frame map, so the thread is pinned there whatever is said of the call in the caller.
//
// Rejected: an attribute on the llvm::Function (clang offers a plugin no way to put one on a declaration) and
// llvm.global.annotations (definitions only). For IR inputs (-x ir, opt) nothing is recorded, and the passes have to
// use TargetLibraryInfo and the attributes that are in the module.
//
//===----------------------------------------------------------------------===//
#ifndef SKEIN_PASSES_IR_NONMIGRATINGFUNCTIONS_H
#define SKEIN_PASSES_IR_NONMIGRATINGFUNCTIONS_H

#include "llvm/ADT/StringRef.h"

namespace skein {

/// Why a function never reaches a migration point.
enum class NonMigrating : unsigned char { No, Library, Claimed, Assumed };

/// Records the assembler name of a function. A claim or an assumption outweighs what a header says.
void addNonMigrating(llvm::StringRef AssemblerName, NonMigrating Why);

/// What was recorded under this name. A leading \01 (as in llvm::Function::getName) is ignored.
NonMigrating declaredNonMigrating(llvm::StringRef AssemblerName);

/// Records the assembler name of a function that carries SKEIN_MOVES_SAME.
void addSameMoves(llvm::StringRef AssemblerName);
bool declaredSameMoves(llvm::StringRef AssemblerName);

} // namespace skein

#endif
