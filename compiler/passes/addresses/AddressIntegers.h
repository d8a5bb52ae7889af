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
class CmpInst;
class DataLayout;
class Function;
class Instruction;
class Value;
} // namespace llvm

namespace skein {

/// Function attribute, set on all functions of a module: some integer of the module is an address that is kept.
inline constexpr const char *AddressIntegersAttribute = "skein-address-integers";

/// Attribute of an argument or a result of 64 bits: whatever is passed or returned there is an address, or so small
/// that a move leaves it alone (AddressSignatures.cpp).
inline constexpr const char *AddressAttribute = "skein-address";
/// An argument or the result of a call with that attribute.
bool isDeclaredAddress(const llvm::Value *V);

/// How the address of something that moves enters a value that is not a pointer.
enum class AddressForm {
  None,      ///< a number: not computed from an address or from a word of which nobody knows what it is
  Invariant, ///< computed, but unchanged by a move: comparison, complete difference, low bits
  Address,   ///< an address plus something that does not depend on one: moves with it
  Either,    ///< an address on some paths, a number on others
  Other,     ///< anything else: half of an address, a product, a hash
};

/// What should become of a value that is live across a may-migrate call.
enum class Treatment {
  Nothing,
  Freeze,           ///< compute it before the call, once and for all
  PointerHome,      ///< it is an address: home it like a pointer
  AmbiguousWitness, ///< maybe an address: leave it alone, and a copy in an ambiguous slot refuses the move if it is
  LeafWitness,      ///< like that, but the addresses it was computed from are the witnesses
};

/// A sum whose value is what it seems to be only if the addresses in it lie where they are taken to be. The running
/// program looks (AddressChecks.h, doubtfulAddress).
struct Doubt {
  llvm::Instruction *Sum;
  llvm::SmallVector<llvm::Value *, 2> Addresses; ///< all in the sum; none: an operand, plus or minus a number
  bool Lands = false;                            ///< it is itself taken for an address where these lie
};

/// Analysis of one function. Instructions added after construction are unknown to it (form None).
class AddressIntegers {
public:
  explicit AddressIntegers(const llvm::Function &F);
  /// Begins again from what the function's arguments, and the results of those it calls, are declared to be now. The
  /// code is as it was.
  void renew(const llvm::Function &F);

  /// True if the function makes pointers of integers, or hands on integers that are addresses, where their way cannot
  /// be followed.
  bool losesSight(const llvm::Function &F) const;

  AddressForm form(const llvm::Value *V) const;
  /// Values of integer, floating or vector type to look at when they are live across a call.
  llvm::ArrayRef<llvm::Value *> candidates() const { return Candidates; }
  Treatment treatment(llvm::Value *V) const;
  /// The pointers and unknown words that `V` was computed from.
  llvm::SmallVector<llvm::Value *, 4> leaves(llvm::Value *V) const;
  /// True if values of several paths or rounds of a loop are merged on the way from its leaves to `V`: then what a leaf
  /// is now is not all that `V` was computed from.
  bool mergesLeaves(const llvm::Value *V) const;
  /// True if `V` came from elsewhere as a word of which nobody says what it is (WordEvidence.h).
  bool isUnknown(const llvm::Value *V) const { return Unknowns.contains(V); }
  /// An unknown word that is declared as a number where it came from, and which others may have put there.
  bool isDeclaredNumber(const llvm::Value *V) const;
  /// Loads and copies that take a part of a word. What is computed from one has the whole word for a witness.
  const PartsOfWords &parts() const { return Parts; }
  /// What `V`, which is invariant or an address, is computed with and leaves a doubt that only the running program can
  /// settle: differences, and other sums, of addresses that perhaps do not all lead into the same stack or program,
  /// where a part of the sum would move; and sums of an address and a number, which perhaps lead far away.
  llvm::SmallVector<Doubt, 2> doubts(llvm::Value *V) const;
  /// True if the code generator could compute `V` again from a pointer: pure instructions lead there, none of them a
  /// merge of several values. Looks at the function as it is now.
  bool isRecomputable(const llvm::Value *V) const;
  /// True if storing `V` as an integer may put an address into memory.
  bool mayCarryAddress(const llvm::Value *V) const;
  /// True if `V`, read from or written to memory as an integer, is treated as nothing but an address.
  bool isAddressLike(const llvm::Value *V) const;
  /// True if `V` is an address, or a number that no address can be.
  bool isProvedAddress(const llvm::Value *V) const;
  /// What a store to a word of a local that nobody else can reach is loaded by; empty for other stores.
  llvm::ArrayRef<const llvm::Instruction *> reloadsOf(const llvm::Instruction &Store) const;
  /// True if the access is to a word of a local that nobody else can reach.
  bool isInCell(const llvm::Instruction &Access) const { return CellOf.contains(&Access); }
  /// True if 64-bit integers of this module may hold addresses wherever they come from.
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
  Linear evaluate(const llvm::Instruction &I) const;
  Linear valueOf(const llvm::Value *V) const;
  bool reachesPointer(const llvm::Value *V, bool Only = false) const;
  bool isCopiedOnly(const llvm::Value *V) const;
  bool isSmall(const llvm::Value *V) const;

  const llvm::DataLayout &DL;
  bool KeepsAddresses = false;
  PartsOfWords Parts;

  /// coefficient of the address in a tainted value
  struct Linear {
    enum { Unknown, Known, Either, Part, Top } State = Unknown;
    int64_t Coefficient = 0;
    bool operator==(const Linear &) const = default;
  };
  Linear merge(const Linear &A, const Linear &B) const;

  /// A 64-bit word of a local that nobody else can reach, with all that is ever stored there.
  struct Cell {
    llvm::SmallVector<const llvm::Value *, 4> Stored;
    llvm::SmallVector<const llvm::Instruction *, 4> Loads, Stores;
  };
  llvm::SmallVector<Cell, 8> Cells;
  llvm::DenseMap<const llvm::Instruction *, unsigned> CellOf; ///< of a load or a store
  llvm::DenseMap<const llvm::Value *, Linear> Unknowns; ///< words from elsewhere, with what their uses make of them
  llvm::DenseMap<const llvm::Value *, Linear> Tainted;  ///< values that are computed from addresses or unknown words
  llvm::SmallVector<llvm::Value *, 32> Candidates;
};

/// Made once for a function, until a pass changes its code. Who changes what arguments and results are declared to be
/// renews it (AddressSignatures.cpp).
class AddressIntegersAnalysis : public llvm::AnalysisInfoMixin<AddressIntegersAnalysis> {
public:
  static inline llvm::AnalysisKey Key;
  using Result = AddressIntegers;
  Result run(llvm::Function &F, llvm::FunctionAnalysisManager &) { return AddressIntegers(F); }
};

} // namespace skein

#endif
