//===- MigrationPoints.h - Which calls may migrate -------------------------===//
#ifndef SKEIN_PASSES_IR_MIGRATIONPOINTS_H
#define SKEIN_PASSES_IR_MIGRATIONPOINTS_H

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PassManager.h"

namespace llvm {
class CallBase;
class Function;
class TargetLibraryInfo;
} // namespace llvm

namespace skein {

/// Function attribute on functions whose calls have been given their polls and stress calls.
inline constexpr const char *PointsInsertedAttribute = "skein-points";

/// True if a thread may be moved while it is inside `Call`.
bool mayMigrate(const llvm::CallBase &Call, const llvm::TargetLibraryInfo &TLI);

/// The same for a call of a function that this module only declares.
bool declarationMayMigrate(const llvm::Function &Callee, const llvm::TargetLibraryInfo &TLI);

/// Definitions that code is generated from here, and whose calls can have frame maps.
bool isMigratable(const llvm::Function &F);

/// A call of a function of the runtime without arguments, which does not throw.
llvm::CallInst *callRuntime(llvm::IRBuilder<> &B, llvm::StringRef Name);
/// Where `I` stands in the source, or at least its function.
llvm::DebugLoc locationFor(const llvm::Function &F, const llvm::Instruction &I);

} // namespace skein

#endif
