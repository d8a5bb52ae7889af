//===- SharedLowering.h - Accesses to shared memory -------------------------===//
#ifndef SKEIN_PASSES_SHARED_SHAREDLOWERING_H
#define SKEIN_PASSES_SHARED_SHAREDLOWERING_H

#include "llvm/IR/PassManager.h"

namespace skein {

class SharedLoweringPass : public llvm::PassInfoMixin<SharedLoweringPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &AM);
  static bool isRequired() { return true; }
  static llvm::StringRef name() { return "shared-lowering"; }
};

} // namespace skein

#endif
