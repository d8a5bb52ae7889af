//===- Pipeline.h - Where each pass runs; Pipeline.cpp alone states the order -===//
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

/// Registers the analyses that these passes use.
void addAnalyses(llvm::FunctionAnalysisManager &Functions);

/// Adds the passes on IR to clang's pipeline, and their names for `opt -passes=`.
void addIRPasses(llvm::PassBuilder &Builder);

/// Adds the passes that prepare a function for code generation. They run once for each function, after its last
/// optimisation: first the lowering of language constructs, since it adds calls, then the migration points, and homing
/// last.
void addHomingPasses(llvm::ModulePassManager &Modules, bool Optimising);

/// Adds the passes on machine code to the code generator.
void addCodeGenPasses(llvm::TargetPassConfig &Config, llvm::legacy::PassManagerBase &Passes);

} // namespace skein

#endif
