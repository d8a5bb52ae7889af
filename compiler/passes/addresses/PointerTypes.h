//===- PointerTypes.h - Where the pointers of a type are --------------------===//
//
// A *pointer* is an LLVM pointer of address space 0, or of the thread's segment (an address in the template of private
// globals, which is part of the image). Pointers to shared memory (address space 100) are global addresses, the same on
// every node, so they are plain data here.
//
//===----------------------------------------------------------------------===//
#ifndef SKEIN_PASSES_ADDRESSES_POINTERTYPES_H
#define SKEIN_PASSES_ADDRESSES_POINTERTYPES_H

#include "passes/Annotations.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>

namespace llvm {
class DataLayout;
class Type;
} // namespace llvm

namespace skein {

bool isPointer(const llvm::Type *T);

/// True if a value of the type holds a pointer somewhere (scalars, vectors, structs, arrays).
bool containsPointer(const llvm::Type *T);

/// Appends groups for those words of `T` that are pointers (SKEIN_LOCAL_POINTER) or belong to a union or a buffer of
/// bytes (SKEIN_LOCAL_AMBIGUOUS), for an object of that type at `Offset`. False if there are too many groups.
bool appendWordGroups(llvm::Type *T, int64_t Offset, const llvm::DataLayout &DL,
                      llvm::SmallVectorImpl<WordGroup> &Groups);

} // namespace skein

#endif
