//===- DynamicBlocks.h - Memory from alloca and VLAs that the maps can follow //
#ifndef SKEIN_PASSES_IR_DYNAMICBLOCKS_H
#define SKEIN_PASSES_IR_DYNAMICBLOCKS_H

#include "llvm/ADT/ArrayRef.h"

namespace llvm {
class CallBase;
class Function;
} // namespace llvm

namespace skein {

class AddressIntegers;
class LocalTable;

/// Chains the blocks of each dynamic alloca that can hold pointers, and lists the chain at all calls.
void chainDynamicBlocks(llvm::Function &F, llvm::ArrayRef<llvm::CallBase *> Calls, const AddressIntegers &Addresses,
                        LocalTable &Locals);

} // namespace skein

#endif
