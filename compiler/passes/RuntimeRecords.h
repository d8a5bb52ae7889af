//===- RuntimeRecords.h - Constants that the runtime reads --------------------===//
//
// Passes tell the runtime about variables and types in records, which the linker collects in sections (abi/). A record
// holds distances to what it is about instead of addresses, so that nothing has to be relocated when a program starts.
//
//===----------------------------------------------------------------------===//
#ifndef SKEIN_PASSES_RUNTIMERECORDS_H
#define SKEIN_PASSES_RUNTIMERECORDS_H

#include "llvm/Support/Alignment.h"

namespace llvm {
class Constant;
class GlobalVariable;
class Module;
class StringRef;
class Twine;
class Type;
} // namespace llvm

namespace skein {

/// A record without an initialiser, which the caller sets.
llvm::GlobalVariable &createRecord(llvm::Module &M, llvm::Type *Layout, const llvm::Twine &Name,
                                   llvm::StringRef Section, llvm::Align Alignment = llvm::Align(8));

/// Ties the record to the variable: the linker keeps or drops both together, also with --gc-sections.
void attachRecord(llvm::GlobalVariable &Record, llvm::GlobalVariable &G);

/// The distance from element `Index` of `Record` to `Target`, in 32 bits.
llvm::Constant *distanceTo(llvm::Constant *Target, llvm::GlobalVariable &Record, unsigned Index);

} // namespace skein

#endif
