//===- LoopPolls.cpp ---------------------------------------------------------===//
//
// -fskein-polls=loops: between two polls of a thread lie at most some thousand iterations of loops. A poll is
//
//     cmpb $0, %fs:__skein_poll_flag@tpoff ; jne cold        cold: call __skein_poll
//
// at the loop's back edge. The flag belongs to the worker, which only its own kernel thread and the clock write. The
// call is a migration point on cold ground, so homing stores right before it and the loop itself keeps its registers.
//
// Which loops need none:
//   * those that end after few iterations (`FewIterations`, together with what is inside them);
//   * those that look up in every iteration anyway, in skein_yield or in a loop inside that always polls.
// A loop full of calls that may migrate is polled all the same: such a call *can* move the thread, but nothing says
// that it will.
//
// Innermost loops that count are *strip-mined*, so that what is hot has no poll at all. With s the step of the compared
// counter v and n its bound:
//
//     preheader               preheader
//     header: ...       =>    strip:  limit = n is further than 1024 s away ? v + 1024 s : n
//       v += s                header: ...
//       if (v < n) header       v += s
//     exit                      if (v < limit) header
//                             done: if (!(v < n)) exit
//                               poll, strip
//
// Each strip runs the same iterations as before, and the comparison costs what it cost: one register for the limit
// instead of the bound. That is right for != (v meets v + 1024 s exactly after 1024 steps), and for < and > because the
// limit then lies between v and the bound, so nothing can wrap. The pass runs after the vectoriser and the unroller, so
// what is polled is the loop as it will be.
//
// Rejected: a counter of its own (a decrement and a branch cost as much as the poll); signals (the thread would stop at
// a place without a frame map).
//
// Recursion without a loop is not polled: the price of a call would go up by a fifth for fib, and a thread that
// recurses for seconds without ever looping, yielding or calling anything that does is rare. docs/pitfalls.md says so.
//
//===----------------------------------------------------------------------===//
#include "LoopPolls.h"
#include "MigrationPoints.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace skein {

namespace {

constexpr uint64_t FewIterations = 4096; // of a nest of loops: some microseconds
constexpr int64_t StripIterations = 1024;

/// A loop that ends by comparing a counter with a constant step to a bound that stays.
struct Counted {
  BranchInst *Branch;
  ICmpInst *Compare;
  Value *First; ///< of the compared counter, before the loop
  PHINode *Phi; ///< of the counter
  bool Next;    ///< compared after the step, not before
  Value *Bound;
  int64_t Step; ///< in bytes for a pointer
};

class Polls {
public:
  Polls(Function &F, FunctionAnalysisManager &AM)
      : F(F), M(*F.getParent()), LI(AM.getResult<LoopAnalysis>(F)), DT(AM.getResult<DominatorTreeAnalysis>(F)),
        SE(AM.getResult<ScalarEvolutionAnalysis>(F)) {}

  void run() {
    // Decided for all before the first is changed.
    for (Loop *L : LI.getTopLevelLoops())
      decide(*L);
    addIrreducible();
    for (BasicBlock *Latch : Latches)
      pollBefore(*Latch->getTerminator());
    for (auto &[L, C] : Strips)
      mine(*L, C);
  }

private:
  /// The number of iterations between polls that `L` can amount to; 0: it polls, or anything else bounds it.
  uint64_t decide(Loop &L) {
    uint64_t Inside = 1;
    for (Loop *Inner : L)
      Inside = std::max(Inside, decide(*Inner));
    if (uint64_t Most = SE.getSmallConstantMaxTripCount(&L); Most && Most * Inside <= FewIterations)
      return Most * Inside;
    if (looksUp(L))
      return 0;
    if (std::optional<Counted> C; L.isInnermost() && (C = counted(L)))
      Strips.push_back({&L, *C});
    else
      Latches.insert_range(latches(L));
    return 0;
  }

  static SmallVector<BasicBlock *, 4> latches(const Loop &L) {
    SmallVector<BasicBlock *, 4> Found;
    L.getLoopLatches(Found);
    return Found;
  }

  /// Cycles with several entries are no loops to LLVM.
  void addIrreducible() {
    SmallVector<std::pair<const BasicBlock *, const BasicBlock *>, 8> Edges;
    FindFunctionBackedges(F, Edges);
    for (auto [From, To] : Edges)
      if (const Loop *L = LI.getLoopFor(To); !L || L->getHeader() != To)
        Latches.insert(const_cast<BasicBlock *>(From));
  }

  /// Whether each iteration calls skein_yield.
  bool looksUp(const Loop &L) {
    for (BasicBlock *B : L.blocks()) {
      if (!all_of(latches(L), [&](BasicBlock *Latch) { return DT.dominates(B, Latch); }))
        continue;
      for (Instruction &I : *B)
        if (auto *Call = dyn_cast<CallBase>(&I))
          if (const Function *Callee = Call->getCalledFunction(); Callee && Callee->getName() == "skein_yield")
            return true;
    }
    return false;
  }

  std::optional<Counted> counted(Loop &L) {
    BasicBlock *Latch = L.getLoopLatch(), *Before = L.getLoopPreheader();
    if (!Latch || !Before)
      return std::nullopt;
    auto *Branch = dyn_cast<BranchInst>(Latch->getTerminator());
    if (!Branch || !Branch->isConditional())
      return std::nullopt;
    auto *Compare = dyn_cast<ICmpInst>(Branch->getCondition());
    if (!Compare || !Compare->hasOneUse() || Compare->getParent() != Latch)
      return std::nullopt;
    bool Swapped = !L.isLoopInvariant(Compare->getOperand(1));
    Value *Counter = Compare->getOperand(Swapped), *Bound = Compare->getOperand(!Swapped);
    if (!L.isLoopInvariant(Bound) || !SE.isSCEVable(Counter->getType()))
      return std::nullopt;
    Counted C{Branch, Compare, nullptr, nullptr, false, Bound, 0};
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
    if (C.Step == 0 || std::abs(C.Step) >= (int64_t(1) << (Bits - 2)) / StripIterations)
      return std::nullopt;
    if (Counter->getType()->isPointerTy() && Counter->getType()->getPointerAddressSpace() != 0)
      return std::nullopt;
    if (!Counter->getType()->isPointerTy() && !Counter->getType()->isIntegerTy())
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

  /// The relation of counter to bound under which the loop goes on.
  static ICmpInst::Predicate staying(const Counted &C, const Loop &L) {
    ICmpInst::Predicate P = C.Compare->getPredicate();
    if (C.Compare->getOperand(0) == C.Bound)
      P = ICmpInst::getSwappedPredicate(P);
    return C.Branch->getSuccessor(0) == L.getHeader() ? P : ICmpInst::getInversePredicate(P);
  }

  Value *flagAddress(IRBuilder<> &B) {
    GlobalVariable *Flag = M.getNamedGlobal("__skein_poll_flag");
    if (!Flag) {
      // In a program the flag is its own (the runtime is linked into it): one instruction reads it.
      bool Own = M.getPICLevel() == PICLevel::NotPIC || M.getPIELevel() != PIELevel::Default;
      Flag = new GlobalVariable(M, B.getInt8Ty(), false, GlobalValue::ExternalLinkage, nullptr, "__skein_poll_flag",
                                nullptr, Own ? GlobalValue::LocalExecTLSModel : GlobalValue::InitialExecTLSModel);
      Flag->setDSOLocal(Own);
      announce(B.getContext());
    }
    return B.CreateThreadLocalAddress(Flag);
  }

  /// Tells the runtime that a clock is worth its while: it looks whether the symbol exists.
  void announce(LLVMContext &C) {
    auto *Mark = new GlobalVariable(M, Type::getInt8Ty(C), true, GlobalValue::WeakAnyLinkage,
                                    ConstantInt::get(Type::getInt8Ty(C), 1), "__skein_polls_compiled");
    Mark->setSection(".rodata.skein");
  }

  /// if (flag) __skein_poll(); Returns the block where that has been decided.
  void pollBefore(Instruction &At) {
    IRBuilder<> B(&At);
    B.SetCurrentDebugLocation(locationFor(F, At));
    Value *Flag = B.CreateLoad(B.getInt8Ty(), flagAddress(B), /*isVolatile=*/true);
    Value *Wanted = B.CreateICmpNE(Flag, B.getInt8(0));
    Instruction *Then = SplitBlockAndInsertIfThen(Wanted, At.getIterator(), /*Unreachable=*/false,
                                                  MDBuilder(F.getContext()).createUnlikelyBranchWeights());
    B.SetInsertPoint(Then);
    B.SetCurrentDebugLocation(locationFor(F, At));
    callRuntime(B, "__skein_poll");
  }

  void mine(Loop &L, const Counted &C) {
    BasicBlock *Before = L.getLoopPreheader(), *Header = L.getHeader(), *Latch = L.getLoopLatch();
    BasicBlock *Exit = C.Branch->getSuccessor(C.Branch->getSuccessor(0) == Header);
    ICmpInst::Predicate Stay = staying(C, L);
    LLVMContext &Context = F.getContext();
    BasicBlock *Strip = BasicBlock::Create(Context, Header->getName() + ".strip", &F, Header);
    BasicBlock *Done = BasicBlock::Create(Context, Header->getName() + ".strip.done", &F, Exit);
    BasicBlock *Again = BasicBlock::Create(Context, Header->getName() + ".strip.again", &F, Exit);
    DebugLoc Where = locationFor(F, *C.Branch);

    // strip: one phi for each of the header's.
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

    // The loop's own comparison is with the limit, the old one is behind it.
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
    pollBefore(*B.CreateBr(Strip));
  }

  Value *limit(IRBuilder<> &B, const Counted &C, Value *Start, ICmpInst::Predicate Stay) {
    Type *T = Start->getType();
    Type *Number = T->isPointerTy() ? B.getInt64Ty() : T;
    auto AsNumber = [&](Value *V) { return T->isPointerTy() ? B.CreatePtrToInt(V, Number) : V; };
    auto Advance = [&](Value *V, int64_t By) -> Value * {
      return T->isPointerTy() ? B.CreateGEP(B.getInt8Ty(), V, B.getInt64(By))
                              : B.CreateAdd(V, ConstantInt::getSigned(Number, By));
    };
    int64_t Length = StripIterations * C.Step;
    Value *First = C.Next ? Advance(Start, C.Step) : Start; // the first value that is compared
    Value *Distance =
        C.Step > 0 ? B.CreateSub(AsNumber(C.Bound), AsNumber(First)) : B.CreateSub(AsNumber(First), AsNumber(C.Bound));
    Value *Further = B.CreateICmpUGT(Distance, ConstantInt::get(Number, std::abs(Length)));
    if (Stay != ICmpInst::ICMP_NE) // the counter may have passed the bound before the first comparison
      Further = B.CreateAnd(Further, B.CreateICmp(Stay, First, C.Bound));
    return B.CreateSelect(Further, Advance(First, Length), C.Bound, "strip.limit");
  }

  Function &F;
  Module &M;
  LoopInfo &LI;
  DominatorTree &DT;
  ScalarEvolution &SE;
  SmallSetVector<BasicBlock *, 8> Latches;
  SmallVector<std::pair<Loop *, Counted>, 8> Strips;
};

} // namespace

void insertLoopPolls(Function &F, FunctionAnalysisManager &AM) {
  Polls(F, AM).run();
  AM.invalidate(F, PreservedAnalyses::none());
}

} // namespace skein
