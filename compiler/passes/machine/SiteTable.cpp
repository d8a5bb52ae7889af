//===- SiteTable.cpp - The calls of a function that may migrate --------------===//
#include "SiteTable.h"
#include "MachineAddresses.h"
#include "abi/frame_map.h"
#include "passes/ir/SameMoves.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"

using namespace llvm;

namespace skein {

static RegisterPass<SiteTable> Registered("site-table", "Skein site table", /*CFGOnly=*/false, /*is_analysis=*/true);

void SiteTable::getAnalysisUsage(AnalysisUsage &AU) const {
  AU.setPreservesAll();
  MachineFunctionPass::getAnalysisUsage(AU);
}

/// Whether the target of the call is computed. In code that is as clang makes it, the load of the target may have been
/// folded into the call, which then has lost its annotation (SiteKeeping.cpp).
static bool isIndirectCall(const MachineInstr &MI) {
  return MI.isCall() && !MI.isReturn() && !MI.isInlineAsm() &&
         none_of(MI.operands(), [](const MachineOperand &Operand) {
           return Operand.isSymbol() || (Operand.isGlobal() && !isa<GlobalVariable>(Operand.getGlobal()));
         });
}

bool SiteTable::runOnMachineFunction(MachineFunction &Function) {
  releaseMemory();
  MF = &Function;
  if (!Function.getFunction().hasFnAttribute(HomedAttribute))
    return false;
  const bool Same = movesToSame(Function.getFunction());
  const unsigned Lost = Function.getFunction().hasFnAttribute(HidingAttribute) ? SKEIN_PIN_SAME_HIDDEN : SKEIN_PIN_SAME;
  for (const MachineBasicBlock &Block : Function)
    for (const MachineInstr &MI : Block.instrs())
      if (mayMigrate(MI))
        Sites[&MI] = decodeSite(MI);
      else if (Same && isIndirectCall(MI))
        Sites[&MI].Pin = Lost;
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
