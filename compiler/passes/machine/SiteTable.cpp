//===- SiteTable.cpp - The calls of a function that may migrate --------------===//
#include "SiteTable.h"
#include "MachineAddresses.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/IR/Function.h"

using namespace llvm;

namespace skein {

static RegisterPass<SiteTable> Registered("site-table", "Skein site table", /*CFGOnly=*/false, /*is_analysis=*/true);

void SiteTable::getAnalysisUsage(AnalysisUsage &AU) const {
  AU.setPreservesAll();
  MachineFunctionPass::getAnalysisUsage(AU);
}

bool SiteTable::runOnMachineFunction(MachineFunction &Function) {
  releaseMemory();
  MF = &Function;
  if (Function.getFunction().hasFnAttribute(HomedAttribute))
    for (const MachineBasicBlock &Block : Function)
      for (const MachineInstr &MI : Block.instrs())
        if (mayMigrate(MI))
          Sites[&MI] = decodeSite(MI);
  return false;
}

void SiteTable::releaseMemory() {
  Objects.reset();
  Sites.clear();
}

const SiteInfo *SiteTable::find(const MachineInstr &MI) const {
  auto Found = Sites.find(&MI);
  return Found == Sites.end() ? nullptr : &Found->second;
}

const FrameObjects &SiteTable::objects() const {
  if (!Objects) {
    Objects.emplace(*MF);
    for (const auto &[Call, Site] : Sites)
      Objects->addMachineHomes(Site);
  }
  return *Objects;
}

void SiteTable::pin(MachineInstr &Call, unsigned Reason) {
  Sites.find(&Call)->second.Pin = Reason;
  pinSite(*MF, Call, Reason);
}

} // namespace skein
