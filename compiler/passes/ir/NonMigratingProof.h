//===- NonMigratingProof.h - Functions that reach no migration point --------===//
#ifndef SKEIN_PASSES_IR_NONMIGRATINGPROOF_H
#define SKEIN_PASSES_IR_NONMIGRATINGPROOF_H

#include "llvm/IR/PassManager.h"

namespace llvm {
class TargetLibraryInfo;
} // namespace llvm

namespace skein {

/// Marks functions, and indirect calls, that cannot reach a migration point with `skein-nomigrate`. `Eligible` says of
/// which definitions a proof is wanted.
void proveNonMigrating(llvm::Module &M, llvm::function_ref<const llvm::TargetLibraryInfo &(llvm::Function &)> GetTLI,
                       llvm::function_ref<bool(const llvm::Function &)> Eligible);

} // namespace skein

#endif
