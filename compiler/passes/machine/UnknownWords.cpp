//===- UnknownWords.cpp ------------------------------------------------------===//
#include "UnknownWords.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineMemOperand.h"

using namespace llvm;

namespace skein {

bool UnknownWords::State::join(const State &Other) {
  bool Changed = !Reached;
  Reached = true;
  auto Merge = [&](auto &Mine, const auto &Theirs) {
    for (const auto &[Where, C] : Theirs) {
      auto [Found, New] = Mine.try_emplace(Where, C);
      Changed |= New;
      if (New)
        continue;
      Changed |= Found->second.Words |= C.Words;
      if (Found->second.Pure && !C.Pure) {
        Found->second.Pure = false;
        Changed = true;
      }
    }
  };
  Merge(Cells, Other.Cells);
  Merge(Locals, Other.Locals);
  Changed |= Hidden |= Other.Hidden;
  return Changed;
}

void UnknownWords::findSources(const MachineFunction &MF, EffectsOf Of) {
  unsigned Count = 0;
  for (const MachineBasicBlock &Block : MF) {
    DenseMap<std::pair<const Value *, int64_t>, unsigned> Places;
    for (const MachineInstr &MI : Block.instrs()) {
      const Effects *E = Of(MI);
      if (!E || !E->LoadsUnknown)
        continue;
      const MachineMemOperand *Memory = MI.hasOneMemOperand() ? *MI.memoperands_begin() : nullptr;
      if (!Memory || !Memory->getValue() || !Memory->getSize().hasValue()) {
        Sources[&MI].set(Count++);
        continue;
      }
      const int64_t End = Memory->getOffset() + int64_t(Memory->getSize().getValue().getKnownMinValue());
      for (int64_t At = Memory->getOffset(); At < End; At += 8) {
        auto [Place, New] = Places.try_emplace({Memory->getValue(), At}, Count);
        Count += New;
        Sources[&MI].set(Place->second);
      }
    }
  }
}

UnknownWords::UnknownWords(const MachineFunction &MF, EffectsOf Of) {
  findSources(MF, Of);
  if (none())
    return;
  In[&MF.front()].Reached = true;
  ReversePostOrderTraversal<const MachineFunction *> Order(&MF);
  SmallPtrSet<const MachineBasicBlock *, 32> Stale(Order.begin(), Order.end());
  while (!Stale.empty())
    for (const MachineBasicBlock *Block : Order) {
      if (!Stale.erase(Block))
        continue;
      enter(*Block);
      for (const MachineInstr &MI : Block->instrs())
        step(MI, Of(MI));
      for (const MachineBasicBlock *Next : Block->successors())
        if (In[Next].join(Now))
          Stale.insert(Next);
    }
}

UnknownWords::Content UnknownWords::contentOf(const MachineInstr &MI, const Effects &E) const {
  Content Result;
  auto Add = [&](const Content &C) {
    Result.Words |= C.Words;
    Result.Pure &= C.Pure;
  };
  for (unsigned Cell : E.Exchanges ? ArrayRef<unsigned>() : ArrayRef<unsigned>(E.Inputs))
    if (auto Found = Now.Cells.find(Cell); Found != Now.Cells.end())
      Add(Found->second);
  if (E.ShownIn)
    if (auto Found = Now.Locals.find(*E.ShownIn); Found != Now.Locals.end())
      Add(Found->second);
  if (E.LoadsUnknown)
    Result.Words |= Sources.find(&MI)->second;
  Result.Pure &= E.Moves || E.Exchanges || Result.Words.empty();
  return Result;
}

/// What this witness alone shows is not shown any more.
void UnknownWords::hideWhatOnly(Effects::Word Where, const Set &Except) {
  auto Found = Now.Locals.find(Where);
  if (Found == Now.Locals.end())
    return;
  for (unsigned Word : Found->second.Words) {
    bool Elsewhere = Except.test(Word);
    for (const auto &[Other, C] : Now.Locals)
      Elsewhere |= Other != Where && C.Words.test(Word);
    if (!Elsewhere)
      Now.Hidden.set(Word);
  }
  Now.Locals.erase(Found);
}

void UnknownWords::step(const MachineInstr &MI, const Effects *E) {
  if (none() || !E)
    return;
  const Content Result = contentOf(MI, *E);
  if (MI.isCall() || (MI.mayStore() && E->StoresOutside))
    Fresh.clear();
  if (E->LoadsUnknown)
    for (unsigned Word : Sources.find(&MI)->second) {
      if (Fresh.test(Word))
        continue;
      Fresh.set(Word);
      Now.Hidden.set(Word);
      for (auto &[Local, C] : Now.Locals)
        C.Words.reset(Word);
    }
  for (unsigned Cell : E->Outputs)
    if (Result.Words.empty())
      Now.Cells.erase(Cell);
    else
      Now.Cells[Cell] = Result;
  if (!Result.Words.empty())
    for (unsigned Cell : E->Partial) {
      Now.Cells[Cell].Words |= Result.Words;
      Now.Cells[Cell].Pure = false;
    }
  for (unsigned Cell : E->Tainted)
    Now.Cells.erase(Cell);
  if (E->Shows) {
    const Set Shown = Result.Pure ? Result.Words : Set();
    hideWhatOnly(*E->Shows, Shown);
    for (unsigned Word : Shown)
      Now.Hidden.reset(Word);
    if (!Shown.empty())
      Now.Locals[*E->Shows] = Result;
  }
}

std::optional<unsigned> UnknownWords::unshown(const BitVector &Live, function_ref<bool(int)> IsListed) const {
  std::optional<unsigned> First;
  for (const auto &[Cell, C] : Now.Cells) {
    if (!Live.test(Cell) || (First && *First < Cell))
      continue;
    for (unsigned Word : C.Words) {
      bool Shown = false;
      for (const auto &[Local, Held] : Now.Locals)
        Shown |= Held.Words.test(Word) && IsListed(Local.first);
      if (Now.Hidden.test(Word) || !Shown)
        First = Cell;
    }
  }
  return First;
}

} // namespace skein
