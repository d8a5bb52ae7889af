//===- PossibleCallees.h - Whom an indirect call can reach -----------------===//
#ifndef SKEIN_PASSES_IR_POSSIBLECALLEES_H
#define SKEIN_PASSES_IR_POSSIBLECALLEES_H

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace llvm {
class Argument;
class CallBase;
class Constant;
class Function;
class GlobalVariable;
class Value;
} // namespace llvm

namespace skein {

/// Finds all functions that a call can reach, as far as the module shows them.
class PossibleCallees {
public:
  /// Adds every function that `Call` may call to `Found`. False: others are possible.
  bool find(const llvm::CallBase &Call, llvm::SmallSetVector<const llvm::Function *, 8> &Found);

private:
  bool followValue(const llvm::Value *V);
  bool followArgument(const llvm::Argument &A);
  bool followLoad(const llvm::Value *From);
  bool followTable(const llvm::Constant *Content);

  llvm::SmallSetVector<const llvm::Function *, 8> *Found = nullptr;
  llvm::SmallPtrSet<const llvm::Value *, 16> Seen;
  llvm::SmallVector<const llvm::Value *, 16> Work; ///< what the callee can be, in the order in which it is looked at
};

} // namespace skein

#endif
