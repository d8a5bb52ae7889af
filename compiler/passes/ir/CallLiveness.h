//===- CallLiveness.h - Which values are live across which calls -----------===//
#ifndef SKEIN_PASSES_IR_CALLLIVENESS_H
#define SKEIN_PASSES_IR_CALLLIVENESS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace llvm {
class BasicBlock;
class CallBase;
class Function;
class Value;
} // namespace llvm

namespace skein {

/// For each of some SSA values, the calls (of a given set) across which it is live: defined before, used after. A
/// call's own result is not live across it; the operand of a phi counts as used at the end of the incoming block.
using CrossedCalls = llvm::DenseMap<llvm::Value *, llvm::SmallVector<llvm::CallBase *, 4>>;

CrossedCalls computeCrossedCalls(llvm::Function &F, llvm::ArrayRef<llvm::Value *> Values,
                                 llvm::ArrayRef<llvm::CallBase *> Calls);

} // namespace skein

#endif
