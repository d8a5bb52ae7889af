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
}

static bool beforeLink(ThinOrFullLTOPhase Phase) {
  return Phase == ThinOrFullLTOPhase::ThinLTOPreLink || Phase == ThinOrFullLTOPhase::FullLTOPreLink;
}

/// Adds the pass of that name, if it is one of these.
template <class... Kinds, class Manager> static bool addNamed(StringRef Name, Manager &Passes) {
  return ((Name == Kinds::name() && (Passes.addPass(Kinds()), true)) || ...);
}

void addAnalyses(FunctionAnalysisManager &Functions) {
  Functions.registerPass([] { return AddressIntegersAnalysis(); });
}

void addIRPasses(PassBuilder &Builder) {
  Builder.registerAnalysisRegistrationCallback(addAnalyses);
  // What only the compile step knows goes into the module before anything else.
  Builder.registerPipelineStartEPCallback([](ModulePassManager &Modules, OptimizationLevel) {
    Modules.addPass(SourceFactsPass());
    Modules.addPass(createModuleToFunctionPassAdaptor(JumpLoweringPass()));
    Modules.addPass(PrivateHeapPass());
    Modules.addPass(PrivateMarkingPass());
  });
  // The last step of the compile step, and of whoever generates code.
  Builder.registerOptimizerLastEPCallback(
      [](ModulePassManager &Modules, OptimizationLevel Level, ThinOrFullLTOPhase Phase) {
        Modules.addPass(LibraryCallsPass()); // not at link time, when it is settled which symbols there are
        if (!beforeLink(Phase))
          addHomingPasses(Modules, Level != OptimizationLevel::O0);
        else if (Phase == ThinOrFullLTOPhase::ThinLTOPreLink)
          Modules.addPass(NonMigratingProofPass());
      });
  // In the linker; see LinkTime.cpp.
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
  // Names for opt -passes=.
  Builder.registerPipelineParsingCallback(
      [](StringRef Name, FunctionPassManager &Passes, ArrayRef<PassBuilder::PipelineElement>) {
        return addNamed<JumpLoweringPass, SpawnLoweringPass, SharedLoweringPass, LibraryKeepsPass,
                        EscapingAddressesPass, CallFreeLoopStrengthPass, PointerHomingPass>(Name, Passes);
      });
  Builder.registerPipelineParsingCallback([](StringRef Name, ModulePassManager &Passes,
                                             ArrayRef<PassBuilder::PipelineElement>) {
    return addNamed<SourceFactsPass, NonMigratingProofPass, ForeignBitcodePass, LinkedClaimsPass, LoopPollsPass,
                    MigrationPointsPass, AddressSignaturesPass, NumbersOfProgramPass, GrowableStacksPass,
                    LibraryCallsPass, GlobalMapsPass, PrivateHeapPass, PrivateMarkingPass, PrivateGlobalsPass>(Name,
                                                                                                               Passes);
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

/// A pass of X86, whose own header is not installed.
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
    return; // no maps: threads of such a program do not move
  // Before instruction selection is set up: for pipelines without a hook of ours.
  Passes.add(createLateHomingPass());
  // Strength reduction would make biased pointers; CallFreeLoopStrength has run it on the loops where that is harmless.
  Config.insertPass(idOf(createCanonicalizeFreezeInLoopsPass()), &hideMigratingID());
  Config.insertPass(idOf(createLoopStrengthReducePass()), &showMigratingID());
  // It pushes arguments, so that the stack pointer would differ from call to call.
  set("no-x86-call-frame-opt", true);
  // It points memory operands at one shared LEA, which would have to be computed again after each call.
  set("disable-x86-lea-opt", true);
  // They would share addresses again, which address-rematerialisation has just separated.
  Config.disablePass(&MachineLICMID); // the one after register allocation
  Config.disablePass(&MachineLateInstrsCleanupID);
  Config.getTM<TargetMachine>().setMachineOutliner(false);
  // A function in several sections (-fbasic-block-sections) has no common base for the return addresses of its map.
  Config.getTM<TargetMachine>().Options.BBSections = BasicBlockSection::None;

  Config.insertPass(&FinalizeISelID, &siteKeepingID());
  Config.insertPass(&FinalizeISelID, &foreignCallsID());
  // After the pseudo instructions that must be in the entry block, before what puts call frame information right.
  Config.insertPass(&FEntryInserterID, &stackChecksID());
  // The last pass before register allocation that runs at every level.
  Config.insertPass(&passCalled("x86-dyn-alloca-expander"), &addressRematerialisationID());
  // The last pass at every level; the proof comes first, since it decides what the maps say.
  Config.insertPass(&UnpackMachineBundlesID, &addressProofID());
  Config.insertPass(&UnpackMachineBundlesID, &frameMapEmissionID());
}

} // namespace skein
