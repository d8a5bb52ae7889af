//===- TellingPlaces.cpp -----------------------------------------------------===//
//
// Text is compared word by word: two words are loaded, and while they are equal, the loop goes on with the next two.
// Where they differ, a number is made of them, the count of the bytes that agree. If either is an address, the runtime
// has to be told before that, but not in the loop:
//
//     loop:  %a = load i64, ptr %p                 The words decide a branch here, which no thread can remember as
//            %b = load i64, ptr %q                 more than one bit.
//            br (icmp eq %a, %b), %loop, %differ
//     differ:                                      <- here is the latest place to tell
//            %x = xor %a, %b
//
// Until that place the word is what it was: no call lies between, so the thread has not moved. All uses that matter
// come after it; those that do not are not behind a call either. The place is reached by edges that enter their blocks
// alone, so it is executed no more often than the word is made. The proof on the machine code, which relies on loaded
// words being told, finds the same by itself (NumberEvidence.cpp).
//
// Likewise a pointer that may lead far from its object is often only followed, and kept where what it leads to is what
// was looked for. What is merged with other pointers on the way there does not matter if that is only followed and dead
// before the next call: no map names it, and nobody remembers it.
//
//     %p = getelementptr i8, ptr %base, i64 %n
//     ...                                          compares what is there, in a loop, without a call
//     %best = select i1 %longer, ptr %p, ptr %old  <- the latest place, and only if %longer
//
// The last holds if nothing follows %p behind the block of the select: then it is dead there unless it is chosen.
//
// The proof knows nothing of such pointers. So ways to the place may part and meet again, as long as no call is on any
// of them and the place is not reached again before the pointer is made anew.
//
//===----------------------------------------------------------------------===//
#include "TellingPlaces.h"
#include "passes/Compat.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace skein {

bool onlyDecidesBranch(const Instruction &Use, const Instruction &Word) {
  return isa<ICmpInst>(Use) && Use.getParent() == Word.getParent() && all_of(Use.users(), [&](const User *U) {
           const auto &By = *cast<Instruction>(U);
           return conditionOf(By) && By.getParent() == Word.getParent();
         });
}

/// Whether the pointer is only the place of a load or a store.
static bool isOnlyFollowedBy(const Use &U) {
  const User *By = U.getUser();
  return isa<LoadInst>(By) || (isa<StoreInst>(By) && U.getOperandNo() == StoreInst::getPointerOperandIndex());
}

using Blocks = SmallSetVector<BasicBlock *, 8>;

static bool mayMove(const Instruction &I) { return isa<CallBase>(I) && !isa<IntrinsicInst>(I); }

/// The blocks in which a thread is on its way from `Home`, where a pointer is made, to `Place`, which it dominates.
/// None if a thread may move on the way, or may reach the place twice.
static std::optional<Blocks> waysWithoutCall(BasicBlock &Home, BasicBlock &Place) {
  constexpr unsigned Most = 64;
  Blocks Ways;
  Ways.insert_range(predecessors(&Place));
  for (unsigned N = 0; N < Ways.size(); ++N) {
    if (Ways[N] == &Home)
      continue;
    if (Ways[N] == &Place || Ways.size() > Most || any_of(*Ways[N], mayMove))
      return std::nullopt;
    Ways.insert_range(predecessors(Ways[N]));
  }
  return Ways;
}

/// The same for a word, if each edge on the way enters its block alone.
static std::optional<Blocks> singleWayWithoutCall(BasicBlock &Home, BasicBlock &Place) {
  Blocks Way;
  for (BasicBlock *B = &Place; B != &Home; Way.insert(B))
    if (B = B->getSinglePredecessor(); !B || (B != &Home && any_of(*B, mayMove)))
      return std::nullopt;
  return Way;
}

std::optional<TellingPlace> latestTellingPlace(Instruction &Word, const DominatorTree &DT,
                                               OnlyFollowed IsOnlyFollowed) {
  BasicBlock *const Home = Word.getParent();
  const bool IsPointer = Word.getType()->isPointerTy();
  SmallVector<const Instruction *, 8> Uses;
  SmallVector<const BasicBlock *, 8> Follows; ///< where the pointer is followed
  BasicBlock *Last = nullptr;                 ///< dominates all uses
  SmallVector<const Instruction *, 4> Same{&Word};
  for (unsigned N = 0; N < Same.size(); ++N)
    for (const Use &U : Same[N]->uses()) {
      auto *User = cast<Instruction>(U.getUser());
      if (isa<GetElementPtrInst>(User) && U.getOperandNo() == 0) {
        Same.push_back(User);
        continue;
      }
      if (onlyDecidesBranch(*User, Word))
        continue;
      auto *Phi = dyn_cast<PHINode>(User);
      BasicBlock *In = Phi ? Phi->getIncomingBlock(U) : User->getParent();
      const bool Merges = IsPointer && isa<PHINode, SelectInst>(User);
      if (isOnlyFollowedBy(U) || (Merges && IsOnlyFollowed(*User))) {
        Follows.push_back(In);
        continue;
      }
      Uses.push_back(Phi ? In->getTerminator() : User);
      Last = Last ? DT.findNearestCommonDominator(Last, In) : In;
    }
  if (!Last || Last == Home || any_of(make_range(Word.getIterator(), Home->end()), mayMove))
    return std::nullopt;
  BasicBlock *Place = nullptr;
  bool OnlyFollowedBefore = false;
  for (BasicBlock *B = Last; B != Home && !Place; B = DT.getNode(B)->getIDom()->getBlock()) {
    std::optional<Blocks> Passed = IsPointer ? waysWithoutCall(*Home, *B) : singleWayWithoutCall(*Home, *B);
    if (!Passed)
      continue;
    auto IsPassed = [&](const BasicBlock *F) { return Passed->contains(const_cast<BasicBlock *>(F)); };
    if (!all_of(Follows, [&](const BasicBlock *F) { return IsPassed(F) || DT.dominates(B, F); }))
      continue;
    Place = B;
    OnlyFollowedBefore = all_of(Follows, IsPassed);
  }
  if (!Place)
    return std::nullopt;
  TellingPlace Found{Place->getFirstInsertionPt()};
  while (!Found.At->isTerminator() && !mayMove(*Found.At) && !is_contained(Uses, &*Found.At))
    ++Found.At;
  if (auto *Choice = dyn_cast<SelectInst>(&*Found.At);
      Choice && Uses.size() == 1 && Uses.front() == Choice && OnlyFollowedBefore) {
    const bool IfFalse = is_contained(Same, Choice->getFalseValue());
    if (is_contained(Same, Choice->getTrueValue()) != IfFalse) {
      Found.If = Choice->getCondition();
      Found.Unless = IfFalse;
    }
  }
  return Found;
}

} // namespace skein
