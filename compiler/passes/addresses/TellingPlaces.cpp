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
// Likewise a pointer that may lead far from its object is often only followed, and kept where what it leads to is what
// was looked for.
//
// Until that place the word is what it was: no call lies between, so the thread has not moved. All uses that matter
// come after it; those that do not are not behind a call either. The place is reached by edges that enter their blocks
// alone, so it is executed no more often than the word is made. The proof on the machine code, which relies on loaded
// words being told, finds the same by itself (NumberEvidence.cpp).
//
//===----------------------------------------------------------------------===//
#include "TellingPlaces.h"
#include "passes/Compat.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
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

static bool mayMove(const Instruction &I) { return isa<CallBase>(I) && !isa<IntrinsicInst>(I); }

std::optional<BasicBlock::iterator> latestTellingPlace(const Instruction &Word, const DominatorTree &DT) {
  const BasicBlock *const Home = Word.getParent();
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
      if (isOnlyFollowedBy(U)) {
        Follows.push_back(User->getParent());
        continue;
      }
      if (onlyDecidesBranch(*User, Word))
        continue;
      if (auto *Phi = dyn_cast<PHINode>(User))
        User = Phi->getIncomingBlock(U)->getTerminator();
      Uses.push_back(User);
      Last = Last ? DT.findNearestCommonDominator(Last, User->getParent()) : User->getParent();
    }
  if (!Last || Last == Home || any_of(make_range(Word.getIterator(), Home->end()), mayMove))
    return std::nullopt;
  SmallVector<BasicBlock *, 4> Way; // from the last block up to the home
  for (BasicBlock *B = Last; B != Home; B = DT.getNode(B)->getIDom()->getBlock())
    Way.push_back(B);
  SmallVector<const BasicBlock *, 4> Passed{Home}; // without a call
  BasicBlock *Place = nullptr;
  for (BasicBlock *Next : reverse(Way)) {
    if (Next->getSinglePredecessor() != (Place ? Place : Home) || (Place && any_of(*Place, mayMove)))
      break;
    if (Place)
      Passed.push_back(Place);
    Place = Next;
  }
  if (!Place ||
      !all_of(Follows, [&](const BasicBlock *B) { return is_contained(Passed, B) || DT.dominates(Place, B); }))
    return std::nullopt;
  BasicBlock::iterator At = Place->getFirstInsertionPt();
  while (!At->isTerminator() && !mayMove(*At) && !is_contained(Uses, &*At))
    ++At;
  return At;
}

} // namespace skein
