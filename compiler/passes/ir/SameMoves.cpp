//===- SameMoves.cpp - Functions whose threads keep their address ------------===//
//
// Decides which of the functions that are to be compiled as clang does it can be, and says of the others, in a remark,
// why they get homes after all:
//
//   * A thread may go on in another kernel thread, at the same address of its stack or not. So an address that belongs
//     to the kernel thread (of a thread-local variable, of errno) is wrong after a call, and clang may keep it there in
//     a register. Homing computes it again.
//   * What setjmp saves besides the registers of its caller must be described at each call of the function, since a
//     jump may come from any of them.
//
// Polls read a thread-local variable of the runtime as well, but each by itself, with an instruction that has its
// address; they are inserted later.
//
//===----------------------------------------------------------------------===//
#include "SameMoves.h"
#include "CallLiveness.h"
#include "HomeSlots.h"
#include "JumpLowering.h"
#include "abi/frame_map.h"
#include "passes/Annotations.h"
#include "passes/Passes.h"
#include "passes/addresses/AddressChecks.h"
#include "passes/addresses/AddressIntegers.h"
#include "passes/addresses/PointerTypes.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace skein {

static constexpr const char *RemarkPass = "skein-moves";

bool movesToSame(const Function &F) { return F.hasFnAttribute(SameMovesAttribute); }

/// What clang's code could not do in a thread that moves, and where; null: nothing.
static const Instruction *needsHomes(const Function &F, const char *&Why) {
  for (const Instruction &I : instructions(F)) {
    const auto *Call = dyn_cast<CallBase>(&I);
    if (isThreadAddress(&I))
      Why = "it has an address that belongs to the kernel thread (of errno or another thread-local variable), which "
            "changes when the thread moves";
    else if (Call && isJumpTarget(*Call))
      Why = "it calls setjmp, and a jump there has to find its variables";
    if (Why)
      return &I;
  }
  return nullptr;
}

PreservedAnalyses SameMovesPass::run(Function &F, FunctionAnalysisManager &) {
  if (!movesToSame(F) || F.hasFnAttribute(HomedAttribute))
    return PreservedAnalyses::all();
  const char *Why = nullptr;
  if (const Instruction *At = needsHomes(F, Why)) {
    F.removeFnAttr(SameMovesAttribute);
    OptimizationRemarkEmitter Remarks(&F);
    Remarks.emit([&] {
      return OptimizationRemarkMissed(RemarkPass, "Homed", At)
             << ore::NV("Function", &F) << " is not compiled as clang does it: " << Why;
    });
  }
  return PreservedAnalyses::all();
}

/// Whether an address leads to what has the same address on all nodes as long as the stack keeps its own.
static bool leadsToWhatStays(const Value *Address) {
  if (!isPointer(Address->getType()))
    return isa<Constant>(Address); // else a word of which nothing is known
  SmallVector<const Value *, 4> Objects;
  getUnderlyingObjects(Address, Objects);
  return all_of(Objects, [](const Value *Object) { return isa<AllocaInst, Constant>(Object); });
}

/// Whether memory of a type may have pointers at places where the runtime does not look in a frame of which it knows
/// nothing: those of packed structs.
static bool hasOddPointers(Type *T, Align Alignment, const DataLayout &DL) {
  SmallVector<WordGroup, 4> Groups;
  if (!containsPointer(T))
    return false;
  return !appendWordGroups(T, 0, DL, Groups) || any_of(Groups, [&](const WordGroup &G) {
    return G.Kind == SKEIN_LOCAL_POINTER && (G.Offset % 8 != 0 || G.Stride % 8 != 0 || Alignment < Align(8));
  });
}

static bool hasOddPointers(const Function &F) {
  const DataLayout &DL = F.getDataLayout();
  return any_of(F.args(),
                [&](const Argument &A) {
                  Type *T = A.getParamByValType();
                  return T && hasOddPointers(T, Align(8), DL);
                }) ||
         any_of(instructions(F), [&](const Instruction &I) {
           const auto *Local = dyn_cast<AllocaInst>(&I);
           return Local && hasOddPointers(Local->getAllocatedType(), Local->getAlign(), DL);
         });
}

/// Adds the pointers that may lie far away from their object, and what is merged or computed from them.
static void addBiased(Function &F, SmallVectorImpl<Value *> &To) {
  SmallSetVector<Value *, 16> Biased;
  for (Instruction &I : instructions(F))
    if (auto *Gep = dyn_cast<GetElementPtrInst>(&I);
        Gep && isPointer(Gep->getType()) && !liesNearItsObject(*Gep) && !leadsToWhatStays(Gep->getPointerOperand()))
      Biased.insert(Gep);
  for (size_t N = 0; N < Biased.size(); ++N)
    for (User *U : Biased[N]->users())
      if (isa<PHINode, SelectInst, FreezeInst, CastInst, GetElementPtrInst, InsertElementInst, ExtractElementInst,
              InsertValueInst, ExtractValueInst, ShuffleVectorInst>(U))
        Biased.insert(U);
  To.append(Biased.begin(), Biased.end());
}

SmallPtrSet<CallBase *, 4> callsThatHideAddresses(Function &F, ArrayRef<CallBase *> Calls) {
  if (hasOddPointers(F))
    return {Calls.begin(), Calls.end()};
  AddressIntegers Addresses(F);
  SmallVector<Value *, 16> Hiding;
  for (Value *V : Addresses.candidates())
    if ((Addresses.treatment(V) == Treatment::LeafWitness || !Addresses.doubts(V).empty()) &&
        !all_of(Addresses.leaves(V), leadsToWhatStays))
      Hiding.push_back(V);
  addBiased(F, Hiding);
  SmallPtrSet<CallBase *, 4> Found;
  for (auto &[V, At] : computeCrossedCalls(F, Hiding, Calls))
    Found.insert(At.begin(), At.end());
  return Found;
}

void setHidingSite(CallBase &Call) {
  SiteInfo Site;
  Site.Pin = SKEIN_PIN_SAME_HIDDEN;
  setSiteInfo(Call, Site);
  Call.addFnAttr(Attribute::NoMerge); // with a call of another reason
  Call.getFunction()->addFnAttr(HidingAttribute);
}

void remarkSameMoves(Function &F, ArrayRef<CallBase *> Calls, const SmallPtrSetImpl<CallBase *> &Hiding) {
  OptimizationRemarkEmitter Remarks(&F);
  Remarks.emit([&] {
    return OptimizationRemark(RemarkPass, "Same", &F)
           << ore::NV("Function", &F) << " is compiled as clang does it: a thread in it keeps the address of its stack";
  });
  for (CallBase *Call : Calls)
    if (Hiding.contains(Call))
      Remarks.emit([&] {
        return OptimizationRemarkMissed(RemarkPass, "Hidden", Call)
               << "a thread stays on its node during this call: " << skein_pin_text(SKEIN_PIN_SAME_HIDDEN);
      });
}

} // namespace skein
