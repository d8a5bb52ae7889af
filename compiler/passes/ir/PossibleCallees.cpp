//===- PossibleCallees.cpp ---------------------------------------------------===//
//
// Finds the functions that an indirect call can reach, by following the called pointer back:
//
//   phi, select, freeze        all of their inputs
//   !callees on the call       what LLVM's called-value propagation found
//   argument                   of a function whose every use is a direct call here: what those calls pass
//   load                       from a constant table: every function in the table, whatever the index
//
// Anything else could be any function. This is sound because each step finds every value that the operand can have;
// null and undef cannot be called, and a load past the end of a table is undefined.
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
  if (const MDNode *Known = Call.getMetadata(LLVMContext::MD_callees)) {
    for (const MDOperand &Each : Known->operands())
      if (const auto *F = mdconst::dyn_extract_or_null<Function>(Each))
        To.insert(F);
      else
        return false;
    return true;
  }
  Work = {Call.getCalledOperand()};
  for (size_t N = 0; N < Work.size(); ++N)
    if (!followValue(Work[N]))
      return false;
  return true;
}

/// Adds what a value can be to `Work`, or to `Found` if it is a function. False: it can be anything.
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
  if (const auto *A = dyn_cast<Argument>(V))
    return followArgument(*A);
  if (const auto *Load = dyn_cast<LoadInst>(V))
    return followLoad(Load->getPointerOperand());
  if (const auto *Phi = dyn_cast<PHINode>(V))
    Work.append(Phi->op_begin(), Phi->op_end());
  else if (const auto *Select = dyn_cast<SelectInst>(V))
    Work.append({Select->getTrueValue(), Select->getFalseValue()});
  else if (const auto *Freeze = dyn_cast<FreezeInst>(V))
    Work.push_back(Freeze->getOperand(0));
  else
    return false;
  return true;
}

bool PossibleCallees::followArgument(const Argument &A) {
  const Function &F = *A.getParent();
  if (!F.hasLocalLinkage() || F.isVarArg())
    return false;
  for (const Use &U : F.uses()) {
    const auto *Call = dyn_cast<CallBase>(U.getUser());
    if (!Call || !Call->isCallee(&U) || Call->getFunctionType() != F.getFunctionType())
      return false;
    Work.push_back(Call->getArgOperand(A.getArgNo()));
  }
  return true;
}

bool PossibleCallees::followLoad(const Value *From) {
  SmallPtrSet<const Value *, 8> Read;
  SmallVector<const Value *, 8> Places{From};
  while (!Places.empty()) {
    const Value *Base = getUnderlyingObject(Places.pop_back_val(), 0);
    if (!Read.insert(Base).second)
      continue;
    const auto *Table = dyn_cast<GlobalVariable>(Base);
    if (Read.size() > SeenMost)
      return false;
    if (const auto *Phi = dyn_cast<PHINode>(Base))
      Places.append(Phi->op_begin(), Phi->op_end());
    else if (const auto *Select = dyn_cast<SelectInst>(Base))
      Places.append({Select->getTrueValue(), Select->getFalseValue()});
    else if (!Table || !Table->isConstant() || !Table->hasDefinitiveInitializer() ||
             !followTable(Table->getInitializer()))
      return false;
  }
  return true;
}

bool PossibleCallees::followTable(const Constant *Content) {
  if (isa<ConstantData>(Content)) // numbers, null
    return true;
  if (isa<GlobalVariable>(Content->stripPointerCastsAndAliases()))
    return true; // data, which cannot be called
  if (Content->getType()->isPointerTy()) {
    Work.push_back(Content);
    return true;
  }
  if (const auto *Expression = dyn_cast<ConstantExpr>(Content)) {
    // An integer that is computed from an address, as in a table of relative offsets.
    return all_of(Expression->operands(), [&](const Use &U) { return followTable(cast<Constant>(U.get())); });
  }
  return all_of(Content->operands(), [&](const Use &U) { return followTable(cast<Constant>(U.get())); });
}

} // namespace skein
