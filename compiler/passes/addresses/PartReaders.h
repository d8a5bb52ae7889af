//===- PartReaders.h - Functions that read what they are given in parts ----===//
#ifndef SKEIN_PASSES_ADDRESSES_PARTREADERS_H
#define SKEIN_PASSES_ADDRESSES_PARTREADERS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace llvm {
class CallBase;
class Function;
class Module;
class Value;
} // namespace llvm

namespace skein {

class PartsOfWords;
using PartsIn = llvm::function_ref<const PartsOfWords &(llvm::Function &)>;

/// Gives the attribute `skein-reads-parts` to each argument of the module's functions that leads to memory which the
/// function, or one to which it passes the argument on, reads in parts of words. The value of the attribute says which
/// bytes.
void markPartReaders(llvm::Module &M, PartsIn Parts);

/// The words of locals that may hold addresses, by their types and by what the caller writes to them, and that the
/// callee reads in parts. They are loaded in front of the call as 64-bit integers. For a local with too many such words
/// this is its address.
llvm::SmallVector<llvm::Value *, 4> wordsReadInParts(llvm::CallBase &Call, const PartsOfWords &InCaller);

} // namespace skein

#endif
