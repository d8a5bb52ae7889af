//===- EntryArguments.h - Where a function's arguments are when it starts --===//
#ifndef SKEIN_PASSES_MACHINE_ENTRYARGUMENTS_H
#define SKEIN_PASSES_MACHINE_ENTRYARGUMENTS_H

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
  /// A vector register holds more than the 128 bits that the entry of the growth keeps.
  bool Wide = false;
};

/// What lies in the places that ArgumentPlaces.h names. A 64-bit integer is ambiguous, since clang passes unions and
/// small structures as such, unless it is declared to be an address. Everything is ambiguous if the places are unknown.
EntryArguments entryArguments(const llvm::MachineFunction &Function);

/// Bytes of arguments in memory that have names.
uint64_t incomingBytes(const llvm::MachineFunction &Function);

} // namespace skein

#endif
