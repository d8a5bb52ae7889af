//===- PointerTypes.cpp ------------------------------------------------------===//
//
// Finds the words of a type that hold pointers, or may hold them. Clang names the LLVM type of a union `%union.*` and
// gives it the type of one member, so the words of such a struct are ambiguous whatever that member is. So are the
// words of an array of 8 or more bytes. Either may hold a packed struct, whose pointers may lie anywhere, so an
// ambiguous word may begin at every byte.
//
//===----------------------------------------------------------------------===//
#include "PointerTypes.h"
#include "WordGroups.h"
#include "abi/frame_map.h"
#include "passes/private/PrivateVariables.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DerivedTypes.h"

using namespace llvm;

namespace skein {

bool isPointer(const Type *T) {
  return T->isPointerTy() && (T->getPointerAddressSpace() == 0 || T->getPointerAddressSpace() == ThreadSegment);
}

static bool isUnion(const Type *T) {
  const auto *Struct = dyn_cast<StructType>(T);
  return Struct && Struct->hasName() && Struct->getName().starts_with("union.");
}

bool containsPointer(const Type *T) {
  if (isPointer(T))
    return true;
  if (const auto *Vector = dyn_cast<VectorType>(T))
    return isPointer(Vector->getElementType());
  if (const auto *Array = dyn_cast<ArrayType>(T))
    return Array->getNumElements() && containsPointer(Array->getElementType());
  if (const auto *Struct = dyn_cast<StructType>(T))
    return any_of(Struct->elements(), [](const Type *Element) { return containsPointer(Element); });
  return false;
}

/// Bytes, in any number of dimensions, enough for a pointer. Such a type often is storage for something else.
static bool isByteBuffer(const Type *T) {
  uint64_t Bytes = 1;
  while (const auto *Array = dyn_cast<ArrayType>(T)) {
    Bytes *= Array->getNumElements();
    T = Array->getElementType();
  }
  return Bytes >= 8 && T->isIntegerTy(8);
}

/// True if the type has words of which it does not tell what they are.
static bool containsUntyped(const Type *T) {
  if (isUnion(T) || isByteBuffer(T))
    return true;
  if (const auto *Array = dyn_cast<ArrayType>(T))
    return containsUntyped(Array->getElementType());
  if (const auto *Struct = dyn_cast<StructType>(T))
    return any_of(Struct->elements(), containsUntyped);
  return false;
}

/// Appends the groups of `Count` adjacent elements of one type.
static bool appendElements(Type *Element, int64_t Offset, int64_t Count, const DataLayout &DL,
                           SmallVectorImpl<WordGroup> &Groups) {
  if (isUnion(Element)) {
    appendUntyped(Offset, DL.getTypeAllocSize(Element) * Count, Groups);
    return true;
  }
  SmallVector<WordGroup, 4> One;
  return appendWordGroups(Element, 0, DL, One) &&
         appendRepeated(One, DL.getTypeAllocSize(Element), Offset, Count, Groups);
}

bool appendWordGroups(Type *T, int64_t Offset, const DataLayout &DL, SmallVectorImpl<WordGroup> &Groups) {
  if (isPointer(T)) {
    appendGroup({SKEIN_LOCAL_POINTER, Offset, 8, 1}, Groups);
    return true;
  }
  if (!containsPointer(T) && !containsUntyped(T))
    return true;
  if (isUnion(T) || isByteBuffer(T)) {
    appendUntyped(Offset, DL.getTypeAllocSize(T), Groups);
    return true;
  }
  if (auto *Vector = dyn_cast<FixedVectorType>(T))
    return appendElements(Vector->getElementType(), Offset, Vector->getNumElements(), DL, Groups);
  if (auto *Array = dyn_cast<ArrayType>(T))
    return appendElements(Array->getElementType(), Offset, Array->getNumElements(), DL, Groups);
  if (auto *Struct = dyn_cast<StructType>(T)) {
    const StructLayout *Layout = DL.getStructLayout(Struct);
    for (unsigned I = 0; I < Struct->getNumElements(); ++I)
      if (!appendWordGroups(Struct->getElementType(I), Offset + int64_t(Layout->getElementOffset(I)), DL, Groups))
        return false;
    return Groups.size() <= WordGroupLimit;
  }
  return false;
}

} // namespace skein
