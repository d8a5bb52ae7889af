//===- GrowableStacks.h - -fskein-stacks=growable, in IR -------------------===//
#ifndef SKEIN_PASSES_IR_GROWABLESTACKS_H
#define SKEIN_PASSES_IR_GROWABLESTACKS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/PassManager.h"

namespace skein {

/// Function attribute, from the command line (SourceFacts.h). Value: growable.
inline constexpr const char *StacksAttribute = "skein-stacks";

/// Compiled with -fskein-stacks=growable.
bool growsStack(const llvm::Function &F);

/// Small functions of the C library and the compiler's own, of which is known that a few hundred bytes of stack are
/// enough: they run where their caller runs.
bool isShallowLibraryFunction(llvm::StringRef Name);

class GrowableStacksPass : public llvm::PassInfoMixin<GrowableStacksPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &AM);
  static llvm::StringRef name() { return "growable-stacks"; }
  static bool isRequired() { return true; }
};

} // namespace skein

#endif
