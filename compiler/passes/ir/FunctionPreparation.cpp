//===- FunctionPreparation.cpp -----------------------------------------------===//
//
// Homing inserts code after each may-migrate call, and needs every word that crosses the call in an alloca. This file
// changes functions so that it can:
//
//   * The normal destination of an invoke has no other predecessor. A landing pad that calls which may migrate share
//     with others is split in two, so that on each way to a pad where homes are reloaded they have been stored. Phis of
//     landing pads become allocas (a value stored before the invoke crosses it in memory that the map knows).
//   * A byval argument with pointers is copied to an alloca, since its words lie in the caller's outgoing area, which
//     no map describes.
//   * A load of a pointer from constant memory becomes volatile. SelectionDAG does not order loads from constant
//     memory, so it would use one before a call also for one after it.
//   * An aggregate of integers that a compare-and-exchange or a call returns is taken apart where it is defined, since
//     an integer can have a home if it turns out to be an address.
//   * `x + (k - &global)`, which LLVM makes of `x - &global + k`, is changed back: the address itself can be computed
//     again after a call, but its negative could not.
//   * An address that the optimiser computed on the way to another one, and that may lie far outside of its object (`a
//     + hi` of `a[hi - 1 - i]`), becomes its base and its offset again, since only the base can be recognised by where
//     it leads.
//   * Offsets from thread-local addresses are computed next to their uses, so that only the address itself must be
//     computed again. So are constant offsets from other pointers where that saves a home or is free.
//
//===----------------------------------------------------------------------===//
#include "FunctionPreparation.h"
#include "CallLiveness.h"
#include "HomeSlots.h"
#include "JumpLowering.h"
#include "abi/frame_map.h"
#include "passes/addresses/AddressChecks.h"
#include "passes/addresses/AddressIntegers.h"
#include "passes/addresses/PointerTypes.h"
#include "passes/machine/ArgumentPlaces.h"
#include "passes/private/PrivateVariables.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/BlockFrequencyInfo.h"
#include "llvm/Analysis/BranchProbabilityInfo.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/EHPersonalities.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace skein {

/// Whether this personality enters a landing pad with registers as the frame's calls left them, and keeps no address of
/// the frame. Those of C++ and of C's cleanup attribute are known to; others (Objective-C's) may as well.
static bool isKnownPersonality(const Constant &Personality) {
  EHPersonality Kind = classifyEHPersonality(&Personality);
  return Kind == EHPersonality::GNU_CXX || Kind == EHPersonality::GNU_C;
}

bool isHandedOn(const Argument &A) {
  return (A.hasByValAttr() || A.hasStructRetAttr()) && any_of(A.users(), [](const User *U) {
           const auto *Call = dyn_cast<CallInst>(U);
           return Call && Call->isMustTailCall();
         });
}

unsigned pinReason(Function &F, ArrayRef<CallBase *> Calls) {
  if (!hasMappableConvention(F))
    return SKEIN_PIN_FRAME;
  for (const Argument &A : F.args())
    if (A.hasInAllocaAttr() || A.hasSwiftErrorAttr() || A.hasPreallocatedAttr() || isHandedOn(A))
      return SKEIN_PIN_FRAME;
  for (const Instruction &I : instructions(F)) {
    // The value is in a register that all of Swift's functions leave alone and no function saves.
    if (const auto *Local = dyn_cast<AllocaInst>(&I); Local && Local->isSwiftError())
      return SKEIN_PIN_FRAME;
    const auto *Call = dyn_cast<CallBase>(&I);
    if (!Call)
      continue;
    // The result exists on several edges.
    if (isa<CallBrInst>(Call) && !Call->getType()->isVoidTy())
      return SKEIN_PIN_INLINE_ASM;
    if (Call->hasFnAttr(Attribute::ReturnsTwice) && !isJumpTarget(*Call))
      return SKEIN_PIN_RETURNS_TWICE;
    if (Call->getIntrinsicID() == Intrinsic::localescape)
      return SKEIN_PIN_FRAME;
  }
  if (F.hasPersonalityFn() && !isKnownPersonality(*F.getPersonalityFn()))
    return SKEIN_PIN_CATCH;
  for (const CallBase *Call : Calls)
    if (isa<CallBrInst>(Call) || Call->hasInAllocaArgument())
      return SKEIN_PIN_FRAME;
  return 0;
}

static void separateInvokeEdges(ArrayRef<CallBase *> Calls) {
  MapVector<BasicBlock *, SmallSetVector<BasicBlock *, 4>> Pads; // where calls that may migrate unwind to, and from
  for (CallBase *Call : Calls) {
    auto *Invoke = dyn_cast<InvokeInst>(Call);
    if (!Invoke)
      continue;
    if (!Invoke->getNormalDest()->getSinglePredecessor())
      SplitEdge(Invoke->getParent(), Invoke->getNormalDest());
    FoldSingleEntryPHINodes(Invoke->getNormalDest());
    Pads[Invoke->getUnwindDest()].insert(Invoke->getParent());
  }
  for (auto &[Unwind, Throwers] : Pads) {
    BasicBlock *Pad = Unwind;
    if (any_of(predecessors(Pad), [&](BasicBlock *From) { return !Throwers.contains(From); })) {
      SmallVector<BasicBlock *, 2> Halves;
      SplitLandingPadPredecessors(Pad, Throwers.getArrayRef(), ".migrated", ".stayed", Halves);
      Pad = Halves.front();
    }
    SmallVector<PHINode *, 4> Phis;
    for (PHINode &Phi : Pad->phis())
      Phis.push_back(&Phi);
    for (PHINode *Phi : Phis)
      DemotePHIToStack(Phi);
  }
}

static void copyByvalArguments(Function &F) {
  const DataLayout &DL = F.getDataLayout();
  for (Argument &A : F.args()) {
    Type *T = A.getParamByValType();
    if (!T || A.use_empty())
      continue;
    SmallVector<WordGroup, 4> Groups;
    if (appendWordGroups(T, 0, DL, Groups) && Groups.empty())
      continue;
    Align Alignment = std::max(A.getParamAlign().valueOrOne(), DL.getPrefTypeAlign(T));
    BasicBlock::iterator At = afterDefinition(F, &A);
    IRBuilder<> B(At->getParent(), At);
    AllocaInst *Copy =
        IRBuilder<>(&F.getEntryBlock(), F.getEntryBlock().begin()).CreateAlloca(T, nullptr, A.getName() + ".copy");
    Copy->setAlignment(Alignment);
    A.replaceAllUsesWith(Copy);
    B.CreateMemCpy(Copy, Alignment, &A, A.getParamAlign(), DL.getTypeAllocSize(T).getFixedValue());
  }
}

static void orderConstantLoads(Function &F) {
  for (Instruction &I : instructions(F)) {
    auto *Load = dyn_cast<LoadInst>(&I);
    if (!Load || !containsPointer(Load->getType()) || !Load->isUnordered() || Load->isAtomic() ||
        loadsPrivateAddress(Load))
      continue;
    const auto *Global = dyn_cast<GlobalVariable>(getUnderlyingObject(Load->getPointerOperand()));
    if (Load->hasMetadata(LLVMContext::MD_invariant_load) || (Global && Global->isConstant())) {
      Load->setMetadata(LLVMContext::MD_invariant_load, nullptr);
      Load->setVolatile(true);
    }
  }
}

/// Computes `Gep` next to each of its uses. `Made` is called for each clone.
static void sinkToUses(GetElementPtrInst &Gep, function_ref<void(Instruction &)> Made) {
  for (Use &U : make_early_inc_range(Gep.uses())) {
    auto *User = cast<Instruction>(U.getUser());
    auto *Phi = dyn_cast<PHINode>(User);
    Instruction *At = Phi ? Phi->getIncomingBlock(U)->getTerminator() : User;
    Instruction *Clone = Gep.clone();
    Clone->insertBefore(At->getIterator());
    if (Phi) // an incoming block may stand in the phi several times, always with the same value
      for (unsigned N = 0; N < Phi->getNumIncomingValues(); ++N) {
        if (Phi->getIncomingBlock(N) == At->getParent() && Phi->getIncomingValue(N) == &Gep)
          Phi->setIncomingValue(N, Clone);
      }
    else
      U.set(Clone);
    Made(*Clone);
  }
  if (Gep.use_empty())
    Gep.eraseFromParent();
}

static void sinkThreadAddressOffsets(Function &F) {
  SmallVector<GetElementPtrInst *, 8> Work;
  auto Collect = [&](Value &Base) {
    for (User *U : Base.users())
      if (auto *Gep = dyn_cast<GetElementPtrInst>(U); Gep && Gep->hasAllConstantIndices())
        Work.push_back(Gep);
  };
  for (Instruction &I : instructions(F))
    if (isThreadAddress(&I))
      Collect(I);
  while (!Work.empty())
    sinkToUses(*Work.pop_back_val(), [&](Instruction &Clone) { Collect(Clone); });
}

/// Whether the use is part of the address of a load or store, where a constant offset is free. It does not count if it
/// is so only after many steps.
static bool isAddressing(const Use &U, unsigned Depth = 0) {
  constexpr unsigned MostSteps = 16;
  const auto *User = cast<Instruction>(U.getUser());
  if (const auto *Index = dyn_cast<GetElementPtrInst>(User); Index && U.getOperandNo() == 0 && !Index->use_empty())
    return Depth < MostSteps && all_of(
                                    Index->uses(),
                                    [&](const Use &Further) {
                                      return cast<Instruction>(Further.getUser())->getParent() == Index->getParent() &&
                                             isAddressing(Further, Depth + 1);
                                    });
  return getLoadStorePointerOperand(User) == U.get() && (!isa<StoreInst>(User) || U.getOperandNo() == 1);
}

/// Sinks constant offsets from pointers that cross (nearly) the same calls anyway, and those that are only used in the
/// addresses of loads and stores; but not where an addition would get into a loop without a call.
static void sinkConstantOffsets(Function &F, ArrayRef<CallBase *> Calls) {
  SmallSetVector<Value *, 16> Values;
  SmallVector<GetElementPtrInst *, 16> Geps;
  for (Instruction &I : instructions(F))
    if (auto *Gep = dyn_cast<GetElementPtrInst>(&I);
        Gep && Gep->getType()->isPointerTy() && Gep->hasAllConstantIndices() && !isDerivable(Gep)) {
      Geps.push_back(Gep);
      Values.insert(Gep);
      if (Value *Base = Gep->getPointerOperand(); isa<Instruction, Argument>(Base))
        Values.insert(Base);
    }
  if (Geps.empty())
    return;
  CrossedCalls Crossed = computeCrossedCalls(F, Values.getArrayRef(), Calls);
  if (none_of(Geps, [&](GetElementPtrInst *Gep) { return Crossed.contains(Gep); }))
    return;
  DominatorTree DT(F);
  LoopInfo LI(DT);
  BranchProbabilityInfo Probabilities(F, LI);
  BlockFrequencyInfo Frequencies(F, Probabilities, LI);
  for (GetElementPtrInst *Gep : reverse(Geps)) { // an offset from another offset is sunk first
    auto Found = Crossed.find(Gep);
    if (Found == Crossed.end() || Found->second.empty())
      continue;
    SmallVector<CallBase *, 4> AtGep = Found->second;
    Value *Base = Gep->getPointerOperand();
    bool Free = true, Harmless = true;
    for (const Use &U : Gep->uses()) {
      if (isAddressing(U))
        continue;
      Free = false;
      auto *User = cast<Instruction>(U.getUser());
      const auto *Phi = dyn_cast<PHINode>(User);
      const BasicBlock *At = Phi ? Phi->getIncomingBlock(U) : User->getParent();
      Harmless &= isa<CallBase>(User) || LI.getLoopDepth(At) <= LI.getLoopDepth(Gep->getParent());
    }
    if (!Free) {
      ArrayRef<CallBase *> Already = Crossed[Base];
      uint64_t Saved = 0, Added = 0;
      for (CallBase *Call : AtGep) {
        uint64_t &Where = is_contained(Already, Call) ? Saved : Added;
        Where = SaturatingAdd(Where, Frequencies.getBlockFreq(Call->getParent()).getFrequency());
      }
      Harmless &= Added < Saved;
    }
    if (!Harmless)
      continue;
    for (CallBase *Call : AtGep)
      if (!is_contained(Crossed[Base], Call))
        Crossed[Base].push_back(Call);
    Crossed.erase(Gep);
    sinkToUses(*Gep, [](Instruction &) {});
  }
}

static void sinkBiasedAddresses(Function &F, ArrayRef<CallBase *> Calls) {
  SmallVector<Value *, 8> Biased;
  for (Instruction &I : instructions(F))
    if (auto *Gep = dyn_cast<GetElementPtrInst>(&I); Gep && isPointer(Gep->getType()) && !liesNearItsObject(*Gep))
      Biased.push_back(Gep);
  CrossedCalls Crossed = computeCrossedCalls(F, Biased, Calls);
  // An address that is computed from another one is sunk first, so that a chain follows its last link.
  for (Value *Gep : reverse(Biased))
    if (Crossed.contains(Gep))
      sinkToUses(*cast<GetElementPtrInst>(Gep), [](Instruction &) {});
}

/// The address that is subtracted in `C`, if C consists of that and of numbers: C == Rest - address.
static Constant *subtractedAddress(Constant &C, APInt &Rest) {
  auto *E = dyn_cast<ConstantExpr>(&C);
  if (!E)
    return nullptr;
  auto NumberIn = [&](unsigned N) { return dyn_cast<ConstantInt>(E->getOperand(N)); };
  if (E->getOpcode() == Instruction::Add)
    for (unsigned N : {0, 1})
      if (ConstantInt *Number = NumberIn(N)) {
        Rest += Number->getValue();
        return subtractedAddress(*E->getOperand(1 - N), Rest);
      }
  if (E->getOpcode() != Instruction::Sub || !NumberIn(0))
    return nullptr;
  auto *Subtracted = dyn_cast<ConstantExpr>(E->getOperand(1));
  if (!Subtracted || Subtracted->getOpcode() != Instruction::PtrToInt)
    return nullptr;
  Rest += NumberIn(0)->getValue();
  return Subtracted;
}

static void subtractAddresses(Function &F) {
  for (Instruction &I : make_early_inc_range(instructions(F)))
    for (unsigned N : {0, 1}) {
      if (I.getOpcode() != Instruction::Add || !I.getType()->isIntegerTy())
        break;
      auto *C = dyn_cast<Constant>(I.getOperand(N));
      APInt Rest(I.getType()->getIntegerBitWidth(), 0);
      Constant *Address = C ? subtractedAddress(*C, Rest) : nullptr;
      if (!Address)
        continue;
      IRBuilder<> B(&I);
      Value *Sum = B.CreateAdd(B.CreateSub(I.getOperand(1 - N), Address), ConstantInt::get(I.getType(), Rest));
      I.replaceAllUsesWith(Sum);
      I.eraseFromParent();
      break;
    }
}

static void takeIntegersApart(Function &F) {
  for (Instruction &I : make_early_inc_range(instructions(F)))
    if (auto *Part = dyn_cast<ExtractValueInst>(&I); Part && !containsPointer(Part->getAggregateOperand()->getType()))
      if (auto *Whole = dyn_cast<Instruction>(Part->getAggregateOperand()))
        Part->moveBefore(*afterDefinition(F, Whole)->getParent(), afterDefinition(F, Whole));
}

void prepareFunction(Function &F, ArrayRef<CallBase *> Calls) {
  subtractAddresses(F);
  separateInvokeEdges(Calls);
  takeIntegersApart(F);
  copyByvalArguments(F);
  orderConstantLoads(F);
  sinkThreadAddressOffsets(F);
  sinkBiasedAddresses(F, Calls);
  sinkConstantOffsets(F, Calls);
  for (CallBase *Call : Calls) {
    // Tail merging would make one site of two calls with different live locals.
    Call->addFnAttr(Attribute::NoMerge);
    // The record of a variadic call is in this frame, so the frame must exist during the call.
    if (auto *Direct = dyn_cast<CallInst>(Call); Direct && Call->getFunctionType()->isVarArg())
      Direct->setTailCallKind(CallInst::TCK_NoTail);
  }
}

/// Adds the words of a struct that is passed in memory.
static void addVariadicStruct(const ArgumentPart &Part, const DataLayout &DL, VariadicPointers &Result) {
  SmallVector<WordGroup, 4> Groups;
  appendWordGroups(Part.Of, 0, DL, Groups);
  for (const WordGroup &G : Groups)
    for (int64_t I = 0; I < G.Count; ++I) {
      const int64_t Word = G.Offset + I * G.Stride;
      if (G.Kind == SKEIN_LOCAL_POINTER)
        Result.Offsets.push_back(Part.Offset + Word);
      else
        Result.AmbiguousWords.push_back({Part.Argument, Word});
    }
}

VariadicPointers findVariadicPointers(const CallBase &Call, const AddressIntegers &Addresses) {
  VariadicPointers Result;
  const unsigned Named = Call.getFunctionType()->getNumParams();
  if (!Call.getFunctionType()->isVarArg())
    return Result;
  const ArgumentPlaces Places = argumentPlaces(Call);
  if (!Places.Known) {
    Result.Lost = any_of(drop_begin(Call.args(), Named), [&](const Value *Passed) {
      return containsPointer(Passed->getType()) || Addresses.mayCarryAddress(Passed);
    });
    return Result;
  }
  for (const ArgumentPart &Part : Places.Parts) {
    if (Part.Argument < Named)
      continue; // the map of the callee names it
    if (Part.ByValue) {
      addVariadicStruct(Part, Call.getDataLayout(), Result);
      continue;
    }
    const Value *Passed = Call.getArgOperand(Part.Argument);
    const bool Pointer =
        isPointer(Part.Of) || (Part.Of->isIntegerTy(64) && Addresses.form(Passed) == AddressForm::Address);
    if (Pointer && Part.In == ArgumentPart::Integer)
      Result.Registers |= 1u << Part.Register;
    else if (Pointer)
      Result.Offsets.push_back(Part.Offset);
    else if (Part.First && Addresses.mayCarryAddress(Passed))
      Result.Ambiguous.push_back(Part.Argument);
  }
  return Result;
}

} // namespace skein
