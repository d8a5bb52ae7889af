//===- CallLiveness.cpp ------------------------------------------------------===//
//
// Computes which values are live across which calls, by a backward data flow with one bit for each value and block:
// live-out(B) = union over successors S of live-in(S) without the phis of S, plus the values that phis of S take from
// B.
//
// Most values, nearly all without optimisation, are used in their own block only. They get no bit in the data flow: the
// walk through a block with calls, which comes last, finds them without it.
//
//===----------------------------------------------------------------------===//
#include "CallLiveness.h"
#include "passes/PostOrder.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace skein {

namespace {

/// What a block does with the values that have bits.
struct Block {
  SmallVector<unsigned, 4> Defined, Used, Taken; ///< Taken: used by phis of successors, at the end of this block
  BitVector LiveIn;
  bool HasCall = false;
};

class Liveness {
public:
  Liveness(Function &F, ArrayRef<Value *> Values) : Order(inPostOrder(F.getEntryBlock())), Values(Values) {
    for (auto [N, B] : enumerate(Order))
      Place[B] = N;
    Blocks.resize(Order.size());
    for (auto [N, V] : enumerate(Values))
      if (Number.try_emplace(V, N).second)
        collect(*V, N);
    solve();
  }

  CrossedCalls crossed(ArrayRef<CallBase *> Calls) {
    CrossedCalls Crossed;
    for (const CallBase *Call : Calls)
      if (auto At = Place.find(Call->getParent()); At != Place.end())
        Blocks[At->second].HasCall = true;
    const SmallPtrSet<const CallBase *, 16> IsCall(Calls.begin(), Calls.end());
    for (auto [B, Of] : zip(Order, Blocks)) {
      if (!Of.HasCall)
        continue;
      BitVector Live(Values.size());
      const BitVector Bits = liveOut(*B, Of);
      for (unsigned Bit : Bits.set_bits())
        Live.set(ValueOf[Bit]);
      for (Instruction &I : reverse(*B)) {
        if (auto *Call = dyn_cast<CallBase>(&I); Call && IsCall.contains(Call))
          for (unsigned N : Live.set_bits())
            if (Values[N] != Call)
              Crossed[Values[N]].push_back(Call);
        if (auto At = Number.find(&I); At != Number.end())
          Live.reset(At->second);
        if (!isa<PHINode>(I))
          for (const Value *Operand : I.operands())
            if (auto At = Number.find(Operand); At != Number.end())
              Live.set(At->second);
      }
    }
    return Crossed;
  }

private:
  /// Gives the value a bit if it is used in other blocks than its own, or at the end of a block.
  void collect(const Value &V, unsigned N) {
    const auto *Definition = dyn_cast<Instruction>(&V);
    const BasicBlock *Own = Definition ? Definition->getParent() : nullptr;
    const unsigned Bit = ValueOf.size();
    SmallPtrSet<const BasicBlock *, 8> UsedIn;
    bool Wide = false;
    for (const Use &U : V.uses()) {
      const auto *I = dyn_cast<Instruction>(U.getUser());
      if (!I)
        continue;
      const auto *Phi = dyn_cast<PHINode>(I);
      const BasicBlock *B = Phi ? Phi->getIncomingBlock(U) : I->getParent();
      auto At = Place.find(B);
      if (At == Place.end() || (!Phi && (B == Own || !UsedIn.insert(B).second)))
        continue;
      (Phi ? Blocks[At->second].Taken : Blocks[At->second].Used).push_back(Bit);
      Wide = true;
    }
    if (!Wide)
      return;
    ValueOf.push_back(N);
    if (auto At = Place.find(Own); At != Place.end())
      Blocks[At->second].Defined.push_back(Bit);
  }

  BitVector liveOut(const BasicBlock &B, const Block &Of) const {
    BitVector Live(ValueOf.size());
    for (const BasicBlock *Successor : successors(&B))
      Live |= Blocks[Place.find(Successor)->second].LiveIn;
    for (unsigned Bit : Of.Taken)
      Live.set(Bit);
    return Live;
  }

  void solve() {
    for (Block &B : Blocks)
      B.LiveIn.resize(ValueOf.size());
    if (ValueOf.empty())
      return;
    for (bool Changed = true; Changed;) {
      Changed = false;
      for (auto [B, Of] : zip(Order, Blocks)) {
        BitVector Live = liveOut(*B, Of);
        for (unsigned Bit : Of.Defined)
          Live.reset(Bit);
        for (unsigned Bit : Of.Used)
          Live.set(Bit);
        if (Of.LiveIn != Live) {
          Of.LiveIn = std::move(Live);
          Changed = true;
        }
      }
    }
  }

  SmallVector<BasicBlock *, 32> Order;
  DenseMap<const BasicBlock *, unsigned> Place; ///< the position in Order and in Blocks
  SmallVector<Block, 0> Blocks;
  ArrayRef<Value *> Values;
  DenseMap<const Value *, unsigned> Number; ///< the position in Values
  SmallVector<unsigned, 32> ValueOf;        ///< the value of a bit
};

} // namespace

CrossedCalls computeCrossedCalls(Function &F, ArrayRef<Value *> Values, ArrayRef<CallBase *> Calls) {
  if (Values.empty() || Calls.empty())
    return CrossedCalls();
  return Liveness(F, Values).crossed(Calls);
}

} // namespace skein
