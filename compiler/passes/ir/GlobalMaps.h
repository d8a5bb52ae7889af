//===- GlobalMaps.h - Which globals can hold pointers -----------------------===//
#ifndef SKEIN_PASSES_IR_GLOBALMAPS_H
#define SKEIN_PASSES_IR_GLOBALMAPS_H

#include "llvm/IR/PassManager.h"

namespace llvm {
class GlobalVariable;
} // namespace llvm

namespace skein {

/// True if the type has no word that may be an address. Such a global is searched only if the module that defines it
/// writes words of another kind to it.
bool holdsNumbersOnly(const llvm::GlobalVariable &G);

} // namespace skein

#endif
