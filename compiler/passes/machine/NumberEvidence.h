//===- NumberEvidence.h - Which loaded words are numbers --------------------===//
#ifndef SKEIN_PASSES_MACHINE_NUMBEREVIDENCE_H
#define SKEIN_PASSES_MACHINE_NUMBEREVIDENCE_H

namespace llvm {
class Function;
class MachineMemOperand;
} // namespace llvm

namespace skein {

/// Whether what is loaded there is a number, or a word that the program itself does not have: a word that is read for a
/// witness only refuses moves.
bool holdsNumber(const llvm::MachineMemOperand &Memory, const llvm::Function &F);

} // namespace skein

#endif
