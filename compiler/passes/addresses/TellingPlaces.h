//===- TellingPlaces.h - Where the runtime is told of a word ---------------===//
#ifndef SKEIN_PASSES_ADDRESSES_TELLINGPLACES_H
#define SKEIN_PASSES_ADDRESSES_TELLINGPLACES_H

#include "llvm/IR/BasicBlock.h"
#include <optional>

namespace llvm {
class DominatorTree;
class Instruction;
} // namespace llvm

namespace skein {

/// Where the runtime may be told of a word of unknown kind that is loaded, or of a pointer that is computed, as late as
/// possible; none if only directly behind it.
std::optional<llvm::BasicBlock::iterator> latestTellingPlace(const llvm::Instruction &Word,
                                                             const llvm::DominatorTree &DT);

/// Whether `Use`, by which a word is compared, only decides a branch at the end of the block in which the word is made.
bool onlyDecidesBranch(const llvm::Instruction &Use, const llvm::Instruction &Word);

} // namespace skein

#endif
