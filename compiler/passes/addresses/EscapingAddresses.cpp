//===- EscapingAddresses.cpp - Addresses that go where no map leads --------===//
//
// Maps follow the addresses on the stack. Addresses in ambiguous words and in globals are found by a search for words
// that look like one. Neither finds an address in another form, or in memory that is not searched:
//
//   * an integer that is computed from an address and is no plain address any more (half of one, a product, an
//     exclusive or), if it is stored, passed on or returned;
//   * an index or a condition of that kind. By what the program finds at the index, or by the way that it takes, it can
//     make a number of the address, bit for bit;
//   * an integer that is a plain address, if it goes to code of another module, or into memory that is neither a local
//     nor a global;
//   * the address of a local, if it is stored into memory that is neither: a heap block;
//   * a part of a word that may be an address (PartsOfWords.cpp), or what is computed from one, if it is stored, passed
//     on or returned. The runtime is then told the whole word. Most parts are bytes of text, so of the bytes that come
//     from elsewhere and go elsewhere as bytes, only those count that stay in their object, or change their order;
//   * a pointer that was made of an address and a number, if it leads far away: the program may make the address of it
//     again;
//   * an address that is given to inline assembly which may write memory, or that lies in memory which the assembly
//     reads;
//   * an address that is changed where it lies, by an atomic operation or by inline assembly;
//   * a pointer that is rounded down by more than stacks move.
//
// At such a place the runtime is told, once, what address it was and what happened to it. If the address lies in the
// calling thread's stack, and the memory that it was stored to does not, the thread stays where it is from then on,
// since nobody can tell when the last copy is gone. C programs rarely do this to addresses of locals, so the calls are
// in cold code. For heap addresses, which do not move, they do nothing.
//
// A pointer argument that is stored into a block of the process heap is not told, since most stores of pointers are of
// that kind. Only a checker that sees the whole program could warn of it. With a private heap, every store of a pointer
// that may lead to the stack compares it with the stack pointer (four instructions), and tells the runtime if it is
// near. Then the word is known to hold an address, whatever its block's type says (private/heap/known.h). Threads can
// move only because of that if their unions, arenas and blocks of unknown type hold such addresses.
//
//===----------------------------------------------------------------------===//
#include "AddressChecks.h"
#include "AddressForms.h"
#include "AddressIntegers.h"
#include "AddressUses.h"
#include "CopiesToNumbers.h"
#include "PartReaders.h"
#include "PointerTypes.h"
#include "TellingPlaces.h"
#include "WordEvidence.h"
#include "passes/Annotations.h"
#include "passes/Compat.h"
#include "passes/Diagnostics.h"
#include "passes/Passes.h"
#include "passes/ir/GlobalMaps.h"
#include "passes/ir/HomeSlots.h"
#include "passes/ir/SameMoves.h"
#include "passes/private/PrivateHeap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace skein {

namespace {

/// An address, or a word that may be one, that is to be told at an instruction. `Place` is where it is stored, if it is
/// stored.
struct Escape {
  Value *Address;
  Value *Place;
  BasicBlock::iterator At;
  const char *How;        ///< how it escapes; null: the runtime only remembers the place
  bool Perhaps = false;   ///< it may also be a number, or lead elsewhere
  bool OfProgram = false; ///< it matters only if it leads into the program or a library
  int64_t Row = 0;        ///< if not 0, so many words that begin at the address are told instead
  Instruction *FarFrom =
      nullptr;         ///< it matters only if this pointer, which was computed from it, lies far away from it
  Value *If = nullptr; ///< it matters only in this case
  bool Unless = false; ///< or only in the other case
};

class Finder {
public:
  Finder(Function &F, const TargetLibraryInfo &TLI, const AddressIntegers &Addresses)
      : F(F), TLI(TLI), Addresses(Addresses), DT(F), LI(DT) {}

  SmallVector<Escape, 4> run() {
    for (Instruction &I : instructions(F)) {
      if (auto *Store = dyn_cast<StoreInst>(&I)) {
        lookAtStore(*Store);
      } else if (isa<AtomicRMWInst, AtomicCmpXchgInst>(I)) {
        // A plain address there is a pointer, which clang passes as an integer.
        lookAtInteger(I.getOperand(isa<AtomicRMWInst>(I) ? 1 : 2), I, /*Elsewhere=*/false);
        if (auto *Change = dyn_cast<AtomicRMWInst>(&I))
          lookAtChange(*Change);
        if (isAtomicOnPart(I))
          lookAtPart(I);
      } else if (auto *Intrinsic = dyn_cast<IntrinsicInst>(&I)) {
        lookAtIntrinsic(*Intrinsic);
      } else if (auto *Assembly = dyn_cast<CallBase>(&I); Assembly && Assembly->isInlineAsm()) {
        lookAtAssembly(*Assembly);
      } else if (auto *Call = dyn_cast<CallBase>(&I)) {
        lookAtWordsReadBy(*Call);
        bool Elsewhere = leavesModule(*Call) || isNumberOfLibrary(*Call);
        for (Value *Argument : Call->args())
          lookAtInteger(Argument, I, Elsewhere);
      } else if (auto *Return = dyn_cast<ReturnInst>(&I); Return && Return->getReturnValue()) {
        lookAtInteger(Return->getReturnValue(), I, !F.hasLocalLinkage() || F.hasAddressTaken());
      } else if (Value *Condition = conditionOf(I)) {
        lookAtCondition(Condition, I);
      } else if (auto *Switch = dyn_cast<SwitchInst>(&I)) {
        lookAtCondition(Switch->getCondition(), I);
      } else if (auto *Cast = dyn_cast<IntToPtrInst>(&I)) {
        lookAtPointer(*Cast);
      } else if (auto *Element = dyn_cast<GetElementPtrInst>(&I)) {
        lookAtPointer(*Element);
        lookAtIndices(*Element);
      }
    }
    for (const Instruction *Copy : Addresses.parts().copies())
      if (typesAreEvidence())
        tellParts(*const_cast<Instruction *>(Copy));
    return std::move(Found);
  }

private:
  void lookAtWordsReadBy(CallBase &Call) {
    const WordsReadInParts Words = wordsReadInParts(Call, Addresses.parts());
    auto Tell = [&](Value *V, int64_t Row) {
      Found.push_back({V, nullptr, Call.getIterator(), TakenApart, /*Perhaps=*/true, /*OfProgram=*/false, Row});
    };
    for (Value *Word : Words.Loaded)
      Tell(Word, 0);
    for (Value *Local : Words.Locals)
      Tell(Local, 0);
    for (auto [First, Count] : Words.Rows)
      Tell(First, Count);
  }

  /// Whether the callee is code that is neither compiled here nor known.
  bool leavesModule(const CallBase &Call) {
    const Function *Callee = Call.getCalledFunction();
    if (!Callee)
      return true;
    LibFunc Library;
    return Callee->isDeclaration() && !Callee->hasFnAttribute(NoMigrateAttribute) &&
           !Callee->getName().starts_with("__skein_") && !Callee->getName().starts_with("skein_") &&
           !TLI.getLibFunc(Callee->getName(), Library);
  }

  /// Whether this is the result of a function that was not compiled here, to whose code an address may have been given
  /// as a number. It may have made another form of that: quotient and remainder, a time.
  static bool isNumberOfLibrary(const CallBase &Call) {
    const Function *Callee = Call.getCalledFunction();
    return Callee && Callee->isDeclaration() && !Callee->isVarArg() && !Call.getType()->isVoidTy() &&
           !containsPointer(Call.getType()) && !Callee->getName().starts_with("__skein_") &&
           !Callee->getName().starts_with("skein_");
  }

  void lookAtInteger(Value *V, Instruction &At, bool Elsewhere) {
    if (isa<Constant>(V))
      return lookAtConstant(*cast<Constant>(V), At, Elsewhere);
    // A member of a struct that also has pointers is a value of its own.
    if (V->getType()->isStructTy() && containsPointer(V->getType())) {
      for (auto *Insert = dyn_cast<InsertValueInst>(V); Insert;
           Insert = dyn_cast<InsertValueInst>(Insert->getAggregateOperand()))
        lookAtInteger(Insert->getInsertedValueOperand(), At, Elsewhere);
      return;
    }
    // This looks through a pointer that is made of another form of an address. What a mask leaves of a tagged word is
    // the address again.
    if (auto *Cast = dyn_cast<IntToPtrInst>(V);
        Cast && Addresses.form(Cast->getOperand(0)) == AddressForm::Other && !isMasked(*Cast->getOperand(0)))
      V = Cast->getOperand(0);
    AddressForm Form = Addresses.form(V);
    tellDoubts(*V);
    bool Followed = Form == AddressForm::Address || Form == AddressForm::Either; // words and signatures follow it
    if (Form == AddressForm::None || Form == AddressForm::Invariant || (Followed && !Elsewhere))
      return;
    const bool Merges = Addresses.mergesLeaves(V);
    for (Value *Leaf : Addresses.leaves(V)) {
      if (isa<Constant>(Leaf)) {
        tellOfProgram(*Leaf, At.getIterator());
        continue;
      }
      if (Addresses.parts().contains(Leaf)) {
        if (isTakenApart(*cast<LoadInst>(Leaf), *V, At))
          tellParts(*cast<LoadInst>(Leaf));
        continue;
      }
      bool Pointer = isPointer(Leaf->getType()->getScalarType());
      AddressForm Is = Pointer ? AddressForm::Address : Addresses.form(Leaf);
      if (Is == AddressForm::Other && !isWide(Leaf->getType()))
        continue;
      if (Is != AddressForm::Address && isBranchOrSwitch(At) && !F.hasOptNone())
        continue;
      // What a function of another module returns, that module has told, if it was compiled by skeincc. Otherwise
      // nobody can know.
      if (isa<CallBase>(Leaf) && !isa<IntrinsicInst>(Leaf) && !Pointer && !isDeclaredAmbiguous(Leaf) &&
          !isDeclaredAddress(Leaf))
        continue;
      const bool Here =
          Is == AddressForm::Address && DT.dominates(Leaf, &At) && (!Merges || isa<Argument, AllocaInst>(Leaf));
      if (Here && isToldBefore(*Leaf, At))
        continue;
      if (Here)
        Found.push_back({Leaf, nullptr, At.getIterator(), MadeNumber, /*Perhaps=*/!Pointer});
      else if (Told.insert(Leaf).second) // of what is certainly an address, a comparison matters, too
        Found.push_back({Leaf, nullptr,
                         isa<LoadInst>(Leaf) && is64BitInteger(Leaf->getType()) && Is != AddressForm::Address
                             ? asLateAsPossible(*cast<Instruction>(Leaf)).At
                             : behind(Leaf),
                         MadeNumber, /*Perhaps=*/true});
    }
  }

  /// Looks at a number that the compiler or the linker makes of an address of the program.
  void lookAtConstant(Constant &C, Instruction &At, bool Elsewhere) {
    if (!isAddressConstant(&C) || isPointer(C.getType()->getScalarType()))
      return;
    if (isa<ConstantAggregate>(C)) {
      for (Value *Part : C.operand_values())
        lookAtConstant(*cast<Constant>(Part), At, Elsewhere);
      return;
    }
    const std::optional<int64_t> Coefficient = coefficientIn(C);
    if (Coefficient != 0 && (Coefficient != 1 || Elsewhere || isPartOfWord(C.getType())))
      tellOfProgram(C, At.getIterator());
  }

  /// Tells of the addresses of the program from which an integer was made in this function.
  void tellMadeHere(Value &Integer, Instruction &At) {
    if (isa<Constant>(Integer))
      return tellOfProgram(Integer, At.getIterator());
    for (Value *Leaf : Addresses.leaves(&Integer))
      if (isPointer(Leaf->getType()) || isAddressConstant(Leaf))
        tellOfProgram(*Leaf, DT.dominates(Leaf, &At) ? At.getIterator() : behind(Leaf));
  }

  /// Tells of an address in case it leads into the program. It may lead anywhere, or be one from which a constant is
  /// computed.
  void tellOfProgram(Value &Of, BasicBlock::iterator At) {
    auto Tell = [&](Value &V) { Found.push_back({&V, nullptr, At, MadeNumber, /*Perhaps=*/true, /*OfProgram=*/true}); };
    if (auto *C = dyn_cast<Constant>(&Of))
      for (Constant *Address : addressesIn(*C))
        Tell(*Address);
    else
      Tell(Of);
  }

  /// Whether an instruction that always comes before has told that a number is made of the same address. To tell it
  /// once is enough: from then on the thread stays where it is. But where the number is stored or passed on, the proof
  /// on the machine code wants to see that (NumberEvidence.cpp), so no call lies between the two.
  bool isToldBefore(Value &Leaf, Instruction &At) {
    SmallVector<Instruction *, 2> &Before = ToldAt[&Leaf];
    auto Suffices = [&](Instruction *Told) {
      if (isBranchOrSwitch(At) || !DT.dominates(Told, &At))
        return DT.dominates(Told, &At);
      return Told->getParent() == At.getParent() &&
             none_of(make_range(Told->getIterator(), At.getIterator()),
                     [](const Instruction &Between) { return isa<CallBase>(Between) && !isa<IntrinsicInst>(Between); });
    };
    if (any_of(Before, Suffices))
      return true;
    Before.push_back(&At);
    return false;
  }

  /// In optimised code only conditions that are computed from addresses are looked at. Most others come from text, if
  /// they are on characters, or from structs of two numbers that are copied as one word, if they are on halves of
  /// words.
  void lookAtCondition(Value *Condition, Instruction &At) {
    if (F.hasOptNone() || Addresses.form(Condition) == AddressForm::Other)
      lookAtInteger(Condition, At, /*Elsewhere=*/false);
  }

  /// Looks at intrinsics that write to memory in another way than a store: under a mask, scattered, byte after byte.
  void lookAtIntrinsic(IntrinsicInst &Call) {
    if (Call.getIntrinsicID() == Intrinsic::ptrmask && !readsForWitness(Call))
      return lookAtPointer(Call);
    if (isCopiedElsewhere(Call))
      return lookAtInteger(Call.getArgOperand(0), Call, /*Elsewhere=*/true);
    if (isPure(Call) || !Call.mayWriteToMemory() || isa<MemTransferInst>(Call))
      return;
    if (auto *Fill = dyn_cast<MemSetInst>(&Call))
      return lookAtInteger(Fill->getValue(), Call, /*Elsewhere=*/true);
    bool Visible = true;
    for (Value *Argument : Call.args())
      if (Argument->getType()->isPointerTy())
        Visible &= isa<AllocaInst, GlobalVariable>(getUnderlyingObject(Argument, 0));
    for (Value *Argument : Call.args())
      if (!Argument->getType()->isMetadataTy() && !containsPointer(Argument->getType()))
        lookAtInteger(Argument, Call, !Visible);
    Value *Content = Call.arg_size() > 1 ? Call.getArgOperand(0) : nullptr;
    if (Content && Content->getType()->isVectorTy() && containsPointer(Content->getType()) && !Visible)
      Found.push_back(
          {Content, nullptr, Call.getIterator(), "was stored in memory that stays behind", /*Perhaps=*/true});
  }

  /// Looks at an atomic operation that makes another form of an address where it lies. To put a tag into the low bits
  /// makes none. Neither does an exchange, or a choice of the larger of two.
  void lookAtChange(AtomicRMWInst &Change) {
    switch (Change.getOperation()) {
    case AtomicRMWInst::Xchg:
    case AtomicRMWInst::Max:
    case AtomicRMWInst::Min:
    case AtomicRMWInst::UMax:
    case AtomicRMWInst::UMin:
      return;
    default:
      break;
    }
    const Value *By = Change.getValOperand();
    const auto *Mask = dyn_cast<ConstantInt>(By);
    const bool ClearsTag = Change.getOperation() == AtomicRMWInst::And && Mask && (~Mask->getValue()).ult(1 << 12);
    if (!isWide(By->getType()) || ClearsTag ||
        (isSmallConstant(By) && Change.getOperation() != AtomicRMWInst::And &&
         Change.getOperation() != AtomicRMWInst::Nand))
      return;
    const bool MayHoldAddress = Addresses.keepsAddresses() || evidenceOfAccess(Change) != Evidence::Number ||
                                isa<AllocaInst>(getUnderlyingObject(Change.getPointerOperand(), 0));
    if (!MayHoldAddress || !isPointer(Change.getPointerOperand()->getType()))
      return;
    IRBuilder<> B(&Change);
    Value *Word = loadWordAround(B, Change.getPointerOperand());
    if (By->getType()->isIntegerTy(64) &&
        (Change.getOperation() == AtomicRMWInst::Add || Change.getOperation() == AtomicRMWInst::Sub))
      Word = B.CreateSelect(isFar(B, Change.getValOperand()), Word, B.getInt64(0));
    Found.push_back({Word, nullptr, Change.getIterator(), MadeNumber, /*Perhaps=*/true});
  }

  /// Looks at an atomic operation that takes a part of a word, or puts something else in its place. In optimised code
  /// only the function's own locals are considered.
  void lookAtPart(Instruction &Atomic) {
    Value *At = Atomic.getOperand(0);
    if (F.hasOptNone() || isa<AllocaInst>(getUnderlyingObject(At, 0)))
      tellWord(At, Atomic, TakenApart);
  }

  /// Tells the word that a pointer leads to.
  void tellWord(Value *Pointer, Instruction &At, const char *How) {
    IRBuilder<> B(&At);
    Found.push_back({loadWordAround(B, Pointer), nullptr, At.getIterator(), How, /*Perhaps=*/true});
  }

  void lookAtIndices(GetElementPtrInst &Element) {
    for (Value *Index : Element.indices())
      if (Addresses.form(Index) == AddressForm::Other && !isCountedFrom(Element, Index))
        lookAtInteger(Index, Element, /*Elsewhere=*/false);
  }

  /// Maps take a pointer for an address in the object that it leads to. One that was made of an address and a number
  /// may lead far away from that, and the program may make the address of it again later.
  void lookAtPointer(IntToPtrInst &Cast) {
    Value *From = Cast.getOperand(0);
    const AddressForm Form = Addresses.form(From);
    const auto *Mask = dyn_cast<Instruction>(From);
    const bool Rounded =
        Form == AddressForm::Other && Mask && Mask->getOpcode() == Instruction::And && !isMasked(*From);
    if (Form == AddressForm::None || isOnlyFollowed(Cast))
      return;
    if (Form == AddressForm::Other && !Rounded) {
      if (isMasked(*From) && !isMasked(*From, PageBits))
        for (Value *Leaf : Addresses.leaves(From))
          tellOfProgram(*Leaf, DT.dominates(Leaf, &Cast) ? Cast.getIterator() : behind(Leaf));
      return;
    }
    if (Rounded)
      lookAtInteger(From, Cast, /*Elsewhere=*/false);
    else
      tellDoubts(*From);
  }

  /// The optimiser writes most sums of addresses and numbers in this form. If such a pointer is only followed, it is
  /// computed again after each call (FunctionPreparation.cpp).
  void lookAtPointer(GetElementPtrInst &Gep) {
    if (isPointer(Gep.getType()) && !liesNearItsObject(Gep) && mayLeadToWhatMoves(Gep.getPointerOperand()) &&
        !isOnlyFollowed(Gep, F, calls()))
      tellOnce({&Gep, {}});
  }

  ArrayRef<CallBase *> calls() {
    if (!Calls) {
      Calls.emplace();
      for (Instruction &I : instructions(F))
        if (auto *Call = dyn_cast<CallBase>(&I); Call && !isa<IntrinsicInst>(Call) && !Call->isInlineAsm())
          Calls->push_back(Call);
    }
    return *Calls;
  }

  /// Whether an index is computed from the address that it is added to, as optimisers do to count the iterations of a
  /// loop.
  bool isCountedFrom(const GetElementPtrInst &Element, Value *Index) {
    const Value *Base = getUnderlyingObject(Element.getPointerOperand());
    return any_of(Addresses.leaves(Index), [&](const Value *Leaf) {
      return Leaf->getType()->isPointerTy() && getUnderlyingObject(Leaf) == Base;
    });
  }

  /// Looks at an address that is rounded down by more than stacks move, and kept as a pointer.
  void lookAtPointer(IntrinsicInst &Round) {
    const auto *Mask = dyn_cast<ConstantInt>(Round.getArgOperand(1));
    Value *From = Round.getArgOperand(0);
    while (auto *Gep = dyn_cast<GetElementPtrInst>(From)) // what is added for rounding up may lead out of the stack
      From = Gep->getPointerOperand();
    if (!isPointer(Round.getType()) || (Mask && keepsPlace(*Mask, PageBits)) || !mayLeadToWhatMoves(From) ||
        isOnlyFollowed(Round))
      return;
    if (isa<Constant>(From) || (Mask && keepsPlace(*Mask)))
      return tellOfProgram(*From, Round.getIterator());
    Found.push_back({From, nullptr, Round.getIterator(), MadeNumber, /*Perhaps=*/true});
  }

  /// Whether `V`, which is computed from a part of a word, is used at `At` for more than a step of a copy, or text.
  bool isTakenApart(const LoadInst &Part, const Value &V, const Instruction &At) {
    const auto *Store = dyn_cast<StoreInst>(&At);
    if (Store && isStepOfCopy(Part, *Store, LI) && !isInPlace(Part, *Store))
      return false;
    if (F.hasOptNone())
      return true;
    if (isBranchOrSwitch(At))
      return false;
    if (!Addresses.parts().isFromElsewhere(&Part))
      return true;
    auto IsBytes = [](const Value &Of) { return Of.getType()->getScalarType()->isIntegerTy(8); };
    if (!IsBytes(Part))
      return typesAreEvidence();
    bool SeesCallers = F.hasLocalLinkage() && !F.hasAddressTaken();
    return &V == &Part && Store && !SeesCallers &&
           (changesOrder(Part, *Store) ||
            getUnderlyingObject(Part.getPointerOperand(), 0) == getUnderlyingObject(Store->getPointerOperand(), 0));
  }

  /// Whether the bytes change places within a local of the function.
  bool isInPlace(const LoadInst &Part, const StoreInst &Store) const {
    SmallVector<const Value *, 4> From, To;
    getUnderlyingObjects(Part.getPointerOperand(), From, &LI);
    getUnderlyingObjects(Store.getPointerOperand(), To, &LI);
    return !Addresses.parts().isFromElsewhere(&Part) &&
           any_of(From, [&](const Value *Object) { return isa<AllocaInst>(Object) && is_contained(To, Object); });
  }

  void tellParts(Instruction &Reader) {
    if (Told.insert(&Reader).second)
      for (Value *Word : Addresses.parts().wordsAt(Reader))
        Found.push_back({Word, nullptr, Reader.getIterator(), TakenApart, /*Perhaps=*/true});
  }

  /// Assembly without text, with which programs keep the optimiser from something, stores nothing. Any other assembly
  /// may make another form of what it reads in memory, and store what it is given.
  void lookAtAssembly(CallBase &Call) {
    const auto *Assembly = cast<InlineAsm>(Call.getCalledOperand());
    const bool Jumps = isa<CallBrInst>(Call) && cast<CallBrInst>(Call).getNumIndirectDests();
    const bool Writes = !Call.onlyReadsMemory();
    if (Assembly->getAsmString().empty())
      return;
    SmallPtrSet<Value *, 4> Pointers; // a single pointer can be stored nowhere but where it leads
    for (Use &U : Call.args())
      if (isPointer(U->getType()->getScalarType()))
        Pointers.insert(U);
    const bool Keeps = Writes && Pointers.size() > 1;
    unsigned N = 0;
    for (const auto &[Operand, Constraint] : enumerate(Assembly->ParseConstraints())) {
      if (!Constraint.hasArg())
        continue;
      Use &U = Call.getArgOperandUse(N++);
      if (Constraint.isIndirect) {
        if (Constraint.Type == InlineAsm::isInput)
          tellWordsOf(U, *Call.getParamElementType(Call.getArgOperandNo(&U)), Call);
      } else if (!isPointer(U->getType()->getScalarType())) {
        if (Writes || Jumps)
          lookAtInteger(U, Call, /*Elsewhere=*/Jumps || !Pointers.empty());
      } else if ((Keeps || (Jumps && !isOnlyFollowedBy(Assembly->getAsmString(), Operand))) && mayLeadToWhatMoves(U)) {
        if (isa<Constant>(U))
          tellOfProgram(*U, Call.getIterator());
        else
          Found.push_back({U, nullptr, Call.getIterator(), GivenToAssembly, /*Perhaps=*/true});
      }
    }
  }

  /// Tells the words of an object; for a large one, only the first.
  void tellWordsOf(Value *Object, Type &T, CallBase &Assembly) {
    constexpr int64_t Most = 8;
    if (!isPointer(Object->getType()))
      return;
    IRBuilder<> B(&Assembly);
    const int64_t Words = std::min<int64_t>(F.getDataLayout().getTypeStoreSize(&T).getKnownMinValue() / 8, Most);
    for (int64_t N = 0; N < Words; ++N)
      tellWord(N ? B.CreateConstGEP1_64(B.getInt8Ty(), Object, 8 * N) : Object, Assembly, GivenToAssembly);
  }

  TellingPlace asLateAsPossible(Instruction &I) {
    std::optional<TellingPlace> Late;
    if (!F.hasOptNone())
      Late = latestTellingPlace(I, DT, [&](Instruction &Merge) { return isOnlyFollowed(Merge, F, calls()); });
    return Late ? *Late : TellingPlace{behind(&I)};
  }

  BasicBlock::iterator behind(Value *V) {
    BasicBlock *Next = nullptr;
    if (auto *Invoke = dyn_cast<InvokeInst>(V))
      Next = Invoke->getNormalDest();
    else if (auto *Branch = dyn_cast<CallBrInst>(V))
      Next = Branch->getDefaultDest();
    if (Next && !Next->getSinglePredecessor())
      SplitEdge(cast<Instruction>(V)->getParent(), Next, &DT);
    return afterDefinition(F, V);
  }

  void tellDoubts(Value &V) {
    for (const Doubt &D : Addresses.doubts(&V))
      tellOnce(D);
  }

  void tellOnce(const Doubt &D) {
    if (!Told.insert(D.Sum).second)
      return;
    if (auto *Gep = dyn_cast<GetElementPtrInst>(D.Sum);
        Gep && D.Addresses.empty() &&
        none_of(Gep->indices(), [&](const Use &Index) { return Addresses.form(Index) == AddressForm::Address; })) {
      const TellingPlace Place = asLateAsPossible(*Gep);
      Found.push_back({Gep->getPointerOperand(), nullptr, Place.At, MadeNumber, /*Perhaps=*/true});
      Found.back().FarFrom = Gep;
      Found.back().If = Place.If;
      Found.back().Unless = Place.Unless;
      return;
    }
    BasicBlock::iterator At = behind(D.Sum);
    IRBuilder<> B(At->getParent(), At);
    Found.push_back({doubtfulAddress(B, D), nullptr, At, MadeNumber, /*Perhaps=*/true});
    for (Value *Address : D.Addresses)
      tellOfProgram(*Address, At);
    if (!D.Addresses.empty())
      return;
    for (Value *Operand : D.Sum->operands())
      if (isPointer(Operand->getType()) || Addresses.form(Operand) == AddressForm::Address)
        tellOfProgram(*addressFarFrom(B, *Operand, *D.Sum), At);
  }

  void lookAtStore(StoreInst &Store) {
    Value *Content = Store.getValueOperand();
    const Value *Base = getUnderlyingObject(Store.getPointerOperand(), 0);
    const auto *Global = dyn_cast<GlobalVariable>(Base);
    bool Visible = isa<AllocaInst>(Base) || (Global && !(Global->isDeclaration() && holdsNumbersOnly(*Global)));
    lookAtInteger(Content, Store, !Visible || isTakenForNumber(Store, *Base));
    // Others may read a number there. A search of the globals finds addresses of stacks, but not of the program.
    if (Global && Visible && Addresses.form(Content) == AddressForm::Address && !isPointer(Content->getType()))
      tellMadeHere(*Content, Store);
    if (Visible || !isPointer(Content->getType()->getScalarType()))
      return;
    if (isa<AllocaInst>(getUnderlyingObject(Content, 0)))
      Found.push_back(
          {Content, Store.getPointerOperand(), Store.getIterator(), "was stored in memory that stays behind"});
    else if (F.hasFnAttribute(PrivateHeapAttribute) && mayLeadToStack(Content))
      Found.push_back({Content, Store.getPointerOperand(), Store.getIterator(), nullptr, /*Perhaps=*/true});
  }

  /// Whether other code takes what is stored for a number, because of the declared type. That is code of other modules,
  /// and also of this one, unless it loses sight of addresses in integers and so believes no types
  /// (AddressIntegers::losesSight).
  bool isTakenForNumber(StoreInst &Store, const Value &Variable) {
    Value *Content = Store.getValueOperand();
    const Type *Declared = declaredNumber(Store);
    if (!typesAreEvidence() || !isWide(Content->getType()) || isa<Constant>(Content) || Addresses.isInCell(Store) ||
        !Declared)
      return false;
    if (!isWide(Declared)) { // no part of it will be looked at
      const auto *Local = dyn_cast<AllocaInst>(&Variable);
      return (!Local || Addresses.parts().isKnownToOthers(*Local)) &&
             any_of(Addresses.leaves(Content), isDeclaredPointer);
    }
    bool Any = false, FromElsewhere = false;
    for (const Value *Leaf : Addresses.leaves(Content))
      if (!Addresses.isDeclaredNumber(Leaf)) { // such a leaf was a number before
        Any = true;
        FromElsewhere |= Addresses.isUnknown(Leaf);
      }
    return (FromElsewhere && !Addresses.keepsAddresses()) || (Any && isKnownElsewhere(Variable));
  }

  static bool isDeclaredPointer(const Value *Leaf) {
    const auto *Load = dyn_cast<LoadInst>(Leaf);
    const Type *T = Load ? declaredAt(Load->getPointerOperand(), 0, Load->getDataLayout()) : nullptr;
    return isPointer(Leaf->getType()) || isDeclaredAddress(Leaf) || (T && isPointer(T));
  }

  /// The type of a number that is declared at the address: a full word, or parts of one. Null: none is declared.
  static Type *declaredNumber(const StoreInst &Store) {
    if (Store.hasMetadata(LLVMContext::MD_tbaa))
      return declaredEvidence(Store) == Evidence::Number ? Store.getValueOperand()->getType() : nullptr;
    Type *T = declaredAt(Store.getPointerOperand(), 0, Store.getDataLayout());
    return T && !T->isIntegerTy(8) && (T->isIntegerTy() || T->isFloatingPointTy() || isWide(T)) ? T : nullptr;
  }

  static constexpr const char *MadeNumber = "was made into a number", *TakenApart = "was taken apart",
                              *GivenToAssembly = "was given to inline assembly";
  Function &F;
  const TargetLibraryInfo &TLI;
  const AddressIntegers &Addresses;
  DominatorTree DT;
  LoopInfo LI;
  SmallPtrSet<Value *, 16> Told;                           ///< values that are told where they are made
  DenseMap<Value *, SmallVector<Instruction *, 2>> ToldAt; ///< where an address is told at its uses
  SmallVector<Escape, 4> Found;
  std::optional<SmallVector<CallBase *, 16>> Calls; ///< found when they are first needed
};

} // namespace

/// Splits the block before `At`, for the case that the address may lie in this thread's stack, or in the program if the
/// runtime wants to know that. Returns the instruction before which that case is handled.
static Instruction *guard(const Escape &E, Function &F, Value *Pointers) {
  BasicBlock::iterator At = E.At;
  const auto InRareCase = [&](Value *Condition) {
    return SplitBlockAndInsertIfThen(Condition, At, /*Unreachable=*/false,
                                     MDBuilder(F.getContext()).createUnlikelyBranchWeights());
  };
  if (E.If) {
    IRBuilder<> B(At->getParent(), At);
    Value *Is = B.CreateFreeze(E.If);
    At = InRareCase(E.Unless ? B.CreateNot(Is) : Is)->getIterator();
  }
  if (E.FarFrom) {
    IRBuilder<> B(At->getParent(), At);
    At = InRareCase(liesFar(B, *E.FarFrom, *E.Address))->getIterator();
  }
  IRBuilder<> B(At->getParent(), At);
  Value *Near = E.OfProgram ? isProgramWatched(B) : nullptr;
  auto *Vector = dyn_cast<FixedVectorType>(Pointers->getType());
  for (unsigned N = 0; !E.OfProgram && N < (Vector ? Vector->getNumElements() : 1); ++N) {
    Value *Address = B.CreatePtrToInt(Vector ? B.CreateExtractElement(Pointers, N) : Pointers, B.getInt64Ty());
    Value *Is = E.How ? isWatched(B, Address) : isNearFrame(B, Address);
    Near = Near ? B.CreateOr(Near, Is) : Is;
  }
  return InRareCase(Near);
}

/// Drops what would have to be looked at while the program runs, for a function that is compiled as clang does it.
/// Returns whether a number may be made of an address without the runtime being told.
static bool dropDoubtful(Function &F, SmallVectorImpl<Escape> &Escapes) {
  bool Untold = false;
  SmallVector<WeakTrackingVH, 8> Unused;
  erase_if(Escapes, [&](const Escape &E) {
    if (!E.Perhaps && E.How)
      return false;
    Untold |= E.How != nullptr; // else the runtime would only remember the place
    Unused.push_back(E.Address);
    return true;
  });
  // What was made for the look goes as well.
  RecursivelyDeleteTriviallyDeadInstructionsPermissive(Unused);
  for (Instruction &I : instructions(F))
    if (auto *Load = dyn_cast<LoadInst>(&I); Load && readsForWitness(*Load) && Load->use_empty()) {
      Load->setVolatile(false);
      Unused.push_back(Load);
    }
  RecursivelyDeleteTriviallyDeadInstructionsPermissive(Unused);
  return Untold;
}

/// Programs read what lies in front of an object by `bytes[-sizeof(long)]`, whose index is an unsigned number. By the
/// rules of C that wraps around, and the optimiser has noted that it does not. The processor adds it all the same, and
/// finds the place that is meant. But of the word around that place a constant would be made (PartsOfWords.h), since
/// only the highest addresses are the result of such a sum without wrapping.
static void allowWrapping(Function &F) {
  for (Instruction &I : instructions(F))
    if (auto *Gep = dyn_cast<GetElementPtrInst>(&I); Gep && Gep->hasNoUnsignedWrap()) {
      const DataLayout &DL = F.getDataLayout();
      APInt Offset(DL.getIndexTypeSizeInBits(Gep->getType()), 0);
      if (Gep->accumulateConstantOffset(DL, Offset) && Offset.isNegative())
        Gep->setNoWrapFlags(Gep->getNoWrapFlags().withoutNoUnsignedWrap());
    }
}

PreservedAnalyses EscapingAddressesPass::run(Function &F, FunctionAnalysisManager &AM) {
  if (F.hasFnAttribute(HomedAttribute))
    return PreservedAnalyses::all();
  allowWrapping(F);
  SmallVector<Escape, 4> Escapes =
      Finder(F, AM.getResult<TargetLibraryAnalysis>(F), AM.getResult<AddressIntegersAnalysis>(F)).run();
  if (movesToSame(F) && dropDoubtful(F, Escapes))
    F.addFnAttr(UntoldAttribute);
  SmallVector<Instruction *, 4> Kept;
  for (Instruction &I : instructions(F))
    if (isCopiedElsewhere(I))
      Kept.push_back(&I);
  if (Escapes.empty() && Kept.empty())
    return PreservedAnalyses::all();
  struct Telling {
    const Escape *Of;
    Value *How;
    unsigned Position;
  };
  SmallVector<Telling, 4> Tellings;
  DenseMap<const Instruction *, unsigned> Positions;
  for (const Instruction &I : instructions(F))
    Positions.insert({&I, Positions.size()});
  for (const Escape &E : Escapes) {
    IRBuilder<> B(&*E.At);
    Value *How = E.How ? B.CreateGlobalString(E.How + placeInFunction(*E.At)) : nullptr;
    Tellings.push_back({&E, How, Positions.lookup(&*E.At)});
  }
  // The last one comes first, since splitting a block moves everything after it.
  sort(Tellings, [](const Telling &A, const Telling &B) {
    return A.Position != B.Position ? A.Position > B.Position : A.Of < B.Of;
  });
  for (auto [Of, How, Position] : Tellings) {
    const Escape &E = *Of;
    IRBuilder<> Outside(E.At->getParent(), E.At);
    if (E.Row) {
      callRowEscapes(Outside, E.Address, E.Row, How);
      continue;
    }
    Value *Pointers = asPointers(Outside, E.Address);
    IRBuilder<> B(E.Perhaps ? guard(E, F, Pointers) : &*E.At);
    Value *Place = E.Place && isPointer(E.Place->getType()) ? E.Place : ConstantPointerNull::get(B.getPtrTy());
    auto TellOf = [&](Value *Address, unsigned N) {
      Value *At = N && !isa<ConstantPointerNull>(Place) ? B.CreateConstGEP1_64(B.getInt8Ty(), Place, 8 * N) : Place;
      callEscapes(B, Address, At, How);
    };
    if (auto *Vector = dyn_cast<FixedVectorType>(Pointers->getType()))
      for (unsigned N = 0; N < Vector->getNumElements(); ++N)
        TellOf(B.CreateExtractElement(Pointers, N), N);
    else
      TellOf(Pointers, 0);
  }
  for (Instruction *I : Kept)
    I->eraseFromParent();
  return PreservedAnalyses::none();
}

} // namespace skein
