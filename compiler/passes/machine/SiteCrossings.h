//===- SiteCrossings.h - Does a value cross a call that may migrate? -------===//
//
// Positions in machine code are pairs (block, order), fixed when this object is made. Instructions that are inserted
// later have none, which is no problem, since every decision is about the code as it was.
//
// In SSA form a definition dominates its uses. So the blocks that are met when walking backwards from a use to the
// definition's block are exactly those on paths between the two. The value crosses a site if one of them has one, or
// the rest of the definition's block, or the beginning of the use's block. The middle part depends on the two blocks
// only and is remembered.
//
//===----------------------------------------------------------------------===//
#ifndef SKEIN_PASSES_MACHINE_SITECROSSINGS_H
#define SKEIN_PASSES_MACHINE_SITECROSSINGS_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"

namespace llvm {
class MachineBasicBlock;
class MachineFunction;
class MachineInstr;
class MachineOperand;
} // namespace llvm

namespace skein {

/// A position right before instruction number `Order` of the block. A use by a phi lies at the end of the incoming
/// block.
struct Position {
  llvm::MachineBasicBlock *Block = nullptr;
  unsigned Order = 0;
};
inline constexpr unsigned EndOfBlock = ~0u;

class SiteCrossings {
public:
  explicit SiteCrossings(llvm::MachineFunction &Function);

  /// Whether no call of the function may migrate.
  bool none() const { return Sites.empty(); }
  bool hasSites(const llvm::MachineBasicBlock &Block) const { return Sites.contains(&Block); }
  Position positionOf(llvm::MachineInstr &MI) const;
  Position useOf(llvm::MachineOperand &Use) const;
  /// The number of sites of the block before the position. It identifies a call-free region.
  unsigned regionOf(Position At) const;

  bool crosses(const llvm::MachineInstr &Definition, Position Use);

  /// The blocks that were met on the way from one definition to some of its uses. What lies before such a block was met
  /// too.
  using Blocks = llvm::SmallPtrSet<llvm::MachineBasicBlock *, 16>;
  /// Visits every site that the value crosses on the way to this use, but those in `Seen`, to which it adds: so all
  /// uses of a value together take one walk.
  void forEachCrossed(const llvm::MachineInstr &Definition, Position Use, Blocks &Seen,
                      llvm::function_ref<void(llvm::MachineInstr &)> Visit);

private:
  using Block = llvm::MachineBasicBlock;
  struct Site {
    unsigned Order;
    llvm::MachineInstr *Call;
  };
  llvm::ArrayRef<Site> sitesOf(const Block &B) const;
  void between(const Block &From, Block &To, Blocks &Seen, llvm::function_ref<bool(Block &)> Visit) const;

  llvm::DenseMap<const llvm::MachineInstr *, unsigned> Orders;
  llvm::DenseMap<const Block *, llvm::SmallVector<Site, 4>> Sites;
  llvm::DenseMap<std::pair<const Block *, const Block *>, bool> Between;
};

} // namespace skein

#endif
