//===- LibraryKeeps.h - Addresses the C library keeps -----------------------===//
#ifndef SKEIN_PASSES_IR_LIBRARYKEEPS_H
#define SKEIN_PASSES_IR_LIBRARYKEEPS_H

#include "llvm/IR/PassManager.h"

namespace skein {

class LibraryKeepsPass : public llvm::PassInfoMixin<LibraryKeepsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &AM);
  static bool isRequired() { return true; }
  static llvm::StringRef name() { return "library-keeps"; }
};

} // namespace skein

#endif
