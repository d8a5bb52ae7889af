//===- UnknownWords.h - The proof's default: a word is an address -----------===//
//
// Taint (AddressProof.cpp) follows what is known to be an address. A full word that is loaded without evidence of a
// number may be an address too, so it is *unknown*, and so is whatever is computed from it. The evidence is what
// machine code still carries: the tag of type-based alias information at the memory operand, or, in code that was not
// optimised, the type of the member or element from whose address it is loaded. What lies in the frame is no unknown
// word, since the maps describe it.
//
// An unknown word may live across a call in a register if the runtime can see what it is: pointer homing stores a copy,
// a *witness*, in an ambiguous local that the site lists. So a site is unproved if a cell that is read after it was
// computed from a word that no listed witness holds at that moment.
//
// A load in a loop gives a new word in each turn, so words have names. A name stands for one word at each moment, and a
// later word may take it over:
//
//   the word that a load has loaded when it ran last
//   the word that lies in a witness since the last store to it
//
// Going forward, the state says from which names each cell was computed, and which names each cell and each witness
// *holds*: where the word of that name is still needed, the word itself lies there. Before a name goes over to another
// word, everything computed from the previous word is said to be computed from what lies in a witness that holds it. If
// none does, the word is lost, and every site that a value computed from it crosses is unproved.
//
// Where paths meet, a name is held afterwards if it is held on each path on which any live cell depends on it. So a
// witness of what two branches have loaded holds the words of both.
//
// Code generation loads the elements of a vector again one by one. So words of one block that come from the same offset
// of the same IR value, with no store in between, have one name.
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

  /// Follows the words of the function; done at once if there are none. `LiveIn`: the cells that are read after the
  /// beginning of a block.
  UnknownWords(const llvm::MachineFunction &Function, EffectsOf Of, LiveAt LiveIn);

  /// Walks a block from its beginning, instruction by instruction.
  void enter(const llvm::MachineBasicBlock &Block);
  void step(const llvm::MachineInstr &MI, const Effects *E);
  /// Right before a site: a live cell that depends on a word which the site does not show, if there is one.
  std::optional<unsigned> unshown(const llvm::BitVector &Live, IsListed Listed) const;

private:
  using Name = unsigned;
  using Set = llvm::SparseBitVector<>;

  /// What lies in a cell.
  struct Content {
    Set From;                       ///< the words that it was computed from
    llvm::SmallVector<Set, 1> Held; ///< the names of the words that it holds, word by word of a vector
    bool Pure = true;               ///< it is one of the words, or a number, and not computed from a word
    bool Lost = false;              ///< it was computed from a word that has lost its name
    bool isNumber() const { return From.empty() && !Lost; }
    bool operator==(const Content &Other) const = default;
  };
  struct Witness {
    Set Held;            ///< the words it holds besides the one of its own name
    bool Number = false; ///< a number was stored there
    bool operator==(const Witness &Other) const = default;
  };
  struct State {
    bool Reached = false;
    llvm::DenseMap<unsigned, Content> Cells; ///< all other cells hold numbers
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
  llvm::DenseMap<const llvm::MachineInstr *, llvm::SmallVector<Name, 1>> Loads; ///< the words that an instruction loads
  std::map<Effects::Word, Name> OwnNames;
  Set OwnSet; ///< all of these; a load from the witness may need one again, so no path may lack it
  llvm::DenseMap<const llvm::MachineBasicBlock *, State> In;
  State Now;
  Set Fresh; ///< words loaded in this block since the last store outside of the frame
};

} // namespace skein

#endif
