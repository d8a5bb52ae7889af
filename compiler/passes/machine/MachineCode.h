//===- MachineCode.h - Making x86-64 instructions without X86's headers ----===//
//
// LLVM does not install X86's own headers, so opcodes, and the flags of symbol operands, are found by their names.
//
//===----------------------------------------------------------------------===//
#ifndef SKEIN_PASSES_MACHINE_MACHINECODE_H
#define SKEIN_PASSES_MACHINE_MACHINECODE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"

namespace skein {

/// The instruction called `Name`; it must exist.
const llvm::MCInstrDesc &opcode(const llvm::MachineFunction &Function, llvm::StringRef Name);

/// The flag that makes a symbol operand mean its entry in the global offset table, relative to the instruction.
unsigned throughOffsetTable(const llvm::MachineFunction &Function);

/// Whether this code may end up in a shared object, where a call of the runtime goes through the linkage table. Its
/// lazy entries clobber r11, so calls that need r11 go through the offset table.
bool maybeInSharedObject(const llvm::MachineFunction &Function);

/// Adds the five operands of `Symbol@GOTPCREL(%rip)`.
void addOffsetTableEntry(const llvm::MachineInstrBuilder &MI, const char *Symbol);

} // namespace skein

#endif
