//===- AddressIntegers.cpp ---------------------------------------------------===//
//
// Finds the integers, floating-point numbers and vectors of a function that are addresses, or that would be wrong after
// a move. A value that is not a pointer is *tainted* if pure instructions lead to it from a pointer or from an
// *unknown* word: one that came from elsewhere without evidence that it is a number (WordEvidence.h). How a tainted
// value depends on addresses is its linear form (AddressForms.cpp). This file finds the sources, and answers the
// questions of the passes that home values and write maps.
//
// Memory takes part where all accesses to it can be seen. A *cell* is a 64-bit word of a local whose address is used
// only in loads and stores of exactly this word. What is loaded from a cell is the merge of all that is ever stored
// there. For calls, AddressSignatures has found out what arrives: a value with the attribute `skein-address` is an
// address, one with `skein-ambiguous` is unknown.
//
// An unknown word that is used only as an address is taken for one and relocated: a pointer is made of it, and besides
// it is only compared, its tag is read, or it is copied to where no type says that it is a number. If it is used as a
// number anywhere, it is ambiguous: it is never changed, and a copy of it refuses a move in which it would have to
// change.
//
// Arguments that are only stored again are what remains of a copied pointer field. Nothing says whether they are
// addresses or numbers, so they are ambiguous too.
//
// Parts of a word are values of their own. What pure instructions cut off is tainted like everything else, and what is
// read as a part of a word in memory is an unknown *part* (PartsOfWords.cpp). No part looks like an address, so the
// words from which it was cut are its witnesses.
//
// Invariant established for pointer-homing: every value that may carry an address, or a part of one, across a call, or
// from which one may be computed, has a treatment other than Nothing, or evidence that it is a number. The proof on
// machine code (AddressProof.cpp) shares no code with this analysis, and would notice a pointer that was taken for a
// number.
//
//===----------------------------------------------------------------------===//
#include "AddressIntegers.h"
#include "AddressForms.h"
#include "PointerTypes.h"
#include "WordEvidence.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/KnownBits.h"
#include <map>
#include <set>

using namespace llvm;

namespace skein {

static constexpr unsigned SliceLimit = 256;

/// Types in which optimised code copies one or more pointers.
static bool isCopyType(const Type *T) { return isWide(T); }

bool isDeclaredAddress(const Value *V) {
  if (const auto *A = dyn_cast<Argument>(V))
    return A->getParent()->getAttributes().hasParamAttr(A->getArgNo(), AddressAttribute);
  if (const auto *Call = dyn_cast<CallBase>(V))
    if (const Function *Callee = Call->getCalledFunction())
      return Callee->getAttributes().hasRetAttr(AddressAttribute);
  return false;
}

/// Whether the place to which `U` passes its value is declared to get addresses.
static bool goesToDeclaredAddress(const Use &U) {
  if (const auto *Return = dyn_cast<ReturnInst>(U.getUser()))
    return Return->getFunction()->getAttributes().hasRetAttr(AddressAttribute);
  const auto *Call = dyn_cast<CallBase>(U.getUser());
  const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  return Callee && Call->isArgOperand(&U) && Call->getArgOperandNo(&U) < Callee->arg_size() &&
         Callee->getAttributes().hasParamAttr(Call->getArgOperandNo(&U), AddressAttribute);
}

bool AddressIntegers::isDeclaredNumber(const Value *V) const {
  return isUnknown(V) && isa<LoadInst>(V) && declaredEvidence(*cast<LoadInst>(V)) == Evidence::Number;
}

bool AddressIntegers::losesSight(const Function &F) const {
  return any_of(instructions(F), [&](const Instruction &I) {
    if (const auto *Cast = dyn_cast<IntToPtrInst>(&I); Cast && isPointer(Cast->getType()->getScalarType()))
      return !isProvedAddress(Cast->getOperand(0)) ||
             any_of(leaves(Cast->getOperand(0)), [&](const Value *Leaf) { return isDeclaredNumber(Leaf); });
    if (!isa<StoreInst, CallBase, ReturnInst>(I) || isa<IntrinsicInst>(I) || isInCell(I))
      return false;
    return any_of(I.operands(), [&](const Use &U) {
      AddressForm Form = form(U.get());
      if (!is64BitInteger(U->getType()) || Form == AddressForm::None || Form == AddressForm::Invariant)
        return false;
      if (Form == AddressForm::Address && goesToDeclaredAddress(U))
        return false;
      // A word that may be an address, but came from elsewhere, was not made into an integer here.
      return isa<Constant>(U) || any_of(leaves(U), [&](const Value *Leaf) {
               return containsPointer(Leaf->getType()) || isAddressConstant(Leaf) || isDeclaredAddress(Leaf) ||
                      (!isUnknown(Leaf) && form(Leaf) == AddressForm::Address);
             });
    });
  });
}

AddressIntegers::AddressIntegers(const Function &F) : DL(F.getDataLayout()), Parts(F) {
  findCells(F);
  renew(F);
}

void AddressIntegers::renew(const Function &F) {
  KeepsAddresses = F.hasFnAttribute(AddressIntegersAttribute);
  Unknowns.clear();
  Tainted.clear();
  Candidates.clear();
  findUnknowns(F);
  findTainted(F);
  solve(F);
  for (const Argument &A : F.args())
    if (isCopyType(A.getType()))
      Candidates.push_back(const_cast<Argument *>(&A));
  for (const Instruction &I : instructions(F))
    if (Tainted.contains(&I) || Unknowns.contains(&I) || isDeclaredAddress(&I) ||
        (isCopyType(I.getType()) && (KeepsAddresses || !isPure(I))) ||
        (is64BitInteger(I.getType()) && reachesPointer(&I)))
      Candidates.push_back(const_cast<Instruction *>(&I));
}

void AddressIntegers::findCells(const Function &F) {
  for (const Instruction &Local : F.getEntryBlock())
    if (const auto *Alloca = dyn_cast<AllocaInst>(&Local); Alloca && Alloca->isStaticAlloca())
      findCellsOf(*Alloca);
}

void AddressIntegers::findCellsOf(const AllocaInst &Alloca) {
  std::map<int64_t, Cell> Words;
  std::set<int64_t> Parts; // bytes that are read or written other than as a cell
  bool Indexed = false;    // some access is at an offset that is not known
  SmallPtrSet<const Value *, 8> Seen;
  SmallVector<const Value *, 8> Work{&Alloca};
  while (!Work.empty()) {
    const Value *Pointer = Work.pop_back_val();
    for (const Use &U : Pointer->uses()) {
      const auto *I = cast<Instruction>(U.getUser());
      const auto *Fill = dyn_cast<MemSetInst>(I);
      if (isa<GetElementPtrInst>(I) && I->getType()->isPointerTy()) {
        Indexed |= !cast<GetElementPtrInst>(I)->hasAllConstantIndices();
        if (Seen.insert(I).second)
          Work.push_back(I);
      } else if ((isa<LoadInst>(I) || isa<StoreInst>(I)) && U.getOperandNo() == I->getNumOperands() - 1) {
        const auto *Store = dyn_cast<StoreInst>(I);
        Type *T = Store ? Store->getValueOperand()->getType() : I->getType();
        int64_t Offset = 0;
        bool Known = GetPointerBaseWithConstantOffset(Pointer, Offset, DL) == &Alloca;
        if (!Known && getLoadStoreAlignment(I) < Align(8))
          return; // words could overlap
        Cell &Word = Words[Known ? Offset : 0];
        if (is64BitInteger(T) || isPointer(T))
          (Store ? Word.Stores : Word.Loads).push_back(I);
        else if (Known)
          for (int64_t Byte = 0; Byte < int64_t(DL.getTypeStoreSize(T).getKnownMinValue()); ++Byte)
            Parts.insert(Offset + Byte);
        else
          return;
        if (Store && (is64BitInteger(T) || isPointer(T)))
          Word.Stored.push_back(Store->getValueOperand());
      } else if (!I->isLifetimeStartOrEnd() &&
                 !(Fill && isa<ConstantInt>(Fill->getValue()) && cast<ConstantInt>(Fill->getValue())->isZero())) {
        return;
      }
    }
  }
  // If an index is not known, all words are one cell.
  if (Indexed && !Parts.empty())
    return;
  if (Indexed) {
    Cell All;
    for (auto &[Offset, Word] : Words) {
      All.Stored.append(Word.Stored);
      All.Loads.append(Word.Loads);
      All.Stores.append(Word.Stores);
    }
    Words.clear();
    Words[0] = std::move(All);
  }
  for (auto &[Offset, Word] : Words) {
    auto Beside = Words.lower_bound(Offset - 7);
    auto After = std::next(Words.find(Offset));
    auto Part = Parts.lower_bound(Offset);
    if (Beside->first != Offset || (After != Words.end() && After->first < Offset + 8) ||
        (Part != Parts.end() && *Part < Offset + 8))
      continue; // overlapped
    for (const Instruction *Access : concat<const Instruction *>(Word.Loads, Word.Stores))
      CellOf[Access] = Cells.size();
    Cells.push_back(Word);
  }
}

/// A word that is used only as an address is taken for one; any other may be either.
void AddressIntegers::findUnknowns(const Function &F) {
  auto Consider = [&](const Value &V, Evidence Declared) {
    bool Address = Declared == Evidence::Pointer || (is64BitInteger(V.getType()) && reachesPointer(&V, /*Only=*/true));
    Unknowns[&V] = Address ? Linear{Linear::Known, 1} : Linear{Linear::Either};
  };
  for (const Argument &A : F.args())
    if (isUnknownWord(&A) && !isDeclaredAddress(&A))
      Consider(A, Evidence::None);
  for (const Instruction &I : instructions(F))
    if (!CellOf.contains(&I) && !isDeclaredAddress(&I) && !readsForWitness(I)) {
      if (Parts.contains(&I))
        Unknowns[&I] = {Linear::Part};
      else if (Parts.readsWritten(&I))
        Consider(I, Evidence::None);
      else if (isUnknownWord(&I))
        Consider(I, isa<LoadInst>(I) ? evidenceOfAccess(I) : Evidence::None);
      else if (KeepsAddresses && isa<LoadInst>(I) && is64BitInteger(I.getType()) && !isSmall(&I))
        Consider(I, Evidence::None); // some integers of this module are addresses, whatever their type
    }
}

void AddressIntegers::findTainted(const Function &F) {
  SmallVector<const Instruction *, 32> Work;
  auto Reload = [&](const Instruction &Store) {
    if (auto At = CellOf.find(&Store); At != CellOf.end())
      for (const Instruction *Load : Cells[At->second].Loads)
        if (is64BitInteger(Load->getType()) && Tainted.try_emplace(Load).second)
          Work.push_back(Load);
  };
  auto Consider = [&](const Instruction &I, bool FromAddress) {
    if (FromAddress && isa<StoreInst>(I))
      Reload(I);
    if (!FromAddress || !(isPure(I) || isAssembly(I)) || containsPointer(I.getType()) || I.getType()->isVoidTy() ||
        Unknowns.contains(&I))
      return;
    // An integer field taken out of an aggregate is a value of its own.
    if (isa<ExtractValueInst>(I) && containsPointer(I.getOperand(0)->getType()))
      return;
    if (Tainted.try_emplace(&I).second)
      Work.push_back(&I);
  };
  for (const Instruction &I : instructions(F))
    Consider(I, isAssembly(I) || any_of(inputs(I), [&](const Use &U) {
                  return (containsPointer(U->getType()) && !isa<ConstantPointerNull>(U)) || isAddressConstant(U) ||
                         isDeclaredAddress(U) || Unknowns.contains(U);
                }));
  while (!Work.empty())
    for (const User *U : Work.pop_back_val()->users())
      if (auto *I = dyn_cast<Instruction>(U))
        Consider(*I, true);
}

/// The tainted values in reverse post order, and the ones that must be evaluated because something from which they are
/// computed has changed. A value whose form depends on more than its operands is evaluated after each change.
struct AddressIntegers::Unsettled {
  SmallVector<const Instruction *, 0> Values;
  DenseMap<const Instruction *, unsigned> Number;
  BitVector Stale, Deep;
  DenseMap<unsigned, unsigned> SeenAt; ///< for such a value: the number of changes when it was evaluated
  unsigned Changes = 0;

  void add(const Instruction &I) {
    if (auto At = Number.find(&I); At != Number.end())
      Stale.set(At->second);
  }
  /// The number of the next value after `N` that must be evaluated, or -1.
  int next(int N) const {
    const int A = Stale.find_next(N), B = Deep.find_next(N);
    return A < 0 ? B : B < 0 ? A : std::min(A, B);
  }
};

void AddressIntegers::changed(const Instruction &I, Unsettled &U) const {
  ++U.Changes;
  for (const User *Of : I.users()) {
    const auto *Next = cast<Instruction>(Of);
    U.add(*Next);
    if (isa<StoreInst>(Next))
      for (const Instruction *Load : reloadsOf(*Next))
        U.add(*Load);
    if (Next->getOpcode() == Instruction::LShr) // the instructions after it look for its low bits
      for (const User *Further : Next->users())
        U.add(*cast<Instruction>(Further));
  }
}

/// Whether the form of `I` depends on what its operands were computed from, and not only on their forms.
bool AddressIntegers::looksDeeper(const Instruction &I) const {
  auto IsSum = [&](const Value *V) {
    const Linear L = valueOf(V);
    return L.State == Linear::Known && L.Coefficient != 0 && !(L.Coefficient == 1 && is64BitInteger(V->getType()));
  };
  switch (I.getOpcode()) {
  case Instruction::Add:
  case Instruction::Sub:
  case Instruction::LShr:
  case Instruction::UDiv:
    return any_of(I.operands(), IsSum);
  default:
    return false;
  }
}

void AddressIntegers::solve(const Function &F) {
  ReversePostOrderTraversal<const Function *> Order(&F);
  Unsettled U;
  for (const BasicBlock *B : Order)
    for (const Instruction &I : *B)
      if (Tainted.contains(&I)) {
        U.Number[&I] = U.Values.size();
        U.Values.push_back(&I);
      }
  U.Stale.resize(U.Values.size(), true);
  U.Deep.resize(U.Values.size());
  iterate(U);
  // A value that is still unknown depends on itself and on constants: it is a sum that starts at zero.
  auto StartsSmall = [&](const Instruction &I) {
    if (const auto *Phi = dyn_cast<PHINode>(&I))
      return any_of(Phi->incoming_values(), [](const Value *V) { return isSmallConstant(V); });
    return isa<LoadInst>(I) && any_of(Cells[CellOf.lookup(&I)].Stored, isSmallConstant);
  };
  for (const Instruction *I : U.Values)
    if (Linear &L = Tainted.find(I)->second; L.State == Linear::Unknown && StartsSmall(*I)) {
      L = {Linear::Known, 0};
      changed(*I, U);
      iterate(U);
    }
}

void AddressIntegers::iterate(Unsettled &U) {
  for (unsigned Before = U.Changes + 1; Before != U.Changes;) {
    Before = U.Changes;
    for (int N = U.next(-1); N >= 0; N = U.next(N)) {
      if (!U.Stale.test(N) && U.SeenAt.lookup(N) == U.Changes)
        continue;
      U.Stale.reset(N);
      const Instruction &I = *U.Values[N];
      Linear &Old = Tainted.find(&I)->second;
      if (Old.State != Linear::Top) {
        Linear New = evaluate(I);
        // The form only ever rises: if a value's coefficient changes, it has none, or either.
        if (New.State != Linear::Unknown)
          New = merge(Old, New);
        if (New.State != Linear::Unknown && New != Old) {
          Old = New;
          changed(I, U);
        }
      }
      const bool Deep = Old.State != Linear::Top && looksDeeper(I);
      U.Deep[N] = Deep;
      if (Deep)
        U.SeenAt[N] = U.Changes;
    }
  }
}

AddressForm AddressIntegers::form(const Value *V) const {
  if (auto At = Unknowns.find(V); At != Unknowns.end())
    return At->second.State == Linear::Known  ? AddressForm::Address
           : At->second.State == Linear::Part ? AddressForm::Other
                                              : AddressForm::Either;
  auto At = Tainted.find(V);
  if (At == Tainted.end() && isAddressConstant(V) && V->getType()->isIntegerTy()) {
    std::optional<int64_t> Coefficient = coefficientIn(*cast<Constant>(V));
    return Coefficient == 1 ? AddressForm::Address : Coefficient == 0 ? AddressForm::Invariant : AddressForm::Other;
  }
  if (At == Tainted.end())
    return isAddressConstant(V) || isDeclaredAddress(V) ? AddressForm::Address : AddressForm::None;
  if (At->second.State == Linear::Known && At->second.Coefficient == 0)
    return AddressForm::Invariant;
  if (isPartOfWord(V->getType()))
    return AddressForm::Other;
  if (At->second.State == Linear::Either)
    return AddressForm::Either;
  if (At->second.State != Linear::Known)
    return AddressForm::Other;
  return At->second.Coefficient == 1 ? AddressForm::Address : AddressForm::Other;
}

/// Whether an operation keeps a 64-bit integer an address. An exclusive or does so only with a tag; with anything else
/// it may make an address of a number.
static bool keepsAddress(const Instruction &I, const Value *Of) {
  switch (I.getOpcode()) {
  case Instruction::Xor:
    return isSmallConstant(I.getOperand(1));
  case Instruction::Add:
  case Instruction::Or:
  case Instruction::And:
  case Instruction::PHI:
  case Instruction::Freeze:
    return true;
  case Instruction::Sub:
    return I.getOperand(0) == Of;
  case Instruction::Select:
    return I.getOperand(0) != Of;
  default:
    return false;
  }
}

/// Whether a pointer is made of `V`. With `Only`: and besides, `V` is only compared, its tag is read, or it is copied
/// to where nothing says that it is a number. If there are too many users to follow, the answer is the one that refuses
/// moves: a pointer may be made, and other things are done as well.
bool AddressIntegers::reachesPointer(const Value *V, bool Only) const {
  SmallPtrSet<const Value *, 16> Seen{V};
  SmallVector<const Value *, 16> Work{V};
  bool Reached = false;
  while (!Work.empty() && Seen.size() < SliceLimit) {
    const Value *At = Work.pop_back_val();
    for (const User *U : At->users()) {
      const auto *I = dyn_cast<Instruction>(U);
      if (!I)
        continue;
      if (isa<IntToPtrInst>(I)) {
        if (isPointer(I->getType()->getScalarType())) // pointers to shared memory do not move
          Reached = true;
        else if (Only)
          return false;
      } else if (auto Found = CellOf.find(I); Found != CellOf.end() && isa<StoreInst>(I)) {
        for (const Instruction *Load : Cells[Found->second].Loads) {
          Reached |= containsPointer(Load->getType());
          if (!containsPointer(Load->getType()) && Seen.insert(Load).second)
            Work.push_back(Load);
        }
      } else if (keepsAddress(*I, At)) {
        if (Seen.insert(I).second)
          Work.push_back(I);
      } else if (Only) {
        bool Compares = isa<ICmpInst, ReturnInst>(I) || (isa<TruncInst>(I) && I->getType()->isIntegerTy(8));
        bool Stores = isa<StoreInst, AtomicRMWInst, AtomicCmpXchgInst>(I) &&
                      (!isa<StoreInst>(I) || evidenceOfAccess(*I) != Evidence::Number);
        if (!Compares && !Stores)
          return false;
      }
      if (Reached && !Only)
        return true;
    }
  }
  return Only ? Reached && Work.empty() : !Work.empty();
}

bool AddressIntegers::isCopiedOnly(const Value *V) const {
  if (const auto *Load = dyn_cast<LoadInst>(V); Load && evidenceOfAccess(*Load) == Evidence::Number)
    return false;
  SmallPtrSet<const Value *, 16> Seen{V};
  SmallVector<const Value *, 16> Work{V};
  bool Copied = false;
  while (!Work.empty()) {
    if (Seen.size() > SliceLimit)
      return true;
    for (const User *U : Work.pop_back_val()->users()) {
      const auto *I = dyn_cast<Instruction>(U);
      if (!I)
        return false;
      if (const auto *Store = dyn_cast<StoreInst>(I)) {
        if (evidenceOfAccess(*Store) == Evidence::Number || Seen.contains(Store->getPointerOperand()))
          return false;
        Copied = true;
      } else if (isa<ReturnInst, AtomicRMWInst, AtomicCmpXchgInst>(I)) {
        Copied = true;
      } else if (isa<PHINode, SelectInst, FreezeInst, BitCastInst, ExtractElementInst, InsertElementInst,
                     ShuffleVectorInst, InsertValueInst, ExtractValueInst, TruncInst, ZExtInst>(I) ||
                 (I->isShift() && I->getType()->isIntegerTy(128))) {
        if (Seen.insert(I).second)
          Work.push_back(I);
      } else {
        return false;
      }
    }
  }
  return Copied;
}

/// Whether each lane is a word that fits in 32 bits, which is too small for an address. LLVM knows no bits of
/// floating-point numbers, and must not be asked for them. In an integer of 128 bits the address may be the lower half,
/// and in lanes of 32 bits two lanes.
bool AddressIntegers::isSmall(const Value *V) const {
  return V->getType()->getScalarType()->isIntegerTy(64) &&
         (ComputeNumSignBits(V, DL) > 32 || computeKnownBits(V, DL).countMinLeadingZeros() >= 32);
}

/// Whether each lane is a sum of numbers that fit in 32 bits: a counter, a total, a limit that grows by steps. Only a
/// product, a shift or a bitwise operation could make an address of such numbers.
bool AddressIntegers::isSumOfSmall(const Value *V) const {
  SmallPtrSet<const Value *, 16> Seen{V};
  SmallVector<const Value *, 16> Work{V};
  while (!Work.empty()) {
    const Value *At = Work.pop_back_val();
    if (isSmall(At))
      continue;
    const auto *I = dyn_cast<Instruction>(At);
    const bool Sums = I && (isa<PHINode, SelectInst, FreezeInst>(I) || I->getOpcode() == Instruction::Add ||
                            I->getOpcode() == Instruction::Sub);
    if (!Sums || form(I) != AddressForm::None || Seen.size() > SliceLimit)
      return false;
    for (const Value *Operand : I->operands())
      if (Operand->getType() == V->getType() && Seen.insert(Operand).second) // not what a select decides by
        Work.push_back(Operand);
  }
  return true;
}

/// Whether a value that is computed from no address and from no unknown word may be the copy of an address all the
/// same.
bool AddressIntegers::mayCopyAddress(const Value *V) const {
  return isCopyType(V->getType()) && (isCopiedOnly(V) || (KeepsAddresses && !isSumOfSmall(V)));
}

Treatment AddressIntegers::treatment(Value *V) const {
  switch (form(V)) {
  case AddressForm::Address:
    return is64BitInteger(V->getType()) ? Treatment::PointerHome : Treatment::LeafWitness;
  case AddressForm::Either:
    return is64BitInteger(V->getType()) && isSmall(V) ? Treatment::Nothing : Treatment::AmbiguousWitness;
  case AddressForm::Invariant:
    return Treatment::Freeze;
  case AddressForm::Other:
    return Treatment::LeafWitness;
  case AddressForm::None:
    break;
  }
  if (is64BitInteger(V->getType()) && reachesPointer(V))
    return reachesPointer(V, /*Only=*/true) ? Treatment::PointerHome : Treatment::AmbiguousWitness;
  if (mayCopyAddress(V))
    return Treatment::AmbiguousWitness;
  return Treatment::Nothing;
}

bool AddressIntegers::isRecomputable(const Value *V) const {
  SmallPtrSet<const Value *, 16> Seen{V};
  SmallVector<const Value *, 16> Work{V};
  while (!Work.empty()) {
    const auto *I = dyn_cast<Instruction>(Work.pop_back_val());
    if (!I || !isPure(*I) || (isa<PHINode>(I) && cast<PHINode>(I)->getNumIncomingValues() > 1))
      continue;
    for (const Value *Operand : inputs(*I)) {
      if (containsPointer(Operand->getType()) && !isa<ConstantPointerNull>(Operand))
        return true;
      if (isDeclaredAddress(Operand) || (Unknowns.contains(Operand) && !Parts.contains(Operand)) ||
          (CellOf.contains(dyn_cast<Instruction>(Operand)) && Tainted.contains(Operand)))
        return true;
      if (Seen.insert(Operand).second)
        Work.push_back(Operand);
    }
  }
  return false;
}

SmallVector<Value *, 4> AddressIntegers::leaves(Value *V, SmallVectorImpl<Value *> *Invariants) const {
  SmallVector<Value *, 4> Leaves;
  SmallPtrSet<Value *, 16> Seen{V};
  SmallVector<Value *, 16> Work{V};
  while (!Work.empty()) {
    Value *At = Work.pop_back_val();
    auto *I = dyn_cast<Instruction>(At);
    if (isUnknown(At) || isDeclaredAddress(At) || isa_and_nonnull<LoadInst>(I)) {
      Leaves.push_back(At);
      continue;
    }
    if (!I)
      continue;
    const auto *Part = dyn_cast<ExtractValueInst>(I);
    if (isWide(I->getType()) && (isAssembly(*I) || (Part && isAssembly(*Part->getAggregateOperand()))))
      Leaves.push_back(I);
    for (Use &U : I->operands()) {
      Value *Operand = U;
      if (!isInput(U) || !Seen.insert(Operand).second)
        continue;
      if (form(Operand) == AddressForm::Invariant) {
        if (Invariants)
          Invariants->push_back(Operand);
        continue;
      }
      if (isUnknown(Operand) || (isa<LoadInst>(Operand) && Tainted.contains(Operand)))
        Leaves.push_back(Operand); // such a load reads a cell
      else if (Tainted.contains(Operand))
        Work.push_back(Operand);
      else if (isAddressConstant(Operand))
        append_range(Leaves, addressesIn(*cast<Constant>(Operand)));
      else if (containsPointer(Operand->getType()) || isDeclaredAddress(Operand))
        Leaves.push_back(Operand);
    }
  }
  return Leaves;
}

bool AddressIntegers::mergesLeaves(const Value *V) const {
  SmallPtrSet<const Value *, 16> Seen{V};
  SmallVector<const Value *, 16> Work{V};
  while (!Work.empty()) {
    const Value *At = Work.pop_back_val();
    if (!Tainted.contains(At) || form(At) == AddressForm::Invariant)
      continue;
    if (isa<PHINode>(At))
      return true;
    for (const Value *Operand : cast<Instruction>(At)->operands())
      if (Seen.insert(Operand).second)
        Work.push_back(Operand);
  }
  return false;
}

bool AddressIntegers::isAddressLike(const Value *V) const {
  if (const auto *C = dyn_cast<Constant>(V))
    return C->isNullValue() || isAddressConstant(C);
  return form(V) == AddressForm::Address || V->use_empty() || reachesPointer(V) || isCopiedOnly(V);
}

ArrayRef<const Instruction *> AddressIntegers::reloadsOf(const Instruction &Store) const {
  auto At = CellOf.find(&Store);
  return At == CellOf.end() ? ArrayRef<const Instruction *>() : Cells[At->second].Loads;
}

bool AddressIntegers::isProvedAddress(const Value *V) const {
  return isSmallConstant(V) || isa<UndefValue>(V) || form(V) == AddressForm::Address;
}

bool AddressIntegers::mayCarryAddress(const Value *V) const {
  if (isa<Constant>(V))
    return isAddressConstant(V);
  AddressForm Form = form(V);
  if (Form != AddressForm::None)
    return Form != AddressForm::Invariant;
  return mayCopyAddress(V);
}

} // namespace skein
