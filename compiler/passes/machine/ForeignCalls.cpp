//===- ForeignCalls.cpp - What may need a deep stack gets one -------------===//
//
// Code that does not check for room must not run on a small stack. So each call whose callee is not certainly one of
// ours goes through the runtime (runtime/arch/x86_64/deep.S), which provides a deep stack where it is needed. The
// address of the callee is in r11:
//
//     callee                                                     becomes
//     defined here, and no other definition can replace it       what it was
//     a shallow library function (LibraryFacts.def), or one     call *%r11
//     that returns twice, into this very frame
//     declared in a system header, the back end's own calls      call __skein_foreign_call
//     another unit's, or weak                                    call *cell(%rip), which leads to the callee once its
//                                                                mark has been found (CalleeBinding.cpp)
//     anything else: by pointer, a tail call of a library        call __skein_call, which looks for the callee's mark
//
// The linkage table is never used, since its lazy entries need 3 KiB of stack and change r11.
//
// If the callee is foreign, arguments in memory have to be copied. Then the entry of the `_memory` kind is called, and
// r10 holds their size. A tail call has no such arguments (GrowableStacks.cpp), except a musttail one, which has those
// of its caller.
//
// If a call has a site, it keeps it: the return address is the same, since the runtime jumps to a callee of ours. The
// pass runs right after instruction selection, when each call still has its call sequence, which tells the size.
//
// Rejected: symbols that the linker resolves (each definition of ours would override a weak stub of its callers, and no
// cell would be needed; but a linker that wraps or replaces the function knows nothing of the second symbol); comparing
// the target with the range of the program (the linkage table and objects of other compilers lie in it).
//
//===----------------------------------------------------------------------===//
#include "ForeignCalls.h"
#include "MachineAddresses.h"
#include "MachineCode.h"
#include "MachinePass.h"
#include "passes/Annotations.h"
#include "passes/Diagnostics.h"
#include "passes/Passes.h"
#include "passes/ir/CalleeBinding.h"
#include "passes/ir/GrowableStacks.h"
#include "passes/ir/LibraryFacts.h"
#include "llvm/CodeGen/MachineFrameInfo.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/Function.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

namespace skein {
namespace {

/// Whether this is a call or a tail call, and none of the pseudo instructions that count as calls (patch points,
/// thread-local addresses).
bool isPlainCall(const MachineInstr &MI) {
  if (!MI.isCall())
    return false;
  StringRef Name = MI.getMF()->getSubtarget().getInstrInfo()->getName(MI.getOpcode());
  return Name.starts_with("CALL64") || Name.starts_with("TCRETURN");
}

enum class Callee { Ours, Shallow, Foreign, Unknown };

/// How many operands name the callee: one in `call symbol` and `call *%register`, five in `call *memory`.
unsigned calleeOperands(const MachineInstr &Call) {
  MemoryReference Memory;
  return getMemoryReference(Call, Memory) && Memory.Base == &Call.getOperand(0) ? 5 : 1;
}

/// With retpolines, which -mspeculative-load-hardening switches on, a call by pointer already calls a thunk of the
/// unit, and the pointer is in r11.
constexpr const char *IndirectThunk = "__llvm_retpoline_r11";

bool callsThunk(const MachineInstr &Call) {
  const MachineOperand &Target = Call.getOperand(0);
  return Target.isSymbol() && StringRef(Target.getSymbolName()) == IndirectThunk;
}

bool hasThunks(const MachineFunction &MF) {
  return MF.getFunction().getFnAttribute("target-features").getValueAsString().contains("+retpoline-indirect-calls");
}

Callee classify(const MachineInstr &Call) {
  const MachineOperand &Target = Call.getOperand(0);
  if (callsThunk(Call))
    return Callee::Unknown;
  if (calleeOperands(Call) == 1 && Target.isSymbol())
    return library(StringRef(Target.getSymbolName()), LibraryFact::Shallow) ? Callee::Shallow : Callee::Foreign;
  if (calleeOperands(Call) == 1 && Target.isGlobal()) {
    const GlobalValue *Value = Target.getGlobal();
    const auto *Function = dyn_cast<llvm::Function>(Value);
    if (Function && isCertainlyGrowable(*Function))
      return Callee::Ours;
    if (!Value->isDeclarationForLinker())
      return Callee::Unknown;
    const StringRef Name = GlobalValue::dropLLVMManglingEscape(Value->getName());
    if (library(Name, LibraryFact::Shallow) || (Function && Function->hasFnAttribute(Attribute::ReturnsTwice)))
      return Callee::Shallow;
    return hasSiteInfo(Call) || Call.isReturn() ? Callee::Unknown : Callee::Foreign;
  }
  return Callee::Unknown;
}

/// How many bytes of arguments in memory a function has names for.
uint64_t incomingBytes(const MachineFunction &Function) {
  const MachineFrameInfo &MFI = Function.getFrameInfo();
  int64_t End = 0;
  for (int Index = MFI.getObjectIndexBegin(); Index < 0; ++Index)
    if (!MFI.isDeadObjectIndex(Index) && MFI.getObjectOffset(Index) >= 0)
      End = std::max(End, MFI.getObjectOffset(Index) + MFI.getObjectSize(Index));
  return alignTo<8>(uint64_t(End));
}

/// How many bytes of arguments in memory a call has, as its call sequence, which begins above it, says.
uint64_t bytesInMemory(const MachineInstr &Call) {
  const MachineFunction &MF = *Call.getMF();
  if (Call.isReturn()) // no more than the caller of this function has passed
    return alignTo<16>(incomingBytes(MF));
  const TargetInstrInfo &TII = *MF.getSubtarget().getInstrInfo();
  // Instructions with a custom inserter may have split the block since then.
  for (auto Block = Call.getParent()->getReverseIterator(); Block != MF.rend(); ++Block) {
    auto From = &*Block == Call.getParent() ? std::next(Call.getReverseIterator()) : Block->rbegin();
    for (; From != Block->rend(); ++From)
      if (From->getOpcode() == TII.getCallFrameSetupOpcode())
        return alignTo<16>(From->getOperand(0).getImm());
  }
  reportFatalInternalError("a call without a call sequence");
}

bool usesChain(const MachineInstr &Call) {
  return Call.readsRegister(MachineRegisters::of(*Call.getMF()).R10, nullptr);
}

/// Puts the callee's address into r11.
void loadTarget(MachineInstr &Call) {
  if (callsThunk(Call))
    return;
  MachineFunction &MF = *Call.getMF();
  MachineBasicBlock &Block = *Call.getParent();
  MCRegister R11 = MachineRegisters::of(MF).R11;
  const MachineOperand &Target = Call.getOperand(0);
  if (calleeOperands(Call) == 5) {
    auto Load = BuildMI(Block, Call, Call.getDebugLoc(), opcode(MF, "MOV64rm"), R11);
    for (unsigned I = 0; I < 5; ++I)
      Load.add(Call.getOperand(I));
    Load.setMemRefs(Call.memoperands());
  } else if (Target.isReg()) {
    if (Target.getReg() != R11)
      BuildMI(Block, Call, Call.getDebugLoc(), opcode(MF, "COPY"), R11).addReg(Target.getReg());
  } else {
    MachineOperand Symbol = Target;
    Symbol.setTargetFlags(throughOffsetTable(MF));
    BuildMI(Block, Call, Call.getDebugLoc(), opcode(MF, "MOV64rm"), R11)
        .addReg(MachineRegisters::of(MF).RIP)
        .addImm(1)
        .addReg(0)
        .add(Symbol)
        .addReg(0);
  }
}

/// What a call is made to call: the function to which a cell leads, one of the runtime or of the unit, or else the one
/// in r11.
struct Target {
  const GlobalVariable *Cell = nullptr;
  const char *Entry = nullptr;
};

/// Replaces the call by one of `To`. r11, if that says what to call, and r10 if it is used, are added as operands.
void replace(MachineInstr &Call, Target To, bool UsesR10) {
  MachineFunction &MF = *Call.getMF();
  const MachineRegisters &R = MachineRegisters::of(MF);
  const bool Table = To.Entry && To.Entry != IndirectThunk && maybeInSharedObject(MF);
  StringRef Name;
  if (To.Cell || Table)
    Name = Call.isReturn() ? "TCRETURNmi64" : "CALL64m";
  else if (To.Entry)
    Name = Call.isReturn() ? "TCRETURNdi64" : "CALL64pcrel32";
  else
    Name = Call.isReturn() ? "TCRETURNri64" : "CALL64r";
  MachineInstr *Made = MF.CreateMachineInstr(opcode(MF, Name), Call.getDebugLoc(), /*NoImplicit=*/true);
  Call.getParent()->insert(Call, Made);
  MachineInstrBuilder New(MF, Made);
  if (To.Cell)
    New.addReg(R.RIP).addImm(1).addReg(0).addGlobalAddress(To.Cell).addReg(0);
  else if (Table)
    addOffsetTableEntry(New, To.Entry);
  else if (To.Entry)
    New.addExternalSymbol(To.Entry);
  else
    New.addReg(R.R11);
  for (unsigned I = calleeOperands(Call); I < Call.getNumOperands(); ++I)
    if (const MachineOperand &Operand = Call.getOperand(I);
        !Operand.isReg() || Operand.getReg() != R.R11 || !Operand.isUse())
      New.add(Operand);
  if (To.Entry)
    New.addReg(R.R11, RegState::Implicit);
  if (UsesR10)
    New.addReg(R.R10, RegState::Implicit);
  New->setFlags(Call.getFlags());
  New->cloneInstrSymbols(MF, Call);
  if (Call.shouldUpdateAdditionalCallInfo())
    MF.moveAdditionalCallInfo(&Call, New);
  Call.eraseFromParent();
}

/// The cell through which to call a function by its name, of which nothing else is known, or null. It is within the
/// reach of an instruction, as the unit's other variables are.
const GlobalVariable *cellFor(const MachineInstr &Call, Passing How) {
  const MachineFunction &MF = *Call.getMF();
  const MachineOperand &Target = Call.getOperand(0);
  if (calleeOperands(Call) != 1 || !Target.isGlobal() || hasThunks(MF) ||
      MF.getTarget().getCodeModel() == CodeModel::Large)
    return nullptr;
  const auto *Callee = dyn_cast<Function>(Target.getGlobal());
  return Callee ? calleeCell(*Callee, How) : nullptr;
}

bool lower(MachineInstr &Call) {
  MachineFunction &MF = *Call.getMF();
  Callee Kind = classify(Call);
  if (Kind == Callee::Ours)
    return false;
  if (Kind == Callee::Shallow) {
    loadTarget(Call);
    replace(Call, {.Entry = hasThunks(MF) ? IndirectThunk : nullptr}, false);
    return true;
  }
  uint64_t Bytes = bytesInMemory(Call);
  if (Bytes && usesChain(Call)) {
    error(MF.getFunction(), Call.getDebugLoc(),
          "-fskein-stacks=growable does not support a call with a static chain and arguments in memory");
    return false;
  }
  Target To;
  bool TellsBytes = Bytes != 0;
  if (Kind == Callee::Unknown) {
    if (!Bytes)
      To.Cell = cellFor(Call, Passing::Registers);
    if (!To.Cell && !usesChain(Call)) {
      To.Cell = cellFor(Call, Passing::Memory);
      TellsBytes |= To.Cell != nullptr; // a foreign function is told that there are none, too
    }
  }
  if (!To.Cell) {
    loadTarget(Call);
    if (Kind == Callee::Foreign)
      To.Entry = Bytes ? "__skein_foreign_call_memory" : "__skein_foreign_call";
    else
      To.Entry = Bytes ? "__skein_call_memory" : "__skein_call";
  }
  if (TellsBytes)
    BuildMI(*Call.getParent(), Call, Call.getDebugLoc(), opcode(MF, "MOV32ri64"), MachineRegisters::of(MF).R10)
        .addImm(Bytes);
  replace(Call, To, TellsBytes);
  return true;
}

} // namespace

bool needsNoRoom(const MachineInstr &Call) {
  if (Call.isReturn())
    return true; // the frame is gone by then
  auto IsForeign = [](const MachineOperand &Operand) {
    return Operand.isSymbol() && StringRef(Operand.getSymbolName()).starts_with("__skein_foreign_call");
  };
  const MachineOperand &Target = Call.getOperand(0);
  if (any_of(Call.operands(), IsForeign))
    return true;
  // Only shallow functions are called through r11.
  return callsThunk(Call) || (Target.isReg() && Target.getReg() == MachineRegisters::of(*Call.getMF()).R11);
}

static bool rerouteForeignCalls(MachineFunction &MF) {
  if (!growsStack(MF.getFunction()) || MF.getFunction().hasFnAttribute(Attribute::Naked))
    return false;
  SmallVector<MachineInstr *, 16> Calls;
  for (MachineBasicBlock &Block : MF)
    for (MachineInstr &MI : Block)
      if (isPlainCall(MI))
        Calls.push_back(&MI);
  bool Changed = false;
  for (MachineInstr *Call : Calls)
    Changed |= lower(*Call);
  return Changed;
}

SKEIN_MACHINE_PASS(foreignCallsID, rerouteForeignCalls, "foreign-calls", "Skein foreign calls", Preserves::CFG)

} // namespace skein
