//===- LibraryCalls.h - Skein's versions of C library functions ------------===//
#ifndef SKEIN_PASSES_IR_LIBRARYCALLS_H
#define SKEIN_PASSES_IR_LIBRARYCALLS_H

#include "llvm/IR/PassManager.h"

namespace skein {

class LibraryCallsPass : public llvm::PassInfoMixin<LibraryCallsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
  static llvm::StringRef name() { return "library-calls"; }
  static bool isRequired() { return true; }
};

} // namespace skein

#endif
