//===- EntryArguments.h - Where a function's arguments are when it starts --===//
#ifndef SKEIN_PASSES_ENTRYARGUMENTS_H
#define SKEIN_PASSES_ENTRYARGUMENTS_H

#include "llvm/ADT/SmallVector.h"
#include <cstdint>

namespace llvm {
class MachineFunction;
} // namespace llvm

namespace skein {

/// What the entry site of a function says (SKEIN_SITE_ENTRY of the ABI).
struct EntryArguments {
  unsigned Pointers = 0;  ///< bit i: integer argument register i holds a pointer; bit 6: r10 does
  unsigned Ambiguous = 0; ///< bit i: it may hold a pointer or an integer; bit 8 + i: xmm i may
  /// Words above the return address, by their distance from the CFA.
  llvm::SmallVector<int64_t, 4> PointersInMemory, AmbiguousInMemory;
  /// An argument is wider than 128 bits: the entry of the growth does not keep it.
  bool Wide = false;
};

/// By the System V convention, which clang has applied to the IR types. A 64-bit integer is ambiguous, since clang
/// passes unions and small structures as such; so is everything if the list of arguments is beyond what is counted
/// here.
EntryArguments entryArguments(const llvm::MachineFunction &Function);

/// Bytes of arguments in memory that have names.
uint64_t incomingBytes(const llvm::MachineFunction &Function);

} // namespace skein

#endif
