//===- MachineAddresses.h - What an address is in x86-64 machine code ------===//
//
// The vocabulary of the machine passes. An *address* is a value that differs between two stacks or two processes:
//
//   source     an instruction without register inputs that yields an address: LEA of a frame object or of a symbol,
//              a symbol as an immediate, an entry of the global offset table, the thread pointer %fs:0
//   chain      sources and pure instructions on them (and on other values). Computing it again yields the same value
//              or, after a move, the one that is right then
//   crossing   live across a call that may migrate
//
// LLVM does not install X86's own headers, so registers are found by name, and instructions are judged by their
// descriptions and memory operands, not by their opcodes.
//
//===----------------------------------------------------------------------===//
#ifndef SKEIN_PASSES_MACHINE_MACHINEADDRESSES_H
#define SKEIN_PASSES_MACHINE_MACHINEADDRESSES_H

#include "llvm/CodeGen/Register.h"

namespace llvm {
class Constant;
class MachineFunction;
class MachineInstr;
class MachineMemOperand;
class MachineOperand;
} // namespace llvm

namespace skein {

/// The physical registers that the passes need.
struct MachineRegisters {
  llvm::MCRegister RAX, RDX, RBX, RBP, RSP, R10, R11, R12, R13, R14, R15, RIP, EFLAGS, FS, XMM0, XMM1;
  llvm::MCRegister IntegerArguments[6]; // rdi rsi rdx rcx r8 r9
  llvm::MCRegister VectorArguments[8];  // xmm0 to xmm7

  static const MachineRegisters &of(const llvm::MachineFunction &Function);
};

/// Whether this is a call with a site.
bool mayMigrate(const llvm::MachineInstr &MI);

/// The five operands base, scale, index, displacement and segment. LEA has them too.
struct MemoryReference {
  const llvm::MachineOperand *Base, *Scale, *Index, *Displacement, *Segment;
};
bool getMemoryReference(const llvm::MachineInstr &MI, MemoryReference &Reference);

/// Whether the operand names something whose address differs between processes: a global, function, constant, jump
/// table or block.
bool isSymbol(const llvm::MachineOperand &Operand);

/// Whether the instruction yields an address without register inputs.
bool isAddressSource(const llvm::MachineInstr &MI);

/// Whether it loads %fs:0. Each kernel thread has its own, so it is an address that no home slot may hold.
bool loadsThreadPointer(const llvm::MachineInstr &MI);

/// Whether the instruction may be executed again elsewhere for the same value: it has no effects, defines one virtual
/// register, reads no register that anything changes, and no memory that ever changes.
bool isPure(const llvm::MachineInstr &MI);

/// Whether it loads memory that is constant for the whole run. `MayBeAddress`: what it loads may be an address.
bool loadsConstant(const llvm::MachineInstr &MI, bool &MayBeAddress);

/// Whether it changes the flags, so that a clone of it must lie where they are dead.
bool clobbersFlags(const llvm::MachineInstr &MI);

} // namespace skein

#endif
