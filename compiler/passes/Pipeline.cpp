//===- Pipeline.cpp - The order of the passes ------------------------------===//
#include "Pipeline.h"

namespace skein {

void addIRPasses(llvm::PassBuilder &) {}

void addCodeGenPasses(llvm::TargetPassConfig &) {}

} // namespace skein
