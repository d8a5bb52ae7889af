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

/// The words of a static alloca that can hold pointers, by its type and the accesses that are visible. Empty if there
/// are none.
llvm::SmallVector<WordGroup, 2> inferLocalLayout(llvm::AllocaInst &Alloca, const AddressIntegers &Addresses);

/// The words of a block that a dynamic alloca makes, for SKEIN_LOCAL_DYNAMIC_* groups. Offset is unused; Count says, as
/// in the ABI, where the first word is and how many there are; Stride is the distance to the next one.
llvm::SmallVector<WordGroup, 2> inferDynamicLayout(llvm::AllocaInst &Alloca, const AddressIntegers &Addresses);

} // namespace skein

#endif
