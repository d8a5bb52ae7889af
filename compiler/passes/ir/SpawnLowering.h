//===- SpawnLowering.h - skein_spawn becomes a call of the runtime ----------===//
#ifndef SKEIN_PASSES_IR_SPAWNLOWERING_H
#define SKEIN_PASSES_IR_SPAWNLOWERING_H

#include "llvm/IR/PassManager.h"

namespace skein {

class SpawnLoweringPass : public llvm::PassInfoMixin<SpawnLoweringPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &AM);
  static bool isRequired() { return true; }
  static llvm::StringRef name() { return "spawn-lowering"; }
};

} // namespace skein

#endif
