//===- PartsOfWords.h - Loads of less than a word that may be an address ---===//
#ifndef SKEIN_PASSES_ADDRESSES_PARTSOFWORDS_H
#define SKEIN_PASSES_ADDRESSES_PARTSOFWORDS_H

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"

namespace llvm {
class AllocaInst;
class Function;
class IRBuilderBase;
class Instruction;
class LoadInst;
class LoopInfo;
class MemTransferInst;
class StoreInst;
class Value;
} // namespace llvm

namespace skein {

/// Full words of which a load or a copy takes only a part.
struct CutWords {
  llvm::AllocaInst *Local = nullptr;     ///< the local that they are in, if its words are known
  llvm::SmallVector<int64_t, 2> Offsets; ///< the offsets of these words in it
  /// Or, where it is not known at which offset it is read and many words are there, their offsets modulo 8. The words
  /// are those at such places which contain the first and the last byte, and what lies between them.
  llvm::SmallVector<int64_t, 2> Residues;
  bool Around = false;    ///< in addition, the aligned words that contain the bytes which are read
  bool AtAnyByte = false; ///< or all words that contain some of these bytes
};

/// All such loads and copies of one function. What is inserted later is not among them.
class PartsOfWords {
public:
  explicit PartsOfWords(const llvm::Function &F);

  /// Whether `V` is a load whose value is a part of a word that may be an address.
  bool contains(const llvm::Value *V) const { return Loads.contains(V); }
  /// Whether `V` is a floating-point number or a vector that is read back from a local in code without optimisation,
  /// where all values are kept in locals. It is what was stored there, whatever its type says.
  bool readsWritten(const llvm::Value *V) const { return Whole.contains(V); }
  /// Whether `V` reads memory that is no local of the function.
  bool isFromElsewhere(const llvm::Value *V) const { return !Loads.lookup(V).Local; }
  /// Whether this is a load of a part of the one aligned word around it, of which nothing else is known.
  bool isOfOneWord(const llvm::Instruction &Part) const;
  /// Copies that begin or end within words which may be addresses.
  auto copies() const { return llvm::make_first_range(Copies); }

  /// Whether other code may read and write a local.
  bool isKnownToOthers(const llvm::AllocaInst &Local) const { return Written.contains(&Local); }
  /// Where full words are written to a local in this function.
  llvm::ArrayRef<int64_t> wordsWritten(const llvm::AllocaInst &Local) const;

  /// The words of which `Reader`, one of these loads or copies, takes a part. They are loaded in front of it as 64-bit
  /// integers.
  llvm::SmallVector<llvm::Value *, 2> wordsAt(llvm::Instruction &Reader) const;

private:
  llvm::DenseMap<const llvm::Value *, CutWords> Loads;
  llvm::SmallPtrSet<const llvm::Value *, 8> Whole;
  llvm::MapVector<const llvm::Instruction *, CutWords> Copies;
  llvm::DenseMap<const llvm::AllocaInst *, llvm::SmallVector<int64_t, 4>>
      Written; ///< of those that somebody else knows
};

/// Whether `I` is an atomic operation that changes a part of a word.
bool isAtomicOnPart(const llvm::Instruction &I);

/// The address of the word at this offset of a local, and the word itself.
llvm::Value *addressForWitness(llvm::IRBuilderBase &B, llvm::AllocaInst &Local, int64_t Offset);
llvm::Value *loadForWitness(llvm::IRBuilderBase &B, llvm::AllocaInst &Local, int64_t Offset);
/// Loads the aligned word in which the byte at this address lies.
llvm::Value *loadWordAround(llvm::IRBuilderBase &B, llvm::Value *Byte);
/// Whether `I` was inserted by wordsAt, loadForWitness or loadWordAround. It reads what the program reads anyway, and
/// is no access of the program.
bool readsForWitness(const llvm::Instruction &I);

/// True if the store puts the part at the same place in its word where it was read: it is a step of a copy by hand, and
/// is complete before the next call.
bool isStepOfCopy(const llvm::LoadInst &Part, const llvm::Instruction &Store, const llvm::LoopInfo &LI);
/// True if, as far as can be seen, bytes are stored in another order than they are read: one of the addresses rises
/// while the other one falls, or both are at constant but different distances from where something begins.
bool changesOrder(const llvm::LoadInst &Part, const llvm::StoreInst &Store);

} // namespace skein

#endif
