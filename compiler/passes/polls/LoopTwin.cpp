//===- LoopTwin.cpp ----------------------------------------------------------===//
#include "LoopTwin.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace skein {

Value *copyOf(Value *V, const ValueToValueMapTy &Copies) {
  Value *Copy = Copies.lookup(V);
  return Copy ? Copy : V;
}

Loop *cloneBeside(Loop &L, const Twine &Suffix, LoopInfo &LI, DominatorTree &DT, ValueToValueMapTy &Copies) {
  BasicBlock *Before = L.getLoopPreheader();
  BasicBlock *Preheader = SplitBlock(Before, Before->getTerminator(), &DT, &LI);
  SmallVector<BasicBlock *, 8> Blocks;
  Loop *Copy = cloneLoopWithPreheader(Preheader, Before, &L, Copies, Suffix, &LI, &DT, Blocks);
  remapInstructionsInBlocks(Blocks, Copies);
  SmallVector<BasicBlock *, 4> Exits;
  L.getUniqueExitBlocks(Exits);
  for (BasicBlock *Exit : Exits)
    for (PHINode &Phi : Exit->phis())
      for (unsigned N = 0, All = Phi.getNumIncomingValues(); N < All; ++N)
        if (L.contains(Phi.getIncomingBlock(N)))
          Phi.addIncoming(copyOf(Phi.getIncomingValue(N), Copies),
                          cast<BasicBlock>(copyOf(Phi.getIncomingBlock(N), Copies)));
  return Copy;
}

} // namespace skein
