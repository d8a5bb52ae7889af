//===- CallLiveness.cpp ------------------------------------------------------===//
//
// Backward data flow with one bit per value and block: live-out(B) = union over successors S of live-in(S) without the
// phis of S, plus the values that phis of S take from B.
//
//===----------------------------------------------------------------------===//
#include "CallLiveness.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace skein {

CrossedCalls computeCrossedCalls(Function &F, ArrayRef<Value *> Values, ArrayRef<CallBase *> Calls) {
  CrossedCalls Crossed;
  if (Values.empty() || Calls.empty())
    return Crossed;
  DenseMap<const Value *, unsigned> Number;
  for (auto [I, V] : enumerate(Values))
    Number[V] = I;
  SmallPtrSet<const CallBase *, 16> IsCall(Calls.begin(), Calls.end());

  // Steps back over one instruction.
  auto StepBack = [&](const Instruction &I, BitVector &Live) {
    if (auto At = Number.find(&I); At != Number.end())
      Live.reset(At->second);
    if (!isa<PHINode>(I))
      for (const Value *Operand : I.operands())
        if (auto At = Number.find(Operand); At != Number.end())
          Live.set(At->second);
  };
  // What phis take from the end of a block.
  DenseMap<const BasicBlock *, SmallVector<unsigned, 4>> Taken;
  for (const BasicBlock &B : F)
    for (const PHINode &Phi : B.phis())
      for (auto [From, V] : zip(Phi.blocks(), Phi.incoming_values()))
        if (auto At = Number.find(V); At != Number.end())
          Taken[From].push_back(At->second);
  DenseMap<const BasicBlock *, BitVector> LiveIn;
  auto LiveOut = [&](const BasicBlock &B) {
    BitVector Live(Values.size());
    for (const BasicBlock *Successor : successors(&B))
      if (auto At = LiveIn.find(Successor); At != LiveIn.end())
        Live |= At->second;
    if (auto At = Taken.find(&B); At != Taken.end())
      for (unsigned N : At->second)
        Live.set(N);
    return Live;
  };

  // A block keeps some values and adds others, whatever is live behind it.
  struct Transfer {
    BitVector Kept, Added;
  };
  SmallVector<BasicBlock *, 32> Order(post_order(&F.getEntryBlock()));
  SmallVector<Transfer, 32> Transfers;
  for (const BasicBlock *B : Order) {
    Transfer T{BitVector(Values.size(), true), BitVector(Values.size())};
    for (const Instruction &I : reverse(*B)) {
      StepBack(I, T.Kept);
      StepBack(I, T.Added);
    }
    Transfers.push_back(std::move(T));
  }
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (auto [B, T] : zip(Order, Transfers)) {
      BitVector Live = LiveOut(*B);
      Live &= T.Kept;
      Live |= T.Added;
      auto [At, New] = LiveIn.try_emplace(B, Live);
      if (New) {
        Changed |= Live.any();
      } else if (At->second != Live) {
        At->second = std::move(Live);
        Changed = true;
      }
    }
  }
  for (BasicBlock *B : Order) {
    BitVector Live = LiveOut(*B);
    for (Instruction &I : reverse(*B)) {
      if (auto *Call = dyn_cast<CallBase>(&I); Call && IsCall.contains(Call))
        for (unsigned Bit : Live.set_bits())
          if (Values[Bit] != Call)
            Crossed[Values[Bit]].push_back(Call);
      StepBack(I, Live);
    }
  }
  return Crossed;
}

} // namespace skein
