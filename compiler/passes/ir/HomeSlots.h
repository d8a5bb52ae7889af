//===- HomeSlots.h - Giving SSA values a home across calls ------------------===//
#ifndef SKEIN_PASSES_IR_HOMESLOTS_H
#define SKEIN_PASSES_IR_HOMESLOTS_H

#include "CallLiveness.h"
#include "passes/Annotations.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/BasicBlock.h"
#include "llvm/IR/IRBuilder.h"

namespace llvm {
class AllocaInst;
class BlockFrequencyInfo;
class DominatorTree;
class Value;
} // namespace llvm

namespace skein {

/// Collects the locals that the sites of one function list, and numbers them.
class LocalTable {
public:
  /// Gives the alloca a layout and an index.
  unsigned add(llvm::AllocaInst &Alloca, llvm::ArrayRef<WordGroup> Groups);
  /// The same for a slot that homing has made.
  unsigned addSlot(llvm::AllocaInst &Slot, llvm::ArrayRef<WordGroup> Groups) {
    return Slots.emplace_back(&Slot, add(Slot, Groups)).second;
  }
  void listAt(llvm::CallBase &Call, unsigned Index) { Listed[&Call].push_back(Index); }
  llvm::ArrayRef<unsigned> at(llvm::CallBase &Call) { return Listed[&Call]; }

  /// Lists the slots of a call of setjmp at all calls that may come after it, since control may come back from any of
  /// them. These slots are null when the function begins.
  void coverJumps(llvm::Function &F, llvm::ArrayRef<llvm::CallBase *> Calls);

private:
  unsigned Next = 0;
  llvm::DenseMap<llvm::CallBase *, llvm::SmallVector<unsigned, 8>> Listed;
  llvm::SmallVector<std::pair<llvm::AllocaInst *, unsigned>, 16> Slots;
};

/// Gives each value a home slot at the calls that it crosses, and rewires its uses to reloads. Addresses that change
/// with the kernel thread (thread-local ones) must not be relocated by the runtime; they are computed again instead.
void homeValues(llvm::Function &F, const CrossedCalls &Crossed, LocalTable &Locals);

/// The places where a value defined at `Defined` must be stored so that its slot is right at the calls it crosses,
/// chosen so that the stores run least often.
llvm::SmallVector<llvm::BasicBlock::iterator, 4> placesToStore(llvm::BasicBlock::iterator Defined,
                                                               llvm::ArrayRef<llvm::CallBase *> Calls,
                                                               llvm::DominatorTree &DT,
                                                               llvm::BlockFrequencyInfo &Frequencies);

/// Stores what `Make` returns at each place in a volatile slot of its own, which only the runtime reads. Returns the
/// slot.
llvm::AllocaInst *storeWitness(llvm::Function &F, llvm::Type *T, llvm::ArrayRef<llvm::BasicBlock::iterator> Places,
                               llvm::function_ref<llvm::Value *(llvm::IRBuilder<> &)> Make);

/// The first place where `V` may be used: after phis and landing pads; for an invoke's result, in its normal
/// destination; for null or an argument, behind the first static allocas.
llvm::BasicBlock::iterator afterDefinition(llvm::Function &F, llvm::Value *V);

/// True for addresses that are computed again after each call because they belong to the kernel thread.
bool isThreadAddress(const llvm::Value *V);

/// True for addresses that the back end derives again by itself: constant offsets from a static alloca or a global.
bool isDerivable(const llvm::Value *V);

} // namespace skein

#endif
