//===- MigrationPoints.cpp - Which calls may migrate ----------------------===//
//
// Decides which calls may migrate, and adds migration points. A call may migrate unless it is known that it cannot. It
// cannot if it calls an intrinsic, inline assembly, a C library function (whose frame has no map, so a thread inside of
// it is pinned anyway), a function that a system header declares or that is annotated SKEIN_NOMIGRATE (source-facts has
// marked both), or a function proved not to reach a migration point (NonMigratingProof.cpp); or if it is a must-tail
// call, whose frame is gone.
//
// If this errs towards "may", that costs a store and a load. If it errs towards "may not" (a false assumption, or a
// program that defines its own function of a library name in another unit), that pins the thread, since the return
// address has no record.
//
// The pass also inserts what makes more migration points: the stress calls (-fskein-stress=calls) at function entry and
// around each call that may migrate, and `__skein_home`, by which main returns to node 0 before it ends. (Polls in
// loops are there already: LoopPolls.cpp.) Under stress nothing is inferred, so that every call is exercised.
//
//===----------------------------------------------------------------------===//
#include "MigrationPoints.h"
#include "FunctionPreparation.h"
#include "LibraryFacts.h"
#include "passes/Annotations.h"
#include "passes/Passes.h"
#include "passes/ir/NonMigratingProof.h"
#include "passes/private/PrivateHeap.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/GlobalIFunc.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

static cl::opt<bool> Infer("skein-infer", cl::init(true),
                           cl::desc("Prove functions that cannot reach a migration point"));

namespace skein {

bool declarationMayMigrate(const Function &Callee, const TargetLibraryInfo &TLI) {
  if (Callee.getName() == SizedFunction || Callee.getName() == TypedFunction)
    return false; // a mark of the frontend, which becomes no call
  LibFunc Library;
  return !Callee.isIntrinsic() && !Callee.hasFnAttribute(NoMigrateAttribute) && !library(Callee, LibraryFact::Stays) &&
         !TLI.getLibFunc(Callee.getName(), Library);
}

bool mayMigrate(const CallBase &Call, const TargetLibraryInfo &TLI) {
  if (isa<IntrinsicInst>(Call) || Call.isInlineAsm() || Call.isMustTailCall())
    return false;
  if (Call.hasFnAttr(NoMigrateAttribute))
    return false;
  const auto *Callee = dyn_cast<Function>(Call.getCalledOperand()->stripPointerCastsAndAliases());
  if (!Callee)
    return true;
  if (Callee->hasFnAttribute(NoMigrateAttribute) || library(*Callee, LibraryFact::Stays))
    return false;
  return !Callee->isDeclaration() || declarationMayMigrate(*Callee, TLI);
}

bool isMigratable(const Function &F) {
  // Clang's own handler of exceptions that leave a noexcept function ends the program.
  if (F.getName() == "__clang_call_terminate")
    return false;
  // The dynamic linker calls resolvers (of target_clones) before there is a runtime.
  if (any_of(F.getParent()->ifuncs(), [&](const GlobalIFunc &I) { return I.getResolverFunction() == &F; }))
    return false;
  return !F.isDeclaration() && !F.hasFnAttribute(Attribute::Naked) && !F.hasAvailableExternallyLinkage();
}

CallInst *callRuntime(IRBuilder<> &B, StringRef Name) {
  Module &M = *B.GetInsertBlock()->getModule();
  FunctionCallee Callee = M.getOrInsertFunction(Name, FunctionType::get(B.getVoidTy(), false));
  CallInst *Call = B.CreateCall(Callee);
  Call->setDoesNotThrow();
  return Call;
}

/// The first place in the entry block after the static allocas, which must stay together for the back end.
static BasicBlock::iterator afterAllocas(Function &F) {
  BasicBlock::iterator At = F.getEntryBlock().getFirstInsertionPt(), Best = At;
  for (; At != F.getEntryBlock().end(); ++At)
    if (auto *Alloca = dyn_cast<AllocaInst>(&*At); Alloca && Alloca->isStaticAlloca())
      Best = std::next(At);
  return Best;
}

DebugLoc locationFor(const Function &F, const Instruction &I) {
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

/// A process keeps its exit handlers. So main goes back to where it began before it returns, and before it calls exit()
/// or registers a handler or a destructor in a function that may migrate anyway. In other functions these calls are no
/// migration points, since the check would cost time in every loop around the call.
static void insertHomecomings(Function &F) {
  SmallVector<Instruction *, 4> Places;
  for (Instruction &I : instructions(F)) {
    const auto *Call = dyn_cast<CallBase>(&I);
    const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    if ((isa<ReturnInst>(I) && F.getName() == "main" && !I.getParent()->getTerminatingMustTailCall()) ||
        (Callee && Callee->isDeclaration() &&
         (Callee->hasFnAttribute(NoMigrateAttribute) || library(*Callee, LibraryFact::Stays)) &&
         library(*Callee, LibraryFact::KeepsHandlers)))
      Places.push_back(&I);
  }
  for (Instruction *I : Places) {
    IRBuilder<> B(I);
    B.SetCurrentDebugLocation(locationFor(F, *I));
    callRuntime(B, "__skein_home");
  }
}

PreservedAnalyses MigrationPointsPass::run(Module &M, ModuleAnalysisManager &AM) {
  auto &FAM = AM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
  auto GetTLI = [&](Function &F) -> const TargetLibraryInfo & { return FAM.getResult<TargetLibraryAnalysis>(F); };

  SmallVector<Function *, 32> Fresh;
  for (Function &F : M) {
    if (!isMigratable(F) || F.hasFnAttribute(NoMigrateAttribute) || F.hasFnAttribute(PointsInsertedAttribute) ||
        F.hasFnAttribute(HomedAttribute))
      continue;
    F.addFnAttr(PointsInsertedAttribute);
    Fresh.push_back(&F);
    if (!F.hasFnAttribute(StressAttribute) || any_of(F.args(), isHandedOn)) // a thunk whose frame pins the thread
      continue;
    SmallVector<CallBase *, 16> Calls;
    for (Instruction &I : instructions(F))
      if (auto *Call = dyn_cast<CallBase>(&I); Call && mayMigrate(*Call, GetTLI(F)))
        Calls.push_back(Call);
    insertStress(F, Calls);
  }
  if (Infer)
    proveNonMigrating(M, GetTLI, [](const Function &F) { return isMigratable(F) && F.getName() != "main"; });
  for (Function *F : Fresh)
    if (!F->hasFnAttribute(NoMigrateAttribute))
      insertHomecomings(*F);
  return PreservedAnalyses::none();
}

} // namespace skein
