//===- WordGroups.h - Lists of words, kept short ---------------------------===//
#ifndef SKEIN_PASSES_ADDRESSES_WORDGROUPS_H
#define SKEIN_PASSES_ADDRESSES_WORDGROUPS_H

#include "passes/Annotations.h"
#include "llvm/ADT/ArrayRef.h"
#include <map>

namespace skein {

/// More groups than this are no list any more.
inline constexpr size_t WordGroupLimit = 4096;

/// Adds a group, as part of the one before where they continue each other.
void appendGroup(const WordGroup &Group, llvm::SmallVectorImpl<WordGroup> &Groups);

/// Adds `Bytes` bytes without a type: ambiguous, and an address may begin at each of them.
void appendUntyped(int64_t Offset, int64_t Bytes, llvm::SmallVectorImpl<WordGroup> &Groups);

/// The groups of `Count` objects side by side, the first one at `Offset`, of `Size` bytes each and with the words
/// `One`. False if there would be too many.
bool appendRepeated(llvm::ArrayRef<WordGroup> One, int64_t Size, int64_t Offset, int64_t Count,
                    llvm::SmallVectorImpl<WordGroup> &Groups);

/// Collects words (offset and kind) into as few groups as possible.
void appendGrouped(const std::map<int64_t, unsigned> &Words, llvm::SmallVectorImpl<WordGroup> &Groups);

} // namespace skein

#endif
