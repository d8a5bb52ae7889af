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

/// Words that lie side by side in a local.
struct WordRow {
  llvm::Value *First; ///< where the first one lies
  int64_t Count;
};

/// The words of locals that may hold addresses, by their types and by what the caller writes to them, and that the
/// callee reads in parts.
struct WordsReadInParts {
  llvm::SmallVector<llvm::Value *, 4> Loaded; ///< in front of the call, as 64-bit integers
  llvm::SmallVector<WordRow, 2> Rows;         ///< where they are many
  /// The locals with so many such words here and there that they are not told apart.
  llvm::SmallVector<llvm::Value *, 2> Locals;
};
WordsReadInParts wordsReadInParts(llvm::CallBase &Call, const PartsOfWords &InCaller);

} // namespace skein

#endif
