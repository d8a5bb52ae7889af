//===- MachineAddresses.cpp - What an address is in x86-64 machine code ----===//
#include "MachineAddresses.h"
#include "passes/Annotations.h"
#include "passes/private/PrivateVariables.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/CodeGen/MachineConstantPool.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineInstr.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/CodeGen/PseudoSourceValue.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/GlobalVariable.h"

using namespace llvm;

namespace skein {

static MachineRegisters findRegisters(const TargetRegisterInfo &TRI) {
  StringMap<MCRegister> ByName;
  for (unsigned R = 1; R < TRI.getNumRegs(); ++R)
    ByName[TRI.getName(R)] = R;
  MachineRegisters Found{};
  Found.RAX = ByName.lookup("RAX"), Found.RDX = ByName.lookup("RDX"), Found.RBX = ByName.lookup("RBX");
  Found.RBP = ByName.lookup("RBP"), Found.RSP = ByName.lookup("RSP"), Found.R10 = ByName.lookup("R10");
  Found.R11 = ByName.lookup("R11");
  Found.R12 = ByName.lookup("R12"), Found.R13 = ByName.lookup("R13"), Found.R14 = ByName.lookup("R14");
  Found.R15 = ByName.lookup("R15"), Found.RIP = ByName.lookup("RIP"), Found.EFLAGS = ByName.lookup("EFLAGS");
  Found.FS = ByName.lookup("FS"), Found.XMM0 = ByName.lookup("XMM0"), Found.XMM1 = ByName.lookup("XMM1");
  constexpr const char *Integers[] = {"RDI", "RSI", "RDX", "RCX", "R8", "R9"};
  for (unsigned I = 0; I < 6; ++I)
    Found.IntegerArguments[I] = ByName.lookup(Integers[I]);
  for (unsigned I = 0; I < 8; ++I)
    Found.VectorArguments[I] = ByName.lookup(("XMM" + Twine(I)).str());
  return Found;
}

// Registers have the same numbers for every subtarget of x86, so they are looked up only once.
const MachineRegisters &MachineRegisters::of(const MachineFunction &Function) {
  static const MachineRegisters Registers = findRegisters(*Function.getSubtarget().getRegisterInfo());
  return Registers;
}

bool mayMigrate(const MachineInstr &MI) {
  return MI.isCall() && !MI.isReturn() && hasSiteInfo(MI); // a tail call leaves no frame behind
}

bool getMemoryReference(const MachineInstr &MI, MemoryReference &Reference) {
  const MCInstrDesc &Description = MI.getDesc();
  for (unsigned I = 0; I + 5 <= Description.getNumOperands() && I + 5 <= MI.getNumOperands(); ++I)
    if (Description.operands()[I].OperandType == MCOI::OPERAND_MEMORY) {
      Reference = {&MI.getOperand(I), &MI.getOperand(I + 1), &MI.getOperand(I + 2), &MI.getOperand(I + 3),
                   &MI.getOperand(I + 4)};
      return true;
    }
  return false;
}

bool isSymbol(const MachineOperand &Operand) {
  return Operand.isGlobal() || Operand.isSymbol() || Operand.isCPI() || Operand.isJTI() || Operand.isBlockAddress() ||
         Operand.isMCSymbol();
}

bool loadsThreadPointer(const MachineInstr &MI) {
  MemoryReference M;
  if (!MI.mayLoad() || MI.mayStore() || MI.isCall() || !getMemoryReference(MI, M))
    return false;
  return M.Segment->isReg() && M.Segment->getReg() == MachineRegisters::of(*MI.getMF()).FS && M.Displacement->isImm() &&
         M.Displacement->getImm() == 0 && M.Base->isReg() && !M.Base->getReg() && !M.Index->getReg();
}

static bool mayHoldAddress(const MachineMemOperand &Memory, const MachineFunction &Function, const MachineInstr &MI) {
  if (Memory.getSize().hasValue() && Memory.getSize().getValue() < 8)
    return false;
  if (const PseudoSourceValue *Pseudo = Memory.getPseudoValue()) {
    if (!Pseudo->isConstantPool())
      return true; // GOT, jump table
    for (const MachineOperand &Operand : MI.operands())
      if (Operand.isCPI())
        return Function.getConstantPool()->getConstants()[Operand.getIndex()].needsRelocation();
    return any_of(Function.getConstantPool()->getConstants(),
                  [](const MachineConstantPoolEntry &Entry) { return Entry.needsRelocation(); });
  }
  if (const Value *Pointer = Memory.getValue(); Pointer && isPrivateAddressWord(Pointer))
    return false; // it is an address, but one that does not change
  if (const Value *Pointer = Memory.getValue())
    if (const auto *Global = dyn_cast<GlobalVariable>(getUnderlyingObject(Pointer)))
      if (Global->isConstant() && Global->hasDefinitiveInitializer())
        return Global->getInitializer()->needsRelocation();
  return true;
}

bool loadsConstant(const MachineInstr &MI, bool &MayBeAddress) {
  if (!MI.mayLoad() || MI.mayStore() || MI.isCall())
    return false;
  if (loadsThreadPointer(MI)) {
    MayBeAddress = true;
    return true;
  }
  if (!MI.isDereferenceableInvariantLoad())
    return false;
  MayBeAddress = false;
  for (const MachineMemOperand *Memory : MI.memoperands()) {
    // The stack memory of an argument is constant for LLVM, but not for us: a pointer in it is not relocated.
    if (Memory->getPseudoValue() && Memory->getPseudoValue()->kind() == PseudoSourceValue::FixedStack)
      return false;
    MayBeAddress |= mayHoldAddress(*Memory, *MI.getMF(), MI);
  }
  return true;
}

bool isAddressSource(const MachineInstr &MI) {
  bool MayBeAddress = false;
  if (loadsConstant(MI, MayBeAddress))
    return MayBeAddress;
  if (MI.mayLoadOrStore() || MI.isCall() || MI.isInlineAsm() || MI.isDebugInstr())
    return false;
  return any_of(MI.operands(), [](const MachineOperand &Operand) { return Operand.isFI() || isSymbol(Operand); });
}

bool isPure(const MachineInstr &MI) {
  bool MayBeAddress;
  if (MI.mayStore() || (MI.mayLoad() && !loadsConstant(MI, MayBeAddress)))
    return false;
  if (MI.isCall() || MI.isTerminator() || MI.isInlineAsm() || MI.isPHI() || MI.isPosition() || MI.isDebugInstr() ||
      MI.hasUnmodeledSideEffects() || MI.isConvergent() || MI.isBundled())
    return false;
  const MachineFunction &Function = *MI.getMF();
  const MachineRegisterInfo &MRI = Function.getRegInfo();
  unsigned Defined = 0;
  for (const MachineOperand &Operand : MI.operands()) {
    if (Operand.isRegMask())
      return false;
    if (!Operand.isReg() || !Operand.getReg())
      continue;
    if (Operand.isDef() && Operand.getReg().isVirtual()) {
      if (++Defined > 1 || Operand.getSubReg() || Operand.isImplicit())
        return false;
    } else if (Operand.isDef()) {
      if (Operand.getReg() != MachineRegisters::of(Function).EFLAGS || !Operand.isDead())
        return false;
    } else if (Operand.getReg().isPhysical() && !Operand.isUndef() && !MRI.isConstantPhysReg(Operand.getReg())) {
      return false;
    }
  }
  return Defined == 1;
}

bool clobbersFlags(const MachineInstr &MI) {
  return MI.modifiesRegister(MachineRegisters::of(*MI.getMF()).EFLAGS, nullptr);
}

} // namespace skein
