//===- StackChecks.cpp - Pass 5: functions look for room -------------------===//
//
// In front of the prologue of each function that needs it:
//
//     cmp   %fs:0x70, %rsp              a frame of more than 1 KiB: lea -size(%rsp), %r11; cmp %fs:0x70, %r11
//     jb    cold
//   body:
//     ...
//   cold:
//     movabs $size | arguments << 32, %r11
//     call  __skein_grow
//     jmp   body
//
// The call returns with room below the stack pointer, perhaps on another stack, and no register but r11 changed. Its
// return address is the key of the function's *entry site*, which says where the arguments' pointers are
// (EntryArguments.h); frame-map-emission writes it.
//
// No check is needed by a leaf: no variable-sized object, at most 1 KiB of frame, and no call but of what has a stack
// of its own or is shallow (ForeignCalls.h). The headroom below the limit is for those.
//
// A function that never moves at its entry calls __skein_grow_deep instead and runs on the worker's deep stack: one
// from which no migration point can be reached, whose calls therefore have no sites; one with arguments wider than 128
// bits, which the entry of the growth does not keep. If it also has variable-sized objects, it goes there without
// asking. One with such objects that may move wants 64 KiB more: a thread that is pinned is on a deep stack then before
// they come.
//
// LLVM's own split stacks (adjustForSegmentedStacks) do the same for non-variadic functions, with pieces that stay.
// Runs when blocks are placed and pseudo instructions that must be in the entry block are expanded (a variadic
// function's saving of its vector registers), and before call frame information is put right for blocks out of order.
//
//===----------------------------------------------------------------------===//
#include "StackChecks.h"
#include "EntryArguments.h"
#include "ForeignCalls.h"
#include "MachineAddresses.h"
#include "MachineCode.h"
#include "MachinePass.h"
#include "abi/growable_mark.h"
#include "passes/Annotations.h"
#include "passes/Diagnostics.h"
#include "passes/ir/GrowableStacks.h"
#include "llvm/CodeGen/MachineFrameInfo.h"
#include "llvm/IR/Function.h"

using namespace llvm;

namespace skein {
namespace {

constexpr uint64_t SmallFrame = 1 << 10;
constexpr uint64_t RoomForDynamicObjects = 64 << 10;
constexpr int64_t LimitWord = 0x70; // of the thread control block: tcbhead_t::__private_ss
constexpr int64_t ConditionBelow = 2;

constexpr const char *GrowEntry = "__skein_grow";
constexpr const char *DeepEntry = "__skein_grow_deep";

bool callsForRoom(const MachineFunction &MF) {
  return any_of(MF, [](const MachineBasicBlock &Block) {
    return any_of(Block.instrs(), [](const MachineInstr &MI) { return MI.isCall() && !needsNoRoom(MI); });
  });
}

void call(MachineBasicBlock &Block, const char *Entry, uint64_t Need) {
  MachineFunction &MF = *Block.getParent();
  MCRegister R11 = MachineRegisters::of(MF).R11;
  BuildMI(Block, Block.end(), DebugLoc(), opcode(MF, "MOV64ri"), R11).addImm(int64_t(Need));
  // No register mask: only r11 changes, and nothing has been kept in it.
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

bool isGrowCall(const MachineInstr &MI) {
  return MI.isCall() && any_of(MI.operands(), [](const MachineOperand &Operand) {
           return Operand.isSymbol() && StringRef(Operand.getSymbolName()) == GrowEntry;
         });
}

static bool addStackCheck(MachineFunction &MF) {
  const Function &F = MF.getFunction();
  if (!growsStack(F) || F.hasFnAttribute(Attribute::Naked))
    return false;
  const MachineFrameInfo &MFI = MF.getFrameInfo();
  uint64_t Frame = MFI.getStackSize();
  bool Dynamic = MFI.hasVarSizedObjects();
  if (Frame <= SmallFrame && !Dynamic && !callsForRoom(MF))
    return false;
  bool Moves = hasMappableConvention(F) && F.hasFnAttribute(HomedAttribute) && !F.hasFnAttribute(NoMigrateAttribute) &&
               !MF.hasBBSections() && !entryArguments(MF).Wide;
  uint64_t Room = Frame + (Dynamic && Moves ? RoomForDynamicObjects : 0);
  uint64_t Arguments = F.isVarArg() ? uint64_t(SKEIN_ARGUMENTS_UNKNOWN) : alignTo<16>(incomingBytes(MF));
  uint64_t Need = std::min<uint64_t>(Room, UINT32_MAX) | Arguments << 32;

  const MachineRegisters &R = MachineRegisters::of(MF);
  MachineBasicBlock &Body = MF.front();
  MachineBasicBlock &Check = *MF.CreateMachineBasicBlock();
  MF.push_front(&Check);
  addLiveIns(Check, Body);
  if (Dynamic && !Moves) {
    call(Check, DeepEntry, Need);
    Check.addSuccessor(&Body);
    return true;
  }
  MachineBasicBlock &Cold = *MF.CreateMachineBasicBlock();
  MF.push_back(&Cold);
  addLiveIns(Cold, Body);

  MCRegister Lowest = R.RSP;
  if (Room > SmallFrame) {
    Lowest = R.R11;
    BuildMI(Check, Check.end(), DebugLoc(), opcode(MF, "LEA64r"), R.R11)
        .addReg(R.RSP)
        .addImm(1)
        .addReg(0)
        .addImm(-int64_t(std::min<uint64_t>(Room, INT32_MAX)))
        .addReg(0);
  }
  BuildMI(Check, Check.end(), DebugLoc(), opcode(MF, "CMP64rm"))
      .addReg(Lowest)
      .addReg(0)
      .addImm(1)
      .addReg(0)
      .addImm(LimitWord)
      .addReg(R.FS);
  BuildMI(Check, Check.end(), DebugLoc(), opcode(MF, "JCC_1")).addMBB(&Cold).addImm(ConditionBelow);
  Check.addSuccessor(&Body, BranchProbability::getOne() - BranchProbability(1, 1 << 20));
  Check.addSuccessor(&Cold, BranchProbability(1, 1 << 20));

  call(Cold, Moves ? GrowEntry : DeepEntry, Need);
  BuildMI(Cold, Cold.end(), DebugLoc(), opcode(MF, "JMP_1")).addMBB(&Body);
  Cold.addSuccessor(&Body);
  return true;
}

SKEIN_MACHINE_PASS(stackChecksID, addStackCheck, "stack-checks", "Skein stack checks", Preserves::Nothing)

} // namespace skein
