//===- MigrationPoints.cpp - Pass 1: which calls may migrate ----------------===//
//
// A call may migrate unless we know that it cannot: intrinsics, inline assembly, must-tail calls (the frame is gone), C
// library functions (their frames have no map, so a thread inside one is pinned anyway), functions that a system header
// declares, functions annotated SKEIN_NOMIGRATE, and functions of this module proved not to reach a migration point.
//
// The proof is bottom-up over the strongly connected components of the module's call graph: a function with an exact
// definition whose calls all cannot migrate cannot migrate either; inside a component, calls to its own members are
// assumed not to, which is the greatest fixed point. Functions proved get the attribute `skein-nomigrate`.
//
// Being wrong towards "may" costs a store and a load; being wrong towards "may not" (a false annotation, a program that
// defines its own function of a library name in another unit) pins the thread, since the return address has no record.
//
// The pass also inserts what makes more points: a poll on each back edge (-fskein-poll=loops) and the stress calls
// (-fskein-stress=calls) at function entry and around each call that may migrate. Under stress nothing is inferred, so
// that every call is exercised.
//
//===----------------------------------------------------------------------===//
#include "MigrationPoints.h"
#include "AddressIntegers.h"
#include "Annotations.h"
#include "NonMigratingFunctions.h"
#include "llvm/ADT/SCCIterator.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Analysis/CallGraph.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

static cl::opt<std::string> Stress("skein-stress", cl::init(""),
                                   cl::desc("Move the stack at entry of and around every may-migrate call (calls)"));
static cl::opt<std::string> Poll("skein-poll", cl::init(""), cl::desc("Insert migration polls on back edges (loops)"));
static cl::opt<bool> Infer("skein-infer", cl::init(true),
                           cl::desc("Prove functions that cannot reach a migration point"));

namespace skein {

bool stressRequested() { return Stress == "calls"; }

/// Entry points of the runtime that neither block nor migrate (runtime/include/skein, runtime/abi/entry_points.h).
static bool isQuickRuntimeFunction(StringRef Name) {
  static const StringSet<> Names{"skein_spawn_",
                                 "__skein_spawn",
                                 "skein_self",
                                 "skein_node",
                                 "skein_nodes",
                                 "skein_stealing_set",
                                 "skein_error_text",
                                 "skein_shared_node",
                                 "skein_semaphore_signal",
                                 "__skein_library_keeps",
                                 "__skein_address_escapes",
                                 "__cxa_begin_catch",
                                 "__cxa_end_catch",
                                 "__cxa_throw",
                                 "__cxa_rethrow",
                                 "__cxa_allocate_exception",
                                 "__cxa_free_exception",
                                 "_Unwind_Resume",
                                 "__cxa_guard_acquire",
                                 "__cxa_guard_release",
                                 "__cxa_guard_abort",
                                 "__cxa_atexit",
                                 "__cxa_call_terminate",
                                 "__clang_call_terminate",
                                 "_ZSt9terminatev"};
  return Names.contains(Name);
}

bool mayMigrate(const CallBase &Call, const TargetLibraryInfo &TLI) {
  if (isa<IntrinsicInst>(Call) || Call.isInlineAsm() || Call.isMustTailCall())
    return false;
  if (Call.hasFnAttr(NoMigrateAttribute))
    return false;
  const auto *Callee = dyn_cast<Function>(Call.getCalledOperand()->stripPointerCastsAndAliases());
  if (!Callee)
    return true;
  if (Callee->isIntrinsic() || Callee->hasFnAttribute(NoMigrateAttribute) || isQuickRuntimeFunction(Callee->getName()))
    return false;
  if (!Callee->isDeclaration())
    return true;
  if (isDeclaredNonMigrating(Callee->getName()))
    return false;
  LibFunc Library;
  return !TLI.getLibFunc(Callee->getName(), Library);
}

static bool isMigratable(const Function &F) {
  // Clang's own handler of exceptions that leave a noexcept function: it ends the program.
  if (F.getName() == "__clang_call_terminate")
    return false;
  return !F.isDeclaration() && !F.hasFnAttribute(Attribute::Naked) && !F.hasAvailableExternallyLinkage();
}

/// Marks functions that cannot reach a migration point.
static void inferNonMigrating(Module &M, function_ref<const TargetLibraryInfo &(Function &)> GetTLI) {
  CallGraph Graph(M);
  for (auto Component = scc_begin(&Graph); !Component.isAtEnd(); ++Component) {
    SmallPtrSet<const Function *, 4> Members;
    for (CallGraphNode *Node : *Component)
      if (Function *F = Node->getFunction())
        Members.insert(F);
    auto CannotMigrate = [&](CallGraphNode *Node) {
      Function *F = Node->getFunction();
      if (!F || !isMigratable(*F) || !F->hasExactDefinition() || F->getName() == "main")
        return false;
      const TargetLibraryInfo &TLI = GetTLI(*F);
      for (Instruction &I : instructions(*F))
        if (auto *Call = dyn_cast<CallBase>(&I); Call && (mayMigrate(*Call, TLI) || Call->isMustTailCall())) {
          const Function *Callee = Call->getCalledFunction();
          if (!Callee || (!Members.contains(Callee) && !Callee->hasFnAttribute(NoMigrateAttribute)))
            return false;
        }
      return true;
    };
    if (!Members.empty() && all_of(*Component, CannotMigrate))
      for (CallGraphNode *Node : *Component)
        Node->getFunction()->addFnAttr(NoMigrateAttribute);
  }
}

static CallInst *callRuntime(IRBuilder<> &B, StringRef Name) {
  Module &M = *B.GetInsertBlock()->getModule();
  FunctionCallee Callee = M.getOrInsertFunction(Name, FunctionType::get(B.getVoidTy(), false));
  CallInst *Call = B.CreateCall(Callee);
  Call->setDoesNotThrow();
  return Call;
}

/// First place in the entry block after the static allocas, which must stay together for the back end.
static BasicBlock::iterator afterAllocas(Function &F) {
  BasicBlock::iterator At = F.getEntryBlock().getFirstInsertionPt(), Best = At;
  for (; At != F.getEntryBlock().end(); ++At)
    if (auto *Alloca = dyn_cast<AllocaInst>(&*At); Alloca && Alloca->isStaticAlloca())
      Best = std::next(At);
  return Best;
}

static DebugLoc locationFor(const Function &F, const Instruction &I) {
  if (I.getDebugLoc())
    return I.getDebugLoc();
  if (DISubprogram *Subprogram = F.getSubprogram())
    return DILocation::get(F.getContext(), Subprogram->getLine(), 0, Subprogram);
  return DebugLoc();
}

static bool isInTailPosition(const CallBase &Call) {
  const auto *Direct = dyn_cast<CallInst>(&Call);
  return Direct && Direct->isTailCall() && isa_and_nonnull<ReturnInst>(Call.getNextNode());
}

static void insertStress(Function &F, ArrayRef<CallBase *> Calls) {
  IRBuilder<> B(F.getContext());
  for (CallBase *Call : Calls) {
    B.SetInsertPoint(Call);
    B.SetCurrentDebugLocation(locationFor(F, *Call));
    callRuntime(B, "__skein_stress");
    if (auto *Invoke = dyn_cast<InvokeInst>(Call)) {
      BasicBlock *Next = Invoke->getNormalDest();
      if (!Next->getSinglePredecessor())
        Next = SplitEdge(Invoke->getParent(), Next);
      B.SetInsertPoint(Next, Next->getFirstInsertionPt());
    } else if (isInTailPosition(*Call) || Call->isTerminator()) {
      continue;
    } else {
      B.SetInsertPoint(Call->getParent(), std::next(Call->getIterator()));
    }
    B.SetCurrentDebugLocation(locationFor(F, *Call));
    callRuntime(B, "__skein_stress");
  }
  BasicBlock::iterator Entry = afterAllocas(F);
  B.SetInsertPoint(&F.getEntryBlock(), Entry);
  B.SetCurrentDebugLocation(locationFor(F, *Entry));
  callRuntime(B, "__skein_stress");
}

static void insertPolls(Function &F) {
  DominatorTree DT(F);
  LoopInfo LI(DT);
  SmallVector<BasicBlock *, 8> Latches;
  for (Loop *L : LI.getLoopsInPreorder())
    L->getLoopLatches(Latches);
  Module &M = *F.getParent();
  Type *Byte = Type::getInt8Ty(F.getContext());
  for (BasicBlock *Latch : Latches) {
    IRBuilder<> B(Latch->getTerminator());
    B.SetCurrentDebugLocation(locationFor(F, *Latch->getTerminator()));
    Value *Flag = B.CreateLoad(Byte, M.getOrInsertGlobal("__skein_poll_flag", Byte), /*isVolatile=*/true);
    Value *Requested = B.CreateICmpNE(Flag, ConstantInt::get(Byte, 0));
    Instruction *Then = SplitBlockAndInsertIfThen(Requested, Latch->getTerminator(), /*Unreachable=*/false,
                                                  MDBuilder(F.getContext()).createUnlikelyBranchWeights());
    B.SetInsertPoint(Then);
    B.SetCurrentDebugLocation(locationFor(F, *Then));
    callRuntime(B, "__skein_poll");
  }
}

PreservedAnalyses MigrationPointsPass::run(Module &M, ModuleAnalysisManager &AM) {
  auto &FAM = AM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
  auto GetTLI = [&](Function &F) -> const TargetLibraryInfo & { return FAM.getResult<TargetLibraryAnalysis>(F); };
  for (Function &F : M)
    if (isDeclaredNonMigrating(F.getName()))
      F.addFnAttr(NoMigrateAttribute);

  if (any_of(M, [](const Function &F) { return !F.isDeclaration() && usesAddressIntegers(F); }))
    for (Function &F : M)
      if (!F.isDeclaration())
        F.addFnAttr(AddressIntegersAttribute);

  for (Function &F : M) {
    if (!isMigratable(F) || F.hasFnAttribute(NoMigrateAttribute) || F.hasFnAttribute(PointsInsertedAttribute))
      continue;
    F.addFnAttr(PointsInsertedAttribute);
    if (Poll == "loops")
      insertPolls(F);
    if (!stressRequested())
      continue;
    SmallVector<CallBase *, 16> Calls;
    for (Instruction &I : instructions(F))
      if (auto *Call = dyn_cast<CallBase>(&I); Call && mayMigrate(*Call, GetTLI(F)))
        Calls.push_back(Call);
    insertStress(F, Calls);
  }
  if (Infer)
    inferNonMigrating(M, GetTLI);
  return PreservedAnalyses::none();
}

} // namespace skein
