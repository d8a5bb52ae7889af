//===- AddressIntegers.h - Integers that are computed from addresses --------===//
#ifndef SKEIN_PASSES_ADDRESSES_ADDRESSINTEGERS_H
#define SKEIN_PASSES_ADDRESSES_ADDRESSINTEGERS_H

#include "PartsOfWords.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/PassManager.h"

namespace llvm {
class AllocaInst;
class BinaryOperator;
class CmpInst;
class DataLayout;
class Function;
class Instruction;
class Value;
} // namespace llvm

namespace skein {

/// Function attribute, set on all functions of a module: some integer of the module is an address, and is kept.
inline constexpr const char *AddressIntegersAttribute = "skein-address-integers";

/// Attribute of an argument or a result of 64 bits: whatever is passed or returned there is an address, or a number so
/// small that it is the same after a move (AddressSignatures.cpp).
inline constexpr const char *AddressAttribute = "skein-address";
/// Whether `V` is an argument, or the result of a call, with that attribute.
bool isDeclaredAddress(const llvm::Value *V);

/// How an address of something that moves is contained in a value that is not a pointer.
enum class AddressForm {
  None,      ///< a number: not computed from an address, nor from a word that may be one
  Invariant, ///< computed from an address, but the same after a move: a comparison, a complete difference, low bits
  Address,   ///< an address plus something that does not depend on one; it moves with the address
  Either,    ///< an address on some paths, a number on others
  Other,     ///< anything else: half of an address, a product, a hash
};

/// What must be done with a value that is live across a may-migrate call.
enum class Treatment {
  Nothing,
  Freeze,      ///< compute it before the call, and not again
  PointerHome, ///< it is an address: give it a home slot like a pointer
  /// It may be an address: it is not changed, and a copy in an ambiguous slot refuses the move if it is one.
  AmbiguousWitness,
  LeafWitness, ///< the same, but the copies are of the addresses from which it was computed
};

/// A sum whose value has its form only if the addresses in it lie where they are taken to lie. The running program
/// checks that (AddressChecks.h, doubtfulAddress).
struct Doubt {
  llvm::Instruction *Sum;
  /// All addresses in the sum; empty: one operand is an address, the other one a number.
  llvm::SmallVector<llvm::Value *, 2> Addresses;
  bool Lands = false; ///< the sum is itself taken for an address near these
};

/// Analysis of one function. Instructions added after construction are unknown to it (form None).
class AddressIntegers {
public:
  explicit AddressIntegers(const llvm::Function &F);
  /// Starts again from what the function's arguments, and the results of the functions it calls, are declared to be
  /// now. The code must not have changed.
  void renew(const llvm::Function &F);

  /// True if the function makes pointers of integers, or passes on integers that are addresses, in a way that cannot be
  /// followed.
  bool losesSight(const llvm::Function &F) const;

  AddressForm form(const llvm::Value *V) const;
  /// Values of integer, floating-point or vector type that need a look if they are live across a call.
  llvm::ArrayRef<llvm::Value *> candidates() const { return Candidates; }
  Treatment treatment(llvm::Value *V) const;
  /// The pointers and unknown words that `V` was computed from. Those of invariant numbers are left out; these are
  /// added to `Invariants`.
  llvm::SmallVector<llvm::Value *, 4> leaves(llvm::Value *V,
                                             llvm::SmallVectorImpl<llvm::Value *> *Invariants = nullptr) const;
  /// True if values of several paths or rounds of a loop are merged on the way from the leaves to `V`. Then `V` was
  /// computed from more than what a leaf is now.
  bool mergesLeaves(const llvm::Value *V) const;
  /// True if `V` came from elsewhere as a word of unknown kind (WordEvidence.h).
  bool isUnknown(const llvm::Value *V) const { return Unknowns.contains(V); }
  /// True if `V` is an unknown word that is declared as a number where it came from, but may have been put there as
  /// something else.
  bool isDeclaredNumber(const llvm::Value *V) const;
  /// Loads and copies that take a part of a word. The witness of what is computed from such a part is the whole word.
  const PartsOfWords &parts() const { return Parts; }
  /// The doubts about how `V`, or an invariant number that it is computed with, is computed, which only the running
  /// program can settle. They are of differences and other sums of addresses that perhaps do not all lead into the same
  /// stack or program, so that a part of the sum would move; and of sums of an address and a number, which perhaps lead
  /// far away.
  llvm::SmallVector<Doubt, 2> doubts(llvm::Value *V) const;
  /// True if the code generator could compute `V` again from a pointer, by pure instructions none of which merges
  /// several values. Looks at the function as it is now.
  bool isRecomputable(const llvm::Value *V) const;
  /// True if storing `V` as an integer may put an address into memory.
  bool mayCarryAddress(const llvm::Value *V) const;
  /// True if `V`, which is read from or written to memory as an integer, is only ever treated as an address.
  bool isAddressLike(const llvm::Value *V) const;
  /// True if `V` is an address, or a number that is no address.
  bool isProvedAddress(const llvm::Value *V) const;
  /// The loads that read what a store has written to a word of a local that no other code can reach; empty for other
  /// stores.
  llvm::ArrayRef<const llvm::Instruction *> reloadsOf(const llvm::Instruction &Store) const;
  /// True if the access is to a word of a local that no other code can reach.
  bool isInCell(const llvm::Instruction &Access) const { return CellOf.contains(&Access); }
  /// True if any 64-bit integer of this module may hold an address, wherever it comes from.
  bool keepsAddresses() const { return KeepsAddresses; }

private:
  struct Linear;
  void findCells(const llvm::Function &F);
  void findCellsOf(const llvm::AllocaInst &Alloca);
  void findUnknowns(const llvm::Function &F);
  void findTainted(const llvm::Function &F);
  void solve(const llvm::Function &F);
  struct Unsettled;
  void iterate(Unsettled &U);
  void changed(const llvm::Instruction &I, Unsettled &U) const;
  bool looksDeeper(const llvm::Instruction &I) const;
  enum class Kinds { Same, Different, Unclear };
  Kinds kindsOf(const llvm::Instruction &Sum) const;
  bool collectAddresses(llvm::Value *V, llvm::SmallVectorImpl<llvm::Value *> &Found, bool *Numbers = nullptr) const;
  bool isBiased(const llvm::Instruction &I) const;
  bool isSumOfAddresses(llvm::Value *V) const;
  bool isInvariant(const llvm::CmpInst &Compare, const Linear &A, const Linear &B) const;
  bool hasInvariantLowBits(const llvm::Value *V, unsigned Count) const;
  bool areHighBits(const llvm::Value *V) const;
  bool truncatesWord(const llvm::Instruction &Conversion) const;
  bool countsEqualBytes(const llvm::Instruction &Shift) const;
  bool comparesPart(const llvm::BinaryOperator &Bit) const;
  Linear evaluate(const llvm::Instruction &I) const;
  Linear valueOf(const llvm::Value *V) const;
  bool reachesPointer(const llvm::Value *V, bool Only = false) const;
  bool isCopiedOnly(const llvm::Value *V) const;
  bool isSmall(const llvm::Value *V) const;
  bool isSumOfSmall(const llvm::Value *V) const;
  bool mayCopyAddress(const llvm::Value *V) const;

  const llvm::DataLayout &DL;
  bool KeepsAddresses = false;
  PartsOfWords Parts;

  /// The coefficient of the address in a tainted value.
  struct Linear {
    enum { Unknown, Known, Either, Part, Top } State = Unknown;
    int64_t Coefficient = 0;
    bool operator==(const Linear &) const = default;
  };
  Linear merge(const Linear &A, const Linear &B) const;

  /// A 64-bit word of a local that no other code can reach, and all that is ever stored there.
  struct Cell {
    llvm::SmallVector<const llvm::Value *, 4> Stored;
    llvm::SmallVector<const llvm::Instruction *, 4> Loads, Stores;
  };
  llvm::SmallVector<Cell, 8> Cells;
  llvm::DenseMap<const llvm::Instruction *, unsigned> CellOf; ///< the cell of a load or a store
  llvm::DenseMap<const llvm::Value *, Linear> Unknowns; ///< words from elsewhere, and what their uses say about them
  llvm::DenseMap<const llvm::Value *, Linear> Tainted;  ///< values that are computed from addresses or unknown words
  llvm::SmallVector<llvm::Value *, 32> Candidates;
};

/// The analysis of a function, kept until a pass changes its code. A pass that changes what arguments and results are
/// declared to be renews it (AddressSignatures.cpp).
class AddressIntegersAnalysis : public llvm::AnalysisInfoMixin<AddressIntegersAnalysis> {
public:
  static inline llvm::AnalysisKey Key;
  using Result = AddressIntegers;
  Result run(llvm::Function &F, llvm::FunctionAnalysisManager &) { return AddressIntegers(F); }
};

} // namespace skein

#endif
