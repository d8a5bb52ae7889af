//===- MachinePass.h - What every machine pass needs ------------------------===//
//
// LLVM requires of a machine pass a class, an address that identifies it, its name for `llc -run-pass=` and one for
// people. A pass of ours is a function on a machine function, and perhaps on the table of its sites, so this is all
// that is written:
//
//     static bool keepSites(MachineFunction &MF) { ... }
//     SKEIN_MACHINE_PASS(siteKeepingID, keepSites, "site-keeping", "Skein site keeping", Preserves::CFG)
//
//===----------------------------------------------------------------------===//
#ifndef SKEIN_PASSES_MACHINE_MACHINEPASS_H
#define SKEIN_PASSES_MACHINE_MACHINEPASS_H

#include "SiteTable.h"

namespace skein {

/// Which analyses of the function stay valid.
enum class Preserves { Nothing, CFG, All };

template <auto Run, const auto &Name, Preserves Kept> class MachinePass : public llvm::MachineFunctionPass {
  static constexpr bool TakesSites = std::is_invocable_v<decltype(Run), llvm::MachineFunction &, SiteTable &>;

public:
  static inline char ID = 0;
  MachinePass() : MachineFunctionPass(ID) {}
  llvm::StringRef getPassName() const override { return Name; }
  void getAnalysisUsage(llvm::AnalysisUsage &AU) const override {
    if (Kept == Preserves::All)
      AU.setPreservesAll();
    else if (Kept == Preserves::CFG)
      AU.setPreservesCFG();
    if (TakesSites)
      AU.addRequired<SiteTable>();
    MachineFunctionPass::getAnalysisUsage(AU);
  }
  bool runOnMachineFunction(llvm::MachineFunction &MF) override {
    if constexpr (TakesSites)
      return Run(MF, getAnalysis<SiteTable>());
    else
      return Run(MF);
  }
};

} // namespace skein

/// Defines the function `Accessor`, which Passes.h declares for TargetPassConfig::insertPass.
#define SKEIN_MACHINE_PASS(Accessor, Run, Argument, Name, Kept)                                                        \
  static constexpr char Accessor##Name_[] = Name;                                                                      \
  using Accessor##Pass = MachinePass<Run, Accessor##Name_, Kept>;                                                      \
  static RegisterPass<Accessor##Pass> Accessor##Registered(Argument, Name);                                            \
  char &Accessor() { return Accessor##Pass::ID; }

#endif
