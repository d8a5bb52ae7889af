//===- AddressRematerialisation.cpp - Addresses again, not across ---------===//
//
// LLVM keeps the address of a local or of a global, or something computed from one, in a callee-saved register across a
// call, where that saves instructions; after a move it is stale. So this pass computes such values again after the
// call. Its input is machine code in SSA form, after every pass that shares or hoists values (MachineCSE, MachineLICM,
// peephole, x86-optimize-leas; at -O0 after instruction selection).
//
// Invariant afterwards: no *chain* (MachineAddresses.h) is live across a call that may migrate. Each use beyond such a
// call gets a clone of the chain, placed before the first use of its call-free region, or in front of the outermost
// loop without such calls, so that hot loops do not pay:
//
//     %a = LEA %stack.0                        %a = LEA %stack.0
//     ... %a                                   ... %a
//     CALL @f         (site)         ==>       CALL @f
//     ... %a                                   %b = LEA %stack.0
//                                              ... %b
//
// A value that cannot be computed again but is one pointer (a phi of two chains; the hidden result pointer that is
// returned in rax, which no IR shows) gets a *machine home*: a stack slot that is stored after the definition, listed
// at each site that the value crosses, and loaded where a clone would be.
//
// Why later passes keep it: register allocation only shortens and splits live ranges or computes values again, and the
// passes that would share values anew are switched off (Pipeline.cpp). If one shares values after all, address-proof
// finds it and pins the site.
//
// Rejected: cloning only LEAs of frame indices (SelectionDAG shares whole expressions, e.g. a splat of an address);
// an opaque marker in IR for each address (alias analysis and addressing modes suffer).
//
//===----------------------------------------------------------------------===//
#include "ArgumentPlaces.h"
#include "MachineAddresses.h"
#include "MachineCode.h"
#include "MachinePass.h"
#include "SiteCrossings.h"
#include "passes/Annotations.h"
#include "passes/Passes.h"
#include "passes/ir/JumpLowering.h"
#include "passes/ir/SameMoves.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/CodeGen/MachineBlockFrequencyInfo.h"
#include "llvm/CodeGen/MachineBranchProbabilityInfo.h"
#include "llvm/CodeGen/MachineDominators.h"
#include "llvm/CodeGen/MachineFrameInfo.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/MachineLoopInfo.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/CodeGen/MachineSSAUpdater.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

namespace skein {
namespace {

/// A longer chain stays where it is, and address-proof pins its sites.
constexpr unsigned LongestChain = 100;

class Rematerialiser {
public:
  explicit Rematerialiser(MachineFunction &MF)
      : MF(MF), MRI(MF.getRegInfo()), TII(*MF.getSubtarget().getInstrInfo()), TRI(*MRI.getTargetRegisterInfo()),
        Crossings(MF) {}

  bool run();

private:
  /// A use that its definition reaches only across a site, and the place for its clone.
  struct Request {
    MachineOperand *Use;
    Position At;
    unsigned Region;
    size_t Number; // among all requests, for a stable order
  };
  /// Clones made in one call-free region, in the order of its instructions.
  using Clones = DenseMap<Register, Register>;
  /// Where the clones for one request go.
  struct Spot {
    MachineBasicBlock *Block;
    MachineBasicBlock::iterator Before;
    Position At;
    DebugLoc Where;
    Clones *Made;
  };

  void findChains();
  void findPointerArguments();
  void findRequests();
  void chooseRenewals();
  bool isFixed(Register V, unsigned &Length) const;
  void renewAfterCalls();
  void rewriteUses(Register V);
  void analyseLoops();
  Position hoisted(Position At);
  void placeClone(const Request &R, Clones &Region);
  bool chainIsCloneable(Register V, Position At, unsigned &Length, bool &ClobbersFlags);
  bool flagsLiveAt(const MachineBasicBlock &Block, MachineBasicBlock::const_iterator I) const;
  Register materialise(Register V, const Spot &S);
  bool isOnePointer(Register V);
  bool isOnePointerIf(Register V, SmallVectorImpl<Register> &Others) const;
  bool canHaveHome(Register V);
  Register loadHome(Register V, const Spot &S);
  void coverJumps();
  void listHomes();
  void eraseDead();

  MachineFunction &MF;
  MachineRegisterInfo &MRI;
  const TargetInstrInfo &TII;
  const TargetRegisterInfo &TRI;
  SiteCrossings Crossings;
  SetVector<Register> Chains;
  DenseSet<Register> PointerArguments;
  std::optional<MachineDominatorTree> Dominators;
  std::optional<MachineLoopInfo> Loops;
  std::vector<Request> Requests;
  MapVector<Register, SetVector<MachineInstr *>> AtCalls;
  // In the order of the block.
  MapVector<Register, MapVector<MachineBasicBlock *, SmallVector<MachineInstr *, 2>>> Renewed;
  std::vector<std::pair<MachineOperand *, Register>> Rewrites;
  SetVector<Register> Replaced;
  struct Home {
    int FrameIndex = 0;
    SiteCrossings::Blocks Passed; ///< on the way to its uses
  };
  DenseMap<Register, Home> Homes;
  DenseMap<Register, bool> OnePointers; ///< as far as it has been asked
  MapVector<MachineInstr *, SetVector<int>> HomesAtSite;
};

} // namespace

bool Rematerialiser::run() {
  if (Crossings.none())
    return false;
  findChains();
  findPointerArguments();
  findRequests();
  if (Requests.empty())
    return false;
  chooseRenewals();
  sort(Requests, [](const Request &A, const Request &B) {
    return std::tuple(A.At.Block->getNumber(), A.Region, A.At.Order, A.Number) <
           std::tuple(B.At.Block->getNumber(), B.Region, B.At.Order, B.Number);
  });
  Clones Region;
  const Request *Before = nullptr;
  for (const Request &R : Requests) {
    if (Before && (Before->At.Block != R.At.Block || Before->Region != R.Region))
      Region.clear();
    placeClone(R, Region);
    Before = &R;
  }
  renewAfterCalls();
  for (auto [Use, Clone] : Rewrites) {
    Use->setReg(Clone);
    Use->setIsKill(false);
  }
  for (auto &[V, Calls] : AtCalls)
    rewriteUses(V);
  listHomes();
  eraseDead();
  return !Rewrites.empty() || !AtCalls.empty();
}

/// Finds everything that is computed from addresses without memory, calls or inline assembly in between.
void Rematerialiser::findChains() {
  SmallVector<Register, 32> Work;
  auto Add = [&](const MachineInstr &MI) {
    for (const MachineOperand &Defined : MI.all_defs())
      if (Defined.getReg().isVirtual() && Chains.insert(Defined.getReg()))
        Work.push_back(Defined.getReg());
  };
  for (MachineBasicBlock &Block : MF)
    for (MachineInstr &MI : Block)
      if (isAddressSource(MI))
        Add(MI);
  while (!Work.empty())
    for (const MachineInstr &User : MRI.use_nodbg_instructions(Work.pop_back_val())) {
      bool MayBeAddress = true;
      bool ReadsMemory = User.mayLoad() && !(loadsConstant(User, MayBeAddress) && MayBeAddress);
      if (!ReadsMemory && !User.isCall() && !User.isInlineAsm())
        Add(User);
    }
}

/// Pointer homing has given every pointer argument a home. But it cannot see that instruction selection also keeps the
/// hidden result pointer for the return.
void Rematerialiser::findPointerArguments() {
  SmallVector<MCRegister, 8> Registers = pointerArgumentRegisters(MF);
  SmallVector<Register, 8> Work;
  auto Add = [&](const MachineInstr &Copy) {
    Register Defined = Copy.getOperand(0).getReg();
    if (Defined.isVirtual() && !Copy.getOperand(0).getSubReg() && PointerArguments.insert(Defined).second)
      Work.push_back(Defined);
  };
  for (const MachineInstr &MI : MF.front())
    if (MI.isCopy() && MI.getOperand(1).getReg().isPhysical() &&
        is_contained(Registers, MI.getOperand(1).getReg().asMCReg()))
      Add(MI);
    else if (MI.isCall())
      break;
  while (!Work.empty())
    for (const MachineInstr &User : MRI.use_nodbg_instructions(Work.pop_back_val()))
      if (User.isFullCopy())
        Add(User);
}

void Rematerialiser::findRequests() {
  SmallVector<Register, 32> Values(Chains.begin(), Chains.end());
  Values.append(PointerArguments.begin(), PointerArguments.end());
  sort(Values);
  for (Register V : Values) {
    const MachineInstr &Definition = *MRI.getVRegDef(V);
    for (MachineOperand &Use : MRI.use_nodbg_operands(V)) {
      Position At = Crossings.useOf(Use);
      if (!Crossings.crosses(Definition, At))
        continue;
      // A value that leaves a block by unwinding has no place after the call.
      if (Use.getParent()->isPHI() && Use.getParent()->getParent()->isEHPad())
        continue;
      At = hoisted(At);
      Requests.push_back({&Use, At, Crossings.regionOf(At), Requests.size()});
    }
  }
}

void Rematerialiser::analyseLoops() {
  if (Loops)
    return;
  Dominators.emplace(MF);
  Loops.emplace(*Dominators);
}

/// Decides which values are computed again right after the calls that they cross: those for which the calls run less
/// often than the places that would compute them again.
void Rematerialiser::chooseRenewals() {
  if (MF.getTarget().getOptLevel() == CodeGenOptLevel::None)
    return;
  analyseLoops();
  MachineBranchProbabilityInfo Probabilities;
  MachineBlockFrequencyInfo Frequencies(MF, Probabilities, *Loops);
  auto Frequency = [&](const MachineBasicBlock &B) { return Frequencies.getBlockFreq(&B).getFrequency(); };
  struct Account {
    SetVector<MachineInstr *> Calls;
    SmallPtrSet<const MachineBasicBlock *, 8> Spots;
    SiteCrossings::Blocks Passed;
    uint64_t AtCalls = 0, AtUses = 0;
    bool Possible = true;
  };
  MapVector<Register, Account> Accounts;
  for (const Request &R : Requests) {
    Register V = R.Use->getReg();
    Account &A = Accounts[V];
    unsigned Length = 0;
    if (!A.Possible || !isFixed(V, Length)) {
      A.Possible = false;
      continue;
    }
    if (A.Spots.insert(R.At.Block).second)
      A.AtUses = SaturatingAdd(A.AtUses, Frequency(*R.At.Block));
    Crossings.forEachCrossed(*MRI.getVRegDef(V), R.At, A.Passed, [&](MachineInstr &Call) {
      if (!A.Calls.insert(&Call))
        return;
      A.AtCalls = SaturatingAdd(A.AtCalls, Frequency(*Call.getParent()));
      A.Possible &= !Call.getParent()->hasEHPadSuccessor();
    });
  }
  for (auto &[V, A] : Accounts)
    if (A.Possible && A.AtCalls < A.AtUses)
      AtCalls[V] = std::move(A.Calls);
  erase_if(Requests, [&](const Request &R) { return AtCalls.contains(R.Use->getReg()); });
}

/// Whether `V` is computed from fixed addresses alone, so that computing it occupies no other register.
bool Rematerialiser::isFixed(Register V, unsigned &Length) const {
  const MachineInstr &Definition = *MRI.getVRegDef(V);
  if (++Length > LongestChain || !Chains.contains(V) || !isPure(Definition))
    return false;
  for (const MachineOperand &Operand : Definition.all_uses())
    if (Operand.getReg().isVirtual() && !isFixed(Operand.getReg(), Length))
      return false;
  return true;
}

/// Computes these values again right after the calls that they cross. Their uses are rewritten when all clones are
/// made.
void Rematerialiser::renewAfterCalls() {
  MapVector<MachineInstr *, SmallVector<Register, 4>> ByCall;
  for (auto &[V, Calls] : AtCalls)
    for (MachineInstr *Call : Calls)
      ByCall[Call].push_back(V);
  for (auto &[Call, Values] : ByCall) {
    Clones Made;
    Position After = Crossings.positionOf(*Call);
    ++After.Order;
    Spot S{Call->getParent(), std::next(Call->getIterator()), After, Call->getDebugLoc(), &Made};
    for (Register V : Values)
      Renewed[V][S.Block].push_back(MRI.getVRegDef(materialise(V, S)));
  }
}

/// Gives each use of `V` the definition that reaches it: the first one, or one after a call; phis where they meet.
void Rematerialiser::rewriteUses(Register V) {
  auto &ByBlock = Renewed[V];
  ByBlock[MRI.getVRegDef(V)->getParent()].push_back(MRI.getVRegDef(V));
  SmallPtrSet<const MachineInstr *, 8> Definitions;
  MachineSSAUpdater Updater(MF);
  Updater.Initialize(V);
  auto Defined = [](const MachineInstr &MI) { return MI.getOperand(0).getReg(); };
  // In those blocks: the definition that reaches each use.
  DenseMap<const MachineInstr *, const MachineInstr *> ReachingIn;
  for (auto &[Block, All] : ByBlock) {
    Definitions.insert(All.begin(), All.end());
    const MachineInstr *Reaching = nullptr;
    for (const MachineInstr &MI : *Block) {
      if (Reaching && any_of(MI.all_uses(), [&](const MachineOperand &Use) { return Use.getReg() == V; }))
        ReachingIn[&MI] = Reaching;
      if (Definitions.contains(&MI))
        Reaching = &MI;
    }
    Updater.AddAvailableValue(Block, Defined(*Reaching));
  }
  SmallVector<MachineOperand *, 16> Uses;
  for (MachineOperand &Use : MRI.use_nodbg_operands(V))
    Uses.push_back(&Use);
  MRI.markUsesInDebugValueAsUndef(V);
  MRI.clearKillFlags(V);
  for (MachineOperand *Use : Uses) {
    MachineInstr &User = *Use->getParent();
    const MachineInstr *Reaching = User.isPHI() ? nullptr : ReachingIn.lookup(&User);
    if (Reaching)
      Use->setReg(Defined(*Reaching));
    else
      Updater.RewriteUse(*Use);
  }
}

/// The end of the block in front of the outermost loop that contains the position and no site.
Position Rematerialiser::hoisted(Position At) {
  if (Crossings.hasSites(*At.Block) || MF.getTarget().getOptLevel() == CodeGenOptLevel::None)
    return At;
  analyseLoops();
  MachineLoop *Outermost = nullptr;
  for (MachineLoop *L = Loops->getLoopFor(At.Block); L; L = L->getParentLoop()) {
    if (any_of(L->blocks(), [&](MachineBasicBlock *B) { return Crossings.hasSites(*B); }))
      break;
    Outermost = L;
  }
  if (!Outermost || Outermost->getHeader()->isEHPad())
    return At;
  MachineBasicBlock *Before = Outermost->getLoopPredecessor();
  return Before ? Position{Before, EndOfBlock} : At;
}

void Rematerialiser::placeClone(const Request &R, Clones &Region) {
  Register V = R.Use->getReg();
  unsigned Length = 0;
  bool ClobbersFlags = false;
  if (!chainIsCloneable(V, R.At, Length, ClobbersFlags))
    return;
  MachineBasicBlock &Block = *R.At.Block;
  MachineBasicBlock::iterator Before = R.Use->getParent();
  if (R.At.Order == EndOfBlock || Before->isTerminator())
    Before = Block.getFirstTerminator();
  Spot S{&Block, Before, R.At, R.Use->getParent()->getDebugLoc(), &Region};

  Clones Earlier;
  if (ClobbersFlags && !Region.contains(V) && flagsLiveAt(Block, Before)) {
    // The clone goes above the comparison. Clones made earlier in the region may lie below it, so they are not used.
    while (S.Before != Block.begin() && flagsLiveAt(Block, S.Before)) {
      auto Previous = std::prev(S.Before);
      if (mayMigrate(*Previous) || Previous->isPHI() || Previous->isPosition())
        return;
      S.Before = Previous;
    }
    if (flagsLiveAt(Block, S.Before))
      return;
    S.Made = &Earlier;
  }
  Register Clone = materialise(V, S);
  Region.insert(Earlier.begin(), Earlier.end());
  Rewrites.push_back({R.Use, Clone}); // not replaced now, since other chains may be cloned from the instruction
  Replaced.insert(V);
}

/// Whether the value can be computed at `At`, and what that takes.
bool Rematerialiser::chainIsCloneable(Register V, Position At, unsigned &Length, bool &ClobbersFlags) {
  const MachineInstr &Definition = *MRI.getVRegDef(V);
  if (!Crossings.crosses(Definition, At))
    return true;
  if (++Length > LongestChain)
    return false;
  if (!Chains.contains(V) || !isPure(Definition))
    return canHaveHome(V);
  ClobbersFlags |= clobbersFlags(Definition);
  bool Whole = true;
  for (const MachineOperand &Operand : Definition.all_uses())
    if (Operand.getReg().isVirtual() &&
        (Chains.contains(Operand.getReg()) || PointerArguments.contains(Operand.getReg())))
      Whole = Whole && chainIsCloneable(Operand.getReg(), At, Length, ClobbersFlags);
  return Whole || canHaveHome(V);
}

bool Rematerialiser::flagsLiveAt(const MachineBasicBlock &Block, MachineBasicBlock::const_iterator I) const {
  MCRegister Flags = MachineRegisters::of(MF).EFLAGS;
  for (; I != Block.end(); ++I) {
    if (I->readsRegister(Flags, &TRI))
      return true;
    if (I->modifiesRegister(Flags, &TRI))
      return false;
  }
  return any_of(Block.successors(), [&](const MachineBasicBlock *Next) { return Next->isLiveIn(Flags); });
}

Register Rematerialiser::materialise(Register V, const Spot &S) {
  MachineInstr &Definition = *MRI.getVRegDef(V);
  if (!Crossings.crosses(Definition, S.At)) {
    MRI.clearKillFlags(V);
    return V;
  }
  if (Register Made = S.Made->lookup(V))
    return Made;
  unsigned Length = 0;
  bool ClobbersFlags = false, Pure = Chains.contains(V) && isPure(Definition);
  if (Pure)
    for (const MachineOperand &Operand : Definition.all_uses())
      if (Operand.getReg().isVirtual() &&
          (Chains.contains(Operand.getReg()) || PointerArguments.contains(Operand.getReg())))
        Pure = Pure && chainIsCloneable(Operand.getReg(), S.At, Length, ClobbersFlags);
  Register Result;
  if (!Pure) {
    Result = loadHome(V, S);
  } else {
    MachineInstr *Clone = MF.CloneMachineInstr(&Definition);
    for (MachineOperand &Operand : Clone->all_uses())
      if (Operand.getReg().isVirtual()) {
        Register Source = Operand.getReg();
        if (Chains.contains(Source) || PointerArguments.contains(Source))
          Operand.setReg(materialise(Source, S));
        else
          MRI.clearKillFlags(Source);
        Operand.setIsKill(false);
      }
    Result = MRI.cloneVirtualRegister(V);
    for (MachineOperand &Defined : Clone->all_defs())
      if (Defined.getReg() == V)
        Defined.setReg(Result);
    Clone->setDebugLoc(S.Where);
    S.Block->insert(S.Before, Clone);
    Replaced.insert(V);
  }
  (*S.Made)[V] = Result;
  return Result;
}

/// Whether `V` is one pointer. If it is, so is everything from which it was made.
bool Rematerialiser::isOnePointer(Register V) {
  if (auto Known = OnePointers.find(V); Known != OnePointers.end())
    return Known->second;
  SmallSetVector<Register, 16> Made;
  Made.insert(V);
  for (size_t N = 0; N < Made.size(); ++N) {
    SmallVector<Register, 4> Others;
    auto Known = OnePointers.find(Made[N]);
    if (Known == OnePointers.end() ? !isOnePointerIf(Made[N], Others) : !Known->second)
      return OnePointers[V] = false;
    Made.insert_range(Others);
  }
  for (Register R : Made)
    OnePointers[R] = true;
  return true;
}

/// Whether `V` is one pointer if these others are.
bool Rematerialiser::isOnePointerIf(Register V, SmallVectorImpl<Register> &Others) const {
  if (PointerArguments.contains(V))
    return true;
  if (!Chains.contains(V))
    return false;
  const MachineInstr &MI = *MRI.getVRegDef(V);
  if (isAddressSource(MI))
    return !loadsThreadPointer(MI);
  StringRef Name = TII.getName(MI.getOpcode());
  if (MI.isFullCopy()) {
    Others.push_back(MI.getOperand(1).getReg());
    return true;
  }
  if (MI.isPHI() || Name == "CMOV64rr") {
    for (const MachineOperand &Operand : MI.explicit_uses())
      if (Operand.isReg())
        Others.push_back(Operand.getReg());
    return true;
  }
  // Exactly one pointer, to which something is added.
  if (Name != "LEA64r" && Name != "ADD64rr" && Name != "ADD64ri32" && Name != "SUB64ri32")
    return false;
  const MachineOperand *Pointer = nullptr;
  for (const MachineOperand &Operand : MI.explicit_uses())
    if (Operand.isReg() && Operand.getReg().isVirtual() && Chains.contains(Operand.getReg())) {
      if (Pointer || Operand.getSubReg())
        return false;
      Pointer = &Operand;
    }
  if (!Pointer)
    return false;
  Others.push_back(Pointer->getReg());
  MemoryReference M;
  return Name != "LEA64r" || !getMemoryReference(MI, M) || M.Index != Pointer || M.Scale->getImm() == 1;
}

bool Rematerialiser::canHaveHome(Register V) {
  return TRI.getRegSizeInBits(*MRI.getRegClass(V)) == 64 && TRI.isTypeLegalForClass(*MRI.getRegClass(V), MVT::i64) &&
         isOnePointer(V);
}

Register Rematerialiser::loadHome(Register V, const Spot &S) {
  MachineInstr &Definition = *MRI.getVRegDef(V);
  auto [Found, New] = Homes.try_emplace(V);
  auto &[FrameIndex, Passed] = Found->second;
  if (New) {
    FrameIndex = MF.getFrameInfo().CreateStackObject(8, Align(8), /*isSpillSlot=*/false);
    MachineBasicBlock &Block = *Definition.getParent();
    auto After = Definition.isPHI() ? Block.SkipPHIsLabelsAndDebug(Block.begin()) : std::next(Definition.getIterator());
    MRI.clearKillFlags(V);
    TII.storeRegToStackSlot(Block, After, V, /*isKill=*/false, FrameIndex, MRI.getRegClass(V), Register());
  }
  Crossings.forEachCrossed(Definition, S.At, Passed,
                           [&](MachineInstr &Call) { HomesAtSite[&Call].insert(FrameIndex); });
  Register Result = MRI.cloneVirtualRegister(V);
  TII.loadRegFromStackSlot(*S.Block, S.Before, Result, FrameIndex, MRI.getRegClass(V), Register());
  return Result;
}

static bool isJumpTarget(const MachineInstr &Call) {
  return any_of(Call.operands(), [](const MachineOperand &Operand) {
    return Operand.isGlobal() && isJumpTarget(Operand.getGlobal()->getName());
  });
}

/// Control may come back to setjmp from any call. So a home that is listed there is listed at all sites, and null at
/// first.
void Rematerialiser::coverJumps() {
  SetVector<int> AtJumps;
  for (auto &[Call, FrameIndices] : HomesAtSite)
    if (isJumpTarget(*Call))
      AtJumps.insert(FrameIndices.begin(), FrameIndices.end());
  if (AtJumps.empty())
    return;
  for (MachineBasicBlock &Block : MF)
    for (MachineInstr &MI : Block)
      if (mayMigrate(MI))
        HomesAtSite[&MI].insert(AtJumps.begin(), AtJumps.end());
  MachineBasicBlock &Entry = MF.front();
  for (int FI : AtJumps)
    BuildMI(Entry, Entry.begin(), DebugLoc(), opcode(MF, "MOV64mi32"))
        .addFrameIndex(FI)
        .addImm(1) // scale
        .addReg(0) // index
        .addImm(0) // displacement
        .addReg(0) // segment
        .addImm(0);
}

void Rematerialiser::listHomes() {
  coverJumps();
  for (auto &[Call, FrameIndices] : HomesAtSite) {
    SmallVector<unsigned, 4> Indices;
    for (int FI : FrameIndices)
      Indices.push_back(MachineHomeBase + unsigned(FI));
    addLocalsToSite(MF, *Call, Indices);
  }
}

/// Removes definitions all of whose uses were replaced by clones.
void Rematerialiser::eraseDead() {
  while (!Replaced.empty()) {
    Register V = Replaced.pop_back_val();
    MachineInstr *Definition = MRI.getVRegDef(V);
    if (!Definition || !MRI.use_nodbg_empty(V) || !isPure(*Definition))
      continue;
    for (const MachineOperand &Operand : Definition->all_uses())
      if (Operand.getReg().isVirtual())
        Replaced.insert(Operand.getReg());
    MRI.markUsesInDebugValueAsUndef(V);
    Definition->eraseFromParent();
  }
}

static bool rematerialise(MachineFunction &MF) {
  if (!MF.getFunction().hasFnAttribute(HomedAttribute) || movesToSame(MF.getFunction()) || !MF.getRegInfo().isSSA())
    return false;
  return Rematerialiser(MF).run();
}

SKEIN_MACHINE_PASS(addressRematerialisationID, rematerialise, "address-rematerialisation",
                   "Skein address rematerialisation", Preserves::CFG)

} // namespace skein
