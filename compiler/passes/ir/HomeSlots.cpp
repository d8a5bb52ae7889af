//===- HomeSlots.cpp ---------------------------------------------------------===//
//
// Each value v that crosses may-migrate calls gets a *home* H (an alloca that the frame map names) and a *current copy*
// T (an alloca that mem2reg turns back into registers):
//
//     v = ...                     v = ...
//     call f()           =>       store v, T           store (T), H    somewhere before the call, see below
//     use v                       call f()
//                                 store (load H), T
//                                 use (load T)
//
// After promotion of T no SSA value that held v before the call is used after it.
//
// Where H is stored. A block that dominates a crossing call and is dominated by the definition will do for that call:
// each path from the definition to the call passes it, since a path around it could also be entered from the function's
// entry. So blocks are taken such that each call is dominated by one of them, and that they run least often together.
// In an interpreter's loop, whose variables are defined anew in each turn, these are the cases that call.
//
// After promotion v has several copies in registers: one that is loaded again after each call, and phis where paths
// merge of which some have loaded it again. H holds v as well, so instead of a copy there can be a load in each block
// that uses v, in front of the first use. That is better where it runs no more often. Then a value that is not needed
// on a path is not loaded there; and in an interpreter's loop, whose cases call, no case reloads everything that any
// other case may need, which would all compete for registers around the loop.
//
// Volatile slots are read only by the runtime: there is no reload, and nothing may drop the store.
//
//===----------------------------------------------------------------------===//
#include "HomeSlots.h"
#include "JumpLowering.h"
#include "SourceWords.h"
#include "abi/frame_map.h"
#include "passes/addresses/PointerTypes.h"
#include "passes/private/PrivateVariables.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/BlockFrequencyInfo.h"
#include "llvm/Analysis/BranchProbabilityInfo.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

using namespace llvm;

namespace skein {

unsigned LocalTable::add(AllocaInst &Alloca, ArrayRef<WordGroup> Groups) {
  LocalLayout Layout;
  Layout.Index = Next++;
  Layout.Groups.append(Groups.begin(), Groups.end());
  setLocalLayout(Alloca, Layout);
  return Layout.Index;
}

/// Those of the calls that control may reach after `From`.
static SmallVector<CallBase *, 16> callsAfter(const CallBase &From, ArrayRef<CallBase *> Calls) {
  SmallPtrSet<const BasicBlock *, 32> Reached;
  SmallVector<const BasicBlock *, 32> Work(successors(From.getParent()));
  while (!Work.empty()) {
    const BasicBlock *B = Work.pop_back_val();
    if (Reached.insert(B).second)
      append_range(Work, successors(B));
  }
  SmallVector<CallBase *, 16> After;
  for (CallBase *Call : Calls)
    if (Reached.contains(Call->getParent()) || (Call->getParent() == From.getParent() && From.comesBefore(Call)))
      After.push_back(Call);
  return After;
}

void LocalTable::coverJumps(Function &F, ArrayRef<CallBase *> Calls) {
  SmallPtrSet<AllocaInst *, 16> Cleared;
  for (CallBase *Jump : Calls) {
    if (!isJumpTarget(*Jump))
      continue;
    SmallVector<CallBase *, 16> After = callsAfter(*Jump, Calls);
    SmallDenseSet<unsigned> AtJump(Listed[Jump].begin(), Listed[Jump].end());
    for (auto [Slot, Index] : Slots) {
      if (!AtJump.contains(Index))
        continue;
      for (CallBase *Call : After)
        if (!is_contained(Listed[Call], Index))
          listAt(*Call, Index);
      if (Cleared.insert(Slot).second) {
        BasicBlock::iterator At = afterDefinition(F, nullptr);
        IRBuilder<> B(At->getParent(), At);
        B.CreateStore(Constant::getNullValue(Slot->getAllocatedType()), Slot, /*isVolatile=*/true);
      }
    }
  }
}

static AllocaInst *createSlot(Function &F, Type *T, const Twine &Name) {
  IRBuilder<> B(&F.getEntryBlock(), F.getEntryBlock().begin());
  return B.CreateAlloca(T, nullptr, Name);
}

BasicBlock::iterator afterDefinition(Function &F, Value *V) {
  auto *I = dyn_cast_or_null<Instruction>(V);
  if (!I) {
    BasicBlock::iterator At = F.getEntryBlock().getFirstInsertionPt();
    while (isa<AllocaInst>(*At))
      ++At;
    return At;
  }
  if (auto *Invoke = dyn_cast<InvokeInst>(I))
    return Invoke->getNormalDest()->getFirstInsertionPt();
  if (auto *Branch = dyn_cast<CallBrInst>(I))
    return Branch->getDefaultDest()->getFirstInsertionPt();
  if (isa<PHINode>(I))
    return I->getParent()->getFirstInsertionPt();
  return std::next(I->getIterator());
}

AllocaInst *storeWitness(Function &F, Type *T, ArrayRef<BasicBlock::iterator> Places,
                         function_ref<Value *(IRBuilder<> &)> Make) {
  AllocaInst *Slot = createSlot(F, T, "skein.witness");
  // New allocas are inserted at the front, so the places are still behind them.
  for (BasicBlock::iterator At : Places) {
    IRBuilder<> B(At->getParent(), At);
    B.CreateStore(Make(B), Slot, /*isVolatile=*/true);
  }
  return Slot;
}

bool isThreadAddress(const Value *V) {
  const auto *Call = dyn_cast<CallInst>(V);
  if (!Call)
    return false;
  if (Call->getIntrinsicID() == Intrinsic::threadlocal_address)
    return true;
  const Function *Callee = Call->getCalledFunction();
  return Callee && Callee->isDeclaration() && Callee->getName() == "__errno_location" && Call->arg_empty();
}

bool isDerivable(const Value *V) {
  while (const auto *Gep = dyn_cast<GetElementPtrInst>(V)) {
    if (!isPointer(Gep->getType()) || !Gep->hasAllConstantIndices())
      return false;
    V = Gep->getPointerOperand();
  }
  if (const auto *Alloca = dyn_cast<AllocaInst>(V))
    return Alloca->isStaticAlloca();
  return isa<Constant>(V) || loadsPrivateAddress(V);
}

SmallVector<BasicBlock::iterator, 4> placesToStore(BasicBlock::iterator Defined, ArrayRef<CallBase *> Calls,
                                                   DominatorTree &DT, BlockFrequencyInfo &Frequencies) {
  // The part of the dominator tree between the definition and the calls.
  struct Node {
    CallBase *First = nullptr; // of the calls in this block
    uint64_t Here = 0;         // how often the block runs
    uint64_t Below = 0;        // how often the stores would run if they were further down
    uint64_t Cheapest = 0;
    SmallVector<BasicBlock *, 4> Children;
  };
  DenseMap<BasicBlock *, Node> Tree;
  SmallVector<BasicBlock *, 32> Blocks;
  auto Add = [&](BasicBlock *B) {
    auto [At, New] = Tree.try_emplace(B);
    if (New) {
      At->second.Here = Frequencies.getBlockFreq(B).getFrequency();
      Blocks.push_back(B);
    }
    return New;
  };
  BasicBlock *DefinedIn = Defined->getParent();
  Add(DefinedIn);
  for (CallBase *Call : Calls) {
    BasicBlock *B = Call->getParent();
    bool New = Add(B);
    CallBase *&First = Tree[B].First;
    if (!First || Call->comesBefore(First))
      First = Call;
    for (; New;) {
      BasicBlock *Up = DT.getNode(B)->getIDom()->getBlock();
      New = Add(Up);
      Tree[Up].Children.push_back(B);
      B = Up;
    }
  }
  llvm::sort(Blocks,
             [&](BasicBlock *A, BasicBlock *B) { return DT.getNode(A)->getLevel() > DT.getNode(B)->getLevel(); });
  auto IsHere = [](const Node &N) { return N.First || N.Here < N.Below; };
  for (BasicBlock *B : Blocks) {
    Node &N = Tree[B];
    for (BasicBlock *Child : N.Children)
      N.Below += Tree[Child].Cheapest;
    N.Cheapest = IsHere(N) ? N.Here : N.Below;
  }
  SmallVector<BasicBlock::iterator, 4> Places;
  SmallVector<BasicBlock *, 16> Work = {DefinedIn};
  while (!Work.empty()) {
    BasicBlock *B = Work.pop_back_val();
    const Node &N = Tree[B];
    if (!IsHere(N))
      append_range(Work, N.Children);
    else if (B == DefinedIn)
      Places.push_back(Defined);
    else
      Places.push_back(N.First ? N.First->getIterator() : B->getTerminator()->getIterator());
  }
  return Places;
}

namespace {

/// A value with its two slots.
struct Homed {
  Value *V;
  AllocaInst *Home = nullptr; ///< null: the value is computed again instead
  AllocaInst *Current = nullptr;
  SmallVector<Instruction *, 4> Stored = {}; ///< none of them dominates another
  SmallVector<LoadInst *, 8> Reloads = {};
};

class Homing {
public:
  Homing(Function &F, LocalTable &Locals)
      : F(F), Locals(Locals), DT(F), LI(DT), Probabilities(F, LI), Frequencies(F, Probabilities, LI) {}

  void run(const CrossedCalls &Crossed) {
    // The stores to homes are placed before anything is rewired, since they are uses of the value like others.
    SmallVector<Homed, 32> Values;
    for (auto &[V, Calls] : Crossed)
      Values.push_back({V});
    number();
    llvm::sort(Values, [&](const Homed &A, const Homed &B) { return order(A.V) < order(B.V); });
    for (Homed &H : Values) {
      ArrayRef<CallBase *> Calls = Crossed.find(H.V)->second;
      if (!isThreadAddress(H.V))
        createHome(H, Calls);
      H.Current = createSlot(F, H.V->getType(), H.V->getName() + ".current");
    }
    for (Homed &H : Values)
      rewire(H, Crossed.find(H.V)->second);
    SmallVector<AllocaInst *, 32> Promoted;
    for (Homed &H : Values)
      Promoted.push_back(H.Current);
    SmallPtrSet<const PHINode *, 32> Before;
    for (BasicBlock &B : F)
      for (PHINode &Phi : B.phis())
        Before.insert(&Phi);
    if (!Promoted.empty())
      PromoteMemToReg(Promoted, DT);
    number();
    for (Homed &H : Values)
      settleCopies(H, Before);
    for (Instruction *I : Recomputed)
      if (I->use_empty())
        I->eraseFromParent();
  }

private:
  /// Numbers all values by their position in the function as it is now. (LLVM would number a block again after each
  /// insertion.)
  void number() {
    Positions.clear();
    unsigned N = 0;
    for (const Argument &A : F.args())
      Positions[&A] = ++N;
    for (const BasicBlock &B : F)
      for (const Instruction &I : B)
        Positions[&I] = ++N;
  }
  unsigned order(const Value *V) const { return Positions.lookup(V); }
  bool dominates(const Instruction &A, const Instruction &B) const {
    return A.getParent() == B.getParent() ? order(&A) < order(&B) : DT.dominates(A.getParent(), B.getParent());
  }

  void createHome(Homed &H, ArrayRef<CallBase *> Calls) {
    Type *T = H.V->getType();
    H.Home = createSlot(F, T, H.V->getName() + ".home");
    noteSource(*H.Home, *H.V);
    SmallVector<WordGroup, 4> Groups;
    if (containsPointer(T))
      appendWordGroups(T, 0, F.getDataLayout(), Groups);
    else
      Groups.push_back({SKEIN_LOCAL_POINTER, 0, 8, 1});
    unsigned Index = Locals.addSlot(*H.Home, Groups);
    for (CallBase *Call : Calls)
      Locals.listAt(*Call, Index);

    auto Places = placesToStore(afterDefinition(F, H.V), Calls, DT, Frequencies);
    for (BasicBlock::iterator At : Places)
      H.Stored.push_back(IRBuilder<>(At->getParent(), At).CreateStore(H.V, H.Home));
  }

  static LoadInst *load(IRBuilder<> &B, const Homed &H) {
    return B.CreateLoad(H.V->getType(), H.Home, H.V->getName() + ".reload");
  }

  Value *reload(IRBuilder<> &B, Homed &H) {
    if (H.Home)
      return H.Reloads.emplace_back(load(B, H));
    Instruction *Again = cast<Instruction>(H.V)->clone();
    B.Insert(Again);
    Recomputed.push_back(Again);
    return Again;
  }

  void rewire(Homed &H, ArrayRef<CallBase *> Calls) {
    SmallVector<Use *, 16> Uses;
    for (Use &U : H.V->uses())
      Uses.push_back(&U);
    DenseMap<std::pair<BasicBlock *, PHINode *>, Value *> AtEnd;
    for (Use *U : Uses) {
      auto *User = cast<Instruction>(U->getUser());
      if (auto *Phi = dyn_cast<PHINode>(User)) {
        BasicBlock *From = Phi->getIncomingBlock(*U);
        Value *&Loaded = AtEnd[{From, Phi}];
        if (!Loaded)
          Loaded = IRBuilder<>(From->getTerminator()).CreateLoad(H.V->getType(), H.Current);
        U->set(Loaded);
      } else {
        U->set(IRBuilder<>(User).CreateLoad(H.V->getType(), H.Current));
      }
    }
    BasicBlock::iterator Defined = afterDefinition(F, H.V);
    IRBuilder<>(Defined->getParent(), Defined).CreateStore(H.V, H.Current);
    SmallPtrSet<BasicBlock *, 4> Pads;
    for (CallBase *Call : Calls) {
      auto ReloadAt = [&](BasicBlock *Block, BasicBlock::iterator At) {
        IRBuilder<> B(Block, At);
        B.CreateStore(reload(B, H), H.Current);
      };
      if (auto *Invoke = dyn_cast<InvokeInst>(Call)) {
        ReloadAt(Invoke->getNormalDest(), Invoke->getNormalDest()->getFirstInsertionPt());
        if (Pads.insert(Invoke->getUnwindDest()).second)
          ReloadAt(Invoke->getUnwindDest(), Invoke->getUnwindDest()->getFirstInsertionPt());
      } else if (!Call->isTerminator()) {
        ReloadAt(Call->getParent(), std::next(Call->getIterator()));
      }
    }
  }

  using Copies = SmallSetVector<Instruction *, 16>;

  static bool usedOnlyBy(const Instruction &I, const Copies &Set) {
    return all_of(I.users(), [&](const User *U) { return Set.contains(cast<Instruction>(U)); });
  }

  /// The phis that promotion has made from copies of this value, and the reloads that only these phis use.
  Copies mergesOf(const Homed &H, const SmallPtrSetImpl<const PHINode *> &Before) {
    Copies Merges;
    auto AddUsers = [&](Value *Copy) {
      for (User *U : Copy->users())
        if (auto *Phi = dyn_cast<PHINode>(U); Phi && !Before.contains(Phi))
          Merges.insert(Phi);
    };
    AddUsers(H.V);
    for (LoadInst *Reload : H.Reloads)
      AddUsers(Reload);
    for (unsigned I = 0; I < Merges.size(); ++I)
      AddUsers(Merges[I]);
    if (!Merges.empty())
      for (LoadInst *Reload : H.Reloads)
        if (!Reload->use_empty() && usedOnlyBy(*Reload, Merges))
          Merges.insert(Reload);
    return Merges;
  }

  /// Where a use reads its value. A phi reads it at the end of the block from which control comes.
  static Instruction *placeOf(const Use &U) {
    auto *User = cast<Instruction>(U.getUser());
    auto *Phi = dyn_cast<PHINode>(User);
    return Phi ? Phi->getIncomingBlock(U)->getTerminator() : User;
  }

  /// Replaces these copies by loads where they are used, unless that runs more often. Behind each of `Stored`, H holds
  /// the value. Between a copy and its uses the value crosses no call, since promotion would otherwise have given the
  /// uses another copy.
  bool loadAtUses(const Homed &H, const Copies &Set, ArrayRef<Instruction *> Stored) {
    MapVector<std::pair<Instruction *, BasicBlock *>, Instruction *> First; // the first use of a copy in a block
    SmallVector<std::pair<Instruction *, Use *>, 16> Uses;
    BlockFrequency Now(0), Then(0);
    for (Instruction *Copy : Set) {
      if (isa<LoadInst>(Copy))
        Now += Frequencies.getBlockFreq(Copy->getParent());
      for (Use &U : Copy->uses()) {
        if (Set.contains(cast<Instruction>(U.getUser())))
          continue;
        Instruction *Place = placeOf(U);
        if (none_of(Stored, [&](const Instruction *S) { return dominates(*S, *Place); }))
          return false;
        Uses.emplace_back(Copy, &U);
        Instruction *&At = First[{Copy, Place->getParent()}];
        if (!At || order(Place) < order(At))
          At = Place;
      }
    }
    for (auto &[Key, At] : First)
      Then += Frequencies.getBlockFreq(Key.second);
    if (Then > Now)
      return false;
    DenseMap<std::pair<Instruction *, BasicBlock *>, LoadInst *> Loads;
    for (auto &[Key, At] : First) {
      IRBuilder<> B(At);
      Loads[Key] = load(B, H);
    }
    for (auto [Copy, U] : Uses)
      U->set(Loads.lookup({Copy, placeOf(*U)->getParent()}));
    for (Instruction *Copy : Set)
      Copy->replaceAllUsesWith(PoisonValue::get(Copy->getType()));
    for (Instruction *Copy : Set)
      Copy->eraseFromParent();
    return true;
  }

  void settleCopies(const Homed &H, const SmallPtrSetImpl<const PHINode *> &Before) {
    const Copies Merges = mergesOf(H, Before);
    const bool Gone = !Merges.empty() && loadAtUses(H, Merges, H.Stored);
    for (Instruction *Reload : H.Reloads) {
      if (Gone && Merges.contains(Reload))
        continue;
      Copies Alone;
      Alone.insert(Reload);
      loadAtUses(H, Alone, {Reload});
    }
  }

  Function &F;
  LocalTable &Locals;
  DominatorTree DT;
  LoopInfo LI;
  BranchProbabilityInfo Probabilities;
  BlockFrequencyInfo Frequencies;
  DenseMap<const Value *, unsigned> Positions;
  SmallVector<Instruction *, 8> Recomputed;
};

} // namespace

void homeValues(Function &F, const CrossedCalls &Crossed, LocalTable &Locals) {
  if (!Crossed.empty())
    Homing(F, Locals).run(Crossed);
}

} // namespace skein
