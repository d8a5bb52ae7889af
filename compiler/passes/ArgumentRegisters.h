//===- ArgumentRegisters.h - Which registers hold pointers on entry --------===//
#ifndef SKEIN_PASSES_ARGUMENTREGISTERS_H
#define SKEIN_PASSES_ARGUMENTREGISTERS_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/MC/MCRegister.h"

namespace llvm {
class MachineFunction;
} // namespace llvm

namespace skein {

/// The registers that hold pointer arguments when the function starts, the hidden result pointer among them, by the
/// System V convention that clang has applied to the IR types. Argument lists beyond it (an i128 that may not fit, a
/// nested aggregate with such a member) get all integer registers: too many is safe, but then they are not `Exact`.
llvm::SmallVector<llvm::MCRegister, 8> pointerArgumentRegisters(const llvm::MachineFunction &Function,
                                                                bool *Exact = nullptr);

} // namespace skein

#endif
