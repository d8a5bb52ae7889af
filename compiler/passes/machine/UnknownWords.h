//===- UnknownWords.h - The proof's default: a word is an address -----------===//
//
// Taint (AddressProof.cpp) follows what is known to be an address. A full word that is loaded and of which nothing says
// that it is a number may be one, too, so it is *unknown*, and so is whatever is computed from it. The evidence is what
// machine code still carries: the tag of type-based alias information at the memory operand, or, in code that was not
// optimised, the type of the member or element whose address is loaded from. What lies in the frame is no unknown word:
// the maps describe it.
//
// An unknown word may live across a call in a register if the runtime can see what it is: pointer homing stores a copy,
// a *witness*, in an ambiguous local that the site lists. So each load of an unknown word is a *source*; followed
// forward are
//
//   for each cell       from which sources its content may be computed, and whether it is one of these as it is
//   for each source     whether on some path to here it has been loaded and no witness of it has been stored since
//
// and a site is unproved if a cell that is read behind it depends on a source that no listed local shows.
//
// Code generation takes a vector that is loaded apart and loads its elements again: words of one block that come from
// the same offset of the same IR value are one source.
//
// A source is a place in the code, not one execution of it: of a word that an earlier turn of a loop loaded this proof
// cannot tell whether the witness is of that turn or of a later one. That is pointer homing's claim.
//
//===----------------------------------------------------------------------===//
#ifndef SKEIN_PASSES_MACHINE_UNKNOWNWORDS_H
#define SKEIN_PASSES_MACHINE_UNKNOWNWORDS_H

#include "TaintRules.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SparseBitVector.h"
#include <optional>
#include <vector>

namespace llvm {
class MachineBasicBlock;
} // namespace llvm

namespace skein {

class UnknownWords {
public:
  using EffectsOf = llvm::function_ref<const Effects *(const llvm::MachineInstr &)>;

  /// Follows the words of the function; at once if there are none.
  UnknownWords(const llvm::MachineFunction &Function, EffectsOf Of);

  bool none() const { return Sources.empty(); }

  /// Walk a block from its beginning, in order.
  void enter(const llvm::MachineBasicBlock &Block) {
    Now = In[&Block];
    Fresh.clear();
  }
  void step(const llvm::MachineInstr &MI, const Effects *E);
  /// Right before a site: a cell among the live ones that depends on a word which the site does not show.
  std::optional<unsigned> unshown(const llvm::BitVector &Live, llvm::function_ref<bool(int FrameIndex)> IsListed) const;

private:
  using Set = llvm::SparseBitVector<>;
  struct Content {
    Set Words;        ///< sources from which it may be computed
    bool Pure = true; ///< it is one of them as it is, or a number
  };
  struct State {
    bool Reached = false;
    llvm::DenseMap<unsigned, Content> Cells;       ///< those that depend on any word
    llvm::DenseMap<Effects::Word, Content> Locals; ///< what witnesses hold
    Set Hidden;                                    ///< sources that were loaded and not shown since
    bool join(const State &Other);
  };
  Content contentOf(const llvm::MachineInstr &MI, const Effects &E) const;
  void hideWhatOnly(Effects::Word Where, const Set &Except);

  void findSources(const llvm::MachineFunction &Function, EffectsOf Of);

  llvm::DenseMap<const llvm::MachineInstr *, Set> Sources; ///< the words that an instruction loads
  llvm::DenseMap<const llvm::MachineBasicBlock *, State> In;
  State Now;
  Set Fresh; ///< sources loaded in this block, since when nothing has been stored outside of the frame
};

} // namespace skein

#endif
