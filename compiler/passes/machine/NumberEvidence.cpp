//===- NumberEvidence.cpp ----------------------------------------------------===//
//
// A machine instruction loads words without saying what they are. But its memory operand leads to the IR from which it
// was made: to the tag of type-based alias information, to the address, and so to the loads of the IR from there. A
// word is a number if any of these says so; otherwise it may be an address.
//
// WordEvidence.cpp, which answers the same question for IR, is not used: the proof relies on none of the passes before
// it.
//
//===----------------------------------------------------------------------===//
#include "NumberEvidence.h"
#include "passes/Annotations.h"
#include "passes/addresses/AddressChecks.h"
#include "passes/addresses/PointerTypes.h"
#include "passes/addresses/TellingPlaces.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/CodeGen/MachineMemOperand.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace skein {

/// Whether a tag of type-based alias information names a number. The tag `char` may stand for anything.
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

/// Whether the address leads to a member or an element that is a number. Code without optimisation has no tags, but
/// there the address names the type.
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

static bool hasSite(BasicBlock::const_iterator From, BasicBlock::const_iterator To) {
  return any_of(make_range(From, To), [](const Instruction &I) {
    const auto *Call = dyn_cast<CallBase>(&I);
    return Call && hasSiteInfo(*Call);
  });
}

/// Whether each way from `Home` to `To`, which it dominates, leads through `Gate`.
static bool leadsThrough(const BasicBlock &Gate, const BasicBlock &To, const BasicBlock &Home) {
  constexpr unsigned Most = 100;
  SmallSetVector<const BasicBlock *, 8> Ways;
  Ways.insert(&To);
  for (unsigned N = 0; N < Ways.size(); ++N) {
    if (Ways[N] == &Gate)
      continue;
    if (Ways[N] == &Home || Ways.size() > Most)
      return false;
    Ways.insert_range(predecessors(Ways[N]));
  }
  return true;
}

/// Whether a thread reaches no migration point between the load and the end of the block, to which edges lead that
/// enter their blocks alone.
static bool staysUntil(const BasicBlock *End, const LoadInst &Load) {
  for (; End != Load.getParent(); End = End->getSinglePredecessor())
    if (!End || hasSite(End->begin(), End->end()))
      return false;
  return !hasSite(Load.getIterator(), End->end());
}

/// Whether a word is reported to the runtime if it leads into the stack, after it is loaded and before the next
/// migration point. Then the thread stays, and it does not matter which other code has the word. Where it is not
/// reported, it only decides a branch.
static bool isTold(const LoadInst &Load) {
  if (Load.getType()->getPrimitiveSizeInBits() != 64)
    return false;
  const BasicBlock *const Home = Load.getParent();
  SmallVector<const Value *, 8> Same{&Load};
  for (unsigned I = 0; I < Same.size() && I < 16; ++I)
    for (const User *U : Same[I]->users())
      if (isa<BitCastInst, IntToPtrInst, PtrToIntInst>(U))
        Same.push_back(U);
  auto TellsHere = [&](const Value &Word, const User &U) {
    const auto *Call = dyn_cast<CallInst>(&U);
    const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    if (!Callee || !tellsOfEscape(*Callee) || Call->getArgOperand(0) != &Word)
      return false;
    if (Call->getParent() == Home)
      return !hasSite(Load.getIterator(), Call->getIterator());
    const BasicBlock *Gate = Call->getParent()->getSinglePredecessor(); // where it is found out whether to report
    if (!Gate || !staysUntil(Gate, Load))
      return false;
    return Gate == Home || all_of(Same, [&](const Value *V) {
             return all_of(V->uses(), [&](const Use &By) {
               const auto &Use = *cast<Instruction>(By.getUser());
               const auto *Phi = dyn_cast<PHINode>(&Use);
               return onlyDecidesBranch(Use, Load) ||
                      leadsThrough(*Gate, *(Phi ? Phi->getIncomingBlock(By) : Use.getParent()), *Home);
             });
           });
  };
  return any_of(Same, [&](const Value *Word) {
    return any_of(Word->users(), [&](const User *U) { return TellsHere(*Word, *U); });
  });
}

/// Whether the IR loads numbers there. It does if all its loads from this address do: by their tags; because they load
/// addresses of shared memory, which are the same everywhere; because they load vectors with elements of less than half
/// a word; or because the runtime is told of the words. (Code generation drops the tag where it makes a vector wider.)
static bool loadsIRNumber(const Value *Address, const Function &F) {
  if (!Address || isa<ConstantData>(Address))
    return false;
  bool Number = false;
  unsigned Budget = 1000; // a global may have any number of users
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
  if (const auto *I = dyn_cast_or_null<Instruction>(Memory.getValue()); I && isMarked(*I, WitnessMetadata))
    return true;
  if (namesNumber(Memory.getAAInfo().TBAA))
    return true;
  return loadsIRNumber(Memory.getValue(), F) || addressesNumber(Memory.getValue(), F);
}

} // namespace skein
