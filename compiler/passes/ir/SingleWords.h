//===- SingleWords.h - Values that were read from one word -----------------===//
#ifndef SKEIN_PASSES_IR_SINGLEWORDS_H
#define SKEIN_PASSES_IR_SINGLEWORDS_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/BasicBlock.h"

namespace llvm {
class Instruction;
class PHINode;
class Value;
} // namespace llvm

namespace skein {

class AddressIntegers;

/// The one word from which a value was read: its content, or the address of a byte in it, if it can still be read at
/// all places that were asked for.
struct SingleWord {
  llvm::Value *V = nullptr; ///< null: there is none
  bool IsAddress = false;
  explicit operator bool() const { return V; }
};

class SingleWords {
public:
  /// `WordOf` returns the word from which a part is cut, loaded where the part is.
  SingleWords(const AddressIntegers &Addresses, llvm::function_ref<llvm::Value *(llvm::Instruction &)> WordOf)
      : Addresses(Addresses), WordOf(WordOf) {}

  /// Inserts what is needed to have the word where `V` is defined, for a witness of `V` that is stored at `Places`.
  SingleWord find(llvm::Value *V, llvm::ArrayRef<llvm::BasicBlock::iterator> Places);

private:
  bool trace(llvm::Value *V);
  bool isNumber(const llvm::Value *V) const;
  bool staysReadable(llvm::Value *V, llvm::ArrayRef<llvm::BasicBlock::iterator> Places);
  bool writesBetween(const llvm::Instruction &From, const llvm::Instruction &To);
  bool writes(const llvm::BasicBlock &B);
  llvm::Value *build(llvm::Value *V);
  void mergeEqualPhis();

  const AddressIntegers &Addresses;
  llvm::function_ref<llvm::Value *(llvm::Instruction &)> WordOf;
  llvm::DenseMap<const llvm::BasicBlock *, bool> Writes;

  // These describe the value that is looked at:
  llvm::SmallVector<llvm::Value *, 4> Leaves;
  llvm::MapVector<llvm::Instruction *, llvm::SmallVector<unsigned, 2>> Steps; ///< with the operands that are no numbers
  bool MergesNumbers = false;
  bool AsAddress = false;
  llvm::DenseMap<llvm::Value *, llvm::Value *> Built;
  llvm::SmallVector<llvm::PHINode *, 2> Phis;
};

} // namespace skein

#endif
