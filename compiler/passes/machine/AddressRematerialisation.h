//===- AddressRematerialisation.h - Pass 3: addresses again, not across ----===//
//
// Input: machine code in SSA form, after every pass that shares or hoists values (MachineCSE, MachineLICM, peephole,
// x86-optimize-leas; at -O0 after instruction selection). LLVM has good reasons to keep the address of a local or of a
// global, or something computed from one, in a callee-saved register across a call; after a move it is stale.
//
// Invariant afterwards: no *chain* (MachineAddresses.h) is live across a call that may migrate. Each use beyond such a
// call gets a clone of the chain, placed before the first use of its call-free region, or in front of the outermost
// loop without such calls, so that hot loops do not pay:
//
//     %a = LEA %stack.0                        %a = LEA %stack.0
//     ... %a                                   ... %a
//     CALL @f         (site)         ==>       CALL @f
//     ... %a                                   %b = LEA %stack.0
//                                              ... %b
//
// What cannot be computed again but is one pointer (a phi of two chains; the hidden result pointer that is returned in
// rax and that no IR shows) gets a *machine home*: a stack slot, stored after the definition, listed at each site it
// crosses, and loaded where a clone would be.
//
// Why later passes keep it: register allocation only shortens and splits live ranges or computes them again; the passes
// that would share values anew are off (Pipeline.cpp). If one does so after all, address-proof finds it and pins the
// site.
//
// Rejected: cloning only LEAs of frame indices (SelectionDAG shares whole expressions, e.g. a splat of an address);
// an opaque marker in IR for each address (alias analysis and addressing modes suffer).
//
//===----------------------------------------------------------------------===//
#ifndef SKEIN_PASSES_MACHINE_ADDRESSREMATERIALISATION_H
#define SKEIN_PASSES_MACHINE_ADDRESSREMATERIALISATION_H

namespace skein {
/// For TargetPassConfig::insertPass.
char &addressRematerialisationID();
} // namespace skein

#endif
