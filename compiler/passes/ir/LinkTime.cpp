//===- LinkTime.cpp ----------------------------------------------------------===//
//
// With -flto the linker optimises and generates code, so our passes have to run there. lld runs LLVM in its own process
// and loads our plugin (--load-pass-plugin, which skeincc puts on every link line); it uses the same libLLVM as clang
// does. The compile step then runs `source-facts` only, and the rest happens in the linker:
//
//     -flto         one module, the whole program     homing after the last optimisation
//     -flto=thin    one module a unit                 the same, but at -O0 LLVM has no hook there: late homing
//
//     any           objects that are no bitcode       as without -flto; they were homed when they were compiled
//
// *Late homing* runs at the start of code generation and looks in each module for functions that skeincc compiled and
// that have not been homed yet. So no function is left out, whichever pipeline built the code, and none is homed twice:
// a function is homed once, and marked (`skein-homed`).
//
// Code must never be optimised after it was homed: its home slots would be promoted away while its sites still list
// them. So each pipeline begins by looking for functions
//
//   * that are homed already (bitcode made by `skeincc -emit-llvm` without -flto); they lose their sites; and
//   * that skeincc did not compile (bitcode of plain clang); they are not homed, since what skeincc does before the
//     optimiser was not done, and they are not inlined into functions that are homed.
//
// Neither kind has a frame map then: like those of a library, their frames pin the thread.
//
// Rejected: homing in the compile step and optimising around it (nearly every pass would have to know the slots);
// generating code in the compile step with an inlined copy of everything (that is what -flto replaces).
//
//===----------------------------------------------------------------------===//
#include "LinkTime.h"
#include "passes/Annotations.h"
#include "passes/Diagnostics.h"
#include "passes/Passes.h"
#include "passes/Pipeline.h"
#include "passes/addresses/WordEvidence.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Pass.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

namespace skein {

void releaseHomed(Module &M) {
  const Function *First = nullptr;
  for (Function &F : M) {
    if (F.isDeclaration() || !F.hasFnAttribute(HomedAttribute))
      continue;
    bool Sites = false;
    for (Instruction &I : instructions(F))
      if (auto *Call = dyn_cast<CallBase>(&I); Call && hasSiteInfo(*Call)) {
        Call->setMetadata("heapallocsite", nullptr);
        Sites = true;
      }
    if (Sites && !First)
      First = &F;
  }
  if (First)
    warn(*First, DebugLoc(), Warning::Pinned,
         "a thread cannot move while '" + First->getName() + "', or another function of '" + M.getModuleIdentifier() +
             "', is on its stack: it was compiled to bitcode without -flto and is now optimised again");
}

/// If one unit was compiled with -fno-strict-aliasing, types are no evidence in any unit, since functions are inlined
/// into each other and read each other's memory.
static void readTypesOfUnits(const Module &M) {
  if (any_of(M, [](const Function &F) { return F.hasFnAttribute(AnyTypeAttribute); }))
    declareTypesNoEvidence();
}

PreservedAnalyses ForeignBitcodePass::run(Module &M, ModuleAnalysisManager &) {
  releaseHomed(M);
  readTypesOfUnits(M);
  for (Function &F : M)
    if (!F.isDeclaration() && !F.hasFnAttribute(CompiledAttribute)) {
      F.addFnAttr(HomedAttribute);
      F.removeFnAttr(Attribute::AlwaysInline);
      F.addFnAttr(Attribute::NoInline);
    }
  return PreservedAnalyses::none();
}

namespace {

class LateHoming : public ModulePass {
public:
  static char ID;
  LateHoming() : ModulePass(ID) {}
  StringRef getPassName() const override { return "Skein late homing"; }
  void getAnalysisUsage(AnalysisUsage &Usage) const override { Usage.addRequired<TargetPassConfig>(); }

  bool runOnModule(Module &M) override {
    if (none_of(M, [](const Function &F) {
          // a naked function never needs homing
          return !F.isDeclaration() && !F.hasAvailableExternallyLinkage() && F.hasFnAttribute(CompiledAttribute) &&
                 !F.hasFnAttribute(HomedAttribute) && !F.hasFnAttribute(Attribute::Naked);
        }))
      return false;
    readTypesOfUnits(M); // without the optimiser, thin link-time optimisation runs no pass of ours before this one
    auto &Target = getAnalysis<TargetPassConfig>().getTM<TargetMachine>();
    PassBuilder Builder(&Target);
    LoopAnalysisManager Loops;
    FunctionAnalysisManager Functions;
    CGSCCAnalysisManager Components;
    ModuleAnalysisManager Modules;
    Builder.registerModuleAnalyses(Modules);
    Builder.registerCGSCCAnalyses(Components);
    Builder.registerFunctionAnalyses(Functions);
    addAnalyses(Functions);
    Builder.registerLoopAnalyses(Loops);
    Builder.crossRegisterProxies(Loops, Functions, Components, Modules);
    ModulePassManager Passes;
    addHomingPasses(Passes, Target.getOptLevel() != CodeGenOptLevel::None);
    Passes.run(M, Modules);
    return true;
  }
};

char LateHoming::ID = 0;

} // namespace

ModulePass *createLateHomingPass() { return new LateHoming(); }

} // namespace skein
