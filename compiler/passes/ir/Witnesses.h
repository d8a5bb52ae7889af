//===- Witnesses.h - Copies of addresses that the runtime looks at ----------===//
//
// A value that was computed from addresses or words of unknown kind, and is no address any more (a hash, a part, a
// product), cannot be changed when the thread moves. So as long as it lives across calls, copies of what it was
// computed from lie in slots of the frame, its *witnesses*. The map lists them as ambiguous: one that is an address
// which would change refuses the move.
//
//===----------------------------------------------------------------------===//
#ifndef SKEIN_PASSES_IR_WITNESSES_H
#define SKEIN_PASSES_IR_WITNESSES_H

#include "HomeSlots.h"
#include "SingleWords.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/PointerIntPair.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace skein {

class AddressIntegers;
struct Doubt;

/// A value that lives across calls, and where its witnesses are stored on the way there.
struct Crossing {
  llvm::Value *Of;
  llvm::ArrayRef<llvm::CallBase *> Calls;
  llvm::ArrayRef<llvm::BasicBlock::iterator> Places;
};

/// A word that a value merges, and the value of the program that was made of it: itself, or a part of it.
struct MergedWord {
  llvm::Instruction *Word;
  llvm::Instruction *Leaf;
  bool Relocated; ///< calls may relocate the leaf before the value is computed
};

/// The witnesses of a value that was computed from addresses or parts of words.
struct LeafWitnesses {
  llvm::SmallVector<SingleWord, 4> Listed; ///< listed where the witnesses of the value are stored
  /// Collected each time that they are computed, since the value merges several of them.
  llvm::SmallVector<MergedWord, 4> Each;
  bool Lost = false;
};

/// Makes the witnesses of one function, and lists them at its calls. No edge may change meanwhile.
class Witnesses {
public:
  Witnesses(llvm::Function &F, LocalTable &Locals) : F(F), Locals(Locals) {}

  LeafWitnesses find(llvm::Value *V, llvm::ArrayRef<llvm::BasicBlock::iterator> Places,
                     const AddressIntegers &Addresses, SingleWords &Single, llvm::DominatorTree &DT);
  /// The leaves of a value; for a part of a word, the words from which it was cut.
  llvm::SmallVector<llvm::Value *, 4> leavesOf(llvm::Value *V, const AddressIntegers &Addresses);
  /// The words from which a part was cut, loaded where the part is read.
  llvm::SmallVector<llvm::Value *, 2> &wordsOfPart(llvm::Instruction &Part, const AddressIntegers &Addresses);

  void list(llvm::Value *V, Crossing At);
  void list(SingleWord Word, Crossing At);
  /// Collects a word that a value merges. If it is computed once, this is the word. In a loop that hashes words it is
  /// the first one that may have been an address of this stack, or else the last one.
  void collect(const MergedWord &Merged, Crossing At, llvm::DominatorTree &DT);
  /// Makes a witness for a value that was computed from words not all of which are kept, or from addresses that may lie
  /// apart. It would be wrong if one of them leads into the program and the program lies elsewhere; an address of the
  /// program as a witness refuses such a move.
  void listProgram(Crossing At, llvm::DominatorTree &DT);
  /// Makes a witness of what only the running program knows (AddressIntegers::doubts).
  void collect(const Doubt &D, Crossing At, llvm::DominatorTree &DT);

  /// The variables in which pointers were collected. They are to be promoted, and live across calls themselves.
  llvm::SmallVector<llvm::AllocaInst *, 4> variables() const;

private:
  /// Where what is collected for a value begins anew.
  struct Beginning {
    llvm::BasicBlock::iterator At;
    bool Once; ///< from there to the calls at which the value is alive, the instruction is executed at most once
  };
  using Look = llvm::function_ref<llvm::Value *(llvm::IRBuilder<> &, llvm::Value *)>;

  void listOnce(llvm::Value *Witness, llvm::Type *T, Crossing At,
                llvm::function_ref<llvm::Value *(llvm::IRBuilder<> &)> Make);
  unsigned listNew(llvm::Type *T, Crossing At, llvm::function_ref<llvm::Value *(llvm::IRBuilder<> &)> Make);
  void listAt(unsigned Index, llvm::ArrayRef<llvm::CallBase *> Calls);
  Beginning beginningOf(llvm::Instruction &Made, llvm::Instruction &Leaf, Crossing At, llvm::DominatorTree &DT);
  llvm::BasicBlock *outsideOfLoops(llvm::BasicBlock *Place, llvm::DominatorTree &DT);
  llvm::BasicBlock::iterator firstIn(llvm::BasicBlock &B);
  bool isInCycle(const llvm::BasicBlock &B);
  bool comesAgain(llvm::BasicBlock &Block, const llvm::BasicBlock &Without);
  void collectAddress(llvm::Instruction &Made, Crossing At, const Beginning &Begin, bool Doubt, Look Look);
  void collectWord(llvm::Instruction &Word, Crossing At, const Beginning &Begin, llvm::DominatorTree &DT, Look Look);

  llvm::Function &F;
  LocalTable &Locals;
  llvm::DenseMap<llvm::Value *, llvm::SmallVector<llvm::Value *, 2>> CutFrom; ///< by part
  struct Stored {
    llvm::SmallVector<llvm::BasicBlock::iterator, 2> Places;
    unsigned Index;
  };
  llvm::DenseMap<llvm::Value *, llvm::SmallVector<Stored, 1>> StoredFor;
  /// Witnesses that are pointer variables of their own, by where they begin, whether for a doubt, and whether once.
  llvm::MapVector<std::pair<llvm::Instruction *, llvm::PointerIntPair<llvm::BasicBlock *, 2>>, llvm::AllocaInst *>
      Collected;
  /// The slots of collected words, by where they begin and whether the last word is kept: index + 1.
  llvm::DenseMap<std::pair<llvm::Instruction *, llvm::PointerIntPair<llvm::BasicBlock *, 1, bool>>, unsigned> Slots;
  std::optional<llvm::SmallPtrSet<const llvm::BasicBlock *, 16>> InCycles;
};

} // namespace skein

#endif
