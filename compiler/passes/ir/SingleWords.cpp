//===- SingleWords.cpp -------------------------------------------------------===//
//
// The witness of a part of a word that is live across a call is the word (PartsOfWords.h). Most such parts are
// characters of a text, and most are not cut off anew for each call: the loop of a parser reads one character after the
// other, and few of these are still needed at a call. So the word is not loaded where the part is read, but follows the
// part. If a value is made of one part by conversions and numbers, or is what one of several paths has read, then its
// word, or the address of that word, goes through the same merges, which costs nothing where the program has such a
// value anyway. The word is needed only where the witness is stored.
//
// The address is the better one of the two, since then nothing at all is done before that place. But it must still lead
// to the same content there: nothing may write on any path from the load, through the merges, to that place. A value
// that is computed again is the newer one at each step, so paths that lead back to where it is computed do not count.
//
// Values that are computed from several words (a hash of a text, two bytes that are combined) have witnesses of another
// kind, in Witnesses.cpp.
//
//===----------------------------------------------------------------------===//
#include "SingleWords.h"
#include "passes/addresses/AddressForms.h"
#include "passes/addresses/AddressIntegers.h"
#include "passes/addresses/PointerTypes.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace skein {

bool SingleWords::isNumber(const Value *V) const {
  if (isa<Constant>(V))
    return !isAddressConstant(V);
  const AddressForm Form = Addresses.form(V);
  return !containsPointer(V->getType()) && (Form == AddressForm::None || Form == AddressForm::Invariant);
}

/// Finds what `V` is computed from. False: it is computed from several words, or from something that is no word.
bool SingleWords::trace(Value *V) {
  constexpr size_t MostSteps = 64;
  SmallPtrSet<Value *, 16> Seen{V};
  SmallVector<Value *, 16> Work{V};
  while (!Work.empty()) {
    Value *At = Work.pop_back_val();
    auto *I = dyn_cast<Instruction>(At);
    const bool IsPart = Addresses.parts().contains(At);
    if (IsPart || Addresses.isUnknown(At)) {
      if (IsPart ? !Addresses.parts().isOfOneWord(*I) : !is64BitInteger(At->getType()))
        return false;
      Leaves.push_back(At);
      continue;
    }
    if (!I || !isPure(*I) || Steps.size() == MostSteps)
      return false;
    SmallVector<unsigned, 2> &From = Steps[I];
    for (const Use &U : I->operands())
      if (isInput(U) && !isNumber(U))
        From.push_back(U.getOperandNo());
    if (isa<PHINode>(I) || (isa<SelectInst>(I) && !is_contained(From, 0u)))
      MergesNumbers |= From.size() < I->getNumOperands() - isa<SelectInst>(I);
    else if (From.size() != 1)
      return false;
    for (unsigned N : From)
      if (Seen.insert(I->getOperand(N)).second)
        Work.push_back(I->getOperand(N));
  }
  return true;
}

static bool mayWrite(const Instruction &I) {
  if (const auto *Load = dyn_cast<LoadInst>(&I))
    return Load->isAtomic();
  if (const auto *Call = dyn_cast<CallBase>(&I); Call && !isa<IntrinsicInst>(Call))
    return true; // also for a call that only reads, since it may have polls
  return I.mayWriteToMemory() && !I.isDroppable();
}

bool SingleWords::writes(const BasicBlock &B) {
  auto [At, New] = Writes.try_emplace(&B);
  if (New)
    At->second = any_of(B, mayWrite);
  return At->second;
}

/// Whether something may write on a path between the two; `From` dominates `To`.
bool SingleWords::writesBetween(const Instruction &From, const Instruction &To) {
  const BasicBlock *First = From.getParent(), *Last = To.getParent();
  if (First == Last && From.comesBefore(&To))
    return any_of(make_range(std::next(From.getIterator()), To.getIterator()), mayWrite);
  if (any_of(make_range(std::next(From.getIterator()), First->end()), mayWrite) ||
      any_of(make_range(Last->begin(), To.getIterator()), mayWrite))
    return true;
  SmallPtrSet<const BasicBlock *, 16> Seen{First};
  SmallVector<const BasicBlock *, 16> Work(predecessors(Last));
  while (!Work.empty()) {
    const BasicBlock *B = Work.pop_back_val();
    if (!Seen.insert(B).second)
      continue;
    if (writes(*B))
      return true;
    append_range(Work, predecessors(B));
  }
  return false;
}

/// Whether the memory at the addresses of the leaves is the same at `Places` as it was when they were read.
bool SingleWords::staysReadable(Value *V, ArrayRef<BasicBlock::iterator> Places) {
  if (MergesNumbers || !all_of(Leaves, [&](Value *Leaf) { return Addresses.parts().contains(Leaf); }))
    return false;
  for (BasicBlock::iterator At : Places)
    if (writesBetween(*cast<Instruction>(V), *At))
      return false;
  for (const auto &[I, From] : Steps)
    for (unsigned N : From) {
      const auto *Phi = dyn_cast<PHINode>(I);
      const Instruction *Use = Phi ? Phi->getIncomingBlock(N)->getTerminator() : I;
      if (writesBetween(*cast<Instruction>(I->getOperand(N)), *Use))
        return false;
    }
  return true;
}

Value *SingleWords::build(Value *V) {
  if (Value *Known = Built.lookup(V))
    return Known;
  auto *I = dyn_cast<Instruction>(V);
  auto Step = Steps.find(I);
  if (Step == Steps.end()) {
    const bool IsPart = Addresses.parts().contains(V);
    return Built[V] = AsAddress ? getLoadStorePointerOperand(I) : IsPart ? WordOf(*I) : V;
  }
  Type *T = AsAddress ? getLoadStorePointerOperand(Leaves.front())->getType() : Type::getInt64Ty(V->getContext());
  auto Of = [&](unsigned N) -> Value * {
    return is_contained(Step->second, N) ? build(I->getOperand(N)) : Constant::getNullValue(T);
  };
  if (auto *Phi = dyn_cast<PHINode>(I)) {
    auto *Merge = PHINode::Create(T, Phi->getNumIncomingValues(), "skein.word", Phi->getIterator());
    Built[V] = Merge;
    Phis.push_back(Merge);
    for (unsigned N = 0; N < Phi->getNumIncomingValues(); ++N)
      Merge->addIncoming(Of(N), Phi->getIncomingBlock(N));
    return Merge;
  }
  if (isa<SelectInst>(I) && !is_contained(Step->second, 0u)) {
    Value *Chosen = IRBuilder<>(I).CreateSelect(I->getOperand(0), Of(1), Of(2));
    return Built[V] = Chosen;
  }
  return Built[V] = build(I->getOperand(Step->second.front()));
}

/// Replaces a new phi by an equal one, since the program mostly merges the addresses of what it reads as well.
void SingleWords::mergeEqualPhis() {
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (PHINode *&Phi : Phis) {
      if (!Phi)
        continue;
      auto Same = find_if(Phi->getParent()->phis(),
                          [&](PHINode &Other) { return &Other != Phi && Phi->isIdenticalTo(&Other); });
      if (Same == Phi->getParent()->phis().end())
        continue;
      for (auto &Entry : Built)
        if (Entry.second == Phi)
          Entry.second = &*Same;
      Phi->replaceAllUsesWith(&*Same);
      Phi->eraseFromParent();
      Phi = nullptr;
      Changed = true;
    }
  }
}

SingleWord SingleWords::find(Value *V, ArrayRef<BasicBlock::iterator> Places) {
  Leaves.clear();
  Steps.clear();
  MergesNumbers = false;
  Built.clear();
  Phis.clear();
  if (!trace(V))
    return {};
  AsAddress = staysReadable(V, Places);
  build(V);
  mergeEqualPhis();
  return {Built.lookup(V), AsAddress};
}

} // namespace skein
