//===- LoopPolls.cpp ---------------------------------------------------------===//
//
// -fskein-polls=loops: between two polls of a thread lie at most some thousand iterations of loops. A poll is
//
//     cmpb $0, %fs:__skein_poll_flag@tpoff ; jne cold        cold: call __skein_poll_kept
//
// at the loop's back edge. The flag belongs to the worker, which only its own kernel thread and the clock write. The
// call is a migration point on cold ground, so homing stores right before it and the loop itself keeps its registers:
// __skein_poll_kept is a small function of the unit that saves (nearly) all of them and calls __skein_poll, so that a
// function does not have to free callee-saved registers for its numbers because it has a loop. (Addresses cross the
// call in home slots as ever; the proof looks at every register that a call keeps.)
//
// Which loops need none:
//   * those that end after few iterations (`FewIterations`, together with what is inside them) and call nothing;
//   * those that look up in every iteration anyway, in skein_yield;
//   * *walks*, which touch a new address in each iteration, the same step further: they end where the object does
//     (while (*p) p++). Of a loop that walks on some paths only, the others are polled: of an interpreter's loop, with
//     `*pc++` in each instruction, those are its jumps.
// A loop full of calls that may migrate is polled all the same: such a call *can* move the thread, but nothing says
// that it will.
//
// Small inner loops that neither count nor walk (a list, the probes of a hash table) are unrolled, exits and all, with
// one poll at the end.
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
#include "Annotations.h"
#include "MigrationPoints.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/UnrollLoop.h"

using namespace llvm;

namespace skein {

namespace {

constexpr uint64_t FewIterations = 4096; // of a nest of loops: some microseconds
constexpr int64_t StripIterations = 1024;
constexpr const char *KeptPoll = "__skein_poll_kept";

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
      : F(F), AM(AM), M(*F.getParent()), LI(AM.getResult<LoopAnalysis>(F)), DT(AM.getResult<DominatorTreeAnalysis>(F)),
        SE(AM.getResult<ScalarEvolutionAnalysis>(F)) {}

  void run() {
    if (!F.hasOptNone()) // preheaders, one latch: the optimiser has let go of them by now
      for (Loop *L : LI.getTopLevelLoops())
        simplifyLoop(L, &DT, &LI, &SE, &AM.getResult<AssumptionAnalysis>(F), nullptr, /*PreserveLCSSA=*/false);
    for (Loop *L : LI.getTopLevelLoops())
      decide(*L);
    for (Loop *L : Small)
      unroll(*L);
    addIrreducible();
    // All is decided before the first block is split.
    for (auto [From, To] : Edges)
      if (BasicBlock *Between = SplitEdge(From, To, &DT, &LI))
        Before.insert(Between);
    for (BasicBlock *At : Before)
      pollBefore(*At->getTerminator());
    for (auto &[L, C] : Strips)
      mine(*L, C);
  }

private:
  /// The number of iterations between polls that `L` can amount to; 0: it polls, or anything else bounds it.
  uint64_t decide(Loop &L) {
    uint64_t Inside = 1;
    for (Loop *Inner : L)
      Inside = std::max(Inside, decide(*Inner));
    if (uint64_t Most = SE.getSmallConstantMaxTripCount(&L);
        Most && Most * Inside <= FewIterations && none_of(L.blocks(), calls))
      return Most * Inside;
    if (looksUp(L))
      return 0;
    if (std::optional<Counted> C; L.isInnermost() && (C = counted(L)))
      Strips.push_back({&L, *C});
    else if (walks(L) || walksPartly(L))
      return 0;
    else if (isSmall(L))
      Small.push_back(&L);
    else
      pollBackEdges(L);
    return 0;
  }

  /// Whether `B` runs in each iteration.
  bool always(const Loop &L, BasicBlock *B) {
    return all_of(latches(L), [&](BasicBlock *Latch) { return DT.dominates(B, Latch); });
  }

  static bool calls(const BasicBlock *B) {
    return any_of(*B, [](const Instruction &I) { return isa<CallBase>(I) && !isa<IntrinsicInst>(I); });
  }

  /// Whether each iteration touches another address, a constant step further, and is short.
  bool walks(Loop &L) {
    if (!L.isInnermost() || any_of(L.blocks(), calls))
      return false;
    for (BasicBlock *B : L.blocks()) {
      if (!always(L, B))
        continue;
      for (Instruction &I : *B) {
        const Value *Address = getLoadStorePointerOperand(&I);
        if (!Address || !SE.isSCEVable(Address->getType()))
          continue;
        const auto *Recurrence = dyn_cast<SCEVAddRecExpr>(SE.getSCEV(const_cast<Value *>(Address)));
        if (Recurrence && Recurrence->getLoop() == &L && Recurrence->isAffine())
          if (SE.isKnownNonZero(Recurrence->getStepRecurrence(SE)))
            return true;
      }
    }
    return false;
  }

  /// `V` is `From` plus a positive constant, in the same object.
  bool isAhead(const Value *V, const Value *From) {
    APInt Offset(64, 0);
    const Value *Base = V->stripAndAccumulateConstantOffsets(M.getDataLayout(), Offset, /*AllowNonInbounds=*/false);
    return Base == From && Offset.isStrictlyPositive();
  }

  /// Finds a pointer that moves ahead, inside one object, on some paths around `L` and notes the edges of the others.
  /// False: there is none.
  bool walksPartly(Loop &L) {
    BasicBlock *Latch = L.getLoopLatch();
    if (!Latch)
      return false;
    for (PHINode &Phi : L.getHeader()->phis()) {
      if (!Phi.getType()->isPointerTy())
        continue;
      SmallVector<std::pair<BasicBlock *, BasicBlock *>, 8> Others;
      SmallPtrSet<PHINode *, 8> Seen;
      unsigned Ahead = 0;
      if (follow(L, Phi, Phi.getIncomingValueForBlock(Latch), Latch, L.getHeader(), Ahead, Others, Seen) && Ahead) {
        for (auto [From, To] : Others)
          pollEdge(From, To);
        return true;
      }
    }
    return false;
  }

  /// What `Phi` becomes when the edge is taken. False: an edge that cannot be split.
  bool follow(Loop &L, const PHINode &Phi, Value *V, BasicBlock *From, BasicBlock *To, unsigned &Ahead,
              SmallVectorImpl<std::pair<BasicBlock *, BasicBlock *>> &Others, SmallPtrSetImpl<PHINode *> &Seen) {
    if (isAhead(V, &Phi) && !calls(From)) {
      ++Ahead;
      return true;
    }
    auto *Merge = dyn_cast<PHINode>(V);
    if (Merge && Merge != &Phi && Merge->getParent() == From && LI.getLoopFor(From) == &L && Seen.insert(Merge).second)
      return all_of(llvm::seq(Merge->getNumIncomingValues()), [&](unsigned N) {
        return follow(L, Phi, Merge->getIncomingValue(N), Merge->getIncomingBlock(N), From, Ahead, Others, Seen);
      });
    if (isa<IndirectBrInst, CallBrInst>(From->getTerminator()))
      return false;
    Others.push_back({From, To});
    return true;
  }

  static constexpr unsigned SmallLoop = 40, TinyLoop = 12; // instructions

  static unsigned sizeOf(const Loop &L) {
    unsigned Size = 0;
    for (BasicBlock *B : L.blocks())
      Size += B->size();
    return Size;
  }

  bool isSmall(const Loop &L) {
    if (!L.isInnermost() || !L.isLoopSimplifyForm() || F.hasOptNone() || F.hasOptSize() || sizeOf(L) > SmallLoop)
      return false;
    return all_of(L.blocks(), [](BasicBlock *B) {
      return isa<BranchInst, SwitchInst>(B->getTerminator()) && !B->hasAddressTaken() && !calls(B);
    });
  }

  void unroll(Loop &L) {
    formLCSSA(L, DT, &LI, &SE);
    UnrollLoopOptions Options{};
    Options.Count = sizeOf(L) <= TinyLoop ? 8 : 4;
    Options.Force = true;
    OptimizationRemarkEmitter Remarks(&F);
    UnrollLoop(&L, Options, &LI, &SE, &DT, &AM.getResult<AssumptionAnalysis>(F), &AM.getResult<TargetIRAnalysis>(F),
               &Remarks, /*PreserveLCSSA=*/true);
    pollBackEdges(L);
  }

  void pollBackEdges(const Loop &L) {
    for (BasicBlock *Latch : latches(L))
      pollEdge(Latch, L.getHeader());
  }

  /// Behind the decision to go on, so that its comparison still sits at its branch; where that cannot be, before.
  void pollEdge(BasicBlock *From, BasicBlock *To) {
    if (isa<BranchInst, SwitchInst>(From->getTerminator()) && succ_size(From) > 1 && count(successors(From), To) == 1 &&
        !To->isEHPad())
      Edges.insert({From, To});
    else
      Before.insert(From);
  }

  static SmallVector<BasicBlock *, 4> latches(const Loop &L) {
    SmallVector<BasicBlock *, 4> Found;
    L.getLoopLatches(Found);
    return Found;
  }

  /// Cycles with several entries are no loops to LLVM.
  void addIrreducible() {
    SmallVector<std::pair<const BasicBlock *, const BasicBlock *>, 8> Back;
    FindFunctionBackedges(F, Back);
    for (auto [From, To] : Back)
      if (const Loop *L = LI.getLoopFor(To); !L || L->getHeader() != To)
        pollEdge(const_cast<BasicBlock *>(From), const_cast<BasicBlock *>(To));
  }

  /// Whether each iteration calls skein_yield.
  bool looksUp(const Loop &L) {
    for (BasicBlock *B : L.blocks()) {
      if (!always(L, B))
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
    CallInst *Call = B.CreateCall(keptPoll());
    Call->setCallingConv(CallingConv::PreserveMost);
    Call->setDoesNotThrow();
  }

  /// __skein_poll, but the caller's registers are kept.
  Function *keptPoll() {
    if (Function *Known = M.getFunction(KeptPoll))
      return Known;
    LLVMContext &C = F.getContext();
    auto *Kept =
        Function::Create(FunctionType::get(Type::getVoidTy(C), false), GlobalValue::InternalLinkage, KeptPoll, M);
    Kept->setCallingConv(CallingConv::PreserveMost);
    Kept->setDoesNotThrow();
    Kept->setUWTableKind(F.getUWTableKind());
    for (Attribute::AttrKind Kind : {Attribute::NoInline, Attribute::Cold})
      Kept->addFnAttr(Kind);
    for (StringRef Name : {"frame-pointer", "target-cpu", "target-features", "probe-stack"})
      if (F.hasFnAttribute(Name))
        Kept->addFnAttr(F.getFnAttribute(Name));
    Kept->addFnAttr(CompiledAttribute);
    IRBuilder<> B(BasicBlock::Create(C, "", Kept));
    callRuntime(B, "__skein_poll")->setTailCallKind(CallInst::TCK_NoTail);
    B.CreateRetVoid();
    return Kept;
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
  FunctionAnalysisManager &AM;
  Module &M;
  LoopInfo &LI;
  DominatorTree &DT;
  ScalarEvolution &SE;
  SmallSetVector<BasicBlock *, 8> Before;
  SmallSetVector<std::pair<BasicBlock *, BasicBlock *>, 8> Edges;
  SmallVector<Loop *, 8> Small;
  SmallVector<std::pair<Loop *, Counted>, 8> Strips;
};

} // namespace

void insertLoopPolls(Function &F, FunctionAnalysisManager &AM) {
  Polls(F, AM).run();
  AM.invalidate(F, PreservedAnalyses::none());
}

} // namespace skein
