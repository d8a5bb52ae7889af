//===- SourceFacts.h - What only the compile step knows --------------------===//
#ifndef SKEIN_PASSES_IR_SOURCEFACTS_H
#define SKEIN_PASSES_IR_SOURCEFACTS_H

#include "llvm/IR/PassManager.h"

namespace skein {

class SourceFactsPass : public llvm::PassInfoMixin<SourceFactsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &AM);
  static bool isRequired() { return true; }
  static llvm::StringRef name() { return "source-facts"; }
};

} // namespace skein

#endif
