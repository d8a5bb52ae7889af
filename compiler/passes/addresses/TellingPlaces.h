//===- TellingPlaces.h - Where the runtime is told of a word ---------------===//
#ifndef SKEIN_PASSES_ADDRESSES_TELLINGPLACES_H
#define SKEIN_PASSES_ADDRESSES_TELLINGPLACES_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/BasicBlock.h"
#include <optional>

namespace llvm {
class DominatorTree;
class Instruction;
class Value;
} // namespace llvm

namespace skein {

/// Where the runtime is told.
struct TellingPlace {
  llvm::BasicBlock::iterator At;
  llvm::Value *If = nullptr; ///< only in this case is the value used for more than to be followed
  bool Unless = false;       ///< or only in the other case
};

/// Whether a merge of pointers is only followed, and dead at each call.
using OnlyFollowed = llvm::function_ref<bool(llvm::Instruction &Merge)>;

/// Where the runtime may be told of a word of unknown kind that is loaded, or of a pointer that is computed, as late as
/// possible; none if only directly behind it.
std::optional<TellingPlace> latestTellingPlace(llvm::Instruction &Word, const llvm::DominatorTree &DT,
                                               OnlyFollowed IsOnlyFollowed);

/// Whether `Use`, by which a word is compared, only decides a branch at the end of the block in which the word is made.
bool onlyDecidesBranch(const llvm::Instruction &Use, const llvm::Instruction &Word);

} // namespace skein

#endif
