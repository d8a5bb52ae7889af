//===- SiteKeeping.cpp - Pass 3a: no call may lose its site ----------------===//
#include "SiteKeeping.h"
#include "MachineAddresses.h"
#include "MachinePass.h"
#include "passes/Annotations.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/Function.h"

using namespace llvm;

namespace skein {
/// The operand of `call *%register`; null for other calls.
static MachineOperand *targetRegister(MachineInstr &Call) {
  MemoryReference Memory;
  if (getMemoryReference(Call, Memory) || !Call.getNumExplicitOperands())
    return nullptr;
  MachineOperand &Target = Call.getOperand(0);
  return Target.isReg() && Target.isUse() && Target.getReg().isVirtual() ? &Target : nullptr;
}

static bool keepSites(MachineFunction &MF) {
  if (!MF.getFunction().hasFnAttribute(HomedAttribute))
    return false;
  const TargetInstrInfo &TII = *MF.getSubtarget().getInstrInfo();
  MCRegister R11 = MachineRegisters::of(MF).R11;
  bool Changed = false;
  for (MachineBasicBlock &Block : MF)
    for (MachineInstr &MI : Block)
      if (MachineOperand *Target = mayMigrate(MI) ? targetRegister(MI) : nullptr) {
        BuildMI(Block, MI, MI.getDebugLoc(), TII.get(TargetOpcode::COPY), R11).addReg(Target->getReg());
        Target->setReg(R11);
        Target->setIsKill(true);
        Changed = true;
      }
  return Changed;
}

SKEIN_MACHINE_PASS(siteKeepingID, keepSites, "site-keeping", "Skein site keeping", Preserves::CFG)

} // namespace skein
