//===- MachineCode.h - Making x86-64 instructions without X86's headers ----===//
//
// LLVM does not install X86's own headers, so opcodes, and the flags of symbol operands, are found by their names.
//
//===----------------------------------------------------------------------===//
#ifndef SKEIN_PASSES_MACHINE_MACHINECODE_H
#define SKEIN_PASSES_MACHINE_MACHINECODE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include <atomic>
#include <memory>

namespace skein {

/// The instruction called `Name`; it must exist.
const llvm::MCInstrDesc &opcode(const llvm::MachineFunction &Function, llvm::StringRef Name);

llvm::StringRef opcodeName(const llvm::MachineInstr &MI);
unsigned opcodeCount(const llvm::MachineInstr &AnyOfTarget);

/// What the names of opcodes say. The name is looked at when its opcode is first met, since there are twenty thousand.
/// A linker may generate code in several threads, each of which finds the same. `Answer()` means that nobody has looked
/// yet.
template <class Answer> class OpcodeTable {
public:
  using Question = Answer (*)(llvm::StringRef Name);
  OpcodeTable(const llvm::MachineInstr &AnyOfTarget, Question Find)
      : Find(Find), Known(new std::atomic<Answer>[opcodeCount(AnyOfTarget)]()) {}

  Answer of(const llvm::MachineInstr &MI) {
    std::atomic<Answer> &Cell = Known[MI.getOpcode()];
    Answer Found = Cell.load(std::memory_order_relaxed);
    if (Found == Answer())
      Cell.store(Found = Find(opcodeName(MI)), std::memory_order_relaxed);
    return Found;
  }

private:
  const Question Find;
  const std::unique_ptr<std::atomic<Answer>[]> Known;
};

/// The flag that makes a symbol operand mean its entry in the global offset table, relative to the instruction.
unsigned throughOffsetTable(const llvm::MachineFunction &Function);

/// Whether this code may end up in a shared object, where a call of the runtime goes through the linkage table. Its
/// lazy entries clobber r11, so calls that need r11 go through the offset table.
bool maybeInSharedObject(const llvm::MachineFunction &Function);

/// Adds the five operands of `Symbol@GOTPCREL(%rip)`.
void addOffsetTableEntry(const llvm::MachineInstrBuilder &MI, const char *Symbol);

} // namespace skein

#endif
