//===- SharedAccess.cpp ------------------------------------------------------===//
//
// Recognises accesses to shared memory, and brings them into the forms that the other files expect.
//
// Anchors (SharedAccess.h) are sound because they only decide *how* an access is made. Assume that the anchor's slice
// is mapped and the address lies in another slice (for which a pointer must have left its object, since no block begins
// near the edge of a slice). Then the access faults at its own address, like any wild one, or accesses the shared
// memory that is there. If the anchor's slice is not mapped, the runtime gets the address itself.
//
//===----------------------------------------------------------------------===//
#include "SharedAccess.h"
#include "abi/entry_points.h"
#include "passes/Diagnostics.h"
#include "passes/ir/MigrationPoints.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/LowerAtomic.h"

using namespace llvm;

namespace skein {

bool isSharedType(const Type *T) {
  const auto *Pointer = dyn_cast<PointerType>(T->getScalarType());
  return Pointer && Pointer->getAddressSpace() == SharedSpace;
}

bool isShared(const Value *Pointer) { return isSharedType(Pointer->getType()); }

/// The operands through which an instruction accesses memory; only for loads, stores, atomic operations and the
/// intrinsics that are known here.
static SmallVector<unsigned, 2> pointerOperands(const Instruction &I) {
  if (isa<LoadInst>(I))
    return {LoadInst::getPointerOperandIndex()};
  if (isa<StoreInst>(I))
    return {StoreInst::getPointerOperandIndex()};
  if (isa<AtomicRMWInst>(I))
    return {AtomicRMWInst::getPointerOperandIndex()};
  if (isa<AtomicCmpXchgInst>(I))
    return {AtomicCmpXchgInst::getPointerOperandIndex()};
  const auto *Call = dyn_cast<IntrinsicInst>(&I);
  if (!Call)
    return {};
  switch (Call->getIntrinsicID()) {
  case Intrinsic::memset:
  case Intrinsic::memset_inline:
  case Intrinsic::masked_load:
  case Intrinsic::masked_gather:
  case Intrinsic::prefetch:
    return {0};
  case Intrinsic::memcpy:
  case Intrinsic::memcpy_inline:
  case Intrinsic::memmove:
    return {0, 1};
  case Intrinsic::masked_store:
  case Intrinsic::masked_scatter:
    return {1};
  default:
    return {};
  }
}

SmallVector<unsigned, 2> sharedOperands(const Instruction &Access) {
  SmallVector<unsigned, 2> Operands = pointerOperands(Access);
  erase_if(Operands, [&](unsigned N) { return !isShared(Access.getOperand(N)); });
  return Operands;
}

bool isSharedAccess(const Instruction &I) { return !sharedOperands(I).empty(); }

// --- anchors -----------------------------------------------------------------

/// The value from which `V` is one step inside the same object away, or null.
static Value *stepBack(Value *V) {
  if (auto *Step = dyn_cast<GEPOperator>(V))
    return Step->getPointerOperand()->getType()->isVectorTy() ? nullptr : Step->getPointerOperand();
  if (auto *Same = dyn_cast<FreezeInst>(V))
    return Same->getOperand(0);
  if (auto *Call = dyn_cast<IntrinsicInst>(V))
    if (Call->getIntrinsicID() == Intrinsic::launder_invariant_group ||
        Call->getIntrinsicID() == Intrinsic::strip_invariant_group)
      return Call->getArgOperand(0);
  return nullptr;
}

Value *anchorOf(Value *Pointer) {
  constexpr unsigned Most = 16; // the number of values from which a choice may have come
  auto StepsBack = [](Value *V) {
    Value *Before;
    for (unsigned N = 0; N < 1000 && (Before = stepBack(V)); ++N) // unreachable code may go in circles
      V = Before;
    return V;
  };
  Value *Anchor = StepsBack(Pointer);
  if (!isa<PHINode, SelectInst>(Anchor))
    return Anchor;
  // Everything that the pointer may have been on its way here: if there is no single beginning, the choice is its own
  // anchor.
  SmallPtrSet<Value *, 8> Seen{Anchor};
  SmallVector<Value *, 8> Work{Anchor};
  Value *Beginning = nullptr;
  while (!Work.empty()) {
    auto *Choice = cast<Instruction>(Work.pop_back_val());
    for (unsigned N = isa<SelectInst>(Choice) ? 1 : 0; N < Choice->getNumOperands(); ++N) {
      Value *From = StepsBack(Choice->getOperand(N));
      if (!Seen.insert(From).second)
        continue;
      if (Seen.size() > Most || (Beginning && !isa<PHINode, SelectInst>(From)))
        return Anchor;
      if (isa<PHINode, SelectInst>(From))
        Work.push_back(From);
      else
        Beginning = From;
    }
  }
  return Beginning ? Beginning : Anchor;
}

SmallVector<Value *, 2> anchorsOf(const Instruction &Access) {
  SmallVector<Value *, 2> Anchors;
  for (unsigned N : sharedOperands(Access))
    Anchors.push_back(anchorOf(Access.getOperand(N)));
  return Anchors;
}

Value *areMapped(IRBuilderBase &B, ArrayRef<Value *> Anchors) {
  auto *Table = ArrayType::get(B.getInt8Ty(), SKEIN_SLICE_COUNT);
  Value *Slices = B.GetInsertBlock()->getModule()->getOrInsertGlobal("__skein_slice_mapped", Table), *All = nullptr;
  for (Value *Anchor : Anchors) {
    Value *Slice =
        B.CreateAnd(B.CreateLShr(B.CreatePtrToInt(Anchor, B.getInt64Ty()), SKEIN_SLICE_BITS), SKEIN_SLICE_COUNT - 1);
    Value *Entry = B.CreateInBoundsGEP(Table, Slices, {B.getInt64(0), Slice});
    Value *One = B.CreateICmpNE(B.CreateLoad(B.getInt8Ty(), Entry), B.getInt8(0));
    All = All ? B.CreateAnd(All, One) : One;
  }
  return All;
}

bool keepsChecks(const Instruction &I, const TargetLibraryInfo &TLI) {
  if (isa<FenceInst>(I) || (isSharedAccess(I) && (isOrdering(I) || needsRuntime(I))))
    return false;
  const auto *Call = dyn_cast<CallBase>(&I);
  return !Call || (!Call->isMustTailCall() && !mayMigrate(*Call, TLI));
}

AtomicOrdering orderingOf(const Instruction &I) {
  if (const auto *Load = dyn_cast<LoadInst>(&I))
    return Load->getOrdering();
  if (const auto *Store = dyn_cast<StoreInst>(&I))
    return Store->getOrdering();
  if (const auto *Modify = dyn_cast<AtomicRMWInst>(&I))
    return Modify->getOrdering();
  if (const auto *Compare = dyn_cast<AtomicCmpXchgInst>(&I))
    return Compare->getMergedOrdering();
  if (const auto *Fence = dyn_cast<FenceInst>(&I))
    return Fence->getOrdering();
  return AtomicOrdering::NotAtomic;
}

bool isOrdering(const Instruction &Access) { return isStrongerThanMonotonic(orderingOf(Access)); }

/// The type on which an atomic operation works; null if `I` is none.
static Type *atomicType(const Instruction &I) {
  if (!I.isAtomic())
    return nullptr;
  if (const auto *Store = dyn_cast<StoreInst>(&I))
    return Store->getValueOperand()->getType();
  if (const auto *Compare = dyn_cast<AtomicCmpXchgInst>(&I))
    return Compare->getNewValOperand()->getType();
  return I.getType();
}

bool needsRuntime(const Instruction &Access) {
  Type *T = atomicType(Access);
  return T && Access.getDataLayout().getTypeStoreSize(T) == 16;
}

// --- direct ------------------------------------------------------------------

static Instruction *directCall(IntrinsicInst &Call, function_ref<Value *(Value *)> Plain) {
  SmallVector<Value *, 4> Arguments(Call.args());
  for (unsigned N : sharedOperands(Call))
    Arguments[N] = Plain(Arguments[N]);
  IRBuilder<> B(&Call);
  auto *Direct = cast<CallInst>(B.CreateIntrinsic(Call.getType(), Call.getIntrinsicID(), Arguments));
  Direct->copyMetadata(Call);
  Direct->setAttributes(Call.getAttributes());
  return Direct;
}

Instruction *makeDirect(Instruction &Access, function_ref<Value *(Value *)> Plain) {
  if (auto *Call = dyn_cast<IntrinsicInst>(&Access)) {
    Instruction *Direct = directCall(*Call, Plain);
    Direct->takeName(&Access);
    Access.replaceAllUsesWith(Direct);
    Access.eraseFromParent();
    return Direct;
  }
  for (unsigned N : sharedOperands(Access))
    Access.setOperand(N, Plain(Access.getOperand(N)));
  return &Access;
}

// --- other forms -------------------------------------------------------------

void scalarise(IntrinsicInst &Call, SmallVectorImpl<Instruction *> &Lanes) {
  const Intrinsic::ID Kind = Call.getIntrinsicID();
  const bool Loads = Kind == Intrinsic::masked_load || Kind == Intrinsic::masked_gather;
  const bool Everywhere = Kind == Intrinsic::masked_gather || Kind == Intrinsic::masked_scatter;
  Value *Pointers = Call.getArgOperand(Loads ? 0 : 1), *Mask = Call.getArgOperand(Loads ? 1 : 2);
  auto *T = cast<FixedVectorType>(Loads ? Call.getType() : Call.getArgOperand(0)->getType());
  Type *Element = T->getElementType();
  Align Alignment = commonAlignment(Call.getParamAlign(Loads ? 0 : 1).valueOrOne(),
                                    Call.getDataLayout().getTypeStoreSize(Element).getFixedValue());
  Value *Result = Loads ? Call.getArgOperand(2) : nullptr;
  for (unsigned Lane = 0; Lane < T->getNumElements(); ++Lane) {
    IRBuilder<> B(&Call);
    Value *Bit = B.CreateExtractElement(Mask, Lane);
    if (auto *Known = dyn_cast<ConstantInt>(Bit); Known && Known->isZero())
      continue;
    Value *Pointer =
        Everywhere ? B.CreateExtractElement(Pointers, Lane) : B.CreateConstInBoundsGEP1_64(Element, Pointers, Lane);
    const bool Sure = isa<ConstantInt>(Bit);
    BasicBlock *Before = Call.getParent();
    if (!Sure)
      B.SetInsertPoint(SplitBlockAndInsertIfThen(Bit, Call.getIterator(), /*Unreachable=*/false));
    B.SetCurrentDebugLocation(Call.getDebugLoc());
    if (!Loads) {
      Lanes.push_back(B.CreateAlignedStore(B.CreateExtractElement(Call.getArgOperand(0), Lane), Pointer, Alignment));
      continue;
    }
    LoadInst *Load = B.CreateAlignedLoad(Element, Pointer, Alignment);
    Lanes.push_back(Load);
    Value *With = B.CreateInsertElement(Result, Load, Lane);
    if (!Sure) {
      BasicBlock *Then = B.GetInsertBlock();
      B.SetInsertPoint(&Call);
      PHINode *Phi = B.CreatePHI(T, 2);
      Phi->addIncoming(Result, Before);
      Phi->addIncoming(With, Then);
      With = Phi;
    }
    Result = With;
  }
  if (Loads)
    Call.replaceAllUsesWith(Result);
  Call.eraseFromParent();
}

std::optional<unsigned> runtimeOperation(const AtomicRMWInst &Modify) {
  if (Modify.getOperation() == AtomicRMWInst::Xchg)
    return SKEIN_ATOMIC_EXCHANGE;
  if (needsRuntime(Modify))
    return std::nullopt;
  switch (Modify.getOperation()) {
  case AtomicRMWInst::Add:
    return SKEIN_ATOMIC_ADD;
  case AtomicRMWInst::Sub:
    return SKEIN_ATOMIC_SUB;
  case AtomicRMWInst::And:
    return SKEIN_ATOMIC_AND;
  case AtomicRMWInst::Or:
    return SKEIN_ATOMIC_OR;
  case AtomicRMWInst::Xor:
    return SKEIN_ATOMIC_XOR;
  case AtomicRMWInst::Nand:
    return SKEIN_ATOMIC_NAND;
  case AtomicRMWInst::Max:
    return SKEIN_ATOMIC_MAX;
  case AtomicRMWInst::Min:
    return SKEIN_ATOMIC_MIN;
  case AtomicRMWInst::UMax:
    return SKEIN_ATOMIC_UMAX;
  case AtomicRMWInst::UMin:
    return SKEIN_ATOMIC_UMIN;
  default:
    return std::nullopt;
  }
}

/// Removes an instruction that was refused. Its result, if it has one, is poison, and nothing is done.
static void takeOut(Instruction &I) {
  I.replaceAllUsesWith(PoisonValue::get(I.getType()));
  if (auto *Call = dyn_cast<InvokeInst>(&I)) {
    IRBuilder<>(Call).CreateBr(Call->getNormalDest());
    Call->getUnwindDest()->removePredecessor(Call->getParent());
  }
  I.eraseFromParent();
}

/// Whether the intrinsic takes a shared pointer without accessing what is there.
static bool onlyTalksAbout(const IntrinsicInst &Call) {
  return Call.getIntrinsicID() == Intrinsic::launder_invariant_group || Call.isAssumeLikeIntrinsic() ||
         Call.doesNotAccessMemory();
}

/// Why a call must not be given a shared pointer; empty if it may.
static std::string objection(const CallBase &Call, const TargetLibraryInfo &TLI) {
  if (none_of(Call.args(), [](const Use &Argument) { return isShared(Argument); }))
    return "";
  if (Call.isInlineAsm()) {
    const auto &Assembly = *cast<InlineAsm>(Call.getCalledOperand());
    unsigned Argument = 0;
    for (const InlineAsm::ConstraintInfo &Operand : Assembly.ParseConstraints()) {
      if (!Operand.hasArg())
        continue;
      if (Operand.isIndirect && isShared(Call.getArgOperand(Argument)))
        return "inline assembly cannot access shared memory";
      ++Argument;
    }
    return "";
  }
  if (const auto *Known = dyn_cast<IntrinsicInst>(&Call)) {
    if (isSharedAccess(Call) || onlyTalksAbout(*Known))
      return "";
    return ("the compiler made '" + Known->getCalledFunction()->getName() +
            "' of an access to shared memory, which Skein does not know")
        .str();
  }
  const Function *Callee = Call.getCalledFunction();
  LibFunc Library;
  if (Callee && Callee->isDeclaration() && !Call.getFunctionType()->isVarArg() &&
      TLI.getLibFunc(Callee->getName(), Library))
    return ("'" + Callee->getName() +
            "' takes pointers to plain memory, and this one leads to shared memory; <skein/shared.h> has the functions "
            "that take both")
        .str();
  return "";
}

/// Why a conversion between plain and shared pointers that the source did not ask for is refused: those for libatomic's
/// calls, where the reason is known, and others.
static std::string objection(const Instruction &Cast) {
  for (const User *U : Cast.users())
    if (const auto *Call = dyn_cast<CallBase>(U))
      if (const Function *Callee = Call->getCalledFunction(); Callee && Callee->getName().starts_with("__atomic_"))
        return "atomic operations on shared memory are done on aligned objects of 1, 2, 4, 8 or (with -mcx16) 16 bytes";
  return "a pointer to shared memory is made into one to plain memory, or the other way round; skein_local() tells "
         "where that is possible";
}

static bool convertsSpaces(const Instruction &I) {
  return isa<AddrSpaceCastInst>(I) && isSharedType(I.getType()) != isShared(I.getOperand(0)) &&
         !isa<Constant>(I.getOperand(0));
}

/// An operation that the runtime does not have becomes a loop that computes the new value and stores it if the old one
/// is still there.
static void expandToLoop(AtomicRMWInst &Modify) {
  BasicBlock *Before = Modify.getParent();
  Function &F = *Before->getParent();
  BasicBlock *After = Before->splitBasicBlock(Modify.getIterator(), "shared.changed");
  BasicBlock *Again = BasicBlock::Create(F.getContext(), "shared.change", &F, After);
  Before->getTerminator()->eraseFromParent();
  Value *Address = Modify.getPointerOperand();
  Type *T = Modify.getType();

  IRBuilder<> B(Before);
  B.SetCurrentDebugLocation(Modify.getDebugLoc());
  B.setIsFPConstrained(F.hasFnAttribute(Attribute::StrictFP));
  Value *First = B.CreateAlignedLoad(T, Address, Modify.getAlign());
  B.CreateBr(Again);

  B.SetInsertPoint(Again);
  PHINode *Old = B.CreatePHI(T, 2);
  Old->addIncoming(First, Before);
  Value *New = buildAtomicRMWValue(Modify.getOperation(), B, Old, Modify.getValOperand());
  Type *Bits = B.getIntNTy(T->getPrimitiveSizeInBits());
  Value *Pair = B.CreateAtomicCmpXchg(
      Address, B.CreateBitCast(Old, Bits), B.CreateBitCast(New, Bits), Modify.getAlign(), Modify.getOrdering(),
      AtomicCmpXchgInst::getStrongestFailureOrdering(Modify.getOrdering()), Modify.getSyncScopeID());
  Value *Found = B.CreateBitCast(B.CreateExtractValue(Pair, 0), T);
  Old->addIncoming(Found, Again);
  B.CreateCondBr(B.CreateExtractValue(Pair, 1), After, Again);
  Modify.replaceAllUsesWith(Found);
  Modify.eraseFromParent();
}

bool normaliseSharedAccesses(Function &F, FunctionAnalysisManager &AM) {
  const TargetLibraryInfo &TLI = AM.getResult<TargetLibraryAnalysis>(F);
  SmallVector<Instruction *, 8> Refused, Loops, Gathers, Prefetches;
  for (Instruction &I : instructions(F)) {
    std::string Why;
    if (convertsSpaces(I))
      Why = objection(I);
    else if (auto *Call = dyn_cast<CallBase>(&I))
      Why = objection(*Call, TLI);
    if (!Why.empty()) {
      error(F, I.getDebugLoc(), Why);
      Refused.push_back(&I);
    } else if (auto *Call = dyn_cast<IntrinsicInst>(&I); Call && isSharedAccess(I)) {
      if (anchorsOf(I)[0]->getType()->isVectorTy())
        Gathers.push_back(&I);
      else if (Call->getIntrinsicID() == Intrinsic::prefetch)
        Prefetches.push_back(&I);
    } else if (auto *Modify = dyn_cast<AtomicRMWInst>(&I); Modify && isSharedAccess(I)) {
      if (!runtimeOperation(*Modify))
        Loops.push_back(&I);
    }
  }
  for (Instruction *I : Refused)
    takeOut(*I);
  SmallVector<Instruction *, 8> Lanes;
  for (Instruction *I : Gathers)
    scalarise(*cast<IntrinsicInst>(I), Lanes);
  for (Instruction *I : Prefetches) // this is a hint, harmless wherever it leads
    makeDirect(*I, [&](Value *Pointer) {
      return IRBuilder<>(I).CreateAddrSpaceCast(Pointer, PointerType::get(F.getContext(), 0));
    });
  for (Instruction *I : Loops)
    expandToLoop(*cast<AtomicRMWInst>(I));
  return !Refused.empty() || !Gathers.empty() || !Loops.empty() || !Prefetches.empty();
}

} // namespace skein
