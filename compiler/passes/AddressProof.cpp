//===- AddressProof.cpp - Pass 4: prove that no address crosses ------------===//
#include "AddressProof.h"
#include "Annotations.h"
#include "Diagnostics.h"
#include "TaintRules.h"
#include "abi/frame_map.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/IR/Function.h"

using namespace llvm;

namespace skein {
namespace {

class AddressProof : public MachineFunctionPass {
public:
  static char ID;
  AddressProof() : MachineFunctionPass(ID) {}
  StringRef getPassName() const override { return "Skein address proof"; }
  void getAnalysisUsage(AnalysisUsage &AU) const override {
    AU.setPreservesAll();
    MachineFunctionPass::getAnalysisUsage(AU);
  }
  bool runOnMachineFunction(MachineFunction &MF) override;
};

class Proof {
public:
  explicit Proof(MachineFunction &MF) : MF(MF), Rules(MF) {}

  void run();

private:
  void followTaint();
  void followLiveness();
  void judge(MachineBasicBlock &Block);
  void stepForward(const MachineInstr &MI, BitVector &Taint);
  void stepBackward(const MachineInstr &MI, BitVector &Live);

  MachineFunction &MF;
  TaintRules Rules;
  DenseMap<const MachineBasicBlock *, BitVector> TaintIn, LiveIn;
};

} // namespace

void Proof::run() {
  for (const MachineBasicBlock &Block : MF) {
    TaintIn[&Block].resize(Rules.cellCount());
    LiveIn[&Block].resize(Rules.cellCount());
  }
  followTaint();
  followLiveness();
  for (MachineBasicBlock &Block : MF)
    judge(Block);
}

void Proof::stepForward(const MachineInstr &MI, BitVector &Taint) {
  Effects E;
  if (!Rules.effectsOf(MI, E))
    return;
  bool Tainted = E.Source || any_of(E.Inputs, [&](unsigned Cell) { return Taint.test(Cell); });
  if (E.Clobbered)
    Rules.clobber(Taint, E.Clobbered);
  for (unsigned Cell : E.Outputs)
    Taint[Cell] = Tainted;
  for (unsigned Cell : E.Partial)
    if (Tainted)
      Taint.set(Cell);
  for (unsigned Cell : E.Tainted)
    Taint.set(Cell);
}

void Proof::stepBackward(const MachineInstr &MI, BitVector &Live) {
  Effects E;
  if (!Rules.effectsOf(MI, E))
    return;
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
  TaintIn[&MF.front()] = Rules.initialTaint();
  ReversePostOrderTraversal<MachineFunction *> Order(&MF);
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (MachineBasicBlock *Block : Order) {
      BitVector Taint = TaintIn[Block];
      for (const MachineInstr &MI : Block->instrs())
        stepForward(MI, Taint);
      for (MachineBasicBlock *Next : Block->successors()) {
        BitVector &In = TaintIn[Next];
        if (!Taint.subsetOf(In)) {
          In |= Taint;
          Changed = true;
        }
      }
    }
  }
}

void Proof::followLiveness() {
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (MachineBasicBlock *Block : post_order(&MF)) {
      BitVector Live(Rules.cellCount());
      for (MachineBasicBlock *Next : Block->successors())
        Live |= LiveIn[Next];
      for (const MachineInstr &MI : reverse(Block->instrs()))
        stepBackward(MI, Live);
      if (Live != LiveIn[Block]) {
        LiveIn[Block] = Live;
        Changed = true;
      }
    }
  }
}

void Proof::judge(MachineBasicBlock &Block) {
  if (none_of(Block.instrs(), [](const MachineInstr &MI) { return mayMigrate(MI); }))
    return;
  BitVector Live(Rules.cellCount());
  for (MachineBasicBlock *Next : Block.successors())
    Live |= LiveIn[Next];
  DenseMap<const MachineInstr *, BitVector> Crossing;
  for (const MachineInstr &MI : reverse(Block.instrs())) {
    if (mayMigrate(MI)) {
      BitVector &Cells = Crossing[&MI] = Live;
      Cells |= Rules.escapedSlots();
      Effects E;
      Rules.effectsOf(MI, E);
      for (unsigned Cell : concat<unsigned>(E.Outputs, E.Tainted))
        Cells.reset(Cell);
      if (E.Clobbered)
        Rules.clobber(Cells, E.Clobbered);
    }
    stepBackward(MI, Live);
  }

  BitVector Taint = TaintIn[&Block];
  for (MachineInstr &MI : Block.instrs()) {
    if (mayMigrate(MI)) {
      BitVector &Cells = Crossing[&MI];
      Cells &= Taint;
      SiteInfo Site = *getSiteInfo(MI);
      if (Cells.any() && !Site.Pin) {
        Site.Pin = SKEIN_PIN_UNPROVED;
        setSiteInfo(MF, MI, Site);
        warn(MF.getFunction(), MI.getDebugLoc(), Warning::Unproved,
             "a thread cannot migrate during this call: " + Rules.nameOf(Cells.find_first()) +
                 " may hold an address across it");
      }
    }
    stepForward(MI, Taint);
  }
}

bool AddressProof::runOnMachineFunction(MachineFunction &MF) {
  bool AnySite = any_of(MF, [](const MachineBasicBlock &Block) {
    return any_of(Block.instrs(), [](const MachineInstr &MI) { return mayMigrate(MI); });
  });
  if (!MF.getFunction().hasFnAttribute(HomedAttribute) || !AnySite)
    return false;
  Proof(MF).run();
  return true;
}

char AddressProof::ID = 0;
static RegisterPass<AddressProof> Registered("address-proof", "Skein address proof");

char &addressProofID() { return AddressProof::ID; }

} // namespace skein
