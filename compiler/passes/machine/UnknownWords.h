//===- UnknownWords.h - The proof's default: a word is an address -----------===//
//
// Taint (AddressProof.cpp) follows what is known to be an address. A full word that is loaded and of which nothing says
// that it is a number may be one, too, so it is *unknown*, and so is whatever is computed from it. The evidence is what
// machine code still carries: the tag of type-based alias information at the memory operand, or, in code that was not
// optimised, the type of the member or element whose address is loaded from. What lies in the frame is no unknown word:
// the maps describe it.
//
// An unknown word may live across a call in a register if the runtime can see what it is: pointer homing stores a copy,
// a *witness*, in an ambiguous local that the site lists. So a site is unproved if a cell that is read behind it was
// computed from a word that no listed witness holds at that moment.
//
// A load in a loop gives a new word in each turn, so words have names. A name stands for one word at each moment, and a
// later word may get it:
//
//   the word that a load has loaded when it ran last
//   the word that lies in a witness since the last store to it
//
// Forward, state says from which names each cell was computed, and which ones each cell and each witness *holds*: where
// the word of that name is still needed, the word itself lies there. Before a name passes on to another word, what was
// computed from the one before is said to be computed from what lies in a witness that holds it; if none does, the word
// is lost, and every site that its descendants cross is unproved.
//
// Where ways meet, a name is held behind it if it is on each way on which anything alive depends on it. So a witness of
// what two branches have loaded in turn holds the words of both.
//
// Code generation takes a vector that is loaded apart and loads its elements again: words of one block that come from
// the same offset of the same IR value, with no store between, have one name.
//
//===----------------------------------------------------------------------===//
#ifndef SKEIN_PASSES_MACHINE_UNKNOWNWORDS_H
#define SKEIN_PASSES_MACHINE_UNKNOWNWORDS_H

#include "TaintRules.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SparseBitVector.h"
#include <map>
#include <optional>

namespace llvm {
class MachineBasicBlock;
} // namespace llvm

namespace skein {

class UnknownWords {
public:
  using EffectsOf = llvm::function_ref<const Effects *(const llvm::MachineInstr &)>;
  using LiveAt = llvm::ArrayRef<llvm::BitVector>; ///< by the number of the block
  using IsListed = llvm::function_ref<bool(int FrameIndex)>;

  /// Follows the words of the function; at once if there are none. `LiveIn`: the cells that are read behind the
  /// beginning of a block.
  UnknownWords(const llvm::MachineFunction &Function, EffectsOf Of, LiveAt LiveIn);

  /// Walk a block from its beginning, in order.
  void enter(const llvm::MachineBasicBlock &Block);
  void step(const llvm::MachineInstr &MI, const Effects *E);
  /// Right before a site: a cell among the live ones that depends on a word which the site does not show.
  std::optional<unsigned> unshown(const llvm::BitVector &Live, IsListed Listed) const;

private:
  using Name = unsigned;
  using Set = llvm::SparseBitVector<>;

  /// What lies in a cell.
  struct Content {
    Set From;                       ///< the words that it was computed from
    llvm::SmallVector<Set, 1> Held; ///< what it holds, word by word of a vector
    bool Pure = true;               ///< it is one of the words, or a number, and computed from none
    bool Lost = false;              ///< it was computed from a word that has no name any more
    bool isNumber() const { return From.empty() && !Lost; }
    bool operator==(const Content &Other) const = default;
  };
  struct Witness {
    Set Held;            ///< words besides the name that is its own
    bool Number = false; ///< a number was stored there
    bool operator==(const Witness &Other) const = default;
  };
  struct State {
    bool Reached = false;
    llvm::DenseMap<unsigned, Content> Cells; ///< all others are numbers
    std::map<Effects::Word, Witness> Witnesses;
    Set needed() const; ///< all names that anything depends on
  };

  void findLoads(const llvm::MachineFunction &Function, EffectsOf Of);
  Name ownName(Effects::Word Where);
  Content contentOf(llvm::ArrayRef<unsigned> Cells, bool Chooses) const;
  Content resultOf(const llvm::MachineInstr &MI, const Effects &E);
  void store(const Effects &E, const Content &Stored);
  void passOn(Name Word, const Effects::Word *Overwritten = nullptr);
  bool join(State &Mine, const State &Other, const llvm::BitVector &Live);
  bool isShown(Name Word, IsListed Listed) const;

  Name Names = 0;
  llvm::DenseMap<const llvm::MachineInstr *, llvm::SmallVector<Name, 1>> Loads; ///< the words that it loads
  std::map<Effects::Word, Name> OwnNames;
  Set OwnSet; ///< these names; a load from the witness may need one again, so no way may do without it
  llvm::DenseMap<const llvm::MachineBasicBlock *, State> In;
  State Now;
  Set Fresh; ///< words loaded in this block, since when nothing has been stored outside of the frame
};

} // namespace skein

#endif
