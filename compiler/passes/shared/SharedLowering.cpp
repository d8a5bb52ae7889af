//===- SharedLowering.cpp - Accesses to shared memory ---------------------===//
//
// Accesses through address space 100 become direct ones where the slice is mapped in this process, and calls of the
// runtime where it is not:
//
//     head:  is __skein_slice_mapped[(address >> 36) & 511] set, for the anchors of all accesses?
//       near: the accesses, to plain memory at the same address
//       far:  the same as calls (SharedCalls.cpp)
//     tail
//
// The range [2^45, 2^46) starts at a multiple of 512 slices, so the masked quotient is the slice. An address outside of
// the range also finds some slice's byte; then it faults at its own address like any wild pointer, or is refused by the
// runtime.
//
// One check serves a *stretch* of a block: accesses whose anchors (SharedAccess.h) exist at its beginning, with no
// migration point between them, since the check is about the process in which it was made. Once made it holds, since a
// mapped slice stays mapped. The far side may migrate at each of its calls. That is why it checks nothing and only
// calls, which is right wherever it goes on. Stretches are short, so that little code is duplicated. Loops are treated
// first (SharedLoops.cpp).
//
// An atomic operation that orders other accesses stands alone. When this process caches memory of other nodes, a direct
// one releases before and acquires after the operation, as the runtime's operations do by themselves. So do fences in
// units that use shared memory.
//
// The addresses of locals must not be stored in shared memory; where that can be seen here, it is reported. (Where it
// cannot, it is noticed at run time: escaping-addresses sees the direct store like any other.)
//
// The pass runs after the optimiser, which vectorises, merges and hoists shared accesses like any others.
//
//===----------------------------------------------------------------------===//
#include "SharedAccess.h"
#include "SharedCalls.h"
#include "SharedLoops.h"
#include "passes/Diagnostics.h"
#include "passes/Passes.h"
#include "passes/ir/MigrationPoints.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/BasicAliasAnalysis.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/TypeBasedAliasAnalysis.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;

namespace skein {

namespace {

constexpr unsigned GapMost = 16;    // how many instructions may lie between two accesses of a stretch
constexpr unsigned AnchorsMost = 4; // of one stretch

using Stretch = SmallVector<Instruction *, 8>;

/// Whether a value exists before an instruction, in whose block it may be defined.
bool isThereBefore(const Value *V, const Instruction &At) {
  const auto *I = dyn_cast<Instruction>(V);
  return !I || I->getParent() != At.getParent() || I->comesBefore(&At);
}

void findStretches(BasicBlock &Block, const TargetLibraryInfo &TLI, SmallVectorImpl<Stretch> &Found) {
  Stretch Now;
  SmallSetVector<Value *, 4> AnchorsNow;
  unsigned Gap = 0;
  auto Close = [&] {
    if (!Now.empty())
      Found.push_back(std::move(Now));
    Now.clear();
    AnchorsNow.clear();
  };
  for (Instruction &I : Block) {
    if (isa<PHINode>(I))
      continue;
    const auto *Call = dyn_cast<CallBase>(&I);
    const bool Alone = !keepsChecks(I, TLI);
    if (Alone || I.isTerminator() || isa<AllocaInst>(I) || I.isEHPad() || I.getType()->isTokenTy() ||
        (Call && (Call->cannotDuplicate() || Call->isConvergent() || Call->isInlineAsm())) ||
        (!Now.empty() && ++Gap > GapMost))
      Close();
    if (!isSharedAccess(I))
      continue;
    SmallVector<Value *, 2> Anchors = anchorsOf(I);
    if (!Now.empty() && (AnchorsNow.size() + Anchors.size() > AnchorsMost ||
                         !all_of(Anchors, [&](Value *Anchor) { return isThereBefore(Anchor, *Now.front()); })))
      Close();
    Now.push_back(&I);
    AnchorsNow.insert_range(Anchors);
    Gap = 0;
    if (Alone)
      Close();
  }
}

/// The plain pointers for the shared ones of one block.
class PlainPointers {
public:
  /// The plain form of `Shared`; it is made before `At` if it does not exist yet.
  Value *of(Value *Shared, Instruction &At) {
    IRBuilder<> B(&At);
    SmallVector<GEPOperator *, 4> Steps; // the last one first
    Value *Base = Shared;
    for (auto *Step = dyn_cast<GEPOperator>(Base);
         Step && !Step->getPointerOperandType()->isVectorTy() && !Made.contains(Base);
         Step = dyn_cast<GEPOperator>(Base)) {
      Steps.push_back(Step);
      Base = Step->getPointerOperand();
    }
    Value *&Known = Made[Base];
    if (!Known) {
      Type *T = PointerType::get(At.getContext(), 0);
      if (auto *Vector = dyn_cast<VectorType>(Base->getType()))
        T = VectorType::get(T, Vector->getElementCount());
      Known = B.CreateAddrSpaceCast(Base, T);
    }
    Value *Plain = Known;
    for (GEPOperator *Step : reverse(Steps)) {
      SmallVector<Value *, 4> Indices(Step->indices());
      Plain = Made[Step] = B.CreateGEP(Step->getSourceElementType(), Plain, Indices, "", Step->getNoWrapFlags());
    }
    return Plain;
  }

private:
  DenseMap<Value *, Value *> Made;
};

class Lowering {
public:
  Lowering(Function &F, FunctionAnalysisManager &AM)
      : F(F), Calls(F),
        BasicAA(F.getDataLayout(), F, AM.getResult<TargetLibraryAnalysis>(F), AM.getResult<AssumptionAnalysis>(F)),
        AA(AM.getResult<TargetLibraryAnalysis>(F)) {
    AA.addAAResult(BasicAA); // it has no dominator tree, which would become wrong when blocks are split
    AA.addAAResult(TypeAA);
  }

  void lower(Stretch &S) {
    Instruction *First = S.front(), *Last = S.back();
    if (needsRuntime(*First)) {
      Calls.lower(S, AA);
      return;
    }
    // Asked for now, since another stretch may have replaced the anchors since this one was found.
    SmallSetVector<Value *, 4> Anchors;
    for (Instruction *Access : S)
      Anchors.insert_range(anchorsOf(*Access));
    BasicBlock *Head = First->getParent();
    BasicBlock *Far = Head->splitBasicBlock(First, "shared.far");
    BasicBlock *Tail = Far->splitBasicBlock(std::next(Last->getIterator()), "shared.done");
    BasicBlock *Near = BasicBlock::Create(F.getContext(), "shared.near", &F, Far);

    ValueToValueMapTy Map;
    for (Instruction &I : *Far) {
      if (I.isTerminator())
        break;
      Instruction *Clone = I.clone();
      Clone->insertInto(Near, Near->end());
      Clone->cloneDebugInfoFrom(&I);
      RemapInstruction(Clone, Map, RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
      Map[&I] = Clone;
    }
    IRBuilder<>(Near).CreateBr(Tail)->setDebugLoc(Last->getDebugLoc());

    Head->getTerminator()->eraseFromParent();
    IRBuilder<> B(Head);
    B.SetCurrentDebugLocation(First->getDebugLoc());
    B.CreateCondBr(areMapped(B, Anchors.getArrayRef()), Near, Far,
                   MDBuilder(F.getContext()).createLikelyBranchWeights());

    // The results of the stretch come from either side.
    for (Instruction &I : *Far) {
      if (I.isTerminator() || I.getType()->isVoidTy())
        continue;
      if (none_of(I.users(), [&](User *U) { return cast<Instruction>(U)->getParent() != Far; }))
        continue;
      PHINode *Phi = PHINode::Create(I.getType(), 2, "", Tail->begin());
      Phi->setDebugLoc(I.getDebugLoc());
      I.replaceUsesWithIf(Phi, [&](Use &U) { return cast<Instruction>(U.getUser())->getParent() != Far; });
      Phi->addIncoming(Map.lookup(&I), Near);
      Phi->addIncoming(&I, Far);
    }

    const bool Orders = isOrdering(*First);
    PlainPointers Plain;
    SmallVector<WeakTrackingVH, 8> Dead;
    for (Instruction *Access : S) {
      auto *Clone = cast<Instruction>(static_cast<Value *>(Map.lookup(Access)));
      for (unsigned N : sharedOperands(*Clone))
        Dead.push_back(Clone->getOperand(N));
      Instruction *Direct = makeDirect(*Clone, [&](Value *Shared) { return Plain.of(Shared, *Clone); });
      if (Orders)
        synchronise(*Direct);
    }
    RecursivelyDeleteTriviallyDeadInstructionsPermissive(Dead);
    Calls.lower(S, AA);
  }

  /// Synchronises the cache with other nodes, around a direct operation or a fence that orders.
  void synchronise(Instruction &I) {
    const AtomicOrdering Ordering = orderingOf(I);
    BasicBlock::iterator Behind = std::next(I.getIterator());
    if (auto *Compare = dyn_cast<AtomicCmpXchgInst>(&I))
      Behind = takeApart(*Compare);
    if (isReleaseOrStronger(Ordering) && !isa<LoadInst>(I))
      callIfCaching("__skein_shared_release", I.getIterator());
    if (isAcquireOrStronger(Ordering) && !isa<StoreInst>(I))
      callIfCaching("__skein_shared_acquire", Behind);
  }

private:
  /// The pair must not cross the call behind it, but its parts may: pointer homing checks for single words whether they
  /// may be addresses. Returns the place where they are put together again.
  static BasicBlock::iterator takeApart(AtomicCmpXchgInst &Compare) {
    IRBuilder<> B(Compare.getParent(), std::next(Compare.getIterator()));
    B.SetCurrentDebugLocation(Compare.getDebugLoc());
    Value *Old = B.CreateExtractValue(&Compare, 0), *Same = B.CreateExtractValue(&Compare, 1);
    auto *Half = cast<Instruction>(B.CreateInsertValue(PoisonValue::get(Compare.getType()), Old, 0));
    Value *Pair = B.CreateInsertValue(Half, Same, 1);
    Compare.replaceUsesWithIf(Pair, [&](Use &U) { return U.getUser() != Old && U.getUser() != Same; });
    return Half->getIterator();
  }

  void callIfCaching(StringRef Name, BasicBlock::iterator At) {
    Module &M = *F.getParent();
    IRBuilder<> B(At->getParent(), At);
    B.SetCurrentDebugLocation(locationFor(F, *At));
    Value *Caching = B.CreateLoad(B.getInt8Ty(), M.getOrInsertGlobal("__skein_shared_caching", B.getInt8Ty()));
    MDNode *Unlikely = MDBuilder(F.getContext()).createUnlikelyBranchWeights();
    B.SetInsertPoint(SplitBlockAndInsertIfThen(B.CreateICmpNE(Caching, B.getInt8(0)), At, false, Unlikely));
    B.CreateCall(M.getOrInsertFunction(Name, FunctionType::get(B.getVoidTy(), false)));
  }

  Function &F;
  SharedCalls Calls;
  BasicAAResult BasicAA;
  TypeBasedAAResult TypeAA{false};
  AAResults AA;
};

/// Reports stores of the address of a local: no other thread may use it, and it is wrong as soon as this thread moves.
void reportLocalAddresses(Function &F) {
  for (Instruction &I : instructions(F)) {
    const auto *Store = dyn_cast<StoreInst>(&I);
    if (!Store || !isShared(Store->getPointerOperand()) || !Store->getValueOperand()->getType()->isPointerTy())
      continue;
    if (const auto *Local = dyn_cast<AllocaInst>(getUnderlyingObject(Store->getValueOperand())))
      warn(F, I.getDebugLoc(), Warning::LocalAddress,
           "the address of " +
               (Local->hasName() ? "local variable '" + Local->getName() + "'" : Twine("a local variable")) +
               " is stored in shared memory, where it is wrong as soon as the thread moves; store a value");
  }
}

} // namespace

PreservedAnalyses SharedLoweringPass::run(Function &F, FunctionAnalysisManager &AM) {
  reportLocalAddresses(F);
  bool Changed = normaliseSharedAccesses(F, AM);
  if (none_of(instructions(F), isSharedAccess) && !Changed) // a fence alone orders no shared access
    return PreservedAnalyses::all();
  if (Changed)
    AM.invalidate(F, PreservedAnalyses::none());
  if (versionSharedLoops(F, AM))
    AM.invalidate(F, PreservedAnalyses::none());

  SmallVector<Stretch, 16> Stretches;
  SmallVector<Instruction *, 4> Fences;
  for (BasicBlock &Block : F) {
    findStretches(Block, AM.getResult<TargetLibraryAnalysis>(F), Stretches);
    for (Instruction &I : Block)
      if (isa<FenceInst>(I) && cast<FenceInst>(I).getSyncScopeID() == SyncScope::System)
        Fences.push_back(&I);
  }
  Lowering L(F, AM);
  for (Stretch &S : reverse(Stretches)) // the later ones of a block first, so that its beginning stays where it is
    L.lower(S);
  for (Instruction *Fence : Fences)
    L.synchronise(*Fence);
  return PreservedAnalyses::none();
}

} // namespace skein
