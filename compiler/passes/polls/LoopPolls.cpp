//===- LoopPolls.cpp - Where a thread that computes can be moved ----------===//
//
// -fskein-polls=loops: a thread that computes can be moved only at a poll, so between two polls of a thread lie at most
// some thousand iterations of loops. A poll is
//
//     cmpb $0, %fs:__skein_poll_flag@tpoff ; jne cold        cold: call __skein_poll_kept
//
// at the loop's back edge. The flag belongs to the worker; only its own kernel thread and the clock write it. The call
// is a migration point that is rarely reached, so homing stores right before it and the loop itself keeps its
// registers. __skein_poll_kept is a small function of the unit that saves (nearly) all registers and calls
// __skein_poll. So a function need not save callee-saved registers for its numbers only because it has a loop.
// (Addresses cross the call in home slots as always; the proof looks at every register that a call preserves.)
//
// These loops need no poll (docs/language.md has the guarantee that results):
//   * Loops that end after few steps, which are iterations and calls of brief functions, with everything inside them
//     (StepBounds.cpp).
//   * Loops that call skein_yield in every iteration.
//   * *Walks*: loops that touch a new address in each iteration, always the same step further, and call only brief
//     functions. They end where the object does (while (*p) p++). If a loop walks on some paths only, the others are
//     polled: in an interpreter's loop, with `*pc++` in each instruction, these are jumps and long instructions.
// A loop full of calls that may migrate is polled all the same: such a call *can* move the thread, but nothing says
// that it will.
//
// Innermost loops that count are strip-mined (StripMining.cpp), unless they never exceed one strip, or are walks that
// can end early: a search for the end of a word is cheaper without strips, and is bounded by the text. Small inner
// loops that neither count nor walk (over a list, or the probes of a hash table) are unrolled, exits and all, with one
// poll at the end.
//
// All decisions for a function are made before anything of it changes. They are then written into the code itself, as
// calls of a marker: unrolling and strip-mining copy these along with the blocks that they copy, and no note about
// edges or blocks is used after these were rewritten. Loops are noted by their headers and looked up again when their
// turn comes.
//
// The pass runs before shared-lowering, which treats polls like any other call that may migrate: what it knows of the
// process ends at each, and begins anew with each strip. So a loop over shared memory gets no version for few
// iterations here; it gets one for memory that is not mapped there.
//
// Rejected: a counter for polls (a decrement and a branch cost as much as the poll); signals (the thread would stop at
// a place without a frame map).
//
// Recursion itself is not polled, only its loops, each as if it ran for the first time. Otherwise a call in fib would
// cost a fifth more, and a thread that recurses for seconds without a long loop, without yielding, and without a call
// of anything that polls, is rare. docs/pitfalls.md says so.
//
//===----------------------------------------------------------------------===//
#include "StepBounds.h"
#include "StripMining.h"
#include "passes/Annotations.h"
#include "passes/Compat.h"
#include "passes/Passes.h"
#include "passes/ir/GrowableStacks.h"
#include "passes/ir/MigrationPoints.h"
#include "passes/shared/SharedAccess.h"
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

constexpr uint64_t StepsOfWalk = 64;                           // in each iteration of a walk
constexpr int64_t MostIterations = 1024, LeastIterations = 64; // of a strip
constexpr const char *KeptPoll = "__skein_poll_kept";
constexpr const char *Marker = "skein.poll.here"; // the calls of it are gone when the pass ends

class Polls {
public:
  Polls(Function &F, FunctionAnalysisManager &AM, StepBounds &Bounds)
      : F(F), AM(AM), Bounds(Bounds), M(*F.getParent()), LI(AM.getResult<LoopAnalysis>(F)),
        DT(AM.getResult<DominatorTreeAnalysis>(F)), SE(AM.getResult<ScalarEvolutionAnalysis>(F)) {}

  void run() {
    if (!F.hasOptNone()) // makes preheaders and one latch, which the optimiser may have removed by now
      for (Loop *L : LI.getTopLevelLoops())
        simplifyLoop(L, &DT, &LI, &SE, &AM.getResult<AssumptionAnalysis>(F), nullptr, /*PreserveLCSSA=*/false);
    for (Loop *L : LI.getTopLevelLoops())
      decide(*L);
    addIrreducible();
    for (auto [Terminator, Successor] : Edges)
      mark(*Terminator, Successor);
    for (const WeakVH &Header : Small)
      if (Loop *L = loopAt(Header))
        unroll(*L);
    for (const WeakVH &Header : Strips)
      if (Loop *L = loopAt(Header))
        cut(*L);
    assert(DT.verify(DominatorTree::VerificationLevel::Fast));
    replaceMarkers();
  }

private:
  /// Decides for all loops of a nest, inner ones first.
  void decide(Loop &Outermost) {
    SmallVector<Loop *, 8> Unbounded, Work{&Outermost};
    while (!Work.empty()) {
      Loop *L = Work.pop_back_val();
      if (Bounds.of(*L))
        continue;
      Unbounded.push_back(L);
      append_range(Work, *L);
    }
    for (Loop *L : reverse(Unbounded))
      decideAlone(*L);
  }

  void decideAlone(Loop &L) {
    if (yieldsAlways(L) || (!L.getExitingBlock() && walks(L)) || isOneStrip(L))
      return;
    if (L.isInnermost() && findCountedLoop(L, SE, stripOf(L)))
      Strips.push_back(L.getHeader());
    else if (walks(L) || walksPartly(L))
      return;
    else if (isSmall(L))
      Small.push_back(L.getHeader());
    else
      pollBackEdges(L);
  }

  /// Whether `B` runs in each iteration.
  bool always(const Loop &L, BasicBlock *B) {
    return all_of(latches(L), [&](BasicBlock *Latch) { return DT.dominates(B, Latch); });
  }

  /// Whether everything that is called in `B` returns soon.
  bool isBrief(const BasicBlock *B) {
    std::optional<uint64_t> Steps = Bounds.ofCalls(*B);
    return Steps && *Steps <= StepsOfWalk;
  }

  /// Whether each iteration touches another address, a constant step further, and is short.
  bool walks(Loop &L) {
    if (!L.isInnermost() || !all_of(L.blocks(), [&](BasicBlock *B) { return isBrief(B); }))
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

  /// Whether `V` is `From` plus a positive constant, in the same object.
  bool isAhead(const Value *V, const Value *From) {
    APInt Offset(64, 0);
    const Value *Base = V->stripAndAccumulateConstantOffsets(M.getDataLayout(), Offset, /*AllowNonInbounds=*/false);
    return Base == From && Offset.isStrictlyPositive();
  }

  /// Finds a pointer that moves ahead inside one object on some paths around `L`, and notes the edges of the other
  /// paths. False: there is none.
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
          note(From, To);
        return true;
      }
    }
    return false;
  }

  /// Whether `To` and everything that leads there from the header of `L` returns soon.
  bool isBriefUpTo(BasicBlock *To, const Loop &L) {
    SmallSetVector<BasicBlock *, 16> Work;
    Work.insert(To);
    for (unsigned N = 0; N < Work.size(); ++N) {
      if (!isBrief(Work[N]) || Work.size() > 64)
        return false;
      if (Work[N] != L.getHeader())
        Work.insert_range(predecessors(Work[N]));
    }
    return true;
  }

  /// Finds what `Phi` becomes when the edge is taken: ahead, or, also after many merges, something else, for which the
  /// edge is noted. False: an edge cannot be split.
  bool follow(Loop &L, const PHINode &Phi, Value *V, BasicBlock *From, BasicBlock *To, unsigned &Ahead,
              SmallVectorImpl<std::pair<BasicBlock *, BasicBlock *>> &Others, SmallPtrSetImpl<PHINode *> &Seen) {
    if (isAhead(V, &Phi) && isBriefUpTo(From, L)) {
      ++Ahead;
      return true;
    }
    constexpr size_t MostMerges = 64;
    auto *Merge = Seen.size() < MostMerges ? dyn_cast<PHINode>(V) : nullptr;
    if (Merge && Merge != &Phi && Merge->getParent() == From && LI.getLoopFor(From) == &L && Seen.insert(Merge).second)
      return all_of(llvm::seq(Merge->getNumIncomingValues()), [&](unsigned N) {
        return follow(L, Phi, Merge->getIncomingValue(N), Merge->getIncomingBlock(N), From, Ahead, Others, Seen);
      });
    if (isa<IndirectBrInst, CallBrInst>(From->getTerminator()))
      return false;
    Others.push_back({From, To});
    return true;
  }

  static constexpr unsigned LargeLoop = 200, SmallLoop = 40, TinyLoop = 12; // instructions

  static unsigned sizeOf(const Loop &L) {
    unsigned Size = 0;
    for (BasicBlock *B : L.blocks())
      Size += B->size();
    return Size;
  }

  bool isSmall(const Loop &L) {
    if (!L.isInnermost() || !L.isLoopSimplifyForm() || F.hasOptNone() || F.hasOptSize() || sizeOf(L) > SmallLoop)
      return false;
    return all_of(L.blocks(), [&](BasicBlock *B) {
      return isBranchOrSwitch(*B->getTerminator()) && !B->hasAddressTaken() && isBrief(B);
    });
  }

  void unroll(Loop &L) {
    formLCSSA(L, DT, &LI, &SE);
    UnrollLoopOptions Options{};
    Options.Count = sizeOf(L) <= TinyLoop ? 8 : 4;
    Options.Force = true;
    OptimizationRemarkEmitter Remarks(&F);
    LoopUnrollResult Result = UnrollLoop(&L, Options, &LI, &SE, &DT, &AM.getResult<AssumptionAnalysis>(F),
                                         &AM.getResult<TargetIRAnalysis>(F), &Remarks, /*PreserveLCSSA=*/true);
    if (Result != LoopUnrollResult::FullyUnrolled) // else there is no loop any more
      markBackEdges(L);
  }

  /// Cuts the loop into strips, if it still counts.
  void cut(Loop &L) {
    std::optional<CountedLoop> C = findCountedLoop(L, SE, stripOf(L));
    if (!C)
      return markBackEdges(L);
    Loop &Long = isWorthTwoVersions(L) ? versionByLength(L, *C, LI, DT, SE) : L;
    markBefore(*mineStrips(Long, *C, LI, DT, SE));
  }

  /// How many iterations of `L` lie between two polls.
  int64_t stripOf(const Loop &L) {
    uint64_t Steps = 1;
    for (BasicBlock *B : L.blocks())
      if (std::optional<uint64_t> Calls = Bounds.ofCalls(*B))
        Steps += *Calls;
      else
        return LeastIterations;
    return std::max<int64_t>(LeastIterations, MostIterations / int64_t(Steps));
  }

  /// Whether the loop never has more iterations than one strip.
  bool isOneStrip(Loop &L) {
    uint64_t Most = L.isInnermost() ? SE.getSmallConstantMaxTripCount(&L) : 0;
    return Most && Most <= uint64_t(stripOf(L));
  }

  static bool isOverShared(const Loop &L) {
    return any_of(L.blocks(), [](const BasicBlock *B) { return any_of(*B, isSharedAccess); });
  }

  bool isWorthTwoVersions(const Loop &L) {
    return !isOverShared(L) && L.isLoopSimplifyForm() && L.isSafeToClone() && !F.hasOptNone() && !F.hasOptSize() &&
           sizeOf(L) <= LargeLoop;
  }

  void pollBackEdges(const Loop &L) {
    for (BasicBlock *Latch : latches(L))
      note(Latch, L.getHeader());
  }

  void markBackEdges(const Loop &L) {
    for (BasicBlock *Latch : latches(L))
      mark(*Latch->getTerminator(), GetSuccessorNumber(Latch, L.getHeader()));
  }

  /// An edge is noted as a successor of a terminator: splitting one edge may redirect another one (loops keep exits of
  /// their own), or give its terminator to another block.
  void note(BasicBlock *From, BasicBlock *To) { Edges.insert({From->getTerminator(), GetSuccessorNumber(From, To)}); }

  /// Places the marker behind the decision to go on, so that the comparison stays next to its branch; where that is not
  /// possible, before it.
  void mark(Instruction &Terminator, unsigned Successor) {
    BasicBlock *From = Terminator.getParent(), *To = Terminator.getSuccessor(Successor), *Between = nullptr;
    if (isBranchOrSwitch(Terminator) && succ_size(From) > 1 && count(successors(From), To) == 1 && !To->isEHPad())
      Between = SplitEdge(From, To, &DT, &LI);
    markBefore(*(Between ? Between->getTerminator() : &Terminator));
  }

  void markBefore(Instruction &At) {
    FunctionCallee Mark = M.getOrInsertFunction(Marker, Type::getVoidTy(F.getContext()));
    if (auto *Call = dyn_cast_or_null<CallBase>(At.getPrevNode()); Call && Call->getCalledOperand() == Mark.getCallee())
      return;
    CallInst *Call = CallInst::Create(Mark, "", At.getIterator());
    Call->setDoesNotThrow();
    Call->setDebugLoc(locationFor(F, At));
  }

  void replaceMarkers() {
    Function *Mark = M.getFunction(Marker);
    if (!Mark)
      return;
    for (User *U : make_early_inc_range(Mark->users())) {
      auto &Call = cast<CallInst>(*U);
      pollBefore(Call);
      Call.eraseFromParent();
    }
    Mark->eraseFromParent();
  }

  /// None: `Header` no longer begins a loop.
  Loop *loopAt(const WeakVH &Header) const {
    auto *B = cast_or_null<BasicBlock>(static_cast<Value *>(Header));
    Loop *L = B ? LI.getLoopFor(B) : nullptr;
    return L && L->getHeader() == B ? L : nullptr;
  }

  static SmallVector<BasicBlock *, 4> latches(const Loop &L) {
    SmallVector<BasicBlock *, 4> Found;
    L.getLoopLatches(Found);
    return Found;
  }

  /// Notes cycles with several entries, which are no loops to LLVM.
  void addIrreducible() {
    SmallVector<std::pair<const BasicBlock *, const BasicBlock *>, 8> Back;
    FindFunctionBackedges(F, Back);
    for (auto [From, To] : Back)
      if (const Loop *L = LI.getLoopFor(To); !L || L->getHeader() != To)
        note(const_cast<BasicBlock *>(From), const_cast<BasicBlock *>(To));
  }

  /// Whether each iteration calls skein_yield.
  bool yieldsAlways(const Loop &L) {
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

  Value *flagAddress(IRBuilder<> &B) {
    GlobalVariable *Flag = M.getNamedGlobal("__skein_poll_flag");
    if (!Flag) {
      // In a program the flag is its own (the runtime is linked into it), so one instruction reads it.
      bool Own = M.getPICLevel() == PICLevel::NotPIC || M.getPIELevel() != PIELevel::Default;
      Flag = new GlobalVariable(M, B.getInt8Ty(), false, GlobalValue::ExternalLinkage, nullptr, "__skein_poll_flag",
                                nullptr, Own ? GlobalValue::LocalExecTLSModel : GlobalValue::InitialExecTLSModel);
      Flag->setDSOLocal(Own);
      announce(B.getContext());
    }
    return B.CreateThreadLocalAddress(Flag);
  }

  /// Tells the runtime that the clock is needed: it checks whether this symbol exists.
  void announce(LLVMContext &C) {
    auto *Mark = new GlobalVariable(M, Type::getInt8Ty(C), true, GlobalValue::WeakAnyLinkage,
                                    ConstantInt::get(Type::getInt8Ty(C), 1), "__skein_polls_compiled");
    Mark->setSection(".rodata.skein");
  }

  /// if (flag) __skein_poll();
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

  /// Calls __skein_poll, but preserves the caller's registers.
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
    for (StringRef Name : {StringRef("frame-pointer"), StringRef("target-cpu"), StringRef("target-features"),
                           StringRef("probe-stack"), StringRef(StacksAttribute)})
      if (F.hasFnAttribute(Name))
        Kept->addFnAttr(F.getFnAttribute(Name));
    Kept->addFnAttr(CompiledAttribute);
    IRBuilder<> B(BasicBlock::Create(C, "", Kept));
    callRuntime(B, "__skein_poll")->setTailCallKind(CallInst::TCK_NoTail);
    B.CreateRetVoid();
    return Kept;
  }

  Function &F;
  FunctionAnalysisManager &AM;
  StepBounds &Bounds;
  Module &M;
  LoopInfo &LI;
  DominatorTree &DT;
  ScalarEvolution &SE;
  SmallSetVector<std::pair<Instruction *, unsigned>, 8> Edges; // terminator, successor
  SmallVector<WeakVH, 8> Small, Strips;                        // headers
};

} // namespace

PreservedAnalyses LoopPollsPass::run(Module &M, ModuleAnalysisManager &AM) {
  auto &Functions = AM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
  StepBounds Bounds(Functions);
  bool Changed = false;
  for (Function &F : M) {
    if (!F.hasFnAttribute(PollsAttribute) || !isMigratable(F) || F.hasFnAttribute(NoMigrateAttribute) ||
        F.hasFnAttribute(HomedAttribute))
      continue;
    Polls(F, Functions, Bounds).run();
    Functions.invalidate(F, PreservedAnalyses::none());
    Changed = true;
  }
  return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace skein
