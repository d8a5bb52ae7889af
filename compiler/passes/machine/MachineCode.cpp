//===- MachineCode.cpp ------------------------------------------------------===//
#include "MachineCode.h"
#include "MachineAddresses.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"
#include <mutex>

using namespace llvm;

namespace skein {

StringRef opcodeName(const MachineInstr &MI) {
  return MI.getMF()->getSubtarget().getInstrInfo()->getName(MI.getOpcode());
}

unsigned opcodeCount(const MachineInstr &AnyOfTarget) {
  return AnyOfTarget.getMF()->getSubtarget().getInstrInfo()->getNumOpcodes();
}

// Opcodes have the same numbers for every subtarget of x86, so each is looked up once. The lock is for the linker,
// which may generate code in several threads.
const MCInstrDesc &opcode(const MachineFunction &Function, StringRef Name) {
  static std::mutex Lock;
  static StringMap<unsigned> Known;
  const std::lock_guard Locked(Lock);
  const TargetInstrInfo &TII = *Function.getSubtarget().getInstrInfo();
  auto [At, New] = Known.try_emplace(Name, 0);
  if (New) {
    unsigned Opcode = 0;
    while (Opcode < TII.getNumOpcodes() && TII.getName(Opcode) != Name)
      ++Opcode;
    if (Opcode == TII.getNumOpcodes())
      reportFatalInternalError("LLVM has no instruction " + Name);
    At->second = Opcode;
  }
  return TII.get(At->second);
}

unsigned throughOffsetTable(const MachineFunction &Function) {
  static const unsigned Flag = [&] {
    for (const auto &[Value, Name] :
         Function.getSubtarget().getInstrInfo()->getSerializableDirectMachineOperandTargetFlags())
      if (StringRef(Name) == "x86-gotpcrel")
        return Value;
    reportFatalInternalError("LLVM has no operand flag x86-gotpcrel");
  }();
  return Flag;
}

bool maybeInSharedObject(const MachineFunction &Function) {
  return Function.getTarget().isPositionIndependent() &&
         Function.getFunction().getParent()->getPIELevel() == PIELevel::Default;
}

void addOffsetTableEntry(const MachineInstrBuilder &MI, const char *Symbol) {
  const MachineFunction &Function = *MI.getInstr()->getMF();
  MI.addReg(MachineRegisters::of(Function).RIP)
      .addImm(1)
      .addReg(0)
      .addExternalSymbol(Symbol, throughOffsetTable(Function))
      .addReg(0);
}

} // namespace skein
