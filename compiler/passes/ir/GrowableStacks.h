//===- GrowableStacks.h - -fskein-stacks=growable, in IR -------------------===//
#ifndef SKEIN_PASSES_IR_GROWABLESTACKS_H
#define SKEIN_PASSES_IR_GROWABLESTACKS_H

#include "llvm/IR/PassManager.h"

namespace skein {

/// Function attribute, from the command line (SourceFacts.h). Value: growable.
inline constexpr const char *StacksAttribute = "skein-stacks";

/// Compiled with -fskein-stacks=growable.
bool growsStack(const llvm::Function &F);

class GrowableStacksPass : public llvm::PassInfoMixin<GrowableStacksPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &AM);
  static llvm::StringRef name() { return "growable-stacks"; }
  static bool isRequired() { return true; }
};

} // namespace skein

#endif
