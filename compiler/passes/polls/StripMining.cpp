//===- StripMining.cpp -------------------------------------------------------===//
//
// A poll in each iteration of a hot loop would cost too much. So a loop that counts is cut into strips with a poll
// between two of them, and the loop itself has none. With s the step of the compared counter v and n its bound:
//
//     preheader               preheader
//     header: ...       =>    strip:  limit = n is further than 1024 s away ? v + 1024 s : n
//       v += s                header: ...
//       if (v < n) header       v += s
//     exit                      if (v < limit) header
//                             done: if (!(v < n)) exit
//                               poll, strip
//
// Each strip runs the same iterations as before, and the comparison costs as much as before: one register holds the
// limit instead of the bound. This is right for != (v meets v + 1024 s exactly after 1024 steps), and for < and >
// because the limit then lies between v and the bound, so nothing can wrap. The pass runs after the vectoriser and the
// unroller, so the loop that gets polls is the final one.
//
// The beginning of a strip costs some instructions, which would matter for loops of a few iterations that are entered
// often. So the loop gets two versions: one for less than a strip, which is the loop as it was, and one in strips. A
// subtraction and a comparison choose between them.
//
//===----------------------------------------------------------------------===//
#include "StripMining.h"
#include "LoopTwin.h"
#include "passes/Compat.h"
#include "passes/ir/MigrationPoints.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace skein {

/// The relation of counter and bound under which the loop goes on.
static ICmpInst::Predicate staying(const CountedLoop &C, const Loop &L) {
  ICmpInst::Predicate P = C.Compare->getPredicate();
  if (C.Compare->getOperand(0) == C.Bound)
    P = ICmpInst::getSwappedPredicate(P);
  return C.Branch->getSuccessor(0) == L.getHeader() ? P : ICmpInst::getInversePredicate(P);
}

/// Whether steps of more than one lead to the bound, or past it, in as many iterations as the distance says.
static bool meetsBound(const CountedLoop &C, const Loop &L, const SCEVAddRecExpr &Counter, ScalarEvolution &SE) {
  if (staying(C, L) != ICmpInst::ICMP_NE) // it may wrap before; a pointer cannot
    return C.Phi->getType()->isPointerTy() || !isa<SCEVCouldNotCompute>(SE.getExitCount(&L, L.getLoopLatch()));
  if (Counter.hasNoSelfWrap() && (C.Phi->getType()->isPointerTy() || L.getExitingBlock()))
    return true; // missing the bound would be undefined
  const SCEV *Distance = SE.getMinusSCEV(SE.getSCEV(C.Bound), Counter.getStart());
  return isPowerOf2_64(std::abs(C.Step)) && !isa<SCEVCouldNotCompute>(Distance) &&
         SE.getMinTrailingZeros(Distance) >= Log2_64(std::abs(C.Step));
}

std::optional<CountedLoop> findCountedLoop(Loop &L, ScalarEvolution &SE, int64_t Strip) {
  BasicBlock *Latch = L.getLoopLatch(), *Before = L.getLoopPreheader();
  if (!Latch || !Before)
    return std::nullopt;
  Instruction *Branch = Latch->getTerminator();
  Value *Condition = conditionOf(*Branch);
  if (!Condition)
    return std::nullopt;
  auto *Compare = dyn_cast<ICmpInst>(Condition);
  if (!Compare || !Compare->hasOneUse() || Compare->getParent() != Latch)
    return std::nullopt;
  bool Swapped = !L.isLoopInvariant(Compare->getOperand(1));
  Value *Counter = Compare->getOperand(Swapped), *Bound = Compare->getOperand(!Swapped);
  if (!L.isLoopInvariant(Bound) || !SE.isSCEVable(Counter->getType()))
    return std::nullopt;
  CountedLoop C{Branch, Compare, nullptr, false, Bound, 0, Strip};
  // The counter is a phi of the header, or one constant step away from it.
  for (PHINode &Phi : L.getHeader()->phis())
    if (&Phi == Counter || Phi.getIncomingValueForBlock(Latch) == Counter) {
      C.Phi = &Phi;
      C.Next = &Phi != Counter;
    }
  if (!C.Phi)
    return std::nullopt;
  const auto *Recurrence = dyn_cast<SCEVAddRecExpr>(SE.getSCEV(C.Phi));
  if (!Recurrence || Recurrence->getLoop() != &L || !Recurrence->isAffine())
    return std::nullopt;
  const auto *Step = dyn_cast<SCEVConstant>(Recurrence->getStepRecurrence(SE));
  unsigned Bits = SE.getTypeSizeInBits(Counter->getType());
  if (!Step || Bits < 16 || Bits > 64)
    return std::nullopt;
  C.Step = Step->getAPInt().getSExtValue();
  // A strip must fit in the counter's type, with room to tell "further away" from "nearer".
  if (C.Step == 0 || std::abs(C.Step) >= (int64_t(1) << (Bits - 2)) / Strip)
    return std::nullopt;
  if (Counter->getType()->isPointerTy() && SE.getDataLayout().getPointerTypeSizeInBits(Counter->getType()) != 64)
    return std::nullopt;
  if (!Counter->getType()->isPointerTy() && !Counter->getType()->isIntegerTy())
    return std::nullopt;
  if (std::abs(C.Step) != 1 && !meetsBound(C, L, *Recurrence, SE))
    return std::nullopt;
  // The direction of a relation must be the step's.
  switch (staying(C, L)) {
  case ICmpInst::ICMP_NE:
    return C;
  case ICmpInst::ICMP_ULT:
  case ICmpInst::ICMP_SLT:
    return C.Step > 0 ? std::optional(C) : std::nullopt;
  case ICmpInst::ICMP_UGT:
  case ICmpInst::ICMP_SGT:
    return C.Step < 0 ? std::optional(C) : std::nullopt;
  default:
    return std::nullopt;
  }
}

/// How far the bound is from `From`, in the direction of the step; huge if the counter has passed it.
static Value *distance(IRBuilder<> &B, const CountedLoop &C, Value *From) {
  auto AsNumber = [&](Value *V) { return V->getType()->isPointerTy() ? B.CreatePtrToInt(V, B.getInt64Ty()) : V; };
  Value *Bound = AsNumber(C.Bound), *Start = AsNumber(From);
  return C.Step > 0 ? B.CreateSub(Bound, Start) : B.CreateSub(Start, Bound);
}

Loop &versionByLength(Loop &L, CountedLoop &C, LoopInfo &LI, DominatorTree &DT, ScalarEvolution &SE) {
  BasicBlock *Test = L.getLoopPreheader();
  Value *Start = C.Phi->getIncomingValueForBlock(Test);
  if (isa<Constant>(Start) && isa<Constant>(C.Bound))
    return L;
  formLCSSA(L, DT, &LI, &SE);
  ValueToValueMapTy Copies;
  Loop *Long = cloneBeside(L, ".long", LI, DT, Copies);
  BasicBlock *Short = L.getLoopPreheader();
  Start = C.Phi->getIncomingValueForBlock(Short);

  Instruction *Old = Test->getTerminator();
  IRBuilder<> B(Old);
  B.SetCurrentDebugLocation(locationFor(*Test->getParent(), *C.Branch));
  Value *Distance = distance(B, C, Start);
  Value *IsShort = B.CreateICmpULE(Distance, ConstantInt::get(Distance->getType(), std::abs(C.Strip * C.Step)));
  B.CreateCondBr(IsShort, Short, Long->getLoopPreheader());
  Old->eraseFromParent();
  DT.recalculate(*Test->getParent());
  SE.forgetLoop(&L);

  C.Branch = cast<Instruction>(copyOf(C.Branch, Copies));
  C.Compare = cast<ICmpInst>(copyOf(C.Compare, Copies));
  C.Phi = cast<PHINode>(copyOf(C.Phi, Copies));
  return *Long;
}

static Value *limit(IRBuilder<> &B, const CountedLoop &C, Value *Start, ICmpInst::Predicate Stay) {
  Type *T = Start->getType();
  Type *Number = T->isPointerTy() ? B.getInt64Ty() : T;
  auto Advance = [&](Value *V, int64_t By) -> Value * {
    return T->isPointerTy() ? B.CreateGEP(B.getInt8Ty(), V, B.getInt64(By))
                            : B.CreateAdd(V, ConstantInt::getSigned(Number, By));
  };
  int64_t Length = C.Strip * C.Step;
  Value *First = C.Next ? Advance(Start, C.Step) : Start; // the first value that is compared
  Value *Further = B.CreateICmpUGT(distance(B, C, First), ConstantInt::get(Number, std::abs(Length)));
  if (Stay != ICmpInst::ICMP_NE) // the counter may have passed the bound before the first comparison
    Further = B.CreateAnd(Further, B.CreateICmp(Stay, First, C.Bound));
  return B.CreateSelect(Further, Advance(First, Length), C.Bound, "strip.limit");
}

/// Makes the loop of the strips: it surrounds `L` and contains the blocks between two strips.
static void surround(Loop &L, BasicBlock *Strip, BasicBlock *Done, BasicBlock *Again, LoopInfo &LI) {
  Loop *Outer = LI.AllocateLoop();
  if (Loop *Parent = L.getParentLoop())
    Parent->replaceChildLoopWith(&L, Outer);
  else
    LI.changeTopLevelLoop(&L, Outer);
  Outer->addBasicBlockToLoop(Strip, LI);
  Outer->addChildLoop(&L);
  for (BasicBlock *B : L.blocks())
    Outer->addBlockEntry(B);
  Outer->addBasicBlockToLoop(Done, LI);
  Outer->addBasicBlockToLoop(Again, LI);
}

Instruction *mineStrips(Loop &L, const CountedLoop &C, LoopInfo &LI, DominatorTree &DT, ScalarEvolution &SE) {
  Function &F = *L.getHeader()->getParent();
  BasicBlock *Before = L.getLoopPreheader(), *Header = L.getHeader(), *Latch = L.getLoopLatch();
  BasicBlock *Exit = C.Branch->getSuccessor(C.Branch->getSuccessor(0) == Header);
  ICmpInst::Predicate Stay = staying(C, L);
  LLVMContext &Context = F.getContext();
  BasicBlock *Strip = BasicBlock::Create(Context, Header->getName() + ".strip", &F, Header);
  BasicBlock *Done = BasicBlock::Create(Context, Header->getName() + ".strip.done", &F, Exit);
  BasicBlock *Again = BasicBlock::Create(Context, Header->getName() + ".strip.again", &F, Exit);
  DebugLoc Where = locationFor(F, *C.Branch);

  // The block `strip` gets one phi for each of the header's.
  Before->getTerminator()->replaceUsesOfWith(Header, Strip);
  IRBuilder<> B(Strip);
  B.SetCurrentDebugLocation(Where);
  Value *Start = nullptr;
  for (PHINode &Phi : Header->phis()) {
    PHINode *Outer = B.CreatePHI(Phi.getType(), 2, Phi.getName() + ".strip");
    int From = Phi.getBasicBlockIndex(Before);
    Outer->addIncoming(Phi.getIncomingValue(From), Before);
    Outer->addIncoming(Phi.getIncomingValueForBlock(Latch), Again);
    Phi.setIncomingValue(From, Outer);
    Phi.setIncomingBlock(From, Strip);
    if (&Phi == C.Phi)
      Start = Outer;
  }
  Value *Limit = limit(B, C, Start, Stay);
  B.CreateBr(Header);

  // The loop's own comparison is now with the limit; the old one comes after it.
  B.SetInsertPoint(Done);
  Value *Counter = C.Compare->getOperand(C.Compare->getOperand(0) == C.Bound);
  Value *GoesOn = B.CreateICmp(Stay, Counter, C.Bound);
  B.CreateCondBr(GoesOn, Again, Exit);
  C.Compare->replaceUsesOfWith(C.Bound, Limit);
  C.Compare->setSameSign(false);
  C.Branch->replaceUsesOfWith(Exit, Done);
  for (PHINode &Phi : Exit->phis())
    for (unsigned N = 0; N < Phi.getNumIncomingValues(); ++N)
      if (Phi.getIncomingBlock(N) == Latch)
        Phi.setIncomingBlock(N, Done);

  B.SetInsertPoint(Again);
  Instruction *Between = B.CreateBr(Strip);
  SE.forgetTopmostLoop(&L);
  surround(L, Strip, Done, Again, LI);
  DT.recalculate(F);
  return Between;
}

} // namespace skein
