//===- SharedAccess.h - Accesses to shared memory, and what they hang on ----===//
//
// A *shared pointer* is one of address space 100. Its *anchor* is the pointer that it was computed from by steps inside
// one object: `p` for `p[i].x`, the start of the list for `p++` in a loop. An object lies in one slice, so whether an
// access is direct can be asked of the anchor, which often is there long before the access, and is the same for many.
//
//===----------------------------------------------------------------------===//
#ifndef SKEIN_PASSES_SHARED_SHAREDACCESS_H
#define SKEIN_PASSES_SHARED_SHAREDACCESS_H

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

inline constexpr unsigned SharedSpace = 100;

/// A shared pointer, or a vector of them.
bool isSharedType(const llvm::Type *T);
bool isShared(const llvm::Value *Pointer);

/// Whether an instruction reads or writes shared memory.
bool isSharedAccess(const llvm::Instruction &I);

/// The operands of an access that are shared pointers it goes through: one, or two of a copy.
llvm::SmallVector<unsigned, 2> sharedOperands(const llvm::Instruction &Access);

llvm::Value *anchorOf(llvm::Value *Pointer);
/// The anchors of an access.
llvm::SmallVector<llvm::Value *, 2> anchorsOf(const llvm::Instruction &Access);

/// Whether the slices of all anchors are mapped here, by the table of abi/entry_points.h.
llvm::Value *areMapped(llvm::IRBuilderBase &B, llvm::ArrayRef<llvm::Value *> Anchors);

/// Whether the check of an access holds until after this instruction: nothing in it moves the thread to another
/// process.
bool keepsChecks(const llvm::Instruction &I, const llvm::TargetLibraryInfo &TLI);

/// The order of an atomic access or a fence.
llvm::AtomicOrdering orderingOf(const llvm::Instruction &I);
/// Whether it orders accesses to other memory.
bool isOrdering(const llvm::Instruction &Access);

/// The operation of the runtime (SKEIN_ATOMIC_*) that does the same; none if there is none of that width.
std::optional<unsigned> runtimeOperation(const llvm::AtomicRMWInst &Modify);

/// Whether even in a mapped slice only the runtime can do it: an atomic operation of 16 bytes.
bool needsRuntime(const llvm::Instruction &Access);

/// The same access in plain memory; `Plain` gives the plain pointer for a shared one. Returns the instruction that
/// takes its place; the old one is gone.
llvm::Instruction *makeDirect(llvm::Instruction &Access, llvm::function_ref<llvm::Value *(llvm::Value *)> Plain);

/// Replaces a masked access of vectors by one access a lane, which are appended to `Lanes`. Blocks are split.
void scalarise(llvm::IntrinsicInst &Access, llvm::SmallVectorImpl<llvm::Instruction *> &Lanes);

/// Brings a function's accesses into the forms that the others expect: atomic operations that the runtime does not know
/// become loops around a comparison, gathers from everywhere single accesses. Reports what cannot be done, and takes it
/// out, so that the module stays valid. True if anything changed.
bool normaliseSharedAccesses(llvm::Function &F, llvm::FunctionAnalysisManager &AM);

} // namespace skein

#endif
