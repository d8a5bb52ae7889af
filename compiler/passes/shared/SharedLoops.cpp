//===- SharedLoops.cpp -------------------------------------------------------===//
//
//     preheader                                preheader: all anchors mapped? ── no ── asked again, of the runtime,
//     loop: ... shared accesses         =>       | yes                                  which maps what it can: no? ─┐
//     exit                                     loop: plain accesses                loop.far: shared accesses     <───┘
//                                              exit  <────────────────────────────────┘
//
// The first loop is the one that a compiler for plain C would have made, vectorised or not: this pass runs after the
// optimiser, which treats shared memory like other memory. The shared pointers of that loop, induction variables among
// them, become plain ones. In the second loop accesses are checked one by one, like others.
//
// One check before the loop holds for the whole loop if
//
//   * the anchors of all accesses are computed before the loop (an object lies in one slice; SharedAccess.h);
//   * a slice that is mapped stays mapped as long as the process lives (runtime/dsm/slices.h);
//   * the thread stays in the process: nothing in the loop may migrate. Far accesses may, but are not in this version
//     of the loop. A poll (-fskein-polls=loops) may as well: in a loop that is cut into strips the inner loop has none,
//     and the check is made again for each strip.
//
// Of nested loops that meet these conditions only the outermost is versioned, not each one inside.
//
// Rejected: a check of [begin, end) by scalar evolution. It needs a trip count, which a walk along a list or a search
// does not have, and gives no more information.
//
//===----------------------------------------------------------------------===//
#include "SharedLoops.h"
#include "SharedAccess.h"
#include "passes/Annotations.h"
#include "passes/ir/MigrationPoints.h"
#include "passes/polls/LoopTwin.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/LoopIterator.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace skein {

namespace {

constexpr unsigned InstructionsMost = 500, AnchorsMost = 8;

struct Candidate {
  Loop *L;
  SmallSetVector<Value *, 4> Anchors;
};

class Versions {
public:
  Versions(Function &F, FunctionAnalysisManager &AM)
      : F(F), AM(AM), LI(AM.getResult<LoopAnalysis>(F)), DT(AM.getResult<DominatorTreeAnalysis>(F)),
        TLI(AM.getResult<TargetLibraryAnalysis>(F)) {}

  bool run() {
    if (none_of(LI.getTopLevelLoops(), [](Loop *L) { return hasAccess(*L); }))
      return false;
    for (Loop *L : LI.getTopLevelLoops())
      simplifyLoop(L, &DT, &LI, nullptr, &AM.getResult<AssumptionAnalysis>(F), nullptr, /*PreserveLCSSA=*/false);
    for (Loop *L : LI.getTopLevelLoops())
      choose(*L);
    for (Candidate &Chosen : Candidates)
      version(Chosen);
    return true;
  }

private:
  static bool hasAccess(const Loop &L) {
    return any_of(L.blocks(), [](const BasicBlock *B) { return any_of(*B, isSharedAccess); });
  }

  void choose(Loop &Outermost) {
    SmallVector<Loop *, 8> Work{&Outermost};
    while (!Work.empty()) {
      Loop *L = Work.pop_back_val();
      Candidate C{L, {}};
      if (!hasAccess(*L))
        continue;
      if (isVersionable(C))
        Candidates.push_back(std::move(C));
      else
        Work.append(L->rbegin(), L->rend());
    }
  }

  bool isVersionable(Candidate &C) const {
    Loop &L = *C.L;
    if (!L.getLoopPreheader() || !L.hasDedicatedExits() || !L.isSafeToClone())
      return false;
    unsigned Instructions = 0;
    for (BasicBlock *B : L.blocks())
      for (Instruction &I : *B) {
        if (++Instructions > InstructionsMost || !keepsChecks(I, TLI))
          return false;
        for (Value *Anchor : anchorsOf(I)) {
          if (!L.isLoopInvariant(Anchor))
            return false;
          C.Anchors.insert(Anchor);
        }
      }
    return C.Anchors.size() <= AnchorsMost;
  }

  void version(Candidate &C) {
    Loop &L = *C.L;
    formLCSSARecursively(L, DT, &LI, nullptr);
    BasicBlock *Test = L.getLoopPreheader();
    ValueToValueMapTy Copies;
    Loop *Far = cloneBeside(L, ".far", LI, DT, Copies);
    BasicBlock *Near = L.getLoopPreheader();
    branch(C, *Test, *Near, *Far->getLoopPreheader());
    DT.recalculate(F);
    makePlain(C, *Near);
  }

  /// Inserts the checks at the end of `Test`.
  void branch(const Candidate &C, BasicBlock &Test, BasicBlock &Near, BasicBlock &Far) {
    BasicBlock *Ask = BasicBlock::Create(F.getContext(), "shared.ask", &F, &Far);
    if (Loop *Around = LI.getLoopFor(&Test))
      Around->addBasicBlockToLoop(Ask, LI);
    Instruction *Old = Test.getTerminator();
    IRBuilder<> B(Old);
    B.SetCurrentDebugLocation(locationFor(F, *C.L->getHeader()->getTerminator()));
    MDNode *Likely = MDBuilder(F.getContext()).createLikelyBranchWeights();
    B.CreateCondBr(areMapped(B, C.Anchors.getArrayRef()), &Near, Ask, Likely);
    Old->eraseFromParent();
    B.SetInsertPoint(Ask);
    FunctionCallee Reach = F.getParent()->getOrInsertFunction(
        "__skein_slice_reach", FunctionType::get(B.getInt32Ty(), {B.getInt64Ty()}, false));
    Value *All = nullptr;
    for (Value *Anchor : C.Anchors) {
      CallInst *One = B.CreateCall(Reach, {B.CreatePtrToInt(Anchor, B.getInt64Ty())});
      One->setDoesNotThrow();
      All = All ? B.CreateAnd(All, One) : One;
    }
    B.CreateCondBr(B.CreateICmpNE(All, B.getInt32(0)), &Near, &Far);
  }

  /// Replaces the shared pointers of a loop that are computed from its anchors by plain ones.
  void makePlain(const Candidate &C, BasicBlock &Preheader) {
    Loop &L = *C.L;
    MapVector<Instruction *, Value *> Plain;
    DenseMap<Value *, Value *> Outside;
    auto *Pointer = PointerType::get(F.getContext(), 0);
    auto PlainOf = [&](Value *V) -> Value * {
      if (auto *I = dyn_cast<Instruction>(V))
        if (auto Found = Plain.find(I); Found != Plain.end())
          return Found->second;
      Value *&Cast = Outside[V];
      if (Cast)
        return Cast;
      auto *I = dyn_cast<Instruction>(V);
      Instruction *At = I && L.contains(I) ? &*I->getInsertionPointAfterDef().value() : Preheader.getTerminator();
      return Cast = IRBuilder<>(At).CreateAddrSpaceCast(V, Pointer);
    };

    LoopBlocksRPO Order(&L);
    Order.perform(&LI);
    SmallVector<Instruction *, 16> Accesses, Compares;
    for (BasicBlock *B : Order)
      for (Instruction &I : *B) {
        if (isSharedAccess(I))
          Accesses.push_back(&I);
        if (auto *Compare = dyn_cast<ICmpInst>(&I); Compare && isSharedType(I.getOperand(0)->getType()))
          Compares.push_back(&I);
        if (!isSharedType(I.getType()) || !isa<GetElementPtrInst, PHINode, SelectInst>(I) ||
            !C.Anchors.contains(anchorOf(&I)))
          continue;
        IRBuilder<> At(&I);
        if (auto *Phi = dyn_cast<PHINode>(&I)) {
          Plain[&I] = At.CreatePHI(Pointer, Phi->getNumIncomingValues());
        } else if (auto *Choice = dyn_cast<SelectInst>(&I)) {
          Plain[&I] = At.CreateSelect(Choice->getCondition(), PlainOf(Choice->getTrueValue()),
                                      PlainOf(Choice->getFalseValue()));
        } else {
          auto &Step = cast<GetElementPtrInst>(I);
          SmallVector<Value *, 4> Indices(Step.indices());
          Plain[&I] = At.CreateGEP(Step.getSourceElementType(), PlainOf(Step.getPointerOperand()), Indices, "",
                                   Step.getNoWrapFlags());
        }
      }
    for (auto [Old, New] : Plain)
      if (auto *Phi = dyn_cast<PHINode>(Old))
        for (unsigned N = 0; N < Phi->getNumIncomingValues(); ++N)
          cast<PHINode>(New)->addIncoming(PlainOf(Phi->getIncomingValue(N)), Phi->getIncomingBlock(N));

    for (Instruction *Access : Accesses)
      makeDirect(*Access, PlainOf);
    auto IsPlain = [&](Value *V) { return isa<Instruction>(V) && Plain.contains(cast<Instruction>(V)); };
    for (Instruction *Compare : Compares)
      if (IsPlain(Compare->getOperand(0)) || IsPlain(Compare->getOperand(1)))
        for (unsigned N : {0, 1})
          Compare->setOperand(N, PlainOf(Compare->getOperand(N)));

    // Other uses of a shared pointer (where it is kept, or passed on) get the shared pointer back.
    for (auto [Old, New] : Plain) {
      if (any_of(Old->users(), [&](User *U) { return !IsPlain(U); })) {
        auto At = cast<Instruction>(New)->getInsertionPointAfterDef();
        Value *Again = IRBuilder<>(At.value()->getParent(), *At).CreateAddrSpaceCast(New, Old->getType());
        Old->replaceUsesWithIf(Again, [&](Use &U) { return !IsPlain(U.getUser()); });
      }
    }
    for (auto [Old, New] : Plain)
      Old->replaceAllUsesWith(PoisonValue::get(Old->getType()));
    for (auto [Old, New] : Plain)
      Old->eraseFromParent();
  }

  Function &F;
  FunctionAnalysisManager &AM;
  LoopInfo &LI;
  DominatorTree &DT;
  const TargetLibraryInfo &TLI;
  SmallVector<Candidate, 4> Candidates;
};

} // namespace

bool versionSharedLoops(Function &F, FunctionAnalysisManager &AM) {
  if (F.hasOptNone() || F.hasMinSize())
    return false;
  return Versions(F, AM).run();
}

} // namespace skein
