//===- PointerHoming.h - Pass 2: pointers live across calls get homes -------===//
#ifndef SKEIN_PASSES_IR_POINTERHOMING_H
#define SKEIN_PASSES_IR_POINTERHOMING_H

#include "llvm/IR/PassManager.h"

namespace skein {

class PointerHomingPass : public llvm::PassInfoMixin<PointerHomingPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &AM);
  static bool isRequired() { return true; }
  static llvm::StringRef name() { return "pointer-homing"; }
};

} // namespace skein

#endif
