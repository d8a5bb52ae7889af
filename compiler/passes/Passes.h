//===- Passes.h - All passes, one list ---------------------------------------===//
//
// Pipeline.cpp says where each of them runs, and the file of a pass says what it is for.
//
//===----------------------------------------------------------------------===//
#ifndef SKEIN_PASSES_PASSES_H
#define SKEIN_PASSES_PASSES_H

#include "llvm/IR/PassManager.h"

namespace skein {

/// Declares a pass on a module or a function, with the name by which `opt -passes=` knows it. It runs at every level of
/// optimisation.
#define SKEIN_IR_PASS(Class, Unit, Name)                                                                               \
  class Class : public llvm::PassInfoMixin<Class> {                                                                    \
  public:                                                                                                              \
    llvm::PreservedAnalyses run(llvm::Unit &, llvm::Unit##AnalysisManager &);                                          \
    static bool isRequired() { return true; }                                                                          \
    static llvm::StringRef name() { return Name; }                                                                     \
  }

// Before the optimiser, or in the linker.
SKEIN_IR_PASS(SourceFactsPass, Module, "source-facts");
SKEIN_IR_PASS(JumpLoweringPass, Function, "jump-lowering");
SKEIN_IR_PASS(PrivateHeapPass, Module, "private-heap");
SKEIN_IR_PASS(PrivateMarkingPass, Module, "private-marking");
SKEIN_IR_PASS(ForeignBitcodePass, Module, "foreign-bitcode"); // LinkTime.cpp
SKEIN_IR_PASS(LinkedClaimsPass, Module, "linked-claims");     // NonMigratingClaims.cpp

// After the optimiser.
SKEIN_IR_PASS(LibraryCallsPass, Module, "library-calls");
SKEIN_IR_PASS(NonMigratingProofPass, Module, "non-migrating-proof");
SKEIN_IR_PASS(SameMovesPass, Function, "same-moves");
SKEIN_IR_PASS(LoopPollsPass, Module, "loop-polls");
SKEIN_IR_PASS(SpawnLoweringPass, Function, "spawn-lowering");
SKEIN_IR_PASS(SharedLoweringPass, Function, "shared-lowering");
SKEIN_IR_PASS(LibraryKeepsPass, Function, "library-keeps");
SKEIN_IR_PASS(AddressSignaturesPass, Module, "address-signatures");
SKEIN_IR_PASS(NumbersOfProgramPass, Module, "numbers-of-program");
SKEIN_IR_PASS(EscapingAddressesPass, Function, "escaping-addresses");
SKEIN_IR_PASS(PrivateGlobalsPass, Module, "private-globals");
SKEIN_IR_PASS(MigrationPointsPass, Module, "migration-points");
SKEIN_IR_PASS(GrowableStacksPass, Module, "growable-stacks");
SKEIN_IR_PASS(GlobalMapsPass, Module, "global-maps");
SKEIN_IR_PASS(PointerHomingPass, Function, "pointer-homing");
SKEIN_IR_PASS(CalleeBindingPass, Module, "callee-binding");

// On machine code, for TargetPassConfig::insertPass.
char &siteKeepingID();
char &foreignCallsID();
char &stackChecksID();
char &addressRematerialisationID();
char &addressProofID();
char &frameMapEmissionID();

} // namespace skein

#endif
