//===- TaintRules.cpp - What one instruction does to addresses -------------===//
#include "TaintRules.h"
#include "ArgumentPlaces.h"
#include "MachineCode.h"
#include "NumberEvidence.h"
#include "abi/frame_map.h"
#include "passes/Annotations.h"
#include "passes/addresses/AddressIntegers.h"
#include "passes/addresses/PointerTypes.h"
#include "passes/private/PrivateVariables.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/CodeGen/MachineFrameInfo.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineInstr.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/CodeGen/PseudoSourceValue.h"
#include "llvm/CodeGen/TargetFrameLowering.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace skein {

TaintRules::TaintRules(const MachineFunction &MF, const SiteTable &Sites)
    : MF(MF), TRI(*MF.getSubtarget().getRegisterInfo()), R(MachineRegisters::of(MF)), Sites(Sites),
      Objects(Sites.objects()), SlotBase(TRI.getNumRegUnits()), Cells(SlotBase),
      HasFP(MF.getSubtarget().getFrameLowering()->hasFP(MF)), HasBP(HasFP && MF.getRegInfo().isReserved(R.RBX)),
      NeverTainted(SlotBase) {
  for (MCRegister Never : {R.RSP, R.RIP, R.EFLAGS, HasFP ? R.RBP : R.RSP, HasBP ? R.RBX : R.RSP})
    for (MCRegUnit Unit : TRI.regunits(Never))
      NeverTainted.set(unsigned(Unit));
  findObjects();
  findEscapes();
  findIRLoads();
}

void TaintRules::findObjects() {
  const MachineFrameInfo &MFI = MF.getFrameInfo();
  for (int FI = MFI.getObjectIndexBegin(); FI < MFI.getObjectIndexEnd(); ++FI) {
    if (MFI.isDeadObjectIndex(FI) || MFI.isVariableSizedObjectIndex(FI))
      continue;
    FrameAddress At = frameAddressOf(MF, FI);
    ByAddress[{At.From, At.Offset}] = FI;
    if (Objects.isScratch(FI)) {
      // No register is wider than 64 bytes. A larger object is a temporary; it is one cell, and is never written as a
      // whole.
      unsigned Bytes = MFI.getObjectSize(FI) <= 64 ? MFI.getObjectSize(FI) : 1;
      Slots[FI] = {Cells, Bytes};
      Cells += Bytes;
    }
  }
  Escaped.resize(Cells);
}

void TaintRules::findEscapes() {
  for (const MachineBasicBlock &Block : MF)
    for (const MachineInstr &MI : Block.instrs()) {
      MemoryReference M;
      if (MI.mayLoadOrStore() || !getMemoryReference(MI, M))
        continue; // only LEA is left
      // The address of a spill slot is never taken: such an address is one before or behind an array beside it.
      if (std::optional<Hit> At = resolve(MI, M); At && !MF.getFrameInfo().isSpillSlotObjectIndex(At->FrameIndex))
        if (auto Found = Slots.find(At->FrameIndex); Found != Slots.end())
          Escaped.set(Found->second.FirstCell, Found->second.FirstCell + Found->second.Bytes);
    }
}

bool TaintRules::isFrameRegister(MCRegister Reg) const {
  return Reg == R.RSP || (HasFP && Reg == R.RBP) || (HasBP && Reg == R.RBX);
}

/// The object that an operand addresses: by its memory operand if it has one, else by the address itself.
std::optional<TaintRules::Hit> TaintRules::resolve(const MachineInstr &MI, const MemoryReference &M) const {
  const MachineFrameInfo &MFI = MF.getFrameInfo();
  bool Exact = M.Index->isReg() && !M.Index->getReg();
  if (MI.hasOneMemOperand()) {
    const MachineMemOperand &Memory = **MI.memoperands_begin();
    if (const auto *Stack = dyn_cast_or_null<FixedStackPseudoSourceValue>(Memory.getPseudoValue()))
      return Hit{Stack->getFrameIndex(), Memory.getOffset(), Exact};
  }
  if (!M.Base->isReg() || !M.Displacement->isImm() || !isFrameRegister(M.Base->getReg().asMCReg()))
    return std::nullopt;
  MCRegister Base = M.Base->getReg().asMCReg();
  int64_t Offset = M.Displacement->getImm();
  unsigned Space;
  if (Base == R.RSP) {
    if (MFI.hasVarSizedObjects())
      return std::nullopt; // these are outgoing arguments
    Space = HasFP && TRI.hasStackRealignment(MF) ? FrameAddress::SP : FrameAddress::CFA;
    if (Space == FrameAddress::CFA)
      Offset -= int64_t(MFI.getStackSize()) + 8;
  } else if (Base == R.RBP) {
    Space = FrameAddress::CFA;
    Offset -= 16;
  } else {
    Space = FrameAddress::BP;
  }
  auto After = ByAddress.upper_bound({Space, Offset});
  if (After == ByAddress.begin())
    return std::nullopt;
  auto [Key, FI] = *std::prev(After);
  if (Key.first != Space || Offset >= Key.second + MFI.getObjectSize(FI))
    return std::nullopt;
  // This is `array[i - 1]` with the index in a register: the sum is not where it seems to be. IR accesses no scratch
  // slot.
  if (!Exact && Objects.isScratch(FI) && MI.hasOneMemOperand() && (*MI.memoperands_begin())->getValue())
    return std::nullopt;
  return Hit{FI, Offset - Key.second, Exact};
}

void TaintRules::addUnits(SmallVectorImpl<unsigned> &Cells, MCRegister Reg) const {
  for (MCRegUnit Unit : TRI.regunits(Reg))
    if (!NeverTainted.test(unsigned(Unit)))
      Cells.push_back(unsigned(Unit));
}

static bool anyMappedPointer(const FrameObjects &Objects, int FrameIndex, function_ref<bool(int64_t Start)> Wanted) {
  if (std::optional<unsigned> Index = Objects.mappedLocal(FrameIndex))
    for (const WordGroup &G : Objects.local(*Index)->Groups)
      if (G.Kind == SKEIN_LOCAL_POINTER)
        for (int64_t Word = 0; Word < G.Count; ++Word)
          if (Wanted(G.Offset + Word * G.Stride))
            return true;
  return false;
}

bool TaintRules::loadsMappedPointer(const Hit &At, uint64_t Size) const {
  return At.Exact && anyMappedPointer(Objects, At.FrameIndex, [&](int64_t Start) {
           return At.Offset <= Start && Start + 8 <= At.Offset + int64_t(Size); // a part of a word is no address
         });
}

/// Whether the low half of a pointer is loaded.
bool TaintRules::loadsMappedHalf(const Hit &At) const {
  return At.Exact && anyMappedPointer(Objects, At.FrameIndex, [&](int64_t Start) { return At.Offset == Start; });
}

static bool holdsPointer(const Type *T) {
  if (const auto *Struct = dyn_cast<StructType>(T))
    return any_of(Struct->elements(), holdsPointer);
  if (const auto *Array = dyn_cast<ArrayType>(T))
    return holdsPointer(Array->getElementType());
  return T->getScalarType()->isPointerTy() && !T->getScalarType()->getPointerAddressSpace();
}

/// Whether the IR loads a pointer here: all its loads of this size from this address do.
bool TaintRules::loadsIRPointer(const MachineMemOperand &Memory, uint64_t Size) const {
  const Value *Address = Memory.getValue();
  if (!Address || isa<ConstantData>(Address) || Memory.getOffset() || isPrivateAddressWord(Address))
    return false;
  return PointersLoaded.lookup({Address, Size});
}

void TaintRules::findIRLoads() {
  const Function &F = MF.getFunction();
  for (const Instruction &I : instructions(F))
    if (const auto *Load = dyn_cast<LoadInst>(&I)) {
      const uint64_t Size = F.getDataLayout().getTypeStoreSize(Load->getType()).getKnownMinValue();
      PointersLoaded.try_emplace({Load->getPointerOperand(), Size}, true).first->second &=
          holdsPointer(Load->getType());
    }
}

/// Whether this is a local with ambiguous words only, which nothing can reach but loads and stores of the IR and what
/// code generation splits these into. Pointer homing keeps copies there for the runtime to look at.
bool TaintRules::isWitness(int FrameIndex) const {
  std::optional<unsigned> Index = Objects.mappedLocal(FrameIndex);
  const AllocaInst *Alloca = FrameIndex < 0 ? nullptr : MF.getFrameInfo().getObjectAllocation(FrameIndex);
  if (!Index || !Alloca)
    return false;
  return all_of(Objects.local(*Index)->Groups, [](const WordGroup &G) { return G.Kind == SKEIN_LOCAL_AMBIGUOUS; }) &&
         all_of(Alloca->users(), [&](const User *U) {
           const auto *Store = dyn_cast<StoreInst>(U);
           return isa<LoadInst>(U) || (Store && Store->getPointerOperand() == Alloca);
         });
}

void TaintRules::addSlot(const Hit &At, uint64_t Size, bool Reads, bool Writes, Effects &E) const {
  auto Found = Slots.find(At.FrameIndex);
  if (Found == Slots.end())
    return;
  auto [FirstCell, Bytes] = Found->second;
  bool Exact = At.Exact && uint64_t(MF.getFrameInfo().getObjectSize(At.FrameIndex)) == Bytes;
  for (unsigned Byte = 0; Byte < Bytes; ++Byte) {
    if (Exact && (Byte < At.Offset || Byte >= At.Offset + int64_t(Size)))
      continue;
    if (Reads) {
      E.Reads.push_back(FirstCell + Byte);
      E.Inputs.push_back(FirstCell + Byte);
    }
    if (Writes && Exact)
      E.Outputs.push_back(FirstCell + Byte);
    else if (Writes)
      E.Partial.push_back(FirstCell + Byte);
  }
}

void TaintRules::addMemory(const MachineInstr &MI, const MemoryReference &M, Effects &E) const {
  std::optional<Hit> At = resolve(MI, M);
  uint64_t Size = 8;
  if (MI.hasOneMemOperand() && (*MI.memoperands_begin())->getSize().hasValue())
    Size = (*MI.memoperands_begin())->getSize().getValue().getKnownMinValue();
  else if (At)
    At->Exact = false;
  if (MI.mayLoad()) {
    bool MayBeAddress = false;
    E.Source |= loadsConstant(MI, MayBeAddress) && MayBeAddress;
    E.Source |= At && loadsMappedPointer(*At, Size);
    E.Unfollowed |= At && Size == 4 && loadsMappedHalf(*At);
    for (const MachineMemOperand *Memory : MI.memoperands()) {
      E.Source |= Memory->isLoad() && Size >= 8 && loadsIRPointer(*Memory, Size);
      E.Unfollowed |= Memory->isLoad() && Size == 4 && loadsIRPointer(*Memory, 8);
      E.Unfollowed |= Memory->isLoad() && Memory->getOffset() == 0 && Memory->getValue() &&
                      isPrivateAddressWord(Memory->getValue());
    }
  }
  if (At && isWitness(At->FrameIndex)) {
    const bool Whole = At->Exact && At->Offset % 8 == 0 && Size % 8 == 0;
    E.Words = Whole ? Size / 8 : 1;
    if (MI.mayStore() && Whole)
      E.Shows = {At->FrameIndex, At->Offset};
    else if (MI.mayStore())
      E.Overwrites = At->FrameIndex;
    if (MI.mayLoad() && Whole)
      E.ShownIn = {At->FrameIndex, At->Offset};
  }
  bool MayBeAddress = false;
  const bool Constant = MI.mayLoad() && loadsConstant(MI, MayBeAddress);
  auto HoldsNumber = [&](const MachineMemOperand *Memory) { return holdsNumber(*Memory, MF.getFunction()); };
  // The maps know what lies in the frame, and an address is followed as an address.
  E.LoadsUnknown = MI.mayLoad() && Size >= 8 && !At && !Constant && !E.Source && !E.Unfollowed &&
                   !(M.Displacement->isCPI() && MI.memoperands_empty()) &&
                   !(!MI.memoperands_empty() && all_of(MI.memoperands(), HoldsNumber));
  E.StoresOutside = MI.mayStore() && !At;
  E.Exchanges = MI.mayLoad() && MI.mayStore() && !At;
  if (At)
    addSlot(*At, Size, MI.mayLoad(), MI.mayStore(), E);
}

/// The registers in which a function with this result type returns pointers.
static void addResultRegisters(const MachineRegisters &R, const Type *Returned, SmallVectorImpl<MCRegister> &Pointers,
                               SmallVectorImpl<MCRegister> &Exact) {
  unsigned Integers = 0, Vectors = 0;
  SmallVector<const Type *, 4> Parts{Returned};
  if (const auto *Struct = dyn_cast<StructType>(Returned))
    Parts.assign(Struct->element_begin(), Struct->element_end());
  for (const Type *Part : Parts) {
    bool Vector = Part->isVectorTy() || Part->isFloatingPointTy();
    MCRegister Register = Vector ? (Vectors++ ? R.XMM1 : R.XMM0) : (Integers++ ? R.RDX : R.RAX);
    if (holdsPointer(Part))
      Pointers.push_back(Register);
    if (Part->isPointerTy() && !Part->getPointerAddressSpace())
      Exact.push_back(Register);
  }
}

void TaintRules::addCall(const MachineInstr &MI, Effects &E) const {
  SmallVector<MCRegister, 4> Pointers, Exact;
  const SiteInfo *Site = Sites.find(MI);
  const Function *Callee = nullptr;
  for (const MachineOperand &Operand : MI.operands())
    if (Operand.isGlobal())
      Callee = dyn_cast<Function>(Operand.getGlobal());
  if (Callee)
    addResultRegisters(R, Callee->getReturnType(), Pointers, Exact);
  if (Callee && Callee->getAttributes().hasRetAttr(AddressAttribute))
    Pointers.push_back(R.RAX);
  if (!Callee && Site && Site->Result == ResultKind::Pointer)
    Pointers = {R.RAX, R.RDX, R.XMM0, R.XMM1};
  for (const MachineOperand &Operand : MI.operands()) {
    if (Operand.isRegMask())
      E.Clobbered = Operand.getRegMask();
    if (!Operand.isReg() || !Operand.getReg())
      continue;
    MCRegister Register = Operand.getReg().asMCReg();
    if (Operand.isUse() && !Operand.isUndef())
      addUnits(E.Reads, Register);
    else if (Operand.isDef())
      addUnits(any_of(Pointers, [&](MCRegister P) { return TRI.regsOverlap(P, Register); }) ? E.Tainted : E.Outputs,
               Register);
    if (Operand.isDef() && is_contained(Exact, Register))
      addUnits(E.Addresses, Register);
  }
}

/// Whether an opcode moves a value, or one of two values, unchanged.
static bool movesWhole(const MachineInstr &MI) {
  enum Answer : uint8_t { NotAsked, No, Yes };
  static OpcodeTable<Answer> Moving(MI, [](StringRef Name) {
    Name.consume_front("V");
    const bool Moves = Name.starts_with("MOV64r") || Name == "MOV64mr" || Name.starts_with("CMOV64rr") ||
                       Name.starts_with("MOVAPS") || Name.starts_with("MOVAPD") || Name.starts_with("MOVUPS") ||
                       Name.starts_with("MOVUPD") || Name.starts_with("MOVDQ") || Name.starts_with("MOVSDrm") ||
                       Name.starts_with("MOVSDmr") || Name.starts_with("MOVQI2PQI") || Name.starts_with("MOVPQI2QI") ||
                       Name.starts_with("MOV64toPQI") || Name.starts_with("MOVPQIto64") ||
                       Name.starts_with("MOV64toSD") || Name.starts_with("MOVSDto64");
    return Moves ? Yes : No;
  });
  return MI.isCopy() || Moving.of(MI) == Yes;
}

enum class Shape : uint8_t { NotAsked, Other, Copy, Sum, Difference, Address };
struct Form {
  Shape Kind = Shape::NotAsked;
  bool Half = false; ///< it computes 32 bits
  bool operator==(const Form &Other) const = default;
};

/// How an opcode forms its result.
static Form formOf(const MachineInstr &MI) {
  static OpcodeTable<Form> Forms(MI, [](StringRef Name) {
    return StringSwitch<Form>(Name)
        .Cases({"MOV64rr", "MOV64rm", "MOV64mr", "MOV64ri"}, {Shape::Copy, false})
        .Cases({"MOV32rr", "MOV32rm", "MOV32mr"}, {Shape::Copy, true})
        .Cases({"ADD64rr", "ADD64rm", "ADD64ri32", "INC64r", "DEC64r"}, {Shape::Sum, false})
        .Cases({"ADD32rr", "ADD32rm", "ADD32ri", "INC32r", "DEC32r"}, {Shape::Sum, true})
        .Cases({"SUB64rr", "SUB64rm", "SUB64ri32"}, {Shape::Difference, false})
        .Cases({"SUB32rr", "SUB32rm", "SUB32ri"}, {Shape::Difference, true})
        .Case("LEA64r", {Shape::Address, false})
        .Case("LEA64_32r", {Shape::Address, true})
        .Default({Shape::Other, false});
  });
  return Forms.of(MI);
}

void TaintRules::addTerms(const MachineInstr &MI, Effects &E) const {
  auto [Kind, Half] = formOf(MI);
  if (Kind == Shape::Other || E.Outputs.empty() || !E.Partial.empty())
    return;
  MemoryReference M;
  bool Memory = getMemoryReference(MI, M);
  if (Half && Memory && MI.mayLoadOrStore())
    if (std::optional<Hit> At = resolve(MI, M); At && At->Offset % 8 != 0)
      return; // this may be an upper half
  E.Linear = true;
  E.Half = Half;
  bool First = true;
  for (const MachineOperand &Operand : MI.explicit_uses()) {
    if (!Operand.isReg() || !Operand.getReg() || Operand.isUndef())
      continue;
    if (Memory && MI.mayLoadOrStore() && (&Operand == M.Base || &Operand == M.Index || &Operand == M.Segment))
      continue;
    Term T;
    addUnits(T.Cells, Operand.getReg().asMCReg());
    T.Minus = Kind == Shape::Difference && !First;
    E.SourceMinus |= T.Minus && isFrameRegister(Operand.getReg().asMCReg());
    unsigned Times = Kind == Shape::Address && &Operand == M.Index ? M.Scale->getImm() : 1;
    E.Terms.append(Times, T);
    First = false;
  }
  // The term that is loaded: a scratch slot, or an address that `Source` stands for.
  Term Loaded;
  for (unsigned Cell : E.Inputs)
    if (Cell >= SlotBase)
      Loaded.Cells.push_back(Cell);
  Loaded.Minus = Kind == Shape::Difference;
  if (!Loaded.Cells.empty())
    E.Terms.push_back(Loaded);
  bool Symbol = any_of(MI.explicit_uses(), isSymbol); // an immediate, if it addresses no memory
  E.SourceMinus |= Kind == Shape::Difference && (MI.mayLoad() || Symbol);
}

/// The operands by which inline assembly addresses memory.
static BitVector memoryOperandsOfAsm(const MachineInstr &MI) {
  BitVector Found(MI.getNumOperands());
  if (MI.isInlineAsm())
    for (unsigned I = InlineAsm::MIOp_FirstOperand; I < MI.getNumOperands() && MI.getOperand(I).isImm();) {
      const InlineAsm::Flag Flag(MI.getOperand(I).getImm());
      unsigned Next = I + 1 + Flag.getNumOperandRegisters();
      if (Flag.isMemKind())
        Found.set(I + 1, std::min(Next, MI.getNumOperands()));
      I = Next;
    }
  return Found;
}

/// `p ? n : 0` becomes a conditional move that takes p itself for the zero. Returns the operand that is null where it
/// is moved.
static const MachineOperand *nullOperand(const MachineInstr &MI) {
  static const unsigned Test = opcode(*MI.getMF(), "TEST64rr").Opcode, Move = opcode(*MI.getMF(), "CMOV64rr").Opcode;
  if (MI.getOpcode() != Move || !MI.getOperand(3).isImm())
    return nullptr;
  constexpr int64_t Equal = 4, NotEqual = 5; // x86's conditions
  int64_t Condition = MI.getOperand(3).getImm();
  if (Condition != Equal && Condition != NotEqual)
    return nullptr;
  const MachineOperand &Null = MI.getOperand(Condition == Equal ? 2 : 1);
  const TargetRegisterInfo *TRI = MI.getMF()->getSubtarget().getRegisterInfo();
  for (auto At = std::next(MI.getReverseIterator()); At != MI.getParent()->instr_rend(); ++At) {
    if (At->getOpcode() == Test)
      return At->getOperand(0).getReg() == Null.getReg() && At->getOperand(1).getReg() == Null.getReg() ? &Null
                                                                                                        : nullptr;
    if (clobbersFlags(*At) || At->modifiesRegister(Null.getReg(), TRI))
      return nullptr;
  }
  return nullptr;
}

/// Whether this takes the sign of the stack pointer, which no move changes. With -mspeculative-load-hardening the sign
/// tells a function's caller or callee whether the processor has speculated wrongly, and it is combined with what is
/// loaded.
bool TaintRules::takesSignOfStack(const MachineInstr &MI) const {
  static const unsigned Copy = opcode(MF, "MOV64rr").Opcode, ShiftRight = opcode(MF, "SAR64ri").Opcode;
  if (MI.getOpcode() != ShiftRight || !MI.getOperand(2).isImm() || MI.getOperand(2).getImm() != 63)
    return false;
  const Register Shifted = MI.getOperand(1).getReg();
  for (auto At = std::next(MI.getReverseIterator()); At != MI.getParent()->instr_rend(); ++At)
    if (At->modifiesRegister(Shifted, &TRI))
      return At->getOpcode() == Copy && At->getOperand(0).getReg() == Shifted && At->getOperand(1).getReg() == R.RSP;
  return false;
}

bool TaintRules::effectsOf(const MachineInstr &MI, Effects &E) const {
  if (MI.isDebugInstr() || MI.isPosition() || MI.isCFIInstruction() || MI.isKill())
    return false;
  if (MI.isCall()) {
    addCall(MI, E);
    return true;
  }
  bool Prologue = MI.getFlag(MachineInstr::FrameSetup) || MI.getFlag(MachineInstr::FrameDestroy);
  // Empty inline assembly freezes a value: what comes out is invariant under moves.
  bool Freezes = MI.isInlineAsm() && StringRef(MI.getOperand(InlineAsm::MIOp_AsmString).getSymbolName()).empty();
  MemoryReference M;
  bool Memory = MI.mayLoadOrStore() && getMemoryReference(MI, M);
  BitVector AsmMemory = memoryOperandsOfAsm(MI);
  const MachineOperand *Null = nullOperand(MI);
  auto Addresses = [&](const MachineOperand &Operand) {
    if (MI.isInlineAsm())
      return AsmMemory.test(Operand.getOperandNo());
    return Memory && (&Operand == M.Base || &Operand == M.Index || &Operand == M.Displacement || &Operand == M.Segment);
  };
  for (const MachineOperand &Operand : MI.operands()) {
    if (isSymbol(Operand) && !Addresses(Operand) && !MI.isInlineAsm())
      E.Source = true;
    if (!Operand.isReg() || !Operand.getReg())
      continue;
    MCRegister Register = Operand.getReg().asMCReg();
    if (Operand.isDef()) {
      addUnits(E.Outputs, Register);
    } else if (!Operand.isUndef()) {
      addUnits(E.Reads, Register);
      if (!Addresses(Operand) && &Operand != Null) {
        addUnits(E.Inputs, Register);
        E.Source |= !Operand.isImplicit() && isFrameRegister(Register);
      }
    }
  }
  if (Memory && !Prologue)
    addMemory(MI, M, E);
  for (unsigned I : AsmMemory.set_bits())
    if (I && !AsmMemory.test(I - 1)) { // a register that was spilled into the memory operand of the assembly
      M = {&MI.getOperand(I), &MI.getOperand(I + 1), &MI.getOperand(I + 2), &MI.getOperand(I + 3),
           &MI.getOperand(I + 4)};
      if (std::optional<Hit> At = resolve(MI, M)) {
        At->Exact = false; // it is not known how much of the slot is accessed
        addSlot(*At, 8, true, true, E);
      }
    }
  addTerms(MI, E);
  static const unsigned Store = opcode(MF, "MOV64mr").Opcode, Choice = opcode(MF, "CMOV64rr").Opcode,
                        Shift = opcode(MF, "SHR64ri").Opcode;
  constexpr int64_t AddressBits = 47;
  E.Moves = movesWhole(MI);
  E.Chooses = MI.getOpcode() == Choice;
  E.StoresRegister = MI.getOpcode() == Store;
  E.TakesHighBits = MI.getOpcode() == Shift && MI.getOperand(2).isImm() && MI.getOperand(2).getImm() >= AddressBits;
  if (Prologue || Freezes || takesSignOfStack(MI)) { // registers that are saved and restored hold the caller's values
    E.Source = E.Linear = E.LoadsUnknown = false;
    E.Inputs.clear();
  }
  return true;
}

void TaintRules::clobber(BitVector &Cells, const uint32_t *Mask) {
  auto [Known, New] = Lost.try_emplace(Mask, BitVector(cellCount()));
  if (New) {
    // A unit survives if a preserved register contains it.
    Known->second.set(0, SlotBase);
    for (unsigned Register = 1; Register < TRI.getNumRegs(); ++Register)
      if (!MachineOperand::clobbersPhysReg(Mask, Register))
        for (MCRegUnit Unit : TRI.regunits(Register))
          Known->second.reset(unsigned(Unit));
  }
  Cells.reset(Known->second);
}

BitVector TaintRules::initialTaint() const {
  SmallVector<unsigned, 16> Cells;
  for (MCRegister Register : pointerArgumentRegisters(MF))
    addUnits(Cells, Register);
  BitVector Taint(cellCount());
  for (unsigned Cell : Cells)
    Taint.set(Cell);
  return Taint;
}

BitVector TaintRules::initialAddresses() const {
  BitVector Found(cellCount());
  SmallVector<unsigned, 16> Cells;
  bool Exact;
  for (MCRegister Register : pointerArgumentRegisters(MF, &Exact))
    if (is_contained(R.IntegerArguments, Register)) // a vector holds several addresses
      addUnits(Cells, Register);
  for (unsigned Cell : Cells)
    Found[Cell] = Exact;
  return Found;
}

bool TaintRules::isListed(int FrameIndex, const SiteInfo &Site) const {
  std::optional<unsigned> Index = Objects.mappedLocal(FrameIndex);
  return Index && is_contained(Site.Locals, *Index);
}

std::string TaintRules::nameOf(unsigned Cell) const {
  if (Cell >= SlotBase)
    return "a spill slot";
  // The widest register that is made of this unit.
  MCRegister Widest;
  for (unsigned Register = 1; Register < TRI.getNumRegs(); ++Register)
    for (MCRegUnit Unit : TRI.regunits(Register))
      if (unsigned(Unit) == Cell && (!Widest || TRI.isSuperRegister(Widest, Register)))
        Widest = Register;
  return "register " + StringRef(TRI.getName(Widest)).lower();
}

} // namespace skein
