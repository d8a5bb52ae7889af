//===- WordGroups.h - Lists of words, kept short ---------------------------===//
#ifndef SKEIN_PASSES_ADDRESSES_WORDGROUPS_H
#define SKEIN_PASSES_ADDRESSES_WORDGROUPS_H

#include "passes/Annotations.h"
#include "llvm/ADT/ArrayRef.h"
#include <map>

namespace skein {

/// If there are more groups than this, a list of words is given up.
inline constexpr size_t WordGroupLimit = 4096;

/// Appends a group, or extends the one before if this group continues it.
void appendGroup(const WordGroup &Group, llvm::SmallVectorImpl<WordGroup> &Groups);

/// Appends `Bytes` bytes without a type: they are ambiguous, and an address may begin at each of them.
void appendUntyped(int64_t Offset, int64_t Bytes, llvm::SmallVectorImpl<WordGroup> &Groups);

/// Appends the groups of `Count` adjacent objects of `Size` bytes each, the first one at `Offset`, with the words
/// `One`. False if there would be too many.
bool appendRepeated(llvm::ArrayRef<WordGroup> One, int64_t Size, int64_t Offset, int64_t Count,
                    llvm::SmallVectorImpl<WordGroup> &Groups);

/// Collects words (offset and kind) into as few groups as possible.
void appendGrouped(const std::map<int64_t, unsigned> &Words, llvm::SmallVectorImpl<WordGroup> &Groups);

} // namespace skein

#endif
