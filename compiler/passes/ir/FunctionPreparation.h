//===- FunctionPreparation.h - Shapes that homing can handle ----------------===//
#ifndef SKEIN_PASSES_IR_FUNCTIONPREPARATION_H
#define SKEIN_PASSES_IR_FUNCTIONPREPARATION_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace llvm {
class AllocaInst;
class Argument;
class CallBase;
class Function;
} // namespace llvm

namespace skein {

class AddressIntegers;

/// A byval argument or a hidden result pointer that a must-tail call gets unchanged (in a thunk). The former has to
/// stay in the caller's frame, where no map names its words, the latter in its register.
bool isHandedOn(const llvm::Argument &A);
/// Why no thread may move while this function is on its stack: a SKEIN_PIN_* reason, or 0 if it may.
unsigned pinReason(llvm::Function &F, llvm::ArrayRef<llvm::CallBase *> Calls);

/// Rewrites what homing cannot handle: edges of invokes, byval arguments that hold pointers, loads of pointers that the
/// back end would share across calls, offsets from thread-local addresses. Keeps `Calls` valid.
void prepareFunction(llvm::Function &F, llvm::ArrayRef<llvm::CallBase *> Calls);

/// Which outgoing words of a variadic call hold pointers (System V x86-64): argument registers as a mask, the others as
/// offsets from the stack pointer at the call.
struct VariadicPointers {
  unsigned Registers = 0;
  llvm::SmallVector<int64_t, 2> Offsets;
  /// Numbers of arguments that may be addresses, or are computed from one.
  llvm::SmallVector<unsigned, 2> Ambiguous;
  /// Words of structs passed in memory that may be addresses: number of the argument, offset in the struct.
  llvm::SmallVector<std::pair<unsigned, int64_t>, 2> AmbiguousWords;
  /// Pointers are passed at places that are not known (ArgumentPlaces::Known).
  bool Lost = false;
};
VariadicPointers findVariadicPointers(const llvm::CallBase &Call, const AddressIntegers &Addresses);

} // namespace skein

#endif
