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

/// Function attribute on functions that have been given their polls and stress calls.
inline constexpr const char *PointsInsertedAttribute = "skein-points";

/// True if a thread may be moved while it is inside `Call`.
bool mayMigrate(const llvm::CallBase &Call, const llvm::TargetLibraryInfo &TLI);

/// The same for any call of a function that this module only declares.
bool declarationMayMigrate(const llvm::Function &Callee, const llvm::TargetLibraryInfo &TLI);

/// Whether `F` is a definition from which code is generated here, and whose calls can have frame maps.
bool isMigratable(const llvm::Function &F);

/// Inserts a call of a function of the runtime that has no arguments and does not throw.
llvm::CallInst *callRuntime(llvm::IRBuilder<> &B, llvm::StringRef Name);
/// Where `I` stands in the source, or at least where its function does.
llvm::DebugLoc locationFor(const llvm::Function &F, const llvm::Instruction &I);

} // namespace skein

#endif
