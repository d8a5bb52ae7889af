//===- Pipeline.cpp - The order of the passes ------------------------------===//
#include "Pipeline.h"
#include "passes/Passes.h"
#include "passes/addresses/AddressIntegers.h"
#include "passes/ir/CallFreeLoopStrength.h"
#include "passes/ir/LinkTime.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/PassRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Scalar.h"
#include "llvm/Transforms/Utils.h"

using namespace llvm;

namespace skein {

void addHomingPasses(ModulePassManager &Modules, bool Optimising) {
  Modules.addPass(createModuleToFunctionPassAdaptor(SameMovesPass()));
  Modules.addPass(LoopPollsPass());
  FunctionPassManager Lowering;
  Lowering.addPass(SpawnLoweringPass());
  Lowering.addPass(SharedLoweringPass());
  Lowering.addPass(LibraryKeepsPass());
  Modules.addPass(createModuleToFunctionPassAdaptor(std::move(Lowering)));
  Modules.addPass(AddressSignaturesPass());
  Modules.addPass(createModuleToFunctionPassAdaptor(EscapingAddressesPass()));
  Modules.addPass(NumbersOfProgramPass());
  Modules.addPass(PrivateGlobalsPass());
  Modules.addPass(MigrationPointsPass());
  Modules.addPass(GrowableStacksPass());
  Modules.addPass(GlobalMapsPass());
  FunctionPassManager Homing;
  if (Optimising)
    Homing.addPass(CallFreeLoopStrengthPass());
  Homing.addPass(PointerHomingPass());
  Modules.addPass(createModuleToFunctionPassAdaptor(std::move(Homing)));
  Modules.addPass(CalleeBindingPass());
}

static bool beforeLink(ThinOrFullLTOPhase Phase) {
  return Phase == ThinOrFullLTOPhase::ThinLTOPreLink || Phase == ThinOrFullLTOPhase::FullLTOPreLink;
}

/// Adds the pass with this name, if it is one of `Kinds`.
template <class... Kinds, class Manager> static bool addNamed(StringRef Name, Manager &Passes) {
  return ((Name == Kinds::name() && (Passes.addPass(Kinds()), true)) || ...);
}

void addAnalyses(FunctionAnalysisManager &Functions) {
  Functions.registerPass([] { return AddressIntegersAnalysis(); });
}

void addIRPasses(PassBuilder &Builder) {
  Builder.registerAnalysisRegistrationCallback(addAnalyses);
  // Facts that only the compile step knows are written into the module before anything else runs.
  Builder.registerPipelineStartEPCallback([](ModulePassManager &Modules, OptimizationLevel) {
    Modules.addPass(SourceFactsPass());
    Modules.addPass(createModuleToFunctionPassAdaptor(JumpLoweringPass()));
    Modules.addPass(PrivateHeapPass());
    Modules.addPass(PrivateMarkingPass());
  });
  // These passes run last in the compile step, and in each step that generates code.
  Builder.registerOptimizerLastEPCallback(
      [](ModulePassManager &Modules, OptimizationLevel Level, ThinOrFullLTOPhase Phase) {
        Modules.addPass(LibraryCallsPass()); // not at link time, when it is already settled which symbols there are
        if (!beforeLink(Phase))
          addHomingPasses(Modules, Level != OptimizationLevel::O0);
        else if (Phase == ThinOrFullLTOPhase::ThinLTOPreLink)
          Modules.addPass(NonMigratingProofPass());
      });
  // These passes run in the linker; see LinkTime.cpp.
  Builder.registerFullLinkTimeOptimizationEarlyEPCallback([](ModulePassManager &Modules, OptimizationLevel) {
    Modules.addPass(ForeignBitcodePass());
    Modules.addPass(LinkedClaimsPass());
  });
  Builder.registerPipelineEarlySimplificationEPCallback(
      [](ModulePassManager &Modules, OptimizationLevel, ThinOrFullLTOPhase Phase) {
        if (Phase == ThinOrFullLTOPhase::ThinLTOPostLink)
          Modules.addPass(ForeignBitcodePass());
      });
  Builder.registerFullLinkTimeOptimizationLastEPCallback([](ModulePassManager &Modules, OptimizationLevel Level) {
    addHomingPasses(Modules, Level != OptimizationLevel::O0);
  });
  // The names for opt -passes=.
  Builder.registerPipelineParsingCallback([](StringRef Name, FunctionPassManager &Passes,
                                             ArrayRef<PassBuilder::PipelineElement>) {
    return addNamed<JumpLoweringPass, SpawnLoweringPass, SharedLoweringPass, LibraryKeepsPass, EscapingAddressesPass,
                    CallFreeLoopStrengthPass, PointerHomingPass, SameMovesPass>(Name, Passes);
  });
  Builder.registerPipelineParsingCallback(
      [](StringRef Name, ModulePassManager &Passes, ArrayRef<PassBuilder::PipelineElement>) {
        return addNamed<SourceFactsPass, NonMigratingProofPass, ForeignBitcodePass, LinkedClaimsPass, LoopPollsPass,
                        MigrationPointsPass, AddressSignaturesPass, NumbersOfProgramPass, GrowableStacksPass,
                        LibraryCallsPass, GlobalMapsPass, PrivateHeapPass, PrivateMarkingPass, PrivateGlobalsPass,
                        CalleeBindingPass>(Name, Passes);
      });
}

/// Sets one of LLVM's own command line options, unless the user has set it.
static void set(StringRef Name, bool Value) {
  auto &Options = cl::getRegisteredOptions();
  auto Found = Options.find(Name);
  if (Found == Options.end())
    reportFatalInternalError("LLVM has no option " + Name);
  if (!Found->second->getNumOccurrences())
    *static_cast<cl::opt<bool> *>(Found->second) = Value;
}

/// Finds a pass of X86, whose own header is not installed.
static char &passCalled(StringRef Name) {
  const PassInfo *Info = PassRegistry::getPassRegistry()->getPassInfo(Name);
  if (!Info)
    reportFatalInternalError("LLVM has no pass " + Name);
  return *static_cast<char *>(const_cast<void *>(Info->getTypeInfo()));
}

static AnalysisID idOf(Pass *Example) { return std::unique_ptr<Pass>(Example)->getPassID(); }

void addCodeGenPasses(TargetPassConfig &Config, legacy::PassManagerBase &Passes) {
  const Triple &Target = Config.getTM<TargetMachine>().getTargetTriple();
  if (!Target.isX86_64() || Target.isX32() || !Target.isOSBinFormatELF())
    return; // threads of such a program have no maps and do not move
  // Late homing must run before instruction selection is set up. It serves pipelines in which no hook of ours has run.
  Passes.add(createLateHomingPass());
  // Strength reduction would make biased pointers. CallFreeLoopStrength has already run it on the loops where that is
  // harmless.
  Config.insertPass(idOf(createCanonicalizeFreezeInLoopsPass()), &hideMigratingID());
  Config.insertPass(idOf(createLoopStrengthReducePass()), &showMigratingID());
  // This optimisation pushes arguments, so that the stack pointer would differ from call to call.
  set("no-x86-call-frame-opt", true);
  // This optimisation makes memory operands share one LEA, which would have to be computed again after each call.
  set("disable-x86-lea-opt", true);
  // These two would make instructions share addresses again, which address-rematerialisation has just separated.
  Config.disablePass(&MachineLICMID); // the one after register allocation
  Config.disablePass(&MachineLateInstrsCleanupID);
  Config.getTM<TargetMachine>().setMachineOutliner(false);
  // A function in several sections (-fbasic-block-sections) has no common base for the return addresses of its map.
  Config.getTM<TargetMachine>().Options.BBSections = BasicBlockSection::None;

  Config.insertPass(&FinalizeISelID, &siteKeepingID());
  Config.insertPass(&FinalizeISelID, &foreignCallsID());
  // Stack checks come after the pseudo instructions that must be in the entry block, and before the pass that corrects
  // call frame information.
  Config.insertPass(&FEntryInserterID, &stackChecksID());
  // This is the last pass before register allocation that runs at every level.
  Config.insertPass(&passCalled("x86-dyn-alloca-expander"), &addressRematerialisationID());
  // This is the last pass of all at every level. The proof comes first, since it decides what the maps say.
  Config.insertPass(&UnpackMachineBundlesID, &addressProofID());
  Config.insertPass(&UnpackMachineBundlesID, &frameMapEmissionID());
}

} // namespace skein
