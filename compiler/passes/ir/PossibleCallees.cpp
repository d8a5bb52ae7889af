//===- PossibleCallees.cpp ---------------------------------------------------===//
//
// Follows a called pointer back to the functions it can be:
//
//   phi, select, freeze        all of their inputs
//   !callees on the call       what LLVM's called-value propagation found
//   argument                   of a function whose every use is a direct call here: what those calls pass
//   load                       from a constant table: every function in the table, whatever the index
//
// Anything else could be any function. Sound because each step lists every value the operand can have; null and undef
// cannot be called, and a load past the end of a table is undefined.
//
//===----------------------------------------------------------------------===//
#include "PossibleCallees.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Metadata.h"

using namespace llvm;

namespace skein {

static constexpr unsigned SeenMost = 256; // a bound on the work, far beyond any table of handlers

bool PossibleCallees::find(const CallBase &Call, SmallSetVector<const Function *, 8> &To) {
  Found = &To;
  Seen.clear();
  SeenAsTable.clear();
  if (const MDNode *Known = Call.getMetadata(LLVMContext::MD_callees)) {
    for (const MDOperand &Each : Known->operands())
      if (const auto *F = mdconst::dyn_extract_or_null<Function>(Each))
        To.insert(F);
      else
        return false;
    return true;
  }
  return followValue(Call.getCalledOperand());
}

bool PossibleCallees::followValue(const Value *V) {
  V = V->stripPointerCastsAndAliases();
  if (!Seen.insert(V).second)
    return true;
  if (Seen.size() > SeenMost)
    return false;
  if (const auto *F = dyn_cast<Function>(V)) {
    Found->insert(F);
    return true;
  }
  if (isa<ConstantPointerNull, UndefValue>(V))
    return true;
  if (const auto *Phi = dyn_cast<PHINode>(V))
    return all_of(Phi->incoming_values(), [&](const Use &U) { return followValue(U.get()); });
  if (const auto *Select = dyn_cast<SelectInst>(V))
    return followValue(Select->getTrueValue()) && followValue(Select->getFalseValue());
  if (const auto *Freeze = dyn_cast<FreezeInst>(V))
    return followValue(Freeze->getOperand(0));
  if (const auto *A = dyn_cast<Argument>(V))
    return followArgument(*A);
  if (const auto *Load = dyn_cast<LoadInst>(V))
    return followLoad(Load->getPointerOperand());
  return false;
}

bool PossibleCallees::followArgument(const Argument &A) {
  const Function &F = *A.getParent();
  if (!F.hasLocalLinkage() || F.isVarArg())
    return false;
  for (const Use &U : F.uses()) {
    const auto *Call = dyn_cast<CallBase>(U.getUser());
    if (!Call || !Call->isCallee(&U) || Call->getFunctionType() != F.getFunctionType() ||
        !followValue(Call->getArgOperand(A.getArgNo())))
      return false;
  }
  return true;
}

bool PossibleCallees::followLoad(const Value *From) {
  const Value *Base = getUnderlyingObject(From, 0);
  if (const auto *Phi = dyn_cast<PHINode>(Base))
    return !SeenAsTable.insert(Phi).second ||
           all_of(Phi->incoming_values(), [&](const Use &U) { return followLoad(U.get()); });
  if (const auto *Select = dyn_cast<SelectInst>(Base))
    return followLoad(Select->getTrueValue()) && followLoad(Select->getFalseValue());
  const auto *Table = dyn_cast<GlobalVariable>(Base);
  return Table && Table->isConstant() && Table->hasDefinitiveInitializer() && followTable(Table->getInitializer());
}

bool PossibleCallees::followTable(const Constant *Content) {
  if (isa<ConstantData>(Content)) // numbers, null
    return true;
  if (isa<GlobalVariable>(Content->stripPointerCastsAndAliases()))
    return true; // data, which nobody can call
  if (Content->getType()->isPointerTy())
    return followValue(Content);
  if (const auto *Expression = dyn_cast<ConstantExpr>(Content)) {
    // An integer computed from an address, as in a table of relative offsets.
    return all_of(Expression->operands(), [&](const Use &U) { return followTable(cast<Constant>(U.get())); });
  }
  return all_of(Content->operands(), [&](const Use &U) { return followTable(cast<Constant>(U.get())); });
}

} // namespace skein
