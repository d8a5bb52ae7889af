//===- NumberEvidence.cpp ----------------------------------------------------===//
//
// A machine instruction loads words without saying what they are. Its memory operand still leads to the IR that it was
// made of: to the tag of type-based alias information, to the address, and so to the loads of the IR there. A word is a
// number if any of them says so; otherwise it may be an address.
//
// WordEvidence.cpp, which asks the same of IR, is not used: the proof believes none of the passes before it.
//
//===----------------------------------------------------------------------===//
#include "NumberEvidence.h"
#include "passes/Annotations.h"
#include "passes/addresses/AddressChecks.h"
#include "passes/addresses/PointerTypes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/CodeGen/MachineMemOperand.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace skein {

/// Whether a tag of type-based alias information names a number. `char` is the tag of whatever may be anything.
static bool namesNumber(const MDNode *Tag) {
  const auto *Access = Tag && Tag->getNumOperands() > 1 ? dyn_cast_or_null<MDNode>(Tag->getOperand(1)) : nullptr;
  const auto *Name = Access && Access->getNumOperands() ? dyn_cast<MDString>(Access->getOperand(0)) : nullptr;
  if (!Name)
    return false;
  StringRef Type = Name->getString();
  if (Type == "omnipotent char" || Type.contains("TBAA") || Type.ends_with("pointer"))
    return false;
  return !(Type.consume_front("p") && !Type.empty() && isDigit(Type.front()));
}

static bool reachesUnion(const Type *T) {
  while (const auto *Array = dyn_cast<ArrayType>(T))
    T = Array->getElementType();
  const auto *Struct = dyn_cast<StructType>(T);
  return Struct &&
         ((Struct->hasName() && Struct->getName().starts_with("union.")) || any_of(Struct->elements(), reachesUnion));
}

/// Without the optimiser there are no tags, but the address of a member or an element says what that is.
static bool addressesNumber(const Value *Address, const Function &F) {
  const auto *Member = dyn_cast_or_null<GEPOperator>(Address);
  if (!Member || !F.hasOptNone() ||
      !(Member->getResultElementType()->isIntOrIntVectorTy() || Member->getResultElementType()->isFPOrFPVectorTy()))
    return false;
  for (const auto *At = Member; At; At = dyn_cast<GEPOperator>(At->getPointerOperand()))
    if (reachesUnion(At->getSourceElementType()))
      return false;
  return true;
}

/// Whether a word is told to the runtime as soon as it is loaded, if it leads into the stack: then the thread stays,
/// and it does not matter who else has the word.
static bool isTold(const LoadInst &Load) {
  if (Load.getType()->getPrimitiveSizeInBits() != 64)
    return false;
  SmallVector<const Value *, 8> Same{&Load};
  for (unsigned I = 0; I < Same.size() && I < 16; ++I)
    for (const User *U : Same[I]->users()) {
      if (isa<BitCastInst, IntToPtrInst, PtrToIntInst>(U))
        Same.push_back(U);
      const auto *Call = dyn_cast<CallInst>(U);
      const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
      if (!Callee || !tellsOfEscape(*Callee) || Call->getArgOperand(0) != Same[I])
        continue;
      const bool SameBlock = Call->getParent() == Load.getParent();
      if (!SameBlock && Call->getParent()->getSinglePredecessor() != Load.getParent())
        continue;
      const auto End = SameBlock ? Call->getIterator() : Load.getParent()->end();
      return none_of(make_range(Load.getIterator(), End), [](const Instruction &Between) {
        const auto *Crossed = dyn_cast<CallBase>(&Between);
        return Crossed && hasSiteInfo(*Crossed);
      });
    }
  return false;
}

/// Whether the IR loads numbers there: all its loads from this address do, by their tags, because they are addresses of
/// shared memory, which are the same everywhere, because they are of vectors with elements of less than half a word, or
/// because the runtime hears of them if they are none. Code generation drops the tag where it makes a vector wider.
static bool loadsIRNumber(const Value *Address, const Function &F) {
  if (!Address || isa<ConstantData>(Address))
    return false;
  bool Number = false;
  unsigned Budget = 1000; // a global can have users without end
  for (const User *U : Address->users()) {
    const auto *Load = dyn_cast<LoadInst>(U);
    if (!--Budget)
      return false;
    if (!Load || Load->getFunction() != &F)
      continue;
    const Type *Element = Load->getType()->getScalarType();
    const bool Parts = Load->getType()->isVectorTy() && Element->getPrimitiveSizeInBits() < 32;
    const bool Shared = Element->isPointerTy() && !isPointer(Element);
    if (!Parts && !Shared && !namesNumber(Load->getMetadata(LLVMContext::MD_tbaa)) && !isTold(*Load))
      return false;
    Number = true;
  }
  return Number;
}

bool holdsNumber(const MachineMemOperand &Memory, const Function &F) {
  if (const auto *I = dyn_cast_or_null<Instruction>(Memory.getValue()); I && I->hasMetadata(WitnessMetadata))
    return true;
  if (namesNumber(Memory.getAAInfo().TBAA))
    return true;
  return loadsIRNumber(Memory.getValue(), F) || addressesNumber(Memory.getValue(), F);
}

} // namespace skein
