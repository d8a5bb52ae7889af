//===- LocalLiveness.cpp -----------------------------------------------------===//
//
// Finds at which calls a local must be described. A word that was never written holds junk, which must not be checked
// before a move (a stale heap address would refuse it); and a local that is never read again need not be right. These
// are two bit-vector problems over the locals:
//
//   written (forward, may):  set by any use but a load or a marker, cleared by lifetime.start and lifetime.end
//   needed (backward, may):  set by any use but a plain store, cleared by the markers
//
// Code that knows the address of a local may read it at any time, even if this function never reads it and never
// returns: a server's loop, or a call that ends in longjmp or an exception. So a local whose address escapes is needed
// from where it is written to the end of its lifetime.
//
// A local is live at a call if it is written before and needed after. Both analyses err towards "live", which costs one
// more word to relocate. Arguments of the call itself count, since the callee may use a local through a pointer.
//
// Where setjmp is called, control may come back to it from any call of the function; the graph of blocks has no such
// edge. So there everything that was written before any call counts as written, and before each call everything that is
// needed after a setjmp counts as needed. The lifetime of a local that has not begun where setjmp is called has ended
// when it returns again, although no marker says so: the block is left. So it is not written there.
//
//===----------------------------------------------------------------------===//
#include "LocalLiveness.h"
#include "JumpLowering.h"
#include "passes/PostOrder.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace skein {

namespace {

/// What one instruction does to one local.
struct Event {
  unsigned Local;
  enum { Write = 1, Read = 2, Marker = 4 };
  unsigned Kind;
};

class Problem {
public:
  Problem(Function &F, ArrayRef<AllocaInst *> Locals, bool Jumps)
      : Count(Locals.size()), Escapes(Locals.size()), Jumps(Jumps), WrittenAtCalls(Locals.size()),
        NeededByJumps(Locals.size()), Order(inPostOrder(F.getEntryBlock())) {
    for (auto [N, Local] : enumerate(Locals))
      collect(*Local, N);
    for (BasicBlock *B : Order)
      for (Instruction &I : *B)
        if (auto At = Events.find(&I); At != Events.end() || isa<CallBase>(I))
          Steps[B].push_back({&I, At == Events.end() ? ArrayRef<Event>() : At->second});
    if (Jumps)
      findBegun();
    solve();
  }

  SmallVector<unsigned, 8> liveAt(CallBase &Call) const { return Live.lookup(&Call); }

  void findLive(ArrayRef<CallBase *> Calls) {
    SmallPtrSet<const CallBase *, 16> Asked(Calls.begin(), Calls.end());
    for (BasicBlock *B : Order) {
      if (none_of(Steps[B], [&](const Step &S) { return Asked.contains(dyn_cast<CallBase>(S.I)); }))
        continue;
      // The walk goes forward through the block and remembers what is written at each call, then backward for what is
      // needed.
      DenseMap<const Instruction *, BitVector> WrittenAt;
      BitVector Written = writtenIn(*B);
      for (const Step &S : Steps[B]) {
        stepForward(S, Written);
        if (auto *Call = dyn_cast<CallBase>(S.I); Call && Asked.contains(Call))
          WrittenAt[Call] = Written;
      }
      BitVector Needed = neededOut(*B);
      for (const Step &S : reverse(Steps[B])) {
        if (auto *Call = dyn_cast<CallBase>(S.I); Call && Asked.contains(Call)) {
          BitVector Both = Needed;
          Both |= Escapes;
          for (const Event &E : S.Events)
            Both.set(E.Local);
          if (mayJump(*Call))
            Both |= NeededByJumps;
          Both &= WrittenAt[Call];
          for (unsigned N : Both.set_bits())
            Live[Call].push_back(N);
        }
        stepBackward(S, Needed);
      }
    }
  }

private:
  /// An instruction that matters, with what it does.
  struct Step {
    Instruction *I;
    ArrayRef<Event> Events;
  };

  void collect(AllocaInst &Local, unsigned N) {
    SmallPtrSet<const Value *, 16> Seen;
    SmallVector<Value *, 16> Work{&Local};
    while (!Work.empty()) {
      Value *Pointer = Work.pop_back_val();
      for (Use &U : Pointer->uses()) {
        auto *I = dyn_cast<Instruction>(U.getUser());
        if (!I)
          continue;
        if (I->isLifetimeStartOrEnd()) {
          Events[I].push_back({N, Event::Marker});
        } else if (isa<LoadInst>(I)) {
          Events[I].push_back({N, Event::Read});
        } else if (isa<StoreInst>(I) && U.getOperandNo() == StoreInst::getPointerOperandIndex()) {
          Events[I].push_back({N, Event::Write});
        } else if (isa<GetElementPtrInst, PHINode, SelectInst, FreezeInst, AddrSpaceCastInst>(I)) {
          if (Seen.insert(I).second)
            Work.push_back(I);
        } else if (isa<ICmpInst>(I)) {
          continue;
        } else {
          Events[I].push_back({N, Event::Write | Event::Read});
          if (!isa<MemIntrinsic>(I))
            Escapes.set(N);
        }
      }
    }
  }

  /// A call during which control may go back to a setjmp of this function.
  bool mayJump(const Instruction &I) const {
    const auto *Call = dyn_cast<CallBase>(&I);
    return Jumps && Call && !isa<IntrinsicInst>(Call) && !Call->isInlineAsm();
  }

  void stepForward(const Step &S, BitVector &Written) {
    for (const Event &E : S.Events) {
      if (E.Kind & Event::Marker)
        Written.reset(E.Local);
      else if (E.Kind & Event::Write)
        Written.set(E.Local);
    }
    if (mayJump(*S.I)) {
      WrittenAtCalls |= Written;
      if (isJumpTarget(cast<CallBase>(*S.I))) {
        BitVector Again = WrittenAtCalls;
        Again &= BegunAt.find(S.I)->second;
        Written |= Again;
      }
    }
  }

  static bool isLifetimeStart(const Instruction &I) {
    const auto *Marker = dyn_cast<IntrinsicInst>(&I);
    return Marker && Marker->getIntrinsicID() == Intrinsic::lifetime_start;
  }

  /// Finds the locals whose lifetime may have begun where setjmp is called (forward, may). One without markers always
  /// lives.
  void findBegun() {
    BitVector Always(Count, true);
    for (auto &[I, OfLocals] : Events)
      if (isLifetimeStart(*I))
        for (const Event &E : OfLocals)
          Always.reset(E.Local);
    DenseMap<const BasicBlock *, BitVector> Out;
    for (bool Changed = true; Changed;) {
      Changed = false;
      for (BasicBlock *B : reverse(Order)) {
        BitVector Begun = B->isEntryBlock() ? Always : BitVector(Count);
        for (const BasicBlock *Predecessor : predecessors(B))
          if (auto At = Out.find(Predecessor); At != Out.end())
            Begun |= At->second;
        for (const Step &S : Steps[B]) {
          for (const Event &E : S.Events)
            if (E.Kind & Event::Marker)
              Begun[E.Local] = isLifetimeStart(*S.I);
          if (const auto *Call = dyn_cast<CallBase>(S.I); Call && isJumpTarget(*Call))
            BegunAt[S.I] = Begun;
        }
        Changed |= update(Out, B, Begun);
      }
    }
  }

  void stepBackward(const Step &S, BitVector &Needed) {
    if (mayJump(*S.I)) {
      if (isJumpTarget(cast<CallBase>(*S.I)))
        NeededByJumps |= Needed;
      Needed |= NeededByJumps;
    }
    for (const Event &E : S.Events) {
      if (E.Kind & Event::Marker) {
        Needed.reset(E.Local);
      } else if (E.Kind & Event::Read) {
        Needed.set(E.Local);
      }
    }
  }

  BitVector writtenIn(const BasicBlock &B) const {
    BitVector Result(Count);
    for (const BasicBlock *Predecessor : predecessors(&B))
      if (auto At = WrittenOut.find(Predecessor); At != WrittenOut.end())
        Result |= At->second;
    return Result;
  }

  BitVector neededOut(const BasicBlock &B) const {
    BitVector Result(Count);
    for (const BasicBlock *Successor : successors(&B))
      if (auto At = NeededIn.find(Successor); At != NeededIn.end())
        Result |= At->second;
    return Result;
  }

  void solve() {
    for (bool Changed = true; Changed;) {
      BitVector Before = WrittenAtCalls;
      Changed = false;
      for (BasicBlock *B : reverse(Order)) {
        BitVector Written = writtenIn(*B);
        for (const Step &S : Steps[B])
          stepForward(S, Written);
        Changed |= update(WrittenOut, B, Written);
      }
      Changed |= Before != WrittenAtCalls;
    }
    for (bool Changed = true; Changed;) {
      BitVector Before = NeededByJumps;
      Changed = false;
      for (BasicBlock *B : Order) {
        BitVector Needed = neededOut(*B);
        for (const Step &S : reverse(Steps[B]))
          stepBackward(S, Needed);
        Changed |= update(NeededIn, B, Needed);
      }
      Changed |= Before != NeededByJumps;
    }
  }

  static bool update(DenseMap<const BasicBlock *, BitVector> &Map, const BasicBlock *B, const BitVector &New) {
    auto [At, Inserted] = Map.try_emplace(B, New);
    if (Inserted)
      return New.any();
    if (At->second == New)
      return false;
    At->second = New;
    return true;
  }

  unsigned Count;
  BitVector Escapes; ///< the locals whose address other code knows
  bool Jumps;        ///< the function calls setjmp
  BitVector WrittenAtCalls, NeededByJumps;
  DenseMap<const Instruction *, SmallVector<Event, 2>> Events;
  DenseMap<const Instruction *, BitVector> BegunAt; ///< calls of setjmp: the locals that live then
  DenseMap<const BasicBlock *, BitVector> WrittenOut, NeededIn;
  SmallVector<BasicBlock *, 32> Order;
  DenseMap<const BasicBlock *, SmallVector<Step, 0>> Steps;
  LiveLocals Live;
};

} // namespace

LiveLocals computeLiveLocals(Function &F, ArrayRef<AllocaInst *> Locals, ArrayRef<CallBase *> Calls) {
  LiveLocals Result;
  if (Locals.empty())
    return Result;
  Problem P(F, Locals, any_of(Calls, [](const CallBase *Call) { return isJumpTarget(*Call); }));
  P.findLive(Calls);
  for (CallBase *Call : Calls)
    Result[Call] = P.liveAt(*Call);
  return Result;
}

void dropLifetimeMarkers(ArrayRef<AllocaInst *> Locals) {
  for (AllocaInst *Local : Locals)
    for (User *U : make_early_inc_range(Local->users()))
      if (auto *I = dyn_cast<Instruction>(U); I && I->isLifetimeStartOrEnd())
        I->eraseFromParent();
}

} // namespace skein
