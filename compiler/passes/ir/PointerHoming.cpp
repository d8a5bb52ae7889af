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
#include "Witnesses.h"
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
        for (Value *Witness : Whole ? SmallVector<Value *, 4>{V} : Shown.leavesOf(V, Addresses))
          if (DT.dominates(Witness, Call))
            Shown.list(Witness, {V, Call, Before});
          else
            Pinned[Call] = SKEIN_PIN_ADDRESS_INTEGER;
      }
      IRBuilder<> B(Call);
      for (auto [N, Offset] : Passed.AmbiguousWords) {
        Value *Passed = Call->getArgOperand(N);
        Value *At = B.CreatePtrAdd(Passed, B.getInt64(Offset));
        Shown.list(B.CreateAlignedLoad(B.getInt64Ty(), At, Align(1)), {Passed, Call, Before});
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
    auto WordOf = [&](Instruction &Part) { return Shown.wordsOfPart(Part, Addresses).front(); };
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
        D.Leaves = Shown.find(V, D.Places, Addresses, Single, DT);
        // What is read from memory is the same after the call, however it is used.
        D.Freezes = !Addresses.isUnknown(V) &&
                    !all_of(Addresses.leaves(V), [&](Value *Leaf) { return Addresses.parts().contains(Leaf); });
      }
    }

    CrossedCalls AsAddresses;
    for (const auto &[V, At, Do, Places, Leaves, Doubts, Freezes] : Decisions) {
      for (const Doubt &D : Doubts)
        Shown.collect(D, {V, At, Places}, DT);
      if (!Doubts.empty() || !Leaves.Each.empty())
        Shown.listProgram({V, At, Places}, DT);
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
        Shown.list(V, {V, At, Places});
        if (Addresses.form(V) != AddressForm::None && !Addresses.isUnknown(V))
          freeze(V);
        break;
      case Treatment::LeafWitness:
        for (const MergedWord &Word : Leaves.Each)
          Shown.collect(Word, {V, At, Places}, DT);
        for (SingleWord Word : Leaves.Listed)
          Shown.list(Word, {V, At, Places});
        if (Leaves.Lost)
          for (CallBase *Call : At)
            Pinned[Call] = SKEIN_PIN_ADDRESS_INTEGER;
        if (Freezes)
          freeze(V);
        break;
      }
    }
    PromoteMemToReg(Shown.variables(), DT);
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
  Witnesses Shown{F, Locals};
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
