//===- PrivateMarking.h - Which variables are a thread's own ----------------===//
#ifndef SKEIN_PASSES_PRIVATE_PRIVATEMARKING_H
#define SKEIN_PASSES_PRIVATE_PRIVATEMARKING_H

#include "llvm/IR/PassManager.h"

namespace skein {

class PrivateMarkingPass : public llvm::PassInfoMixin<PrivateMarkingPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &AM);
  static bool isRequired() { return true; }
  static llvm::StringRef name() { return "private-marking"; }
};

} // namespace skein

#endif
