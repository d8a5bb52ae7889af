//===- SiteKeeping.cpp - Pass 3a: no call may lose its site ----------------===//
#include "SiteKeeping.h"
#include "Annotations.h"
#include "MachineAddresses.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/Function.h"

using namespace llvm;

namespace skein {
namespace {

class SiteKeeping : public MachineFunctionPass {
public:
  static char ID;
  SiteKeeping() : MachineFunctionPass(ID) {}
  StringRef getPassName() const override { return "Skein site keeping"; }
  void getAnalysisUsage(AnalysisUsage &AU) const override {
    AU.setPreservesCFG();
    MachineFunctionPass::getAnalysisUsage(AU);
  }
  bool runOnMachineFunction(MachineFunction &MF) override;
};

} // namespace

/// The operand of `call *%register`; null for other calls.
static MachineOperand *targetRegister(MachineInstr &Call) {
  MemoryReference Memory;
  if (getMemoryReference(Call, Memory) || !Call.getNumExplicitOperands())
    return nullptr;
  MachineOperand &Target = Call.getOperand(0);
  return Target.isReg() && Target.isUse() && Target.getReg().isVirtual() ? &Target : nullptr;
}

bool SiteKeeping::runOnMachineFunction(MachineFunction &MF) {
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

char SiteKeeping::ID = 0;
static RegisterPass<SiteKeeping> Registered("site-keeping", "Skein site keeping");

char &siteKeepingID() { return SiteKeeping::ID; }

} // namespace skein
