//===- LoopTwin.h - A loop and its copy, side by side -----------------------===//
#ifndef SKEIN_PASSES_POLLS_LOOPTWIN_H
#define SKEIN_PASSES_POLLS_LOOPTWIN_H

#include "llvm/Transforms/Utils/ValueMapper.h"

namespace llvm {
class DominatorTree;
class Loop;
class LoopInfo;
class Twine;
} // namespace llvm

namespace skein {

/// A copy of `L`, which must be in simplified and LCSSA form, with the same exits; the names of its blocks end in
/// `Suffix`. `L` gets a new preheader behind the block that was its preheader, and the copy has one as well:
///
///     before --> L's preheader --> L ------------> exits
///                copy's preheader --> copy ------> exits
///
/// The caller ends `before` with a choice between the two, and recalculates the dominator tree. `Copies` says which
/// value of the copy stands for which value of `L`.
llvm::Loop *cloneBeside(llvm::Loop &L, const llvm::Twine &Suffix, llvm::LoopInfo &LI, llvm::DominatorTree &DT,
                        llvm::ValueToValueMapTy &Copies);

/// The copy of a value; the value itself if it is not of the loop.
llvm::Value *copyOf(llvm::Value *V, const llvm::ValueToValueMapTy &Copies);

} // namespace skein

#endif
