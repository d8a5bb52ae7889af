//===- SiteCrossings.cpp - Does a value cross a call that may migrate? -----===//
#include "SiteCrossings.h"
#include "MachineAddresses.h"
#include "llvm/CodeGen/MachineFunction.h"

using namespace llvm;

namespace skein {

SiteCrossings::SiteCrossings(MachineFunction &Function) {
  for (MachineBasicBlock &B : Function) {
    unsigned Order = 0;
    for (MachineInstr &MI : B.instrs()) {
      Orders[&MI] = ++Order;
      if (mayMigrate(MI))
        Sites[&B].push_back({Order, &MI});
    }
  }
}

Position SiteCrossings::positionOf(MachineInstr &MI) const { return {MI.getParent(), Orders.lookup(&MI)}; }

Position SiteCrossings::useOf(MachineOperand &Use) const {
  MachineInstr &MI = *Use.getParent();
  if (!MI.isPHI())
    return positionOf(MI);
  return {MI.getOperand(Use.getOperandNo() + 1).getMBB(), EndOfBlock};
}

ArrayRef<SiteCrossings::Site> SiteCrossings::sitesOf(const Block &B) const {
  auto Found = Sites.find(&B);
  return Found == Sites.end() ? ArrayRef<Site>() : ArrayRef<Site>(Found->second);
}

unsigned SiteCrossings::regionOf(Position At) const {
  return partition_point(sitesOf(*At.Block), [&](const Site &S) { return S.Order < At.Order; }) -
         sitesOf(*At.Block).begin();
}

void SiteCrossings::between(const Block &From, Block &To, Blocks &Seen, function_ref<bool(Block &)> Visit) const {
  SmallVector<Block *, 16> Work(To.pred_begin(), To.pred_end());
  while (!Work.empty()) {
    Block *B = Work.pop_back_val();
    if (B == &From || !Seen.insert(B).second)
      continue;
    if (!Visit(*B))
      return;
    Work.append(B->pred_begin(), B->pred_end());
  }
}

bool SiteCrossings::crosses(const MachineInstr &Definition, Position Use) {
  const Block &From = *Definition.getParent();
  unsigned Defined = Orders.lookup(&Definition);
  if (&From == Use.Block && Defined < Use.Order) {
    const auto *Next = partition_point(sitesOf(From), [&](const Site &S) { return S.Order <= Defined; });
    return Next != sitesOf(From).end() && Next->Order < Use.Order;
  }
  if ((hasSites(From) && Defined < sitesOf(From).back().Order) || regionOf(Use) > 0)
    return true;
  auto [Known, New] = Between.try_emplace({&From, Use.Block}, false);
  if (New) {
    bool Found = false;
    Blocks Seen;
    between(From, *Use.Block, Seen, [&](Block &B) { return !(Found = hasSites(B)); });
    Between[{&From, Use.Block}] = Found;
    return Found;
  }
  return Known->second;
}

void SiteCrossings::forEachCrossed(const MachineInstr &Definition, Position Use, Blocks &Seen,
                                   function_ref<void(MachineInstr &)> Visit) {
  const Block &From = *Definition.getParent();
  unsigned Defined = Orders.lookup(&Definition);
  bool SameBlock = &From == Use.Block && Defined < Use.Order;
  for (const Site &S : sitesOf(From))
    if (Defined < S.Order && (!SameBlock || S.Order < Use.Order))
      Visit(*S.Call);
  if (SameBlock)
    return;
  for (const Site &S : sitesOf(*Use.Block))
    if (S.Order < Use.Order)
      Visit(*S.Call);
  between(From, *Use.Block, Seen, [&](Block &B) {
    for (const Site &S : sitesOf(B))
      Visit(*S.Call);
    return true;
  });
}

} // namespace skein
