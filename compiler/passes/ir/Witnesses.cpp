//===- Witnesses.cpp ---------------------------------------------------------===//
#include "Witnesses.h"
#include "SourceWords.h"
#include "abi/frame_map.h"
#include "passes/addresses/AddressChecks.h"
#include "passes/addresses/AddressIntegers.h"
#include "passes/addresses/PointerTypes.h"
#include "passes/addresses/WordEvidence.h"
#include "llvm/ADT/SCCIterator.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace skein {

void Witnesses::list(Value *V, Crossing At) {
  listOnce(V, V->getType(), At, [&](IRBuilder<> &) { return V; });
}

/// Values that have the same witness, and store it at the same places, share its slot.
void Witnesses::listOnce(Value *Witness, Type *T, Crossing At, function_ref<Value *(IRBuilder<> &)> Make) {
  for (const Stored &Before : StoredFor[Witness])
    if (ArrayRef(Before.Places) == At.Places)
      return listAt(Before.Index, At.Calls);
  const unsigned Index = listNew(T, At, Make);
  StoredFor[Witness].push_back({SmallVector<BasicBlock::iterator, 2>(At.Places), Index});
}

void Witnesses::listAt(unsigned Index, ArrayRef<CallBase *> Calls) {
  for (CallBase *Call : Calls)
    Locals.listAt(*Call, Index);
}

void Witnesses::list(SingleWord Word, Crossing At) {
  if (!Word.IsAddress)
    return list(Word.V, At);
  listNew(Type::getInt64Ty(F.getContext()), At, [&](IRBuilder<> &B) { return loadWordAround(B, Word.V); });
}

unsigned Witnesses::listNew(Type *T, Crossing At, function_ref<Value *(IRBuilder<> &)> Make) {
  AllocaInst *Slot = storeWitness(F, T, At.Places, Make);
  noteSource(*Slot, *At.Of);
  int64_t Words = F.getDataLayout().getTypeStoreSize(T).getFixedValue() / 8;
  unsigned Index = Locals.addSlot(*Slot, {{SKEIN_LOCAL_AMBIGUOUS, 0, 8, std::max<int64_t>(Words, 1)}});
  listAt(Index, At.Calls);
  return Index;
}

/// Whether control can come back to the block.
bool Witnesses::isInCycle(const BasicBlock &B) {
  if (!InCycles) {
    InCycles.emplace();
    for (auto Part = scc_begin(&F); !Part.isAtEnd(); ++Part)
      if (Part.hasCycle())
        InCycles->insert(Part->begin(), Part->end());
  }
  return InCycles->contains(&B);
}

/// The merges through which a value is computed from `Made`. None if other ways than through values cannot be
/// excluded, such as a local to which one of them is stored.
static std::optional<SmallSetVector<PHINode *, 4>> mergesBetween(Instruction &Made, Value &V) {
  SmallSetVector<PHINode *, 4> Merges;
  SmallSetVector<Instruction *, 16> Work;
  bool Found = false;
  auto Add = [&](Value *Of) {
    Found |= Of == &Made;
    if (auto *I = dyn_cast<Instruction>(Of); I && I != &Made)
      Work.insert(I);
  };
  Add(&V);
  for (unsigned N = 0; N < Work.size(); ++N) {
    Instruction *I = Work[N];
    if (auto *Phi = dyn_cast<PHINode>(I))
      Merges.insert(Phi);
    if (auto *Load = dyn_cast<LoadInst>(I)) {
      SmallVector<const Value *, 4> Objects;
      getUnderlyingObjects(Load->getPointerOperand(), Objects);
      if (any_of(Objects, [](const Value *Object) { return isa<AllocaInst>(Object); }))
        return std::nullopt;
    } else if (auto *Call = dyn_cast<CallBase>(I); !Call || Call->isInlineAsm() || isa<IntrinsicInst>(Call)) {
      for (Value *Operand : I->operands())
        Add(Operand);
    }
  }
  return Found ? std::optional(Merges) : std::nullopt;
}

/// A place before `Made` and the calls, and on few other paths, that is never passed while a value is alive which was
/// computed from `Leaf` on the way to `At.Of`. `Made` is the leaf, or stands in front of it. If all of these values
/// are defined where this place dominates, then none is alive there, in no round of a loop. Where that is not known,
/// it is a place that is passed only once.
Witnesses::Beginning Witnesses::beginningOf(Instruction &Made, Instruction &Leaf, Crossing At, DominatorTree &DT) {
  BasicBlock *Place = Made.getParent();
  auto MoveAbove = [&](BasicBlock *B) { Place = DT.findNearestCommonDominator(Place, B); };
  for (CallBase *Call : At.Calls)
    MoveAbove(Call->getParent());
  const auto Merges = mergesBetween(Leaf, *At.Of);
  if (Merges)
    for (PHINode *Phi : *Merges)
      MoveAbove(DT.getNode(Phi->getParent())->getIDom()->getBlock());
  else
    Place = outsideOfLoops(Place, DT);
  return {firstIn(*Place), !comesAgain(*Made.getParent(), *Place)};
}

BasicBlock *Witnesses::outsideOfLoops(BasicBlock *Place, DominatorTree &DT) {
  while (isInCycle(*Place))
    Place = DT.getNode(Place)->getIDom()->getBlock();
  return Place;
}

BasicBlock::iterator Witnesses::firstIn(BasicBlock &B) {
  return &B == &F.getEntryBlock() ? afterDefinition(F, nullptr) : B.getFirstInsertionPt();
}

/// Whether control can come back to a block without passing `Without`.
bool Witnesses::comesAgain(BasicBlock &Block, const BasicBlock &Without) {
  if (!isInCycle(Block) || &Block == &Without)
    return false;
  SmallPtrSet<const BasicBlock *, 32> Reached{&Without};
  SmallVector<const BasicBlock *, 32> Work(successors(&Block));
  while (!Work.empty()) {
    const BasicBlock *B = Work.pop_back_val();
    if (B == &Block)
      return true;
    if (Reached.insert(B).second)
      append_range(Work, successors(B));
  }
  return false;
}

/// Lists a variable, null at first, that code behind `Made` changes by what `Look` makes of its content. It is the
/// witness for a value that `Made` does not dominate. Since calls before the computation of that value may relocate
/// what `Made` computed, the variable is relocated too. So it is a pointer like those of the program, and its content
/// is listed where the value exists.
void Witnesses::collectAddress(Instruction &Made, Crossing At, const Beginning &Begin, bool Doubt, Look Look) {
  Type *T = PointerType::getUnqual(F.getContext());
  AllocaInst *&Seen = Collected[{&Made, {Begin.At->getParent(), 2u * Doubt + Begin.Once}}];
  if (!Seen) {
    Seen = IRBuilder<>(&F.getEntryBlock(), F.getEntryBlock().begin()).CreateAlloca(T, nullptr, "skein.seen");
    IRBuilder<>(Begin.At->getParent(), Begin.At).CreateStore(Constant::getNullValue(T), Seen);
    BasicBlock::iterator Behind = afterDefinition(F, &Made);
    IRBuilder<> B(Behind->getParent(), Behind);
    B.CreateStore(Look(B, B.CreateLoad(T, Seen)), Seen);
  }
  listOnce(Seen, T, At, [&, From = Seen](IRBuilder<> &B) { return B.CreateLoad(T, From); });
}

/// Lists a slot for a word that is not relocated on the way to the value. The runtime itself looks at the slot, which
/// values that are made of the same word share.
void Witnesses::collectWord(Instruction &Word, Crossing At, const Beginning &Begin, DominatorTree &DT, Look Look) {
  BasicBlock *Above = Word.getParent();
  for (CallBase *Call : At.Calls)
    Above = DT.findNearestCommonDominator(Above, Call->getParent());
  Above = outsideOfLoops(Above, DT);
  unsigned &Index = Slots[{&Word, {Above, Begin.Once}}];
  if (!Index) {
    Type *T = Type::getInt64Ty(F.getContext());
    AllocaInst *Seen =
        IRBuilder<>(&F.getEntryBlock(), F.getEntryBlock().begin()).CreateAlloca(T, nullptr, "skein.seen");
    BasicBlock::iterator First = firstIn(*Above), Behind = afterDefinition(F, &Word);
    IRBuilder<>(Above, First).CreateStore(Constant::getNullValue(T), Seen, /*isVolatile=*/true);
    IRBuilder<> B(Behind->getParent(), Behind);
    Value *Before = Begin.Once ? nullptr : B.CreateLoad(T, Seen, /*isVolatile=*/true);
    B.CreateStore(Look(B, Before), Seen, /*isVolatile=*/true);
    noteSource(*Seen, *At.Of);
    Index = Locals.addSlot(*Seen, {{SKEIN_LOCAL_AMBIGUOUS, 0, 8, 1}}) + 1;
  }
  listAt(Index - 1, At.Calls);
}

void Witnesses::collect(const MergedWord &Merged, Crossing At, DominatorTree &DT) {
  const auto [Word, Leaf, Relocated] = Merged;
  const Beginning Begin = beginningOf(*Word, *Leaf, At, DT);
  auto Look = [&, First = Begin.Once](IRBuilder<> &B, Value *Seen) mutable {
    Value *Pointers = asPointers(B, Word);
    auto *Vector = dyn_cast<FixedVectorType>(Pointers->getType());
    for (unsigned N = 0; N < (Vector ? Vector->getNumElements() : 1); ++N) {
      Value *Part = Vector ? B.CreateExtractElement(Pointers, N) : Pointers;
      if (!Relocated)
        Part = B.CreatePtrToInt(Part, B.getInt64Ty());
      if (!First)
        Part = B.CreateSelect(isNearFrame(B, Relocated ? B.CreatePtrToInt(Seen, B.getInt64Ty()) : Seen), Seen, Part);
      Seen = Part;
      First = false;
    }
    return Seen;
  };
  if (Relocated)
    collectAddress(*Word, At, Begin, /*Doubt=*/false, Look);
  else
    collectWord(*Word, At, Begin, DT, Look);
}

void Witnesses::listProgram(Crossing At, DominatorTree &DT) {
  BasicBlock *Above = At.Calls.front()->getParent();
  for (CallBase *Call : At.Calls)
    Above = DT.findNearestCommonDominator(Above, Call->getParent());
  const BasicBlock::iterator Begin = firstIn(*outsideOfLoops(Above, DT));
  list(&F, {At.Of, At.Calls, Begin});
}

void Witnesses::collect(const Doubt &D, Crossing At, DominatorTree &DT) {
  const Beginning Begin = beginningOf(*D.Sum, *D.Sum, At, DT);
  collectAddress(*D.Sum, At, Begin, /*Doubt=*/true, [&](IRBuilder<> &B, Value *Seen) {
    Value *Address = doubtfulAddress(B, D);
    return B.CreateSelect(B.CreateIsNull(Address), Seen, B.CreateIntToPtr(Address, B.getPtrTy()));
  });
}

SmallVector<Value *, 2> &Witnesses::wordsOfPart(Instruction &Part, const AddressIntegers &Addresses) {
  SmallVector<Value *, 2> &Words = CutFrom[&Part];
  if (Words.empty())
    Words = Addresses.parts().wordsAt(Part);
  return Words;
}

SmallVector<Value *, 4> Witnesses::leavesOf(Value *V, const AddressIntegers &Addresses) {
  SmallVector<Value *, 4> Leaves;
  for (Value *Leaf : Addresses.leaves(V)) {
    if (Addresses.parts().contains(Leaf))
      Leaves.append(wordsOfPart(*cast<Instruction>(Leaf), Addresses));
    else
      Leaves.push_back(Leaf);
  }
  return Leaves;
}

static bool isAddressOrWide(const Type &T) { return isWide(&T) || (T.isPtrOrPtrVectorTy() && containsPointer(&T)); }
static bool is64BitWord(const Value &V) { return V.getType()->isIntegerTy(64) || V.getType()->isPointerTy(); }

LeafWitnesses Witnesses::find(Value *V, ArrayRef<BasicBlock::iterator> Places, const AddressIntegers &Addresses,
                              SingleWords &Single, DominatorTree &DT) {
  LeafWitnesses Found;
  if (SingleWord Word = Single.find(V, Places)) {
    Found.Listed.push_back(Word);
    return Found;
  }
  const bool Merges = Addresses.mergesLeaves(V);
  BasicBlock::iterator Defined = afterDefinition(F, V);
  for (Value *Leaf : Addresses.leaves(V)) {
    const bool IsPart = Addresses.parts().contains(Leaf), Dominates = DT.dominates(Leaf, &*Defined);
    const bool Each = Merges && isa<Instruction>(Leaf) && !isa<AllocaInst>(Leaf);
    if (IsPart && Dominates && !Each)
      if (SingleWord Word = Single.find(Leaf, Places)) {
        Found.Listed.push_back(Word);
        continue;
      }
    const bool Relocated =
        !IsPart && (containsPointer(Leaf->getType()) || Addresses.treatment(Leaf) == Treatment::PointerHome);
    for (Value *Word : IsPart ? ArrayRef(wordsOfPart(*cast<Instruction>(Leaf), Addresses)) : ArrayRef(Leaf)) {
      if (Each)
        Found.Each.push_back({cast<Instruction>(Word), cast<Instruction>(Leaf), Relocated});
      if (Dominates && !(Each && is64BitWord(*Word)))
        Found.Listed.push_back({Word, false});
      Found.Lost |= !Dominates && !(Each && isAddressOrWide(*Word->getType()));
    }
  }
  return Found;
}

SmallVector<AllocaInst *, 4> Witnesses::variables() const {
  SmallVector<AllocaInst *, 4> Variables;
  for (auto &[Key, Seen] : Collected)
    Variables.push_back(Seen);
  return Variables;
}

} // namespace skein
