//===- CalleeBinding.h - Which functions may be called directly ------------===//
#ifndef SKEIN_PASSES_IR_CALLEEBINDING_H
#define SKEIN_PASSES_IR_CALLEEBINDING_H

namespace llvm {
class Function;
class GlobalVariable;
} // namespace llvm

namespace skein {

/// How the arguments of a call travel: only in registers, or some of them in memory.
enum class Passing { Registers, Memory };

/// The cell through which `Callee` is called by code of this module, or null if there is none.
const llvm::GlobalVariable *calleeCell(const llvm::Function &Callee, Passing How);

} // namespace skein

#endif
