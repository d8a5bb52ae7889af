//===- GlobalMaps.h - Which globals can hold pointers -----------------------===//
#ifndef SKEIN_PASSES_IR_GLOBALMAPS_H
#define SKEIN_PASSES_IR_GLOBALMAPS_H

#include "llvm/IR/PassManager.h"

namespace llvm {
class GlobalVariable;
} // namespace llvm

namespace skein {

/// True if the type has no word that may be an address: then it is searched only by a module that defines it and writes
/// words of another kind there.
bool holdsNumbersOnly(const llvm::GlobalVariable &G);

} // namespace skein

#endif
