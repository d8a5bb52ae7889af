//===- SiteKeeping.cpp - No call may lose its site ------------------------===//
//
// The peephole pass and the spiller fold the load of a function pointer into the call: `CALL64r %p` becomes `CALL64m
// slot`. They build a new instruction, and the annotation of the old one (Annotations.h) is lost. Then the call has no
// record, and the thread is pinned there for no reason that a user could see.
//
// So the target of an indirect call that may migrate is copied into r11, which no argument uses, right before the call;
// a physical register is not folded. The copy costs nothing, since the allocator puts the pointer there to begin with.
// It was not in a callee-saved register anyway, since pointers do not cross calls.
//
// The pass runs right after instruction selection. It also says there that a unit which has only line numbers for its
// calls has no variables for LiveDebugValues to follow: with instruction references that pass would look at all code
// before it finds none.
//
// What would notice a lost site: test/passes/site-keeping, and stress programs that list no reason to be refused.
//
//===----------------------------------------------------------------------===//
#include "MachineAddresses.h"
#include "MachinePass.h"
#include "passes/Annotations.h"
#include "passes/Passes.h"
#include "passes/ir/SameMoves.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
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

static bool hasLinesOnly(const Function &F) {
  const DISubprogram *Subprogram = F.getSubprogram();
  return Subprogram && Subprogram->getUnit() && Subprogram->getUnit()->getEmissionKind() == DICompileUnit::NoDebug;
}

static bool keepSites(MachineFunction &MF) {
  if (hasLinesOnly(MF.getFunction()))
    MF.setUseDebugInstrRef(false);
  if (!MF.getFunction().hasFnAttribute(HomedAttribute) || movesToSame(MF.getFunction()))
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
