//===- FrameMapEmission.cpp - Write the frame maps ------------------------===//
//
// Writes the frame maps. The input is machine code right before it is printed: frames are laid out, and every
// may-migrate call has its site (Annotations.h) and its verdict (address-proof). The output is a label after each such
// call, and one function map (FrameMapBuilder.h).
//
// Invariant: the map of a function is true of the frame at each of its return addresses. This is the last pass, so
// nothing can make it untrue. What it cannot describe it pins (a site with a reason) or leaves without a map, in which
// case the runtime refuses to move the thread as well.
//
// What would notice a wrong map: test/abi compares maps with the frames that objdump shows, the runtime's debug walk
// compares with libunwind, and relocation stress crashes.
//
//===----------------------------------------------------------------------===//
#include "Explanation.h"
#include "FrameMapBuilder.h"
#include "MachineAddresses.h"
#include "MachinePass.h"
#include "SourceRecords.h"
#include "passes/Compat.h"
#include "passes/Diagnostics.h"
#include "passes/Passes.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/CodeGen/MachineFrameInfo.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/CodeGen/TargetFrameLowering.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDwarf.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

namespace skein {
namespace {

constexpr unsigned ReturnAddressSize = 8;

/// Where .eh_frame says that the frame begins and what it holds, followed along the code as its readers do. The map
/// must say the same: the map is made from what LLVM intends to do, these instructions from what it did.
class Unwinding {
public:
  explicit Unwinding(const MachineFunction &MF) : MF(MF), TRI(*MF.getSubtarget().getRegisterInfo()) {
    Now.Register = TRI.getDwarfRegNum(MachineRegisters::of(MF).RSP, true);
  }

  void step(const MachineInstr &MI) {
    if (MI.isCFIInstruction())
      apply(MF.getFrameInstructions()[MI.getOperand(0).getCFIIndex()]);
  }

  /// Whether a frame with this map is unwound as the map says.
  bool agrees(const skein_function_map &Map) const {
    const MachineRegisters &R = MachineRegisters::of(MF);
    const bool FP = Map.flags & SKEIN_MAP_FP;
    if (Now.Expression || Now.Register != unsigned(TRI.getDwarfRegNum(FP ? R.RBP : R.RSP, true)) ||
        Now.Offset != (FP ? 2 * 8 : int64_t(Map.frame_size)))
      return false;
    const MCRegister Order[SKEIN_SAVED_COUNT] = {R.RBX, R.RBP, R.R12, R.R13, R.R14, R.R15};
    for (unsigned I = 0; I < SKEIN_SAVED_COUNT; ++I)
      if (Now.Saved.lookup(TRI.getDwarfRegNum(Order[I], true)) != -8 * int64_t(Map.saved[I]))
        return false;
    return true;
  }

private:
  struct State {
    unsigned Register = 0;
    int64_t Offset = ReturnAddressSize;
    bool Expression = false;                   // the CFA, or a register, is found by an expression
    SmallDenseMap<unsigned, int64_t, 8> Saved; // from the CFA
  };

  void apply(const MCCFIInstruction &CFI) {
    switch (CFI.getOperation()) {
    case MCCFIInstruction::OpDefCfa:
      Now.Register = CFI.getRegister();
      Now.Offset = CFI.getOffset();
      Now.Expression = false;
      break;
    case MCCFIInstruction::OpDefCfaRegister:
      Now.Register = CFI.getRegister();
      break;
    case MCCFIInstruction::OpDefCfaOffset:
      Now.Offset = CFI.getOffset();
      break;
    case MCCFIInstruction::OpAdjustCfaOffset:
      Now.Offset += CFI.getOffset();
      break;
    case MCCFIInstruction::OpOffset:
      Now.Saved[CFI.getRegister()] = CFI.getOffset();
      break;
    case MCCFIInstruction::OpRestore:
    case MCCFIInstruction::OpSameValue:
      Now.Saved.erase(CFI.getRegister());
      break;
    case MCCFIInstruction::OpRememberState:
      Remembered.push_back(Now);
      break;
    case MCCFIInstruction::OpRestoreState:
      Now = Remembered.pop_back_val();
      break;
    case MCCFIInstruction::OpGnuArgsSize:
    case MCCFIInstruction::OpLabel:
      break;
    default:
      Now.Expression = true;
    }
  }

  const MachineFunction &MF;
  const TargetRegisterInfo &TRI;
  State Now;
  SmallVector<State, 2> Remembered;
};

class Emitter {
public:
  Emitter(MachineFunction &MF, const SiteTable &Sites)
      : MF(MF), MFI(MF.getFrameInfo()), TFI(*MF.getSubtarget().getFrameLowering()), Sites(Sites),
        Objects(Sites.objects()), Names(MF) {}

  void run();

private:
  void describeFunction();
  void describeFrame();
  void describeSavedRegisters();
  void describeSaveArea();
  bool describableFrame() const;
  void tieTo(const GlobalVariable &Emitted, const MCSymbol &Entry);
  bool hasArgumentPointer() const;
  unsigned pinOf(const MachineInstr &Call, const SiteInfo &Site, bool Agrees) const;
  void addSite(const MachineInstr &Call, const SiteInfo &Site, bool Agrees, MCSymbol *Return);
  void addLock(const MachineInstr &Call, MCSymbol *Return);
  bool addLocals(unsigned Index, SmallVectorImpl<uint16_t> &Entries);
  MCSymbol *newSymbol();
  MCSymbol *labelEnd();
  MCSymbol *label(MachineBasicBlock &Block, MachineBasicBlock::iterator Before);

  MachineFunction &MF;
  const MachineFrameInfo &MFI;
  const TargetFrameLowering &TFI;
  const SiteTable &Sites;
  const FrameObjects &Objects;
  FrameMapBuilder Map;
  SourceRecords Names;
  DenseMap<unsigned, FrameAddress> Addresses; // of the locals that have their names
  unsigned Labels = 0;
  unsigned FramePin = 0; // why no site of this function can be described; 0: they can be
};

} // namespace

// The symbol is named so that a declared global can have the same name (FrameMapBuilder); a temporary has a name of
// MCContext's choice.
MCSymbol *Emitter::newSymbol() {
  return MF.getContext().getOrCreateSymbol(privatePrefix(MF.getDataLayout()) + "skein_" +
                                           Twine(MF.getFunctionNumber()) + "_" + Twine(Labels++));
}

// This is a label of its own and not MachineInstr::setPostInstrSymbol, since an instruction has room for only one such
// symbol.
MCSymbol *Emitter::label(MachineBasicBlock &Block, MachineBasicBlock::iterator Before) {
  MCSymbol *Symbol = newSymbol();
  BuildMI(Block, Before, DebugLoc(), MF.getSubtarget().getInstrInfo()->get(TargetOpcode::ANNOTATION_LABEL))
      .addSym(Symbol);
  return Symbol;
}

// No instruction may follow a terminator, not even a label.
MCSymbol *Emitter::labelEnd() {
  for (MachineBasicBlock &Block : reverse(MF))
    if (!Block.empty()) {
      MCSymbol *Symbol = newSymbol();
      Block.back().setPostInstrSymbol(MF, Symbol);
      return Symbol;
    }
  llvm_unreachable("the entry has a label");
}

/// Whether this is a call of one of the C library's lock functions: if a move is refused because of the lock, the
/// report says where that was.
static bool isLockCall(const MachineInstr &MI) {
  static const StringSet<> Names = {
#define SKEIN_LOCK_FUNCTION(Name) #Name,
#include "abi/lock_functions.def"
      "__cxa_guard_acquire",
  };
  if (!MI.isCall() || MI.isReturn())
    return false;
  const auto Mentions = [](const MachineInstr &MI, auto &&Name) {
    return any_of(MI.operands(), [&](const MachineOperand &Operand) {
      return (Operand.isGlobal() && Name(Operand.getGlobal()->getName())) ||
             (Operand.isSymbol() && Name(StringRef(Operand.getSymbolName())));
    });
  };
  const auto IsLock = [](StringRef Name) { return Names.contains(Name); };
  if (Mentions(MI, IsLock))
    return true;
  // On a growable stack the function is called through the runtime, with its address in r11.
  if (!Mentions(MI, [](StringRef Name) { return Name.starts_with("__skein_foreign_call"); }))
    return false;
  const MCRegister Target = MachineRegisters::of(*MI.getMF()).R11;
  for (auto Before = std::next(MI.getReverseIterator()), End = MI.getParent()->instr_rend(); Before != End; ++Before)
    if (Before->modifiesRegister(Target, nullptr))
      return Mentions(*Before, IsLock);
  return false;
}

/// Whether the code may have 64 KiB or more: an instruction has 15 bytes at most, and a pseudo instruction that is left
/// to the printer has two, or is one of those that are asked for here. Only the assembler knows for certain.
static bool mayBeLarge(const MachineFunction &MF) {
  const Function &F = MF.getFunction();
  for (const char *Patchable : {"patchable-function", "patchable-function-entry", "patchable-function-prefix",
                                "function-instrument", "xray-instruction-threshold"})
    if (F.hasFnAttribute(Patchable))
      return true;
  const TargetInstrInfo &TII = *MF.getSubtarget().getInstrInfo();
  const MCAsmInfo &Assembler = *MF.getTarget().getMCAsmInfo();
  constexpr uint64_t Most = 32;
  uint64_t Bytes = 0;
  for (const MachineBasicBlock &Block : MF) {
    Bytes += Block.getAlignment().value();
    for (const MachineInstr &MI : Block.instrs()) {
      if (MI.isInlineAsm()) {
        const StringRef Text = MI.getOperand(InlineAsm::MIOp_AsmString).getSymbolName();
        if (Text.contains('.')) // a directive may make any number of bytes
          return true;
        Bytes += TII.getInlineAsmLength(Text.data(), Assembler);
      } else {
        Bytes += Most;
      }
    }
  }
  return !isUInt<16>(Bytes);
}

void Emitter::run() {
  Map.LargeCode = mayBeLarge(MF);
  describeFunction();
  describeFrame();
  describeSavedRegisters();
  describeSaveArea();
  if (!describableFrame())
    FramePin = SKEIN_PIN_FRAME;

  MCSymbol *Entry = label(MF.front(), MF.front().begin());
  const bool Unwound = MF.needsFrameMoves();
  if (!Unwound && !FramePin && hasArgumentPointer())
    FramePin = SKEIN_PIN_FRAME;
  Unwinding Here(MF);
  for (MachineBasicBlock &Block : MF)
    for (auto MI = Block.begin(); MI != Block.end(); ++MI) {
      Here.step(*MI);
      if (const SiteInfo *Site = Sites.find(*MI))
        addSite(*MI, *Site, !Unwound || FramePin || Here.agrees(Map.Header), label(Block, std::next(MI)));
      else if (isLockCall(*MI))
        addLock(*MI, label(Block, std::next(MI)));
    }
  const GlobalVariable &Emitted = Map.emit(MF.getFunction(), *Entry, *labelEnd());
  tieTo(Emitted, *Entry);
  Names.emit(MF, *Entry);
}

/// A linker that folds functions of equal code (--icf=all) compares what they refer to. A map is referred to by no
/// other function, so a reference that changes no byte makes functions keep their maps. (Otherwise lld drops the map of
/// the function that it folds, since it is ordered after the function, and the frames of both would be described by the
/// other map.)
void Emitter::tieTo(const GlobalVariable &Emitted, const MCSymbol &Entry) {
  const char *Text = MF.createExternalSymbolName(
      (".reloc " + Entry.getName() + ", R_X86_64_NONE, " + privatePrefix(MF.getDataLayout()) + Emitted.getName())
          .str());
  MachineBasicBlock &First = MF.front();
  BuildMI(First, std::next(First.begin()), DebugLoc(), MF.getSubtarget().getInstrInfo()->get(TargetOpcode::INLINEASM))
      .addExternalSymbol(Text)
      .addImm(unsigned(InlineAsm::Extra_HasSideEffects));
}

/// Whether LLVM finds the arguments through r10, as it does where inline assembly takes rbx away as a base register;
/// then it keeps r10, and the CFA with it, in the frame. This is seen from what the prologue does, for functions
/// without unwind information.
bool Emitter::hasArgumentPointer() const {
  return any_of(MF, [&](const MachineBasicBlock &Block) {
    return any_of(Block, [&](const MachineInstr &MI) {
      return MI.getFlag(MachineInstr::FrameSetup) &&
             MI.modifiesRegister(MachineRegisters::of(MF).R10, MF.getSubtarget().getRegisterInfo());
    });
  });
}

void Emitter::describeFunction() {
  const Function &F = MF.getFunction();
  const DISubprogram *Program = F.getSubprogram();
  // What a coroutine calls around a suspension has a place in the source, but no name there.
  Map.Name = Program && !Program->getName().empty() ? Program->getName().str() : demangle(F.getName());
  Map.File = Program ? Program->getFilename().str() : F.getParent()->getSourceFileName();
}

void Emitter::describeFrame() {
  skein_function_map &H = Map.Header;
  bool FP = TFI.hasFP(MF);
  // Without variable-sized objects X86 reserves the memory for outgoing arguments once (no-x86-call-frame-opt), so the
  // stack pointer is the same at every call. In a realigned frame its distance is only known at run time.
  bool Constant = !MFI.hasVarSizedObjects() && !MFI.hasOpaqueSPAdjustment() &&
                  !MF.getSubtarget().getRegisterInfo()->hasStackRealignment(MF);
  H.frame_size = Constant ? MFI.getStackSize() + ReturnAddressSize : 0;
  if (FP)
    H.flags |= SKEIN_MAP_FP;
  if (FP && MF.getRegInfo().isReserved(MachineRegisters::of(MF).RBX))
    H.flags |= SKEIN_MAP_BP;
  H.alignment_log2 = Log2(MFI.getMaxAlign());
}

void Emitter::describeSavedRegisters() {
  const MachineRegisters &R = MachineRegisters::of(MF);
  const MCRegister Order[SKEIN_SAVED_COUNT] = {R.RBX, R.RBP, R.R12, R.R13, R.R14, R.R15};
  for (const CalleeSavedInfo &Saved : MFI.getCalleeSavedInfo())
    for (unsigned I = 0; I < SKEIN_SAVED_COUNT; ++I)
      if (Saved.getReg() == Order[I]) {
        const int64_t Slot = Saved.isSpilledToReg() ? -1 : -MFI.getObjectOffset(Saved.getFrameIdx()) / 8;
        if (isUInt<8>(Slot))
          Map.Header.saved[I] = uint8_t(Slot);
        else
          FramePin = SKEIN_PIN_FRAME;
      }
  if (Map.Header.flags & SKEIN_MAP_FP) // pushed by the prologue itself, right below the return address
    Map.Header.saved[SKEIN_SAVED_RBP] = 2;
}

void Emitter::describeSaveArea() {
  if (Objects.lostSaveArea())
    FramePin = SKEIN_PIN_LOST_LOCAL;
  if (!Objects.saveArea())
    return;
  FrameAddress At = frameAddressOf(MF, *Objects.saveArea());
  Map.Header.flags |= SKEIN_MAP_VARIADIC;
  [[maybe_unused]] const auto Entry = Map.addLocal(At.Offset, 6, 8, SKEIN_LOCAL_SAVE_AREA, At.From);
  assert(Entry == 0 && "the save area comes first");
}

bool Emitter::describableFrame() const {
  if (FramePin || !hasMappableConvention(MF.getFunction()))
    return false;
  // Not describable are callees that pop their arguments, stacks in pieces, and frames whose code is not in one piece.
  return !MF.getTarget().Options.GuaranteedTailCallOpt && !MF.shouldSplitStack() && !MF.hasEHFunclets() &&
         !MFI.hasCopyImplyingStackAdjustment() && isUInt<31>(MFI.getStackSize());
}

/// Why no thread may move during the call: what the call says, or that maps do not describe its frame.
unsigned Emitter::pinOf(const MachineInstr &Call, const SiteInfo &Site, bool Agrees) const {
  if (Site.Pin)
    return Site.Pin;
  if (!Agrees) {
    warn(MF.getFunction(), Call.getDebugLoc(), Warning::Pinned,
         "a thread cannot migrate during this call: the frame of '" + Map.Name +
             "' has a shape that frame maps do not describe, as inline assembly that changes rbx makes it beside a "
             "variable-length array and an over-aligned local");
    return SKEIN_PIN_FRAME;
  }
  if (FramePin)
    return FramePin;
  for (unsigned Index : Site.Locals)
    if (const FrameObjects::Local *L = Objects.local(Index); !L || L->Lost)
      return SKEIN_PIN_LOST_LOCAL;
  return 0;
}

bool Emitter::addLocals(unsigned Index, SmallVectorImpl<uint16_t> &Entries) {
  const FrameObjects::Local &L = *Objects.local(Index);
  if (!L.FrameIndex)
    return true;
  auto [Known, First] = Addresses.try_emplace(Index);
  if (First) {
    Known->second = frameAddressOf(MF, *L.FrameIndex);
    Names.add(L, Known->second);
  }
  const FrameAddress At = Known->second;
  for (const WordGroup &G : L.Groups) {
    std::optional<uint16_t> Entry = Map.addLocal(At.Offset + G.Offset, G.Count, G.Stride, G.Kind, At.From);
    if (!Entry)
      return false;
    Entries.push_back(*Entry);
  }
  return true;
}

/// The line in this function, not in one that was inlined into it: the map has one name and one file.
static unsigned lineOf(const MachineInstr &Call) {
  const DILocation *Where = Call.getDebugLoc();
  while (Where && Where->getInlinedAt())
    Where = Where->getInlinedAt();
  return Where ? Where->getLine() : 0;
}

void Emitter::addLock(const MachineInstr &Call, MCSymbol *Return) {
  FrameMapBuilder::Site S;
  S.Return = Return;
  S.Pin = SKEIN_PIN_LOCK;
  S.Line = lineOf(Call);
  Map.addSite(std::move(S));
}

/// How many words above the CFA are arguments that the code may read where the caller has put them.
static unsigned argumentWords(const MachineFrameInfo &MFI) {
  int64_t Bytes = 0;
  for (int Index = MFI.getObjectIndexBegin(); Index < 0; ++Index)
    if (!MFI.isDeadObjectIndex(Index))
      Bytes = std::max(Bytes, MFI.getObjectOffset(Index) + MFI.getObjectSize(Index));
  return unsigned(divideCeil(uint64_t(Bytes), 8));
}

void Emitter::addSite(const MachineInstr &Call, const SiteInfo &Site, bool Agrees, MCSymbol *Return) {
  FrameMapBuilder::Site S;
  S.Return = Return;
  S.Arguments = argumentWords(MFI);
  S.VaPointers = Site.VaPointers;
  S.Pin = pinOf(Call, Site, Agrees);
  S.Line = lineOf(Call);
  bool Fits = true;
  if (!S.Pin) {
    for (unsigned Index : Site.Locals)
      Fits &= addLocals(Index, S.Locals);
    for (int64_t Offset : Site.Outgoing) {
      std::optional<uint16_t> Entry = Map.addLocal(Offset, 1, 8, SKEIN_LOCAL_POINTER, SKEIN_BASE_SP);
      Fits &= Entry.has_value();
      if (Entry)
        S.Locals.push_back(*Entry);
    }
  }
  if (!Fits)
    S.Pin = SKEIN_PIN_TOO_LARGE;
  Map.addSite(std::move(S));
}

static bool hasLockCall(const MachineFunction &MF) {
  return any_of(MF, [](const MachineBasicBlock &Block) { return any_of(Block.instrs(), isLockCall); });
}

static bool emitFrameMap(MachineFunction &MF, SiteTable &Sites) {
  explainLine(MF, Sites);
  // A function in several sections has no common base for its return addresses. It gets no map, so its frames pin the
  // thread.
  if (!MF.getFunction().hasFnAttribute(HomedAttribute) || MF.hasBBSections() || (Sites.empty() && !hasLockCall(MF)))
    return false;
  Emitter(MF, Sites).run();
  return true;
}

SKEIN_MACHINE_PASS(frameMapEmissionID, emitFrameMap, "frame-map-emission", "Skein frame map emission", Preserves::All)

} // namespace skein
