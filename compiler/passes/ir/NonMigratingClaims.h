//===- NonMigratingClaims.h - SKEIN_NOMIGRATE is checked -------------------===//
#ifndef SKEIN_PASSES_IR_NONMIGRATINGCLAIMS_H
#define SKEIN_PASSES_IR_NONMIGRATINGCLAIMS_H

#include "llvm/IR/PassManager.h"

namespace skein {

/// Named metadata: the functions that some unit declares SKEIN_NOMIGRATE.
inline constexpr const char *ClaimsMetadata = "skein.claims";

/// An error for each definition in `M` that claims not to migrate but may, with the calls that lead there.
void checkClaims(llvm::Module &M, llvm::ModuleAnalysisManager &AM);

} // namespace skein

#endif
