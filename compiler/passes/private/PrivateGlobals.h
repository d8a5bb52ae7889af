//===- PrivateGlobals.h - Accesses to a thread's own variables --------------===//
#ifndef SKEIN_PASSES_PRIVATE_PRIVATEGLOBALS_H
#define SKEIN_PASSES_PRIVATE_PRIVATEGLOBALS_H

#include "llvm/IR/PassManager.h"

namespace skein {

class PrivateGlobalsPass : public llvm::PassInfoMixin<PrivateGlobalsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &AM);
  static bool isRequired() { return true; }
  static llvm::StringRef name() { return "private-globals"; }
};

} // namespace skein

#endif
