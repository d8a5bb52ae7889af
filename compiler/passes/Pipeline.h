//===- Pipeline.h - Where each pass hangs; Pipeline.cpp alone states the order -===//
#ifndef SKEIN_PASSES_PIPELINE_H
#define SKEIN_PASSES_PIPELINE_H

#include "llvm/IR/PassManager.h"

namespace llvm {
class PassBuilder;
class TargetPassConfig;
namespace legacy {
class PassManagerBase;
} // namespace legacy
} // namespace llvm

namespace skein {

/// Makes known the analyses that these passes ask for.
void addAnalyses(llvm::FunctionAnalysisManager &Functions);

/// Adds the IR passes (1 and 2) to clang's pipeline, and their names for `opt -passes=`.
void addIRPasses(llvm::PassBuilder &Builder);

/// Adds what code generation needs, once in the life of each function, after its last optimisation. Language constructs
/// first, since they make calls; then the points; homing last.
void addHomingPasses(llvm::ModulePassManager &Modules, bool Optimising);

/// Adds the back-end passes (3 to 5) to the code generator.
void addCodeGenPasses(llvm::TargetPassConfig &Config, llvm::legacy::PassManagerBase &Passes);

} // namespace skein

#endif
