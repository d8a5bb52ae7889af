//===- GlobalMaps.h - Which globals can hold pointers -----------------------===//
#ifndef SKEIN_PASSES_IR_GLOBALMAPS_H
#define SKEIN_PASSES_IR_GLOBALMAPS_H

#include "llvm/IR/PassManager.h"

namespace skein {

class GlobalMapsPass : public llvm::PassInfoMixin<GlobalMapsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &AM);
  static bool isRequired() { return true; }
  static llvm::StringRef name() { return "global-maps"; }
};

} // namespace skein

#endif
