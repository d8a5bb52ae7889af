//===- Compat.h - What differs between LLVM 22 and 23 ----------------------===//
//
// The sources are those for LLVM 22; whatever LLVM 23 calls otherwise stands here, and only here. A difference goes
// when the older of the two is given up.
//
//===----------------------------------------------------------------------===//
#ifndef SKEIN_PASSES_COMPAT_H
#define SKEIN_PASSES_COMPAT_H

#include "llvm/Analysis/Loads.h"
#include "llvm/Analysis/SimplifyQuery.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"

namespace skein {

/// The condition of a conditional branch; null for any other instruction. (Two classes in LLVM 23.)
inline llvm::Value *conditionOf(const llvm::Instruction &Terminator) {
#if LLVM_VERSION_MAJOR >= 23
  const auto *Branch = llvm::dyn_cast<llvm::CondBrInst>(&Terminator);
  return Branch ? Branch->getCondition() : nullptr;
#else
  const auto *Branch = llvm::dyn_cast<llvm::BranchInst>(&Terminator);
  return Branch && Branch->isConditional() ? Branch->getCondition() : nullptr;
#endif
}

/// Whether control goes to one of several blocks, or to one, and nothing else happens.
inline bool isBranchOrSwitch(const llvm::Instruction &I) {
#if LLVM_VERSION_MAJOR >= 23
  return llvm::isa<llvm::CondBrInst, llvm::UncondBrInst, llvm::SwitchInst>(I);
#else
  return llvm::isa<llvm::BranchInst, llvm::SwitchInst>(I);
#endif
}

/// What the names of symbols begin with that are not to be in the object file.
inline llvm::StringRef privatePrefix(const llvm::DataLayout &DL) {
#if LLVM_VERSION_MAJOR >= 23
  return DL.getInternalSymbolPrefix();
#else
  return DL.getPrivateGlobalPrefix();
#endif
}

/// Whether there is an object of type `T` behind the pointer when `At` runs.
inline bool isDereferenceableAt(const llvm::Value *Pointer, llvm::Type *T, const llvm::DataLayout &DL,
                                const llvm::Instruction *At) {
#if LLVM_VERSION_MAJOR >= 23
  return llvm::isDereferenceablePointer(Pointer, T, llvm::SimplifyQuery(DL, At));
#else
  return llvm::isDereferenceablePointer(Pointer, T, DL, At);
#endif
}

} // namespace skein

#endif
