//===- NonMigratingProof.h - Who cannot reach a migration point ------------===//
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

/// -flto=thin: what the unit alone can prove, before other units import its functions.
class NonMigratingProofPass : public llvm::PassInfoMixin<NonMigratingProofPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &AM);
  static bool isRequired() { return true; }
  static llvm::StringRef name() { return "non-migrating-proof"; }
};

} // namespace skein

#endif
