//===- StepBounds.cpp --------------------------------------------------------===//
//
// A loop that is known to end soon needs no poll. Three things bound how long code runs: a trip count that
// ScalarEvolution knows, a number that runs out, and brief callees.
//
// *Numbers that run out.* ScalarEvolution knows sums. An index in a heap that is halved on the way up, or doubled on
// the way down, is no sum, and yet such a loop ends after 64 iterations at most. Here the values that the phis of the
// loop's header can have are followed as ranges, iteration by iteration: first those that come from outside, as far as
// the loop's guards restrict them; of these, the values with which the exits that every iteration passes do not leave
// the loop; from these, what the loop's own operations compute. As soon as no value is left, the loop has ended.
//
// Where numbers grow and the bound is not constant, a range is emptied by overflow: the operation is marked nsw or nuw,
// so what it would compute next is poison. That ends the loop if an exit that every iteration passes would branch on
// it, which is undefined behaviour on which the optimiser has relied before.
//
// *Brief functions* have only bounded loops, call only brief functions, and are not recursive. Calling one counts as
// one step plus its steps. The C library counts as unknown, since reading a file is one call as well.
//
//===----------------------------------------------------------------------===//
#include "StepBounds.h"
#include "passes/Compat.h"
#include "passes/ir/PossibleCallees.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/ConstantRange.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace skein {

namespace {

/// Follows the values of the phis of a loop's header.
class RunningOut {
public:
  RunningOut(Loop &L, LoopInfo &LI, ScalarEvolution &SE, DominatorTree &DT) : L(L), LI(LI), SE(SE) {
    SmallVector<BasicBlock *, 4> Exiting;
    L.getExitingBlocks(Exiting);
    for (BasicBlock *B : Exiting)
      if (Value *Condition = conditionOf(*B->getTerminator()); Condition && DT.dominates(B, L.getLoopLatch()))
        addExits(Condition, !L.contains(B->getTerminator()->getSuccessor(0)));
  }

  /// The highest possible number of iterations; 0: no bound was found.
  uint64_t most() {
    SmallVector<PHINode *, 4> Phis;
    for (PHINode &Phi : L.getHeader()->phis())
      if (Phi.getType()->isIntegerTy())
        Phis.push_back(&Phi);
    if (Phis.empty() || Exits.empty())
      return 0;
    DenseMap<Value *, ConstantRange> Now;
    for (PHINode *Phi : Phis) {
      const SCEV *First = SE.applyLoopGuards(SE.getSCEV(Phi->getIncomingValueForBlock(L.getLoopPreheader())), &L);
      Now.insert({Phi, SE.getUnsignedRange(First).intersectWith(SE.getSignedRange(First))});
    }
    constexpr uint64_t Most = 72; // the bits of the widest number, and some more
    for (uint64_t Iteration = 1; Iteration <= Most; ++Iteration) {
      Values = std::move(Now);
      if (ends())
        return Iteration;
      Now.clear();
      for (PHINode *Phi : Phis)
        Now.insert({Phi, range(Phi->getIncomingValueForBlock(L.getLoopLatch()))});
    }
    return 0;
  }

private:
  struct Exit {
    Value *Tested;
    std::optional<ConstantRange> Stays; ///< none: not known
  };

  /// Adds the comparisons each of which alone leaves the loop; if there are very many, only some of them.
  void addExits(Value *Condition, bool LeavesIf) {
    constexpr size_t Most = 64;
    SmallVector<Value *, 4> Work{Condition};
    while (!Work.empty() && Work.size() < Most && Exits.size() < Most) {
      Condition = Work.pop_back_val();
      Value *A, *B;
      if (LeavesIf ? match(Condition, m_Or(m_Value(A), m_Value(B))) : match(Condition, m_And(m_Value(A), m_Value(B))))
        Work.append({B, A});
      else
        addExit(Condition, LeavesIf);
    }
  }

  void addExit(Value *Condition, bool LeavesIf) {
    auto *Compare = dyn_cast<ICmpInst>(Condition);
    if (!Compare || !Compare->getOperand(0)->getType()->isIntegerTy())
      return;
    for (unsigned Side : {0u, 1u}) {
      CmpInst::Predicate P = Side ? Compare->getSwappedPredicate() : Compare->getPredicate();
      Exit E{Compare->getOperand(Side), std::nullopt};
      if (auto *C = dyn_cast<ConstantInt>(Compare->getOperand(!Side)))
        E.Stays = ConstantRange::makeExactICmpRegion(LeavesIf ? CmpInst::getInversePredicate(P) : P, C->getValue());
      Exits.push_back(std::move(E));
    }
  }

  /// Whether no iteration with the current values reaches its end. Narrows the values to those with which one does.
  bool ends() {
    for (const Exit &E : Exits)
      if (E.Stays) {
        ConstantRange Left = range(E.Tested).intersectWith(*E.Stays);
        if (Left.isEmptySet())
          return true;
        if (auto *Phi = dyn_cast<PHINode>(E.Tested); Phi && Phi->getParent() == L.getHeader())
          Values.find(Phi)->second = Left;
      }
    // What was computed from values that were narrowed since then is computed again; what is tested may be narrowed as
    // well.
    SmallVector<Value *, 16> Computed;
    for (auto &[V, R] : Values)
      if (!isa<PHINode>(V) || cast<PHINode>(V)->getParent() != L.getHeader())
        Computed.push_back(V);
    for (Value *V : Computed)
      Values.erase(V);
    for (const Exit &E : Exits)
      if (E.Stays) {
        ConstantRange Left = range(E.Tested).intersectWith(*E.Stays);
        if (Left.isEmptySet())
          return true;
        if (auto Found = Values.find(E.Tested); Found != Values.end())
          Found->second = Left;
      }
    return any_of(Exits, [&](const Exit &E) { return isPoison(E.Tested, 0); });
  }

  /// Whether `V` is poison because the phis that have no value left are.
  bool isPoison(Value *V, unsigned Depth) {
    auto *I = dyn_cast<Instruction>(V);
    if (!I || Depth > 6 || !L.contains(I))
      return false;
    auto Is = [&](const Use &U) { return isPoison(U.get(), Depth + 1); };
    if (auto *Phi = dyn_cast<PHINode>(I)) {
      if (Phi->getParent() != L.getHeader())
        return LI.getLoopFor(Phi->getParent()) == &L && all_of(Phi->incoming_values(), Is);
      auto Found = Values.find(Phi);
      return Found != Values.end() && Found->second.isEmptySet();
    }
    if (auto *Select = dyn_cast<SelectInst>(I))
      return isPoison(Select->getTrueValue(), Depth + 1) && isPoison(Select->getFalseValue(), Depth + 1);
    return (isa<BinaryOperator>(I) || isa<CastInst>(I)) && any_of(I->operands(), Is);
  }

  /// The values of `V` in an iteration with the current values, if it is not poison; all values, if it takes many steps
  /// to find out.
  ConstantRange range(Value *V) {
    constexpr unsigned MostSteps = 256;
    unsigned Bits = V->getType()->getIntegerBitWidth();
    if (auto *C = dyn_cast<ConstantInt>(V))
      return C->getValue();
    if (auto Found = Values.find(V); Found != Values.end())
      return Found->second;
    auto *I = dyn_cast<Instruction>(V);
    if (!I || !L.contains(I) || Steps == MostSteps)
      return ConstantRange::getFull(Bits);
    SaveAndRestore Deeper(Steps, Steps + 1);
    Values.insert({V, ConstantRange::getFull(Bits)}); // for a path around an inner loop
    ConstantRange R = compute(*I, Bits);
    Values.find(V)->second = R;
    return R;
  }

  ConstantRange compute(Instruction &I, unsigned Bits) {
    ConstantRange All = ConstantRange::getFull(Bits);
    if (auto *Or = dyn_cast<PossiblyDisjointInst>(&I); Or && Or->isDisjoint())
      return range(I.getOperand(0))
          .overflowingBinaryOp(Instruction::Add, range(I.getOperand(1)), OverflowingBinaryOperator::NoUnsignedWrap);
    if (auto *Operation = dyn_cast<OverflowingBinaryOperator>(&I)) {
      unsigned NoWrap = 0;
      if (Operation->hasNoUnsignedWrap())
        NoWrap |= OverflowingBinaryOperator::NoUnsignedWrap;
      if (Operation->hasNoSignedWrap())
        NoWrap |= OverflowingBinaryOperator::NoSignedWrap;
      return range(I.getOperand(0))
          .overflowingBinaryOp(static_cast<Instruction::BinaryOps>(I.getOpcode()), range(I.getOperand(1)), NoWrap);
    }
    if (auto *Operation = dyn_cast<BinaryOperator>(&I))
      return range(I.getOperand(0)).binaryOp(Operation->getOpcode(), range(I.getOperand(1)));
    if (auto *Cast = dyn_cast<CastInst>(&I); Cast && Cast->getSrcTy()->isIntegerTy())
      return range(I.getOperand(0)).castOp(Cast->getOpcode(), Bits);
    if (auto *Select = dyn_cast<SelectInst>(&I))
      return range(Select->getTrueValue()).unionWith(range(Select->getFalseValue()));
    if (auto *Merge = dyn_cast<PHINode>(&I)) {
      if (LI.getLoopFor(Merge->getParent()) != &L || Merge->getParent() == L.getHeader())
        return All;
      ConstantRange R = ConstantRange::getEmpty(Bits);
      for (Value *In : Merge->incoming_values())
        R = R.unionWith(range(In));
      return R;
    }
    return All;
  }

  Loop &L;
  LoopInfo &LI;
  ScalarEvolution &SE;
  SmallVector<Exit, 4> Exits;
  DenseMap<Value *, ConstantRange> Values;
  unsigned Steps = 0; ///< counted from the value that is asked for
};

} // namespace

static uint64_t mostIterations(Loop &L, LoopInfo &LI, ScalarEvolution &SE, DominatorTree &DT) {
  if (uint64_t Most = SE.getSmallConstantMaxTripCount(&L))
    return Most;
  if (!L.getLoopLatch() || !L.getLoopPreheader())
    return 0;
  return RunningOut(L, LI, SE, DT).most();
}

static std::optional<uint64_t> atMostFew(uint64_t Steps) {
  return Steps <= StepBounds::Few ? std::optional(Steps) : std::nullopt;
}

std::optional<uint64_t> StepBounds::of(Loop &L) {
  Function &F = *L.getHeader()->getParent();
  LoopInfo &LI = AM.getResult<LoopAnalysis>(F);
  uint64_t Iterations =
      mostIterations(L, LI, AM.getResult<ScalarEvolutionAnalysis>(F), AM.getResult<DominatorTreeAnalysis>(F));
  uint64_t Steps = 1;
  if (!Iterations || Iterations > Few)
    return std::nullopt;
  for (Loop *Inner : L) {
    std::optional<uint64_t> Inside = of(*Inner);
    if (!Inside)
      return std::nullopt;
    Steps += *Inside;
  }
  for (BasicBlock *B : L.blocks()) {
    if (LI.getLoopFor(B) != &L)
      continue;
    std::optional<uint64_t> Calls = ofCalls(*B);
    if (!Calls)
      return std::nullopt;
    Steps += *Calls;
  }
  return Steps <= Few ? atMostFew(Iterations * Steps) : std::nullopt;
}

std::optional<uint64_t> StepBounds::ofCalls(const BasicBlock &B) {
  uint64_t Steps = 0;
  for (const Instruction &I : B) {
    const auto *Call = dyn_cast<CallBase>(&I);
    if (!Call || isa<IntrinsicInst>(I))
      continue;
    std::optional<uint64_t> Inside = of(*Call);
    if (!Inside)
      return std::nullopt;
    Steps += *Inside;
  }
  return atMostFew(Steps);
}

std::optional<uint64_t> StepBounds::of(const CallBase &Call) {
  SmallSetVector<const Function *, 8> Callees;
  if (Call.isInlineAsm() || !PossibleCallees().find(Call, Callees))
    return std::nullopt;
  uint64_t Most = 0;
  for (const Function *Callee : Callees) {
    std::optional<uint64_t> Steps = of(*Callee);
    if (!Steps)
      return std::nullopt;
    Most = std::max(Most, *Steps);
  }
  return Most;
}

std::optional<uint64_t> StepBounds::of(const Function &Callee) {
  constexpr unsigned MostCalls = 256;
  if (Depth == MostCalls)
    return std::nullopt;
  SaveAndRestore Deeper(Depth, Depth + 1);
  // None as long as it is not known, so a recursion is not brief.
  auto [Found, New] = Known.try_emplace(&Callee, std::nullopt);
  if (!New || Callee.isDeclaration() || Callee.isInterposable())
    return Found->second;
  auto &F = const_cast<Function &>(Callee);
  LoopInfo &LI = AM.getResult<LoopAnalysis>(F);
  ReversePostOrderTraversal<const Function *> Order(&F);
  if (containsIrreducibleCFG<const BasicBlock *>(Order, LI))
    return std::nullopt;
  uint64_t Steps = 1;
  for (Loop *L : LI) {
    std::optional<uint64_t> Inside = of(*L);
    if (!Inside)
      return std::nullopt;
    Steps += *Inside;
  }
  for (BasicBlock &B : F) {
    if (LI.getLoopFor(&B))
      continue;
    std::optional<uint64_t> Calls = ofCalls(B);
    if (!Calls)
      return std::nullopt;
    Steps += *Calls;
  }
  return Known[&F] = atMostFew(Steps);
}

} // namespace skein
