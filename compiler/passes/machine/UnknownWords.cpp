//===- UnknownWords.cpp ------------------------------------------------------===//
#include "UnknownWords.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineMemOperand.h"

using namespace llvm;

namespace skein {

void UnknownWords::findLoads(const MachineFunction &MF, EffectsOf Of) {
  for (const MachineBasicBlock &Block : MF) {
    DenseMap<std::pair<const Value *, int64_t>, Name> Known;
    for (const MachineInstr &MI : Block.instrs()) {
      const Effects *E = Of(MI);
      if (!E || !E->LoadsUnknown)
        continue;
      const MachineMemOperand *Memory = MI.hasOneMemOperand() ? *MI.memoperands_begin() : nullptr;
      if (!Memory || !Memory->getValue() || !Memory->getSize().hasValue()) {
        Loads[&MI] = {Names++};
        continue;
      }
      const int64_t End = Memory->getOffset() + int64_t(Memory->getSize().getValue().getKnownMinValue());
      for (int64_t At = Memory->getOffset(); At < End; At += 8) {
        auto [Found, New] = Known.try_emplace({Memory->getValue(), At}, Names);
        Names += New;
        Loads[&MI].push_back(Found->second);
      }
    }
  }
}

UnknownWords::UnknownWords(const MachineFunction &MF, EffectsOf Of, LiveAt LiveIn) {
  findLoads(MF, Of);
  if (Loads.empty())
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
        if (join(In[Next], Now, LiveIn[Next->getNumber()]))
          Stale.insert(Next);
    }
}

void UnknownWords::enter(const MachineBasicBlock &Block) {
  Now = In[&Block];
  Fresh.clear();
}

UnknownWords::Name UnknownWords::ownName(Effects::Word Where) {
  auto [Found, New] = OwnNames.try_emplace(Where, Names);
  if (New)
    OwnSet.set(Names++);
  return Found->second;
}

UnknownWords::Set UnknownWords::State::needed() const {
  Set Result;
  for (const auto &[Cell, C] : Cells)
    Result |= C.From;
  return Result;
}

/// Called before a name is given to another word. `Overwritten` is a witness that no longer has the previous word.
void UnknownWords::passOn(Name Word, const Effects::Word *Overwritten) {
  std::optional<Name> Heir;
  for (auto &[Where, W] : Now.Witnesses) {
    if (W.Held.test(Word) && !Heir && !(Overwritten && Where == *Overwritten))
      Heir = ownName(Where);
    W.Held.reset(Word);
  }
  for (auto &[Cell, C] : Now.Cells) {
    // Where nothing depended on the word, the heir holds another one. So no cell is now said to hold that.
    for (Set &Held : C.Held)
      Held.reset(Word);
    if (!C.From.test(Word))
      continue;
    C.From.reset(Word);
    if (Heir)
      C.From.set(*Heir);
    C.Lost |= !Heir;
  }
}

/// The content that is computed from these cells together; or one of them, if the instruction chooses.
UnknownWords::Content UnknownWords::contentOf(ArrayRef<unsigned> Cells, bool Chooses) const {
  Content Result;
  bool First = true, Alike = true;
  for (unsigned Cell : Cells) {
    auto Found = Now.Cells.find(Cell);
    const Content C = Found == Now.Cells.end() ? Content() : Found->second;
    Alike &= First || C == Result;
    if (First)
      Result = C;
    First = false;
    Result.From |= C.From;
    Result.Pure &= C.Pure;
    Result.Lost |= C.Lost;
  }
  if (!Alike) {
    Result.Held.clear();
    Result.Pure &= Chooses;
  }
  return Result;
}

UnknownWords::Content UnknownWords::resultOf(const MachineInstr &MI, const Effects &E) {
  Content Result = contentOf(E.Exchanges ? ArrayRef<unsigned>() : ArrayRef<unsigned>(E.Inputs), E.Chooses);
  if (E.ShownIn)
    for (unsigned I = 0; I < E.Words; ++I) {
      const Effects::Word Where = {E.ShownIn->first, E.ShownIn->second + 8 * I};
      auto Found = Now.Witnesses.find(Where);
      const Witness W = Found == Now.Witnesses.end() ? Witness() : Found->second;
      Set &Held = Result.Held.emplace_back(W.Held);
      if (W.Number)
        continue;
      Held.set(ownName(Where));
      Result.From.set(ownName(Where));
    }
  if (E.LoadsUnknown)
    for (Name Word : Loads.find(&MI)->second) {
      Result.Held.emplace_back().set(Word);
      Result.From.set(Word);
    }
  if (E.TakesHighBits && Result.Pure && !Result.Lost)
    return {}; // the bits of an unchanged word, not of what was computed from one
  if (!E.Moves && !E.Exchanges) {
    Result.Held.clear();
    Result.Pure = Result.isNumber();
  }
  return Result;
}

void UnknownWords::store(const Effects &E, const Content &Stored) {
  for (unsigned I = 0; I < E.Words; ++I) {
    const Effects::Word Where = {E.Shows->first, E.Shows->second + 8 * I};
    passOn(ownName(Where), &Where);
    Now.Witnesses[Where] = {I < Stored.Held.size() ? Stored.Held[I] : Set(), Stored.isNumber()};
  }
  // The word is one of several, and the names do not say which; the witness shows it all the same.
  if (E.StoresRegister && Stored.Pure && !Stored.isNumber() && !Stored.Lost &&
      !(Stored.Held.size() == 1 && Stored.Held[0].contains(Stored.From)))
    for (unsigned Cell : E.Inputs) {
      Content &C = Now.Cells[Cell];
      C.From.clear();
      C.From.set(ownName(*E.Shows));
      C.Held.assign(1, C.From);
    }
}

void UnknownWords::step(const MachineInstr &MI, const Effects *E) {
  if (Loads.empty() || !E)
    return;
  if (MI.isCall() || (MI.mayStore() && E->StoresOutside))
    Fresh.clear();
  if (E->LoadsUnknown)
    for (Name Word : Loads.find(&MI)->second)
      if (Fresh.test_and_set(Word))
        passOn(Word);
  const Content Result = resultOf(MI, *E);
  for (unsigned Cell : E->Outputs)
    if (Result.isNumber())
      Now.Cells.erase(Cell);
    else
      Now.Cells[Cell] = Result;
  if (!Result.isNumber())
    for (unsigned Cell : E->Partial) {
      Content &C = Now.Cells[Cell];
      C.From |= Result.From;
      C.Held.clear();
      C.Pure = false;
      C.Lost |= Result.Lost;
    }
  for (unsigned Cell : E->Tainted)
    Now.Cells.erase(Cell);
  if (E->Shows)
    store(*E, Result);
  if (E->Overwrites) // parts of its words are overwritten
    for (const auto &[Where, Word] : OwnNames)
      if (Where.first == *E->Overwrites) {
        passOn(Word, &Where);
        Now.Witnesses.erase(Where);
      }
}

/// Adds another path to where the cells `Live` are read. Returns whether this changed anything.
bool UnknownWords::join(State &Mine, const State &Other, const BitVector &Live) {
  Set NeededThere;
  for (const auto &[Cell, C] : Other.Cells)
    if (Live.test(Cell))
      NeededThere |= C.From;
  // If no live cell depends on a word now, none will depend on it later, unless it is loaded again under its name.
  std::map<Effects::Word, Witness> WitnessesThere;
  Set Followed = NeededThere;
  Followed |= OwnSet;
  for (const auto &[Where, W] : Other.Witnesses) {
    Witness Left = {W.Held & Followed, W.Number};
    if (Left != Witness())
      WitnessesThere.emplace_hint(WitnessesThere.end(), Where, std::move(Left));
  }
  if (!Mine.Reached) {
    Mine.Reached = true;
    for (const auto &[Cell, C] : Other.Cells)
      if (Live.test(Cell))
        Mine.Cells[Cell] = C;
    Mine.Witnesses = std::move(WitnessesThere);
    return true;
  }
  // What one path holds, the other one holds as well or does not need. A load from a witness may need its own name
  // again.
  std::optional<Set> Needed; // the names that were needed before; computed once anything differs
  auto BothHold = [&](const Set &Held, const Set &HeldThere) {
    Set Result, Whole = Held;
    Whole |= HeldThere;
    for (Name Word : Whole) {
      const bool Spared = !OwnSet.test(Word);
      if ((Held.test(Word) || (Spared && !Needed->test(Word))) &&
          (HeldThere.test(Word) || (Spared && !NeededThere.test(Word))))
        Result.set(Word);
    }
    return Result;
  };
  bool Changed = false;
  auto Differ = [&](const auto &Old, const auto &There) {
    if (Old == There)
      return false;
    if (!Needed)
      Needed = Mine.needed();
    return true;
  };
  auto Put = [&](auto &Old, auto New) {
    if (Old == New)
      return;
    Old = std::move(New);
    Changed = true;
  };
  auto JoinCell = [&](Content &Old, const Content &C) {
    if (!Differ(Old, C))
      return;
    Content New;
    New.From = Old.From;
    New.From |= C.From;
    New.Lost = Old.Lost || C.Lost;
    const bool SameWidth = Old.isNumber() || C.isNumber() || Old.Held.size() == C.Held.size();
    New.Pure = Old.Pure && C.Pure && SameWidth;
    if (SameWidth)
      for (size_t I = 0; I < std::max(Old.Held.size(), C.Held.size()); ++I)
        New.Held.push_back(BothHold(I < Old.Held.size() ? Old.Held[I] : Set(), I < C.Held.size() ? C.Held[I] : Set()));
    Put(Old, std::move(New));
  };
  auto JoinWitness = [&](Witness &Old, const Witness &W) {
    if (Differ(Old, W))
      Put(Old, Witness{BothHold(Old.Held, W.Held), Old.Number && W.Number});
  };
  auto IsThere = [&](unsigned Cell) { return Live.test(Cell) && Other.Cells.contains(Cell); };
  for (auto &[Cell, C] : Mine.Cells)
    JoinCell(C, IsThere(Cell) ? Other.Cells.find(Cell)->second : Content());
  for (const auto &[Cell, C] : Other.Cells)
    if (Live.test(Cell) && !Mine.Cells.contains(Cell)) {
      Content New;
      JoinCell(New, C);
      Mine.Cells[Cell] = std::move(New);
    }
  for (auto &[Where, W] : Mine.Witnesses) {
    auto Found = WitnessesThere.find(Where);
    JoinWitness(W, Found == WitnessesThere.end() ? Witness() : Found->second);
  }
  for (const auto &[Where, W] : WitnessesThere)
    if (auto [Found, New] = Mine.Witnesses.try_emplace(Where); New)
      JoinWitness(Found->second, W);
  return Changed;
}

bool UnknownWords::isShown(Name Word, IsListed Listed) const {
  for (const auto &[Where, Own] : OwnNames)
    if (Own == Word && Listed(Where.first))
      return true;
  for (const auto &[Where, W] : Now.Witnesses)
    if (W.Held.test(Word) && Listed(Where.first))
      return true;
  return false;
}

std::optional<unsigned> UnknownWords::unshown(const BitVector &Live, IsListed Listed) const {
  std::optional<unsigned> First;
  for (const auto &[Cell, C] : Now.Cells) {
    if (!Live.test(Cell) || (First && *First < Cell))
      continue;
    bool Shown = !C.Lost;
    for (Name Word : C.From)
      Shown = Shown && isShown(Word, Listed);
    if (!Shown)
      First = Cell;
  }
  return First;
}

} // namespace skein
