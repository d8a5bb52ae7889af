//===- StepBounds.h - How long code can run without a poll -------------------===//
#ifndef SKEIN_PASSES_POLLS_STEPBOUNDS_H
#define SKEIN_PASSES_POLLS_STEPBOUNDS_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/PassManager.h"

namespace llvm {
class BasicBlock;
class CallBase;
class Function;
class Loop;
} // namespace llvm

namespace skein {

/// Bounds in *steps*, which are iterations of loops and calls. What is bounded needs no poll.
class StepBounds {
public:
  static constexpr uint64_t Few = 4096; ///< this takes some microseconds

  explicit StepBounds(llvm::FunctionAnalysisManager &AM) : AM(AM) {}

  /// The steps of one run of `L` with everything inside. None: more than `Few`, or unknown.
  std::optional<uint64_t> of(llvm::Loop &L);
  /// The steps of the calls in `B`, each made once.
  std::optional<uint64_t> ofCalls(const llvm::BasicBlock &B);

private:
  std::optional<uint64_t> of(const llvm::Function &F);
  std::optional<uint64_t> of(const llvm::CallBase &Call);

  llvm::FunctionAnalysisManager &AM;
  llvm::DenseMap<const llvm::Function *, std::optional<uint64_t>> Known;
  unsigned Depth = 0; ///< of calls
};

} // namespace skein

#endif
