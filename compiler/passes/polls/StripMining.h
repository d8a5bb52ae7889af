//===- StripMining.h - Loops that count, cut into strips --------------------===//
#ifndef SKEIN_PASSES_POLLS_STRIPMINING_H
#define SKEIN_PASSES_POLLS_STRIPMINING_H

#include <cstdint>
#include <optional>

namespace llvm {
class DominatorTree;
class ICmpInst;
class Instruction;
class Loop;
class LoopInfo;
class PHINode;
class ScalarEvolution;
class Value;
} // namespace llvm

namespace skein {

/// A loop that ends when a counter with a constant step meets a bound that does not change.
struct CountedLoop {
  llvm::Instruction *Branch; ///< a conditional one
  llvm::ICmpInst *Compare;
  llvm::PHINode *Phi; ///< of the counter
  bool Next;          ///< the counter is compared after the step, not before
  llvm::Value *Bound;
  int64_t Step;  ///< in bytes, if the counter is a pointer
  int64_t Strip; ///< the number of iterations of a strip
};

/// None: `L` does not count, or not in a way that strips of so many iterations would preserve.
std::optional<CountedLoop> findCountedLoop(llvm::Loop &L, llvm::ScalarEvolution &SE, int64_t Strip);

/// Keeps `L` for entries with at most one strip of iterations, and returns its copy for all others, which `C` then
/// describes; or returns `L`, if there is nothing to choose.
llvm::Loop &versionByLength(llvm::Loop &L, CountedLoop &C, llvm::LoopInfo &LI, llvm::DominatorTree &DT,
                            llvm::ScalarEvolution &SE);

/// Cuts `L` into strips. The instruction that is returned runs between two of them.
llvm::Instruction *mineStrips(llvm::Loop &L, const CountedLoop &C, llvm::LoopInfo &LI, llvm::DominatorTree &DT,
                              llvm::ScalarEvolution &SE);

} // namespace skein

#endif
