//===- AddressUses.cpp -------------------------------------------------------===//
//
// What is done with an address: where it may lead, which code may get it, and whether a pointer is only used for
// accesses. EscapingAddresses asks this, so that code which keeps no address reports none to the runtime.
//
//===----------------------------------------------------------------------===//
#include "AddressUses.h"
#include "PartsOfWords.h"
#include "passes/ir/CallLiveness.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace skein {

/// Whether a pointer may lead to anything else than allocations and constants of this kind.
template <class Constants> static bool mayLeadBeyond(const Value *V) {
  SmallVector<const Value *, 4> Objects;
  getUnderlyingObjects(V, Objects);
  return any_of(Objects, [](const Value *Object) { return !isa<Constants>(Object) && !isNoAliasCall(Object); });
}

bool mayLeadToWhatMoves(const Value *V) { return mayLeadBeyond<ConstantData>(V); }
bool mayLeadToStack(const Value *V) { return mayLeadBeyond<Constant>(V); }

/// Whether a use of a variable's address keeps it in this function, and in functions that do not keep it.
static bool keepsToItself(const Use &U) {
  const auto *I = dyn_cast<Instruction>(U.getUser());
  if (!I || readsForWitness(*I))
    return I;
  if (const auto *Call = dyn_cast<CallBase>(I))
    return I->isLifetimeStartOrEnd() || I->isDroppable() ||
           (Call->isArgOperand(&U) && Call->doesNotCapture(Call->getArgOperandNo(&U)));
  return isa<LoadInst, ICmpInst>(I) || (isa<StoreInst>(I) && U.getOperandNo() == 1) ||
         (isa<AtomicRMWInst, AtomicCmpXchgInst>(I) && U.getOperandNo() == 0);
}

bool isKnownElsewhere(const Value &Variable) {
  const auto *Global = dyn_cast<GlobalValue>(&Variable);
  if (Global && !Global->hasLocalLinkage())
    return true;
  SmallSetVector<const Value *, 8> Made;
  Made.insert(&Variable);
  for (unsigned N = 0; N < Made.size(); ++N)
    for (const Use &U : Made[N]->uses())
      if (isa<GEPOperator, PHINode, SelectInst>(U.getUser()))
        Made.insert(U.getUser());
      else if (!keepsToItself(U))
        return true;
  return false;
}

static bool isFollowed(const Use &U) {
  return isa<LoadInst, ICmpInst, IntrinsicInst>(U.getUser()) || (isa<StoreInst>(U.getUser()) && U.getOperandNo() == 1);
}

bool isOnlyFollowed(Instruction &Pointer, Function &F, ArrayRef<CallBase *> Calls) {
  constexpr size_t MostValues = 32;
  SmallSetVector<Value *, 8> Made;
  Made.insert(&Pointer);
  bool Merged = !isa<GetElementPtrInst>(Pointer);
  for (unsigned N = 0; N < Made.size(); ++N) {
    if (Made.size() > MostValues)
      return false;
    for (const Use &U : Made[N]->uses()) {
      const bool Merges = isa<PHINode, SelectInst>(U.getUser());
      Merged |= Merges;
      if (Merges || (isa<GetElementPtrInst>(U.getUser()) && U.getOperandNo() == 0))
        Made.insert(U.getUser());
      else if (!isFollowed(U))
        return false;
    }
  }
  return !Merged || computeCrossedCalls(F, Made.getArrayRef(), Calls).empty();
}

bool isOnlyFollowed(const Instruction &Cast) {
  SmallPtrSet<const Value *, 8> Made{&Cast};
  size_t Uses = Cast.getNumUses();
  for (const Instruction *I = Cast.getNextNode(); I && Uses; I = I->getNextNode()) {
    if (const auto *Call = dyn_cast<CallBase>(I); Call && !isa<IntrinsicInst>(Call))
      return false;
    for (const Use &U : I->operands()) {
      if (!Made.contains(U))
        continue;
      Uses--;
      if (isa<GetElementPtrInst>(I)) {
        Made.insert(I);
        Uses += I->getNumUses();
      } else if (!isFollowed(U)) {
        return false;
      }
    }
  }
  return !Uses;
}

bool isOnlyFollowedBy(StringRef Text, unsigned Operand) {
  for (size_t At = Text.find('$'); At != StringRef::npos; At = Text.find('$', At + 1)) {
    unsigned Number = 0;
    StringRef Rest = Text.substr(At + 1);
    Rest.consume_front("{");
    if (!Rest.consumeInteger(10, Number) && Number == Operand && (!At || !StringRef("([").contains(Text[At - 1])))
      return false;
  }
  return true;
}

bool keepsPlace(const ConstantInt &Mask, unsigned Below) {
  const uint64_t Moving = ((uint64_t(1) << 47) - 1) & ~((uint64_t(1) << Below) - 1);
  return (Mask.getZExtValue() & Moving) == Moving;
}

bool isMasked(const Value &V, unsigned Below) {
  const auto *I = dyn_cast<Instruction>(&V);
  if (!I || I->getOpcode() != Instruction::And)
    return false;
  const auto *Mask = dyn_cast<ConstantInt>(I->getOperand(1));
  return !Mask || keepsPlace(*Mask, Below);
}

} // namespace skein
