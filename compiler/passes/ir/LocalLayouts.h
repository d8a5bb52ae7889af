//===- LocalLayouts.h - Which words of a local can hold pointers ------------===//
#ifndef SKEIN_PASSES_IR_LOCALLAYOUTS_H
#define SKEIN_PASSES_IR_LOCALLAYOUTS_H

#include "passes/Annotations.h"

namespace llvm {
class AllocaInst;
class DataLayout;
class Type;
} // namespace llvm

namespace skein {

class AddressIntegers;

/// The words of a static alloca that can hold pointers, from its type and from the accesses that are visible. Empty if
/// none can.
llvm::SmallVector<WordGroup, 2> inferLocalLayout(llvm::AllocaInst &Alloca, const AddressIntegers &Addresses);

/// The words of a block that a dynamic alloca makes, for SKEIN_LOCAL_DYNAMIC_* groups: Offset is unused, Count
/// says where the first word is and how many there are, as in the ABI, Stride the distance of the next.
llvm::SmallVector<WordGroup, 2> inferDynamicLayout(llvm::AllocaInst &Alloca, const AddressIntegers &Addresses);

} // namespace skein

#endif
