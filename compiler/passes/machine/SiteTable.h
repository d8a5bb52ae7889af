//===- SiteTable.h - The calls of a function that may migrate ----------------===//
//
// What each call says (Annotations.h), decoded once when the code of a function is final, and the objects of its frame
// (FrameObjects.h). The proof judges these sites, and the emission of maps writes the result, so both work on the same
// facts. Nothing moves, copies or removes instructions between the two, which are the last passes.
//
// Passes that run earlier only ask whether a call is a site, which needs no decoding (mayMigrate, SiteCrossings.h).
//
//===----------------------------------------------------------------------===//
#ifndef SKEIN_PASSES_MACHINE_SITETABLE_H
#define SKEIN_PASSES_MACHINE_SITETABLE_H

#include "FrameObjects.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/CodeGen/MachineFunctionPass.h"

namespace skein {

/// An analysis. A machine pass that takes it as its second argument gets it (MachinePass.h).
class SiteTable : public llvm::MachineFunctionPass {
public:
  static inline char ID = 0;
  SiteTable() : MachineFunctionPass(ID) {}
  void getAnalysisUsage(llvm::AnalysisUsage &AU) const override;
  bool runOnMachineFunction(llvm::MachineFunction &Function) override;
  void releaseMemory() override;

  /// Whether no call of the function may migrate.
  bool empty() const { return Sites.empty(); }
  bool contains(const llvm::MachineInstr &MI) const { return Sites.contains(&MI); }
  /// What the call says; null if it is no site.
  const SiteInfo *find(const llvm::MachineInstr &MI) const;
  /// The objects of the frame; they are found when they are first asked for.
  const FrameObjects &objects() const;

  /// Pins the call, for a reason SKEIN_PIN_*: no thread may move during it. The call itself is marked too, so that the
  /// verdict stays even if the table is made again.
  void pin(llvm::MachineInstr &Call, unsigned Reason);

private:
  llvm::MachineFunction *MF = nullptr;
  llvm::MapVector<const llvm::MachineInstr *, SiteInfo> Sites; // in the order of the code
  mutable std::optional<FrameObjects> Objects;
};

} // namespace skein

#endif
