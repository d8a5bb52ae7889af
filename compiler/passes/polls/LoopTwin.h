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

/// A copy of `L`, which is in simplified and LCSSA form, with the same exits; names of its blocks end in `Suffix`. L
/// gets a preheader of its own, as the copy has one, behind the block that was it:
///
///     before --> L's preheader --> L ------------> exits
///                copy's preheader --> copy ------> exits
///
/// The caller ends `before` in a choice between the two, and recalculates the dominator tree.
/// `Copies` says which value of the copy stands for which of L.
llvm::Loop *cloneBeside(llvm::Loop &L, const llvm::Twine &Suffix, llvm::LoopInfo &LI, llvm::DominatorTree &DT,
                        llvm::ValueToValueMapTy &Copies);

/// The copy of a value; the value itself if it is none of the loop's.
llvm::Value *copyOf(llvm::Value *V, const llvm::ValueToValueMapTy &Copies);

} // namespace skein

#endif
