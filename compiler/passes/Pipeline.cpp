//===- Pipeline.cpp - The order of the passes ------------------------------===//
#include "Pipeline.h"
#include "AddressProof.h"
#include "AddressRematerialisation.h"
#include "CallFreeLoopStrength.h"
#include "EscapingAddresses.h"
#include "FrameMapEmission.h"
#include "GlobalMaps.h"
#include "LibraryKeeps.h"
#include "MigrationPoints.h"
#include "PointerHoming.h"
#include "SharedLowering.h"
#include "SiteKeeping.h"
#include "SpawnLowering.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/PassRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"

using namespace llvm;

namespace skein {

/// What code generation needs, in this order. Language constructs first, since they make calls; then the points; homing
/// last.
static void addHoming(ModulePassManager &Modules, bool Optimising) {
  FunctionPassManager Lowering;
  Lowering.addPass(SpawnLoweringPass());
  Lowering.addPass(SharedLoweringPass());
  Lowering.addPass(LibraryKeepsPass());
  Lowering.addPass(EscapingAddressesPass());
  Modules.addPass(createModuleToFunctionPassAdaptor(std::move(Lowering)));
  Modules.addPass(MigrationPointsPass());
  Modules.addPass(GlobalMapsPass());
  FunctionPassManager Homing;
  if (Optimising)
    Homing.addPass(createFunctionToLoopPassAdaptor(CallFreeLoopStrengthPass()));
  Homing.addPass(PointerHomingPass());
  Modules.addPass(createModuleToFunctionPassAdaptor(std::move(Homing)));
}

void addIRPasses(PassBuilder &Builder) {
  Builder.registerOptimizerLastEPCallback([](ModulePassManager &Modules, OptimizationLevel Level, ThinOrFullLTOPhase) {
    addHoming(Modules, Level != OptimizationLevel::O0);
  });
  // Names for opt -passes=.
  Builder.registerPipelineParsingCallback(
      [](StringRef Name, FunctionPassManager &Functions, ArrayRef<PassBuilder::PipelineElement>) {
        if (Name == SpawnLoweringPass::name())
          Functions.addPass(SpawnLoweringPass());
        else if (Name == SharedLoweringPass::name())
          Functions.addPass(SharedLoweringPass());
        else if (Name == LibraryKeepsPass::name())
          Functions.addPass(LibraryKeepsPass());
        else if (Name == EscapingAddressesPass::name())
          Functions.addPass(EscapingAddressesPass());
        else if (Name == CallFreeLoopStrengthPass::name())
          Functions.addPass(createFunctionToLoopPassAdaptor(CallFreeLoopStrengthPass()));
        else if (Name == PointerHomingPass::name())
          Functions.addPass(PointerHomingPass());
        else
          return false;
        return true;
      });
  Builder.registerPipelineParsingCallback(
      [](StringRef Name, ModulePassManager &Modules, ArrayRef<PassBuilder::PipelineElement>) {
        if (Name == MigrationPointsPass::name())
          Modules.addPass(MigrationPointsPass());
        else if (Name == GlobalMapsPass::name())
          Modules.addPass(GlobalMapsPass());
        else
          return false;
        return true;
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

void addCodeGenPasses(TargetPassConfig &Config) {
  const Triple &Target = Config.getTM<TargetMachine>().getTargetTriple();
  if (!Target.isX86_64() || Target.isX32() || !Target.isOSBinFormatELF())
    return; // no maps: threads of such a program do not move
  // It would make biased pointers; CallFreeLoopStrength has run it on the loops where that is harmless.
  set("disable-lsr", true);
  // It pushes arguments, so that the stack pointer would differ from call to call.
  set("no-x86-call-frame-opt", true);
  // It points memory operands at one shared LEA, which would have to be computed again after each call.
  set("disable-x86-lea-opt", true);
  // They share addresses after pass 3 has seen to it that nobody does.
  Config.disablePass(&MachineLICMID); // the one after register allocation
  Config.disablePass(&MachineLateInstrsCleanupID);
  Config.getTM<TargetMachine>().setMachineOutliner(false);

  Config.insertPass(&FinalizeISelID, &siteKeepingID());
  // The last pass before register allocation that runs at every level.
  Config.insertPass(&passCalled("x86-dyn-alloca-expander"), &addressRematerialisationID());
  // The last pass at every level; the proof comes first, since it decides what the maps say.
  Config.insertPass(&UnpackMachineBundlesID, &addressProofID());
  Config.insertPass(&UnpackMachineBundlesID, &frameMapEmissionID());
}

} // namespace skein
