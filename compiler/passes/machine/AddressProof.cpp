//===- AddressProof.cpp - Prove that no address crosses -------------------===//
//
// Proves, on machine code in its final form (physical registers and stack slots), that no address is used after a call
// that may move the stack, except from where the map describes it. It relies on none of the passes before it.
//
// Forward, the proof follows *taint*: which registers and scratch slots (FrameObjects.h) may hold an address, or
// anything computed from one. Backward, it follows which of them are still read. A site at which both hold for one
// register or slot is *unproved*: it is pinned (SKEIN_PIN_UNPROVED), and the user is warned. So the frame map never
// claims that a thread may move where a stale address would be used.
//
// Taint starts at
//   * the stack pointer, frame pointer or base pointer used as a value (not to address memory), outside prologue and
//     epilogue,
//   * symbols, except as the address of a memory access; entries of the global offset table; the thread pointer %fs:0,
//   * loads from home slots and mapped locals of words that are mapped,
//   * loads that the IR does as loads of pointers, and of constants that hold addresses,
//   * pointer arguments in registers; pointer results of calls, by the callee's type, or by the site if it is indirect,
// and goes through every instruction from its inputs to its outputs, except
//   * the flags (they do not survive a call anyway, and what is computed from them is a truth value, not an address),
//   * the difference of two addresses, in either order: it is invariant, like everything that pointer homing calls a
//     complete difference. So the proof knows which cells hold exactly one address and a number, or a number less one
//     address, in all 64 bits or in the low 32; for any other form it assumes the worst,
//   * memory, other than scratch slots,
//   * empty inline assembly, by which pointer homing marks a value as invariant under moves.
//
// A word that is not tainted is not thereby known to be a number. The default is that of the analysis in IR
// (AddressIntegers.cpp): a full word is an address unless something shows that it is a number. A word that is loaded
// without such evidence may cross a call only if there is a copy of it that the map shows to the runtime
// (UnknownWords.h). The two analyses share no code, and this one takes its evidence from what machine code still has of
// it.
//
// Not covered, because only IR knows them, are locals that pointer homing did not map although they hold pointers,
// words of incoming arguments on the stack, full words that a call returns, and results of indirect calls that never
// migrate. For these the claims of pointer homing are believed; relocation stress tests them.
//
// Callee-saved registers that the function has not written hold the caller's values and are clean.
//
//===----------------------------------------------------------------------===//
#include "MachinePass.h"
#include "TaintRules.h"
#include "UnknownWords.h"
#include "abi/frame_map.h"
#include "passes/Diagnostics.h"
#include "passes/Passes.h"
#include "passes/PostOrder.h"
#include "passes/ir/SameMoves.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace llvm;

namespace skein {
namespace {

/// What each cell may hold. An *address* is one address plus a number; a *negated* one is a number less one address, as
/// in the middle of `n - p + q`. *Tainted* cells that are neither may hold anything computed from addresses. A
/// difference of two addresses is a number. With *half*, this is said of the low 32 bits only, in which sums are right
/// too; the other bits may hold anything. An address that is not tainted needs no following: it does not change (it is
/// that of a private variable), or it is only a half. But what remains when it is subtracted from an address is a
/// number.
///
///     unreached < address or negated address, of 64 bits < of 32 < clean, or tainted and anything
struct State {
  BitVector Tainted, Address, Negated, Half;

  /// Adds another path to here. Returns whether this changed anything.
  bool join(const State &Other) {
    if (Other.Tainted.subsetOf(Tainted) && Address.subsetOf(Other.Address) && Negated.subsetOf(Other.Negated) &&
        Other.Half.subsetOf(Half))
      return false;
    Tainted |= Other.Tainted;
    Address &= Other.Address;
    Negated &= Other.Negated;
    Half |= Other.Half;
    return true;
  }
  /// `Count` is how many addresses the sum in the cell contains, if that is known.
  void set(unsigned Cell, bool IsTainted, std::optional<int> Count = std::nullopt, bool IsHalf = false) {
    Tainted[Cell] = IsTainted;
    Address[Cell] = Count == 1;
    Negated[Cell] = Count == -1;
    Half[Cell] = IsHalf && Count;
  }
};

class Proof {
public:
  Proof(MachineFunction &MF, SiteTable &Sites);

  void run();

private:
  const Effects *effectsOf(const MachineInstr &MI) const {
    auto At = Known.find(&MI);
    return At == Known.end() ? nullptr : &All[At->second];
  }
  /// The effects of the instructions of a block, in order.
  ArrayRef<Effects> effectsIn(const MachineBasicBlock &Block) const {
    const auto [First, End] = Ranges[Block.getNumber()];
    return ArrayRef(All).slice(First, End - First);
  }
  State &taintIn(const MachineBasicBlock &Block) { return TaintIn[Block.getNumber()]; }
  BitVector &liveIn(const MachineBasicBlock &Block) { return LiveIn[Block.getNumber()]; }
  void followTaint();
  void followLiveness();
  void judge(MachineBasicBlock &Block, UnknownWords &Words);
  void pin(MachineInstr &Call, const Twine &Why);
  void stepForward(const Effects &E, State &S);
  void stepBackward(const Effects &E, BitVector &Live);

  MachineFunction &MF;
  SiteTable &Sites;
  TaintRules Rules;
  SmallVector<Effects, 0> All; // computed once for each instruction, since blocks are walked several times
  DenseMap<const MachineInstr *, unsigned> Known;
  // By the number of the block:
  SmallVector<std::pair<unsigned, unsigned>, 0> Ranges; // in All
  SmallVector<State, 0> TaintIn;
  SmallVector<BitVector, 0> LiveIn;
};

} // namespace

Proof::Proof(MachineFunction &MF, SiteTable &Sites) : MF(MF), Sites(Sites), Rules(MF, Sites) {
  Ranges.resize(MF.getNumBlockIDs());
  All.reserve(MF.getInstructionCount());
  Known.reserve(MF.getInstructionCount());
  for (const MachineBasicBlock &Block : MF) {
    const unsigned First = All.size();
    for (const MachineInstr &MI : Block.instrs())
      if (Rules.effectsOf(MI, All.emplace_back()))
        Known[&MI] = All.size() - 1;
      else
        All.pop_back();
    Ranges[Block.getNumber()] = {First, All.size()};
  }
}

void Proof::run() {
  const BitVector None(Rules.cellCount()), All(Rules.cellCount(), true);
  TaintIn.resize(MF.getNumBlockIDs(), {None, All, All, None});
  LiveIn.resize(MF.getNumBlockIDs(), None);
  followTaint();
  followLiveness();
  UnknownWords Words(MF, [&](const MachineInstr &MI) { return effectsOf(MI); }, LiveIn);
  for (MachineBasicBlock &Block : MF)
    judge(Block, Words);
}

/// How many addresses a sum contains; none if that is not known.
static std::optional<int> addressesIn(const Effects &E, const State &S) {
  int Count = E.Source || E.Unfollowed ? (E.SourceMinus ? -1 : 1) : 0;
  for (const Term &T : E.Terms) {
    auto All = [&](const BitVector &Set) { return all_of(T.Cells, [&](unsigned Cell) { return Set.test(Cell); }); };
    auto Any = [&](const BitVector &Set) { return any_of(T.Cells, [&](unsigned Cell) { return Set.test(Cell); }); };
    bool Address = All(S.Address), Known = !T.Cells.empty() && (Address || All(S.Negated)) && (E.Half || !Any(S.Half));
    if (Known)
      Count += Address == T.Minus ? -1 : 1;
    else if (Any(S.Tainted))
      return std::nullopt;
  }
  return Count;
}

void Proof::stepForward(const Effects &E, State &S) {
  bool Tainted = E.Source || any_of(E.Inputs, [&](unsigned Cell) { return S.Tainted.test(Cell); });
  std::optional<int> Count;
  if (E.Linear) {
    Count = addressesIn(E, S);
    Tainted &= Count != 0;
  }
  if (E.Clobbered) {
    Rules.clobber(S.Tainted, E.Clobbered);
    Rules.clobber(S.Address, E.Clobbered);
    Rules.clobber(S.Negated, E.Clobbered);
    Rules.clobber(S.Half, E.Clobbered);
  }
  for (unsigned Cell : E.Outputs)
    S.set(Cell, Tainted, Count, E.Half);
  for (unsigned Cell : E.Partial)
    S.set(Cell, Tainted || S.Tainted.test(Cell));
  for (unsigned Cell : E.Tainted)
    S.set(Cell, true);
  for (unsigned Cell : E.Addresses)
    S.set(Cell, true, 1);
}

void Proof::stepBackward(const Effects &E, BitVector &Live) {
  if (E.Clobbered)
    Rules.clobber(Live, E.Clobbered);
  for (unsigned Cell : E.Outputs)
    Live.reset(Cell);
  for (unsigned Cell : E.Tainted)
    Live.reset(Cell);
  for (unsigned Cell : E.Reads)
    Live.set(Cell);
}

void Proof::followTaint() {
  BitVector None(Rules.cellCount());
  taintIn(MF.front()) = {Rules.initialTaint(), Rules.initialAddresses(), None, None};
  ReversePostOrderTraversal<MachineFunction *> Order(&MF);
  SmallPtrSet<const MachineBasicBlock *, 32> Stale(Order.begin(), Order.end());
  State S;
  while (!Stale.empty())
    for (MachineBasicBlock *Block : Order) {
      if (!Stale.erase(Block))
        continue;
      S = taintIn(*Block);
      for (const Effects &E : effectsIn(*Block))
        stepForward(E, S);
      for (MachineBasicBlock *Next : Block->successors())
        if (taintIn(*Next).join(S))
          Stale.insert(Next);
    }
}

void Proof::followLiveness() {
  // A block keeps some cells live and adds others, whatever is live at its end.
  struct Transfer {
    BitVector Kept, Added;
  };
  SmallVector<Transfer, 0> Transfers(MF.getNumBlockIDs());
  for (const MachineBasicBlock &Block : MF) {
    Transfer &T = Transfers[Block.getNumber()];
    T.Kept.resize(Rules.cellCount(), true);
    T.Added.resize(Rules.cellCount());
    for (const Effects &E : reverse(effectsIn(Block))) {
      stepBackward(E, T.Kept);
      stepBackward(E, T.Added);
    }
  }
  const auto Order = inPostOrder(MF.front());
  BitVector Live;
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (const MachineBasicBlock *Block : Order) {
      Live.reset();
      Live.resize(Rules.cellCount());
      for (const MachineBasicBlock *Next : Block->successors())
        Live |= liveIn(*Next);
      const Transfer &T = Transfers[Block->getNumber()];
      Live &= T.Kept;
      Live |= T.Added;
      if (Live != liveIn(*Block)) {
        liveIn(*Block) = Live;
        Changed = true;
      }
    }
  }
}

void Proof::pin(MachineInstr &Call, const Twine &Why) {
  Sites.pin(Call, SKEIN_PIN_UNPROVED);
  warn(MF.getFunction(), Call.getDebugLoc(), Warning::Unproved, "a thread cannot migrate during this call: " + Why);
}

void Proof::judge(MachineBasicBlock &Block, UnknownWords &Words) {
  if (none_of(Block.instrs(), [&](const MachineInstr &MI) { return Sites.contains(MI); }))
    return;
  BitVector Live(Rules.cellCount());
  for (MachineBasicBlock *Next : Block.successors())
    Live |= liveIn(*Next);
  DenseMap<const MachineInstr *, BitVector> Crossing;
  for (const MachineInstr &MI : reverse(Block.instrs())) {
    const Effects *E = effectsOf(MI);
    if (Sites.contains(MI)) {
      BitVector &Cells = Crossing[&MI] = Live;
      Cells |= Rules.escapedSlots();
      if (E) {
        for (unsigned Cell : concat<const unsigned>(E->Outputs, E->Tainted))
          Cells.reset(Cell);
        if (E->Clobbered)
          Rules.clobber(Cells, E->Clobbered);
      }
    }
    if (E)
      stepBackward(*E, Live);
  }

  State S = taintIn(Block);
  Words.enter(Block);
  for (MachineInstr &MI : Block.instrs()) {
    if (const SiteInfo *Site = Sites.find(MI)) {
      BitVector &Cells = Crossing[&MI];
      auto IsListed = [&](int FrameIndex) { return Rules.isListed(FrameIndex, *Site); };
      std::optional<unsigned> Unshown = Words.unshown(Cells, IsListed);
      Cells &= S.Tainted;
      if (Cells.any() && !Site->Pin)
        pin(MI, Rules.nameOf(Cells.find_first()) + " may hold an address across it");
      else if (Unshown && !Site->Pin)
        pin(MI, Rules.nameOf(*Unshown) +
                    " holds a word across it of which nothing says that it is a number, and no map shows it");
    }
    const Effects *E = effectsOf(MI);
    Words.step(MI, E);
    if (E)
      stepForward(*E, S);
  }
}

static bool proveAddresses(MachineFunction &MF, SiteTable &Sites) {
  if (Sites.empty() || movesToSame(MF.getFunction()))
    return false;
  Proof(MF, Sites).run();
  return true;
}

SKEIN_MACHINE_PASS(addressProofID, proveAddresses, "address-proof", "Skein address proof", Preserves::All)

} // namespace skein
