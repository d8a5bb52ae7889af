//===- StackChecks.cpp - Functions look for room --------------------------===//
//
// Inserts the check for room on a growable stack, in front of the prologue of each function that needs it:
//
//     cmp   %fs:0x70, %rsp              a frame of more than 1 KiB: lea -size(%rsp), %r11; cmp %fs:0x70, %r11
//     jb    cold
//   body:
//     ...
//   cold:
//     mov   $size, %r11
//     call  __skein_grow
//     jmp   body
//
// The call returns when there is room below the stack pointer; no register but r11 has changed, and the thread may use
// more of its stack (runtime/thread/growable.h). The call is no migration point. A function with arguments in vector
// registers of more than 128 bits calls __skein_grow_wide, which preserves all of these registers.
//
// A leaf needs no check: it has no variable-sized object, at most 1 KiB of frame, and calls only what has a stack of
// its own or is shallow (ForeignCalls.h). The headroom below the limit is for leaves. Room for a variable-sized object
// is requested when the object is made (GrowableStacks.cpp).
//
// LLVM's own split stacks (adjustForSegmentedStacks) do the same for non-variadic functions, but with a stack in
// pieces. This pass runs after blocks are placed and after pseudo instructions that must be in the entry block are
// expanded (a variadic function saves its vector registers by one), and before call frame information is corrected for
// blocks out of order.
//
//===----------------------------------------------------------------------===//
#include "ArgumentPlaces.h"
#include "ForeignCalls.h"
#include "MachineAddresses.h"
#include "MachineCode.h"
#include "MachinePass.h"
#include "passes/Passes.h"
#include "passes/ir/GrowableStacks.h"
#include "llvm/CodeGen/MachineFrameInfo.h"
#include "llvm/IR/Function.h"

using namespace llvm;

namespace skein {
namespace {

constexpr uint64_t SmallFrame = 1 << 10;
constexpr int64_t ConditionBelow = 2;

constexpr const char *GrowEntry = "__skein_grow";
constexpr const char *WideGrowEntry = "__skein_grow_wide";

/// Whether an argument lies in a vector register of more than the 128 bits that __skein_grow preserves.
bool hasWideArguments(const MachineFunction &MF) {
  const ArgumentPlaces Places = argumentPlaces(MF);
  if (!Places.Known)
    return any_of(MF.getFunction().args(), [](const Argument &A) { return A.getType()->isVectorTy(); });
  return any_of(Places.Parts,
                [](const ArgumentPart &Part) { return Part.In == ArgumentPart::Vector && Part.Bytes > 16; });
}

bool callsForRoom(const MachineFunction &MF) {
  return any_of(MF, [](const MachineBasicBlock &Block) {
    return any_of(Block.instrs(), [](const MachineInstr &MI) { return MI.isCall() && !needsNoRoom(MI); });
  });
}

void callGrow(MachineBasicBlock &Block, uint64_t Frame) {
  MachineFunction &MF = *Block.getParent();
  MCRegister R11 = MachineRegisters::of(MF).R11;
  BuildMI(Block, Block.end(), DebugLoc(), opcode(MF, "MOV64ri32"), R11)
      .addImm(int64_t(std::min<uint64_t>(Frame, INT32_MAX)));
  // There is no register mask: only r11 changes, and it holds nothing.
  const char *Entry = hasWideArguments(MF) ? WideGrowEntry : GrowEntry;
  if (maybeInSharedObject(MF))
    addOffsetTableEntry(BuildMI(Block, Block.end(), DebugLoc(), opcode(MF, "CALL64m")), Entry);
  else
    BuildMI(Block, Block.end(), DebugLoc(), opcode(MF, "CALL64pcrel32")).addExternalSymbol(Entry);
  Block.back().addOperand(MF, MachineOperand::CreateReg(R11, /*isDef=*/false, /*isImp=*/true));
}

void addLiveIns(MachineBasicBlock &To, const MachineBasicBlock &From) {
  for (const MachineBasicBlock::RegisterMaskPair &Register : From.liveins())
    To.addLiveIn(Register);
}

} // namespace

static bool addStackCheck(MachineFunction &MF) {
  const Function &F = MF.getFunction();
  if (!growsStack(F) || F.hasFnAttribute(Attribute::Naked))
    return false;
  const MachineFrameInfo &MFI = MF.getFrameInfo();
  uint64_t Frame = MFI.getStackSize();
  if (Frame <= SmallFrame && !MFI.hasVarSizedObjects() && !callsForRoom(MF))
    return false;

  const MachineRegisters &R = MachineRegisters::of(MF);
  MachineBasicBlock &Body = MF.front();
  MachineBasicBlock &Check = *MF.CreateMachineBasicBlock();
  MF.push_front(&Check);
  addLiveIns(Check, Body);
  MachineBasicBlock &Cold = *MF.CreateMachineBasicBlock();
  MF.push_back(&Cold);
  addLiveIns(Cold, Body);

  MCRegister Lowest = R.RSP;
  if (Frame > SmallFrame) {
    Lowest = R.R11;
    BuildMI(Check, Check.end(), DebugLoc(), opcode(MF, "LEA64r"), R.R11)
        .addReg(R.RSP)
        .addImm(1)
        .addReg(0)
        .addImm(-int64_t(std::min<uint64_t>(Frame, INT32_MAX)))
        .addReg(0);
  }
  BuildMI(Check, Check.end(), DebugLoc(), opcode(MF, "CMP64rm"))
      .addReg(Lowest)
      .addReg(0)
      .addImm(1)
      .addReg(0)
      .addImm(StackLimitWord)
      .addReg(R.FS);
  BuildMI(Check, Check.end(), DebugLoc(), opcode(MF, "JCC_1")).addMBB(&Cold).addImm(ConditionBelow);
  Check.addSuccessor(&Body, BranchProbability::getOne() - BranchProbability(1, 1 << 20));
  Check.addSuccessor(&Cold, BranchProbability(1, 1 << 20));

  callGrow(Cold, Frame);
  BuildMI(Cold, Cold.end(), DebugLoc(), opcode(MF, "JMP_1")).addMBB(&Body);
  Cold.addSuccessor(&Body);
  // A function must be entered at block 0. The pass that follows variables for the debugger takes the values that
  // arrive there for those of the caller, and would else give one to the shadow stack pointer, which has no number in
  // debug information.
  MF.RenumberBlocks();
  return true;
}

SKEIN_MACHINE_PASS(stackChecksID, addStackCheck, "stack-checks", "Skein stack checks", Preserves::Nothing)

} // namespace skein
