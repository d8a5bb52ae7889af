//===- Pipeline.h - Where each pass hangs; Pipeline.cpp alone states the order -===//
#ifndef SKEIN_PASSES_PIPELINE_H
#define SKEIN_PASSES_PIPELINE_H

namespace llvm {
class PassBuilder;
class TargetPassConfig;
} // namespace llvm

namespace skein {

/// Adds the IR passes (1 and 2) to clang's pipeline, and their names for `opt -passes=`.
void addIRPasses(llvm::PassBuilder &Builder);

/// Adds the back-end passes (3 to 5) to the code generator.
void addCodeGenPasses(llvm::TargetPassConfig &Config);

} // namespace skein

#endif
