//===- SharedAccess.h - Accesses to shared memory, and what they hang on ----===//
//
// A *shared pointer* is one of address space 100. Its *anchor* is the pointer from which it was computed by steps
// inside one object: `p` for `p[i].x`, the start of the list for `p++` in a loop. An object lies in one slice. So the
// check whether an access is direct can be made on the anchor, which often exists long before the access, and is the
// same for many.
//
//===----------------------------------------------------------------------===//
#ifndef SKEIN_PASSES_SHARED_SHAREDACCESS_H
#define SKEIN_PASSES_SHARED_SHAREDACCESS_H

#include "rules/AddressSpace.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Support/AtomicOrdering.h"
#include <optional>

namespace llvm {
class AtomicRMWInst;
class IRBuilderBase;
class Instruction;
class IntrinsicInst;
class Module;
class TargetLibraryInfo;
class Type;
class Value;
} // namespace llvm

namespace skein {

/// Whether this is the type of a shared pointer, or of a vector of them.
bool isSharedType(const llvm::Type *T);
bool isShared(const llvm::Value *Pointer);

/// Whether an instruction reads or writes shared memory.
bool isSharedAccess(const llvm::Instruction &I);

/// The operands of an access that are shared pointers: one, or two for a copy.
llvm::SmallVector<unsigned, 2> sharedOperands(const llvm::Instruction &Access);

llvm::Value *anchorOf(llvm::Value *Pointer);
/// The anchors of an access.
llvm::SmallVector<llvm::Value *, 2> anchorsOf(const llvm::Instruction &Access);

/// Computes whether the slices of all anchors are mapped here, by the table of abi/entry_points.h.
llvm::Value *areMapped(llvm::IRBuilderBase &B, llvm::ArrayRef<llvm::Value *> Anchors);

/// Whether the check of an access still holds after this instruction: nothing in it moves the thread to another
/// process.
bool keepsChecks(const llvm::Instruction &I, const llvm::TargetLibraryInfo &TLI);

/// The ordering of an atomic access or a fence.
llvm::AtomicOrdering orderingOf(const llvm::Instruction &I);
/// Whether the access orders accesses to other memory.
bool isOrdering(const llvm::Instruction &Access);

/// The operation of the runtime (SKEIN_ATOMIC_*) that does the same; none if there is none of that width.
std::optional<unsigned> runtimeOperation(const llvm::AtomicRMWInst &Modify);

/// Whether only the runtime can do the access even in a mapped slice: it is an atomic operation of 16 bytes.
bool needsRuntime(const llvm::Instruction &Access);

/// Makes the access one of plain memory; `Plain` returns the plain pointer for a shared one. Returns the new
/// instruction; the old one no longer exists.
llvm::Instruction *makeDirect(llvm::Instruction &Access, llvm::function_ref<llvm::Value *(llvm::Value *)> Plain);

/// Replaces a masked access of vectors by one access for each lane; these are appended to `Lanes`. Blocks are split.
void scalarise(llvm::IntrinsicInst &Access, llvm::SmallVectorImpl<llvm::Instruction *> &Lanes);

/// Brings a function's accesses into the forms that the other files expect: atomic operations that the runtime does not
/// know become loops around a comparison, and gathers become single accesses. Reports what cannot be done, and removes
/// it so that the module stays valid. True if anything changed.
bool normaliseSharedAccesses(llvm::Function &F, llvm::FunctionAnalysisManager &AM);

} // namespace skein

#endif
