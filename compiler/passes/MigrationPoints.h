//===- MigrationPoints.h - Which calls may migrate -------------------------===//
#ifndef SKEIN_PASSES_MIGRATIONPOINTS_H
#define SKEIN_PASSES_MIGRATIONPOINTS_H

#include "llvm/IR/PassManager.h"

namespace llvm {
class CallBase;
class TargetLibraryInfo;
} // namespace llvm

namespace skein {

/// Function attribute on functions whose calls have been given their polls and stress calls.
inline constexpr const char *PointsInsertedAttribute = "skein-points";

/// True if a thread may be moved while it is inside `Call`.
bool mayMigrate(const llvm::CallBase &Call, const llvm::TargetLibraryInfo &TLI);

/// True if the options ask for relocation stress (-fskein-stress=calls).
bool stressRequested();

class MigrationPointsPass : public llvm::PassInfoMixin<MigrationPointsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &AM);
  static bool isRequired() { return true; }
  static llvm::StringRef name() { return "migration-points"; }
};

} // namespace skein

#endif
