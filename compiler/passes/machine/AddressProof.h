//===- AddressProof.h - Pass 4: prove that no address crosses --------------===//
//
// Input: machine code in its final form, physical registers and stack slots. It believes none of the passes before it.
//
// Forward, it follows *taint*: which registers and scratch slots (FrameObjects.h) may hold an address, or anything
// computed from one. Backward, it follows which of them are still read. A site at which both hold for one
// register or slot is *unproved*: it is pinned (SKEIN_PIN_UNPROVED), and the user is warned. So the frame map never
// claims that a thread may move where a stale address would be used.
//
// Taint starts at
//   * the stack pointer, frame pointer or base pointer used as a value (not to address memory), outside prologue and
//   epilogue,
//   * symbols, except as the address of a memory access; entries of the global offset table; the thread pointer %fs:0,
//   * loads from home slots and mapped locals of words that are mapped,
//   * loads that the IR does as loads of pointers, and of constants that hold addresses,
//   * pointer arguments in registers; pointer results of calls, by the callee's type, or by the site if it is indirect,
// and goes through every instruction from its inputs to its outputs, except
//   * the flags (they do not survive a call anyway, and what is computed from them is a truth, not an address),
//   * the difference of two addresses, in either order: invariant, like all that pointer homing calls a complete
//     difference. So the proof knows which cells hold exactly one address and a number, or a number less one address,
//     in all 64 bits or in the low 32; of any other form it assumes the worst,
//   * memory, other than scratch slots,
//   * empty inline assembly: it is how pointer homing says that a value is invariant under moves.
//
// A word that is not tainted is not clean for that: the default is that of the analysis in IR (AddressIntegers.cpp), a
// full word is an address unless something shows that it is a number. What is loaded without evidence of that crosses a
// call only beside a copy that the map shows to the runtime (UnknownWords.h). The two share no code, and this one reads
// its evidence where machine code still has it.
//
// What it does not cover, because only IR knows: locals that pointer homing did not map although they hold pointers,
// words of incoming arguments on the stack, full words that a call returns, and results of indirect calls that never
// migrate. Those are pointer homing's claims; relocation stress tests them.
//
// Callee-saved registers that the function has not written hold the caller's values and are clean.
//
//===----------------------------------------------------------------------===//
#ifndef SKEIN_PASSES_MACHINE_ADDRESSPROOF_H
#define SKEIN_PASSES_MACHINE_ADDRESSPROOF_H

namespace skein {
/// For TargetPassConfig::insertPass.
char &addressProofID();
} // namespace skein

#endif
