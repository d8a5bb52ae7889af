//===- LocalLiveness.h - At which calls a mapped local holds live data ------===//
#ifndef SKEIN_PASSES_IR_LOCALLIVENESS_H
#define SKEIN_PASSES_IR_LOCALLIVENESS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace llvm {
class AllocaInst;
class CallBase;
class Function;
} // namespace llvm

namespace skein {

/// For each call, the positions in `Locals` of those that may have been written before it and may be read during or
/// after it.
using LiveLocals = llvm::DenseMap<llvm::CallBase *, llvm::SmallVector<unsigned, 8>>;

LiveLocals computeLiveLocals(llvm::Function &F, llvm::ArrayRef<llvm::AllocaInst *> Locals,
                             llvm::ArrayRef<llvm::CallBase *> Calls);

/// Removes the lifetime markers of the locals, so that the back end cannot overlay them with other data.
void dropLifetimeMarkers(llvm::ArrayRef<llvm::AllocaInst *> Locals);

} // namespace skein

#endif
