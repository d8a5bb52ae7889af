//===- PointerHoming.cpp - Pointers in slots across calls -----------------===//
//
// Establishes: after this pass, at every call that may migrate,
//
//   (1) no SSA value that contains a pointer is live across the call, except addresses the back end derives again
//       (isDerivable); its content crosses in a home slot;
//   (2) no value computed from a pointer by pure instructions is live across it unless it is *frozen* (the result of an
//       empty, side-effecting inline assembly, which can neither be computed again nor moved) or homed as an address;
//   (3) every word of a static or dynamic alloca that can hold a pointer is described by !skein.local, and every call
//       lists the locals that are live there; what may or may not be an address is ambiguous and refuses a move that
//       would matter.
//
// Why later passes keep it. (1) After this pass only code generation runs. CodeGenPrepare and MachineSink move pure
// instructions towards their uses, but never over a call, since no value of this kind is used beyond one. SelectionDAG
// works on one block at a time and orders loads with calls; loads from constant memory, which it does not order, are
// volatile by now. MachineLICM and MachineCSE move only pure instructions and invariant loads; what they do with
// derivable addresses, address-rematerialisation undoes. (2) No pass looks into inline assembly. (3) The lifetime
// markers of described allocas have been removed, so stack colouring cannot overlay them.
//
// What would notice a violation: address-proof, for (1) and (2), on the final machine code. A lost annotation or local
// pins its site.
//
// Rejected: statepoints (they force a frame pointer, and their maps need text relocations); non-integral address spaces
// (every pass that knows address space 0 makes slower code; what they would protect from is excluded here by linear
// forms and freezing).
//
//===----------------------------------------------------------------------===//
#include "CallLiveness.h"
#include "DynamicBlocks.h"
#include "FunctionPreparation.h"
#include "HomeSlots.h"
#include "LocalLayouts.h"
#include "LocalLiveness.h"
#include "MigrationPoints.h"
#include "SameMoves.h"
#include "SingleWords.h"
#include "SourceWords.h"
#include "abi/frame_map.h"
#include "passes/Annotations.h"
#include "passes/Diagnostics.h"
#include "passes/Passes.h"
#include "passes/addresses/AddressChecks.h"
#include "passes/addresses/AddressIntegers.h"
#include "passes/addresses/PointerTypes.h"
#include "passes/addresses/WordEvidence.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/PointerIntPair.h"
#include "llvm/ADT/SCCIterator.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/BlockFrequencyInfo.h"
#include "llvm/Analysis/BranchProbabilityInfo.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

using namespace llvm;

namespace skein {

namespace {

class FunctionHoming {
public:
  FunctionHoming(Function &F, SmallVector<CallBase *, 16> Calls) : F(F), Calls(std::move(Calls)) {}

  void run() {
    if (unsigned Reason = pinReason(F, Calls))
      return pinAll(Reason);
    if (movesToSame(F))
      return keepAddress();
    prepareFunction(F, Calls);
    AddressIntegers Addresses(F);
    for (CallBase *Call : Calls)
      Variadic[Call] = findVariadicPointers(*Call, Addresses);
    chainDynamicBlocks(F, Calls, Addresses, Locals);
    describeStaticAllocas(Addresses);
    witnessVariadicWords(Addresses);
    treatIntegers(Addresses);
    homePointers();
    Locals.coverJumps(F, Calls);
    annotateSites();
  }

private:
  void pinAll(unsigned Reason) {
    if (movesToSame(F))
      F.addFnAttr(HidingAttribute);
    warn(F, Calls.front()->getDebugLoc(), Warning::Pinned,
         "a thread cannot move while '" + F.getName() + "' is on its stack: " + skein_pin_text(Reason));
    for (CallBase *Call : Calls) {
      SiteInfo Site;
      Site.Pin = Reason;
      setSiteInfo(*Call, Site);
    }
  }

  /// Leaves the function as it is: a thread in it keeps its address.
  void keepAddress() {
    const SmallPtrSet<CallBase *, 4> Hiding = callsThatHideAddresses(F, Calls);
    SiteInfo Site;
    Site.Pin = SKEIN_PIN_SAME;
    for (CallBase *Call : Calls)
      setSiteInfo(*Call, Site);
    for (CallBase *Call : Hiding)
      setHidingSite(*Call);
    remarkSameMoves(F, Calls, Hiding);
  }

  void describeStaticAllocas(const AddressIntegers &Addresses) {
    SmallVector<AllocaInst *, 16> Described;
    SmallVector<unsigned, 16> Indices;
    for (Instruction &I : F.getEntryBlock()) {
      auto *Alloca = dyn_cast<AllocaInst>(&I);
      if (!Alloca || !Alloca->isStaticAlloca() || getLocalLayout(*Alloca))
        continue;
      SmallVector<WordGroup, 2> Groups = inferLocalLayout(*Alloca, Addresses);
      if (Groups.empty())
        continue;
      Described.push_back(Alloca);
      Indices.push_back(Locals.add(*Alloca, Groups));
    }
    BitVector Listed(Described.size());
    for (auto &[Call, Live] : computeLiveLocals(F, Described, Calls))
      for (unsigned N : Live) {
        Locals.listAt(*Call, Indices[N]);
        Listed.set(N);
      }
    for (unsigned N : Listed.set_bits())
      clearJunk(*Described[N]);
    dropLifetimeMarkers(Described);
  }

  /// Clears ambiguous words that the program leaves as they are (the rest of a short std::string). They would hold what
  /// an earlier frame left there: often an address, which would refuse the move. Zero is no address. Pages of buffers
  /// and arrays of numbers are not worth clearing.
  void clearJunk(AllocaInst &Local) {
    constexpr size_t MostWords = 8;
    constexpr uint64_t MostBytes = 4096;
    uint64_t Size = Local.getAllocationSize(F.getDataLayout())->getFixedValue();
    SmallVector<int64_t, MostWords> Offsets;
    for (const WordGroup &G : getLocalLayout(Local)->Groups) {
      const int64_t Last = G.Offset + (G.Count - 1) * G.Stride, Step = std::max<int64_t>(G.Stride, 8);
      for (int64_t At = G.Offset; G.Kind == SKEIN_LOCAL_AMBIGUOUS && Offsets.size() <= MostWords; At += Step) {
        Offsets.push_back(std::min(At, Last));
        if (At >= Last)
          break;
      }
    }
    SmallVector<WordGroup, 4> Typed;
    const bool Described = appendWordGroups(Local.getAllocatedType(), 0, F.getDataLayout(), Typed);
    const bool Numbers = Described && Typed.empty(), Many = Offsets.size() > MostWords;
    if (Offsets.empty() || (Many && (Size > MostBytes || Numbers)))
      return;
    int64_t Begin = Described ? Size : 0, End = Described ? 0 : Size;
    for (const WordGroup &G : Typed) {
      Begin = std::min(Begin, G.Offset);
      End = std::max<int64_t>(End, std::min<int64_t>(G.Offset + (G.Count - 1) * G.Stride + 8, Size));
    }
    auto ClearAt = [&](BasicBlock::iterator At) {
      IRBuilder<> B(At->getParent(), At);
      if (Many) { // all but the numbers around what is declared as something else
        B.CreateMemSet(B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), &Local, Begin), B.getInt8(0), End - Begin,
                       commonAlignment(Local.getAlign(), Begin));
        return;
      }
      for (int64_t Offset : Offsets)
        B.CreateAlignedStore(B.getInt64(0), B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), &Local, Offset),
                             commonAlignment(Local.getAlign(), Offset));
    };
    bool Marked = false;
    for (User *U : Local.users())
      if (auto *Marker = dyn_cast<LifetimeIntrinsic>(U);
          Marker && Marker->getIntrinsicID() == Intrinsic::lifetime_start) {
        ClearAt(std::next(Marker->getIterator()));
        Marked = true;
      }
    if (Marked)
      return;
    BasicBlock::iterator At = std::next(Local.getIterator());
    while (isa<AllocaInst>(*At))
      ++At;
    ClearAt(At);
  }

  /// Puts an opaque copy right after the definition in the value's place everywhere.
  void freeze(Value *V) {
    BasicBlock::iterator At = afterDefinition(F, V);
    IRBuilder<> B(At->getParent(), At);
    Type *T = V->getType();
    SmallVector<Use *, 8> Uses;
    for (Use &U : V->uses())
      Uses.push_back(&U);
    Value *Frozen;
    if (unsigned Bits = T->isIntegerTy() ? T->getIntegerBitWidth() : 0; Bits && Bits <= 64) {
      Type *Legal = B.getIntNTy(Bits <= 8 ? 8 : PowerOf2Ceil(Bits));
      auto *Asm = InlineAsm::get(FunctionType::get(Legal, {Legal}, false), "", "=r,0", /*hasSideEffects=*/true);
      Frozen = B.CreateTrunc(B.CreateCall(Asm, {B.CreateZExt(V, Legal)}), T);
    } else {
      AllocaInst *Slot = IRBuilder<>(&F.getEntryBlock(), F.getEntryBlock().begin()).CreateAlloca(T);
      B.CreateStore(V, Slot, /*isVolatile=*/true);
      Frozen = B.CreateLoad(T, Slot, /*isVolatile=*/true);
    }
    if (auto *I = dyn_cast<Instruction>(Frozen))
      I->setName(V->getName() + ".frozen");
    for (Use *U : Uses)
      U->set(Frozen);
  }

  /// A value that lives across calls, and where its witnesses are stored on the way there.
  struct Crossing {
    Value *Of;
    ArrayRef<CallBase *> Calls;
    ArrayRef<BasicBlock::iterator> Places;
  };

  void listWitness(Value *V, Crossing At) {
    listOnce(V, V->getType(), At, [&](IRBuilder<> &) { return V; });
  }

  /// Values that have the same witness, and store it at the same places, share its slot.
  void listOnce(Value *Witness, Type *T, Crossing At, function_ref<Value *(IRBuilder<> &)> Make) {
    for (const StoredWitness &Stored : Witnesses[Witness])
      if (ArrayRef(Stored.Places) == At.Places)
        return listAt(Stored.Index, At.Calls);
    const unsigned Index = listWitness(T, At, Make);
    Witnesses[Witness].push_back({SmallVector<BasicBlock::iterator, 2>(At.Places), Index});
  }

  void listAt(unsigned Index, ArrayRef<CallBase *> Calls) {
    for (CallBase *Call : Calls)
      Locals.listAt(*Call, Index);
  }

  void listWitness(SingleWord Word, Crossing At) {
    if (!Word.IsAddress)
      return listWitness(Word.V, At);
    listWitness(Type::getInt64Ty(F.getContext()), At, [&](IRBuilder<> &B) { return loadWordAround(B, Word.V); });
  }

  unsigned listWitness(Type *T, Crossing At, function_ref<Value *(IRBuilder<> &)> Make) {
    AllocaInst *Slot = storeWitness(F, T, At.Places, Make);
    noteSource(*Slot, *At.Of);
    int64_t Words = F.getDataLayout().getTypeStoreSize(T).getFixedValue() / 8;
    unsigned Index = Locals.addSlot(*Slot, {{SKEIN_LOCAL_AMBIGUOUS, 0, 8, std::max<int64_t>(Words, 1)}});
    listAt(Index, At.Calls);
    return Index;
  }

  /// Whether control can come back to the block. No edge may change while this is asked.
  bool isInCycle(const BasicBlock &B) {
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

  /// Where what is collected for a value begins anew.
  struct Beginning {
    BasicBlock::iterator At;
    bool Once; ///< from there to the calls at which the value is alive, the instruction is executed at most once
  };

  /// A place before `Made` and the calls, and on few other paths, that is never passed while a value is alive which was
  /// computed from `Leaf` on the way to `At.Of`. `Made` is the leaf, or stands in front of it. If all of these values
  /// are defined where this place dominates, then none is alive there, in no round of a loop. Where that is not known,
  /// it is a place that is passed only once.
  Beginning beginningOf(Instruction &Made, Instruction &Leaf, Crossing At, DominatorTree &DT) {
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

  BasicBlock *outsideOfLoops(BasicBlock *Place, DominatorTree &DT) {
    while (isInCycle(*Place))
      Place = DT.getNode(Place)->getIDom()->getBlock();
    return Place;
  }

  BasicBlock::iterator firstIn(BasicBlock &B) {
    return &B == &F.getEntryBlock() ? afterDefinition(F, nullptr) : B.getFirstInsertionPt();
  }

  /// Whether control can come back to a block without passing `Without`.
  bool comesAgain(BasicBlock &Block, const BasicBlock &Without) {
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
  void collectAddress(Instruction &Made, Crossing At, const Beginning &Begin, bool Doubt,
                      function_ref<Value *(IRBuilder<> &, Value *)> Look) {
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
  void collectWord(Instruction &Word, Crossing At, const Beginning &Begin, DominatorTree &DT,
                   function_ref<Value *(IRBuilder<> &, Value *)> Look) {
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

  /// A word that a value merges, and the value of the program that was made of it: itself, or a part of it.
  struct MergedWord {
    Instruction *Word;
    Instruction *Leaf;
    bool Relocated; ///< calls may relocate the leaf before the value is computed
  };

  /// Collects a word that a value merges. If it is computed once, this is the word. In a loop that hashes words it is
  /// the first one that may have been an address of this stack, or else the last one.
  void witnessEach(const MergedWord &Merged, Crossing At, DominatorTree &DT) {
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

  /// Makes a witness for a value that was computed from words not all of which are kept, or from addresses that may lie
  /// apart. It would be wrong if one of them leads into the program and the program lies elsewhere; an address of the
  /// program as a witness refuses such a move.
  void witnessProgram(Crossing At, DominatorTree &DT) {
    BasicBlock *Above = At.Calls.front()->getParent();
    for (CallBase *Call : At.Calls)
      Above = DT.findNearestCommonDominator(Above, Call->getParent());
    const BasicBlock::iterator Begin = firstIn(*outsideOfLoops(Above, DT));
    listWitness(&F, {At.Of, At.Calls, Begin});
  }

  /// Makes a witness of what only the running program knows (AddressIntegers::doubts).
  void witnessDoubt(const Doubt &D, Crossing At, DominatorTree &DT) {
    const Beginning Begin = beginningOf(*D.Sum, *D.Sum, At, DT);
    collectAddress(*D.Sum, At, Begin, /*Doubt=*/true, [&](IRBuilder<> &B, Value *Seen) {
      Value *Address = doubtfulAddress(B, D);
      return B.CreateSelect(B.CreateIsNull(Address), Seen, B.CreateIntToPtr(Address, B.getPtrTy()));
    });
  }

  SmallVector<Value *, 2> &wordsOfPart(Instruction &Part, const AddressIntegers &Addresses) {
    SmallVector<Value *, 2> &Words = CutFrom[&Part];
    if (Words.empty())
      Words = Addresses.parts().wordsAt(Part);
    return Words;
  }

  /// The leaves of a value; for a part of a word, the words from which it was cut.
  SmallVector<Value *, 4> witnessesOf(Value *V, const AddressIntegers &Addresses) {
    SmallVector<Value *, 4> Witnesses;
    for (Value *Leaf : Addresses.leaves(V)) {
      if (Addresses.parts().contains(Leaf))
        Witnesses.append(wordsOfPart(*cast<Instruction>(Leaf), Addresses));
      else
        Witnesses.push_back(Leaf);
    }
    return Witnesses;
  }

  /// The witnesses of a value that was computed from addresses or parts of words.
  struct LeafWitnesses {
    SmallVector<SingleWord, 4> Listed; ///< listed where the witnesses of the value are stored
    /// Collected each time that they are computed, since the value merges several of them.
    SmallVector<MergedWord, 4> Each;
    bool Lost = false;
  };

  static bool is64BitWord(const Value &V) { return V.getType()->isIntegerTy(64) || V.getType()->isPointerTy(); }

  LeafWitnesses findLeafWitnesses(Value *V, ArrayRef<BasicBlock::iterator> Places, const AddressIntegers &Addresses,
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
        Found.Lost |= !Dominates && !isWide(Word->getType());
      }
    }
    return Found;
  }

  /// It is not known as what the callee of a variadic call reads the words, and no map says where it finds them. So
  /// copies of those that may be addresses lie in this frame during the call.
  void witnessVariadicWords(const AddressIntegers &Addresses) {
    DominatorTree DT(F); // the insertions below change no edge
    for (auto &[Call, Passed] : Variadic) {
      BasicBlock::iterator Before = Call->getIterator();
      if (Passed.Lost)
        Pinned[Call] = SKEIN_PIN_LOST_LOCAL;
      for (unsigned N : Passed.Ambiguous) {
        Value *V = Call->getArgOperand(N);
        bool Whole = Addresses.form(V) == AddressForm::Either || Addresses.form(V) == AddressForm::None;
        for (Value *Witness : Whole ? SmallVector<Value *, 4>{V} : witnessesOf(V, Addresses))
          if (DT.dominates(Witness, Call))
            listWitness(Witness, {V, Call, Before});
          else
            Pinned[Call] = SKEIN_PIN_ADDRESS_INTEGER;
      }
      IRBuilder<> B(Call);
      for (auto [N, Offset] : Passed.AmbiguousWords) {
        Value *Passed = Call->getArgOperand(N);
        Value *At = B.CreatePtrAdd(Passed, B.getInt64(Offset));
        listWitness(B.CreateAlignedLoad(B.getInt64Ty(), At, Align(1)), {Passed, Call, Before});
      }
    }
  }

  void treatIntegers(const AddressIntegers &Addresses) {
    CrossedCalls Crossed = computeCrossedCalls(F, Addresses.candidates(), Calls);
    if (Crossed.empty())
      return;
    // All decisions are made before the first value is changed, since a frozen value hides what it was computed from.
    struct Decision {
      Value *V;
      ArrayRef<CallBase *> At;
      Treatment Do;
      SmallVector<BasicBlock::iterator, 4> Places;
      LeafWitnesses Leaves;
      SmallVector<Doubt, 2> Doubts;
      bool Freezes = false;
    };
    DominatorTree DT(F); // the insertions below change no edge
    LoopInfo LI(DT);
    BranchProbabilityInfo Probabilities(F, LI);
    BlockFrequencyInfo Frequencies(F, Probabilities, LI);
    auto WordOf = [&](Instruction &Part) { return wordsOfPart(Part, Addresses).front(); };
    SingleWords Single(Addresses, WordOf);
    SmallVector<Decision, 16> Decisions;
    for (Value *V : Addresses.candidates()) {
      auto Found = Crossed.find(V);
      if (Found == Crossed.end())
        continue;
      Treatment Do = Addresses.treatment(V);
      Decision &D = Decisions.emplace_back(Decision{V, Found->second, Do, {}, {}, {}});
      if (Do != Treatment::Nothing)
        D.Doubts = Addresses.doubts(V);
      if (Do == Treatment::LeafWitness || Do == Treatment::AmbiguousWitness || !D.Doubts.empty())
        D.Places = placesToStore(afterDefinition(F, V), D.At, DT, Frequencies);
      if (Do == Treatment::LeafWitness) {
        D.Leaves = findLeafWitnesses(V, D.Places, Addresses, Single, DT);
        // What is read from memory is the same after the call, however it is used.
        D.Freezes = !Addresses.isUnknown(V) &&
                    !all_of(Addresses.leaves(V), [&](Value *Leaf) { return Addresses.parts().contains(Leaf); });
      }
    }

    CrossedCalls AsAddresses;
    for (const auto &[V, At, Do, Places, Leaves, Doubts, Freezes] : Decisions) {
      for (const Doubt &D : Doubts)
        witnessDoubt(D, {V, At, Places}, DT);
      if (!Doubts.empty() || !Leaves.Each.empty())
        witnessProgram({V, At, Places}, DT);
      switch (Do) {
      case Treatment::Nothing:
        break;
      case Treatment::Freeze:
        if (Addresses.isRecomputable(V))
          freeze(V);
        break;
      case Treatment::PointerHome:
        AsAddresses[V].assign(At.begin(), At.end());
        break;
      case Treatment::AmbiguousWitness:
        listWitness(V, {V, At, Places});
        if (Addresses.form(V) != AddressForm::None && !Addresses.isUnknown(V))
          freeze(V);
        break;
      case Treatment::LeafWitness:
        for (const MergedWord &Word : Leaves.Each)
          witnessEach(Word, {V, At, Places}, DT);
        for (SingleWord Word : Leaves.Listed)
          listWitness(Word, {V, At, Places});
        if (Leaves.Lost)
          for (CallBase *Call : At)
            Pinned[Call] = SKEIN_PIN_ADDRESS_INTEGER;
        if (Freezes)
          freeze(V);
        break;
      }
    }
    SmallVector<AllocaInst *, 4> Variables;
    for (auto &[Key, Seen] : Collected)
      Variables.push_back(Seen);
    PromoteMemToReg(Variables, DT);
    homeValues(F, AsAddresses, Locals);
  }

  void homePointers() {
    SmallVector<Value *, 32> Pointers;
    for (Argument &A : F.args())
      if (containsPointer(A.getType()) && !A.use_empty())
        Pointers.push_back(&A);
    for (Instruction &I : instructions(F))
      if (containsPointer(I.getType()) && !isDerivable(&I) && !I.use_empty())
        Pointers.push_back(&I);
    homeValues(F, computeCrossedCalls(F, Pointers, Calls), Locals);
  }

  void annotateSites() {
    for (CallBase *Call : Calls) {
      SiteInfo Site;
      Site.Pin = Pinned.lookup(Call);
      const VariadicPointers &Passed = Variadic[Call];
      if (Site.Pin)
        warn(F, Call->getDebugLoc(), Warning::Pinned,
             Twine("a thread cannot move at this call: ") + skein_pin_text(Site.Pin));
      Site.Result =
          containsPointer(Call->getType()) || isDeclaredAddress(Call) ? ResultKind::Pointer : ResultKind::None;
      Site.VaPointers = Passed.Registers;
      Site.Outgoing.append(Passed.Offsets.begin(), Passed.Offsets.end());
      SmallSetVector<unsigned, 16> Listed; // values that cross the call may share a slot
      Listed.insert_range(Locals.at(*Call));
      Site.Locals.append(Listed.begin(), Listed.end());
      setSiteInfo(*Call, Site);
    }
  }

  Function &F;
  SmallVector<CallBase *, 16> Calls;
  LocalTable Locals;
  DenseMap<CallBase *, unsigned> Pinned;
  /// The words of which parts were cut, loaded where the parts are read.
  DenseMap<Value *, SmallVector<Value *, 2>> CutFrom;
  struct StoredWitness {
    SmallVector<BasicBlock::iterator, 2> Places;
    unsigned Index;
  };
  DenseMap<Value *, SmallVector<StoredWitness, 1>> Witnesses;
  /// Witnesses that are pointer variables of their own, by where they begin, whether for a doubt, and whether once.
  MapVector<std::pair<Instruction *, PointerIntPair<BasicBlock *, 2>>, AllocaInst *> Collected;
  /// The slots of collected words, by where they begin and whether the last word is kept: index + 1.
  DenseMap<std::pair<Instruction *, PointerIntPair<BasicBlock *, 1, bool>>, unsigned> Slots;
  std::optional<SmallPtrSet<const BasicBlock *, 16>> InCycles;
  MapVector<CallBase *, VariadicPointers> Variadic;
};

} // namespace

/// LLVM drops heapallocsite annotations from textual IR unless the module says that it carries debug metadata.
static void keepAnnotations(Module &M) {
  if (!M.getModuleFlag("Debug Info Version"))
    M.addModuleFlag(Module::Warning, "Debug Info Version", DEBUG_METADATA_VERSION);
}

PreservedAnalyses PointerHomingPass::run(Function &F, FunctionAnalysisManager &AM) {
  if (F.hasFnAttribute(HomedAttribute) || F.hasFnAttribute(Attribute::Naked))
    return PreservedAnalyses::all();
  const TargetLibraryInfo &TLI = AM.getResult<TargetLibraryAnalysis>(F);
  removeUnreachableBlocks(F);
  SmallVector<CallBase *, 16> Calls;
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallBase>(&I); Call && mayMigrate(*Call, TLI))
      Calls.push_back(Call);
  F.addFnAttr(HomedAttribute);
  if (!Calls.empty()) {
    keepAnnotations(*F.getParent());
    FunctionHoming(F, std::move(Calls)).run();
  }
  return PreservedAnalyses::none();
}

} // namespace skein
