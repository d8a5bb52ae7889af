//===- AddressIntegers.cpp ---------------------------------------------------===//
//
// A value that is not a pointer is *tainted* if pure instructions lead to it from a pointer. For each tainted value we
// solve for the coefficient of the address in it, a linear form over all addresses at once: `p - q` has 0, `p + 8` has
// 1, `p << 3` has 8. Deltas of a move are multiples of 64 KiB, so the low 16 bits of an address are invariant.
//
//     None < Unknown (not yet visited) < Known(k) < Either (0 or 1, by the path taken) < Top (not linear)
//
// The solution is the usual ascending fixed point, so loops through phis get a coefficient if all their inputs agree; a
// small constant (a null, a tag) agrees with any coefficient.
//
// Of integers with fewer bits the coefficient is that of the low bits: optimisers compute `(int)(p - q)` as the
// difference of two 32-bit halves. Half an address is none, but a difference of two is invariant.
//
// Memory takes part where all of it can be seen: a *cell* is a 64-bit word of a local whose address goes nowhere but
// into loads and stores of exactly this word. What is loaded from a cell is the merge of all that is ever stored there.
// Of calls we know what AddressSignatures has proved: an argument or result with the attribute `skein-address` has
// coefficient 1.
//
// A value with coefficient 1 is the address of something plus a number, and so relocated like a pointer, in a home slot
// or a word of a local. A move leaves it what ptrtoint of the same pointer gives afterwards. Where the address has been
// made into a number of another form and that number is kept, the number is noticed (a witness, or EscapingAddresses),
// so the two cannot come apart. The number added could be an address in disguise, loaded as an integer from memory
// where nobody follows it: then the sum is none, lies beyond all stacks, and is not touched.
//
// Integers that were *loaded* (or passed in, or returned) as 64-bit words and do nothing but get stored again are what
// remains of a copied pointer field (trap 3, laundering). Unless type-based alias information calls the store an
// integer's, they are ambiguous.
//
//===----------------------------------------------------------------------===//
#include "AddressIntegers.h"
#include "PointerTypes.h"
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

static constexpr uint64_t DeltaUnit = 1 << 16;
static constexpr unsigned SliceLimit = 256;

/// Instructions whose result is a function of their operands alone, so that the code generator may compute it again.
static bool isPure(const Instruction &I) {
  if (isa<CastInst, BinaryOperator, UnaryOperator, CmpInst, SelectInst, PHINode, FreezeInst, ExtractElementInst,
          InsertElementInst, ShuffleVectorInst, ExtractValueInst, InsertValueInst>(I))
    return true;
  const auto *Intrinsic = dyn_cast<IntrinsicInst>(&I);
  if (!Intrinsic || Intrinsic->getIntrinsicID() == Intrinsic::eh_typeid_for) // a number that the compiler chooses
    return false;
  return Intrinsic->doesNotAccessMemory() && !I.getType()->isTokenTy();
}

/// The values an instruction computes from: of an intrinsic its arguments, not the function that it names.
static User::const_op_range inputs(const Instruction &I) {
  const auto *Call = dyn_cast<CallBase>(&I);
  return Call ? User::const_op_range(Call->args()) : I.operands();
}

/// A constant that is computed from the address of a global.
static bool isAddressConstant(const Value *V) {
  const auto *C = dyn_cast<Constant>(V);
  if (!C || isa<ConstantData>(C))
    return false;
  if (isa<GlobalValue, BlockAddress>(C))
    return true;
  return any_of(C->operands(), [](const Use &U) { return isAddressConstant(U.get()); });
}

/// How often it contains the address; none if that is no number.
static std::optional<int64_t> coefficientIn(const Constant &C) {
  if (containsPointer(C.getType()))
    return isa<ConstantPointerNull>(C) ? 0 : 1;
  if (!isAddressConstant(&C))
    return 0;
  const auto *E = dyn_cast<ConstantExpr>(&C);
  if (!E || !E->getType()->isIntegerTy())
    return std::nullopt;
  auto In = [&](unsigned N) { return coefficientIn(*E->getOperand(N)); };
  switch (E->getOpcode()) {
  case Instruction::PtrToInt:
  case Instruction::PtrToAddr:
    return In(0);
  case Instruction::Trunc:
    return E->getType()->getIntegerBitWidth() <= 16 ? 0 : In(0);
  case Instruction::Add:
    return In(0) && In(1) ? std::optional(*In(0) + *In(1)) : std::nullopt;
  case Instruction::Sub:
    return In(0) && In(1) ? std::optional(*In(0) - *In(1)) : std::nullopt;
  default:
    return std::nullopt;
  }
}

static bool is64BitInteger(const Type *T) { return T->isIntegerTy(64); }

/// Holds the low bits of an address at most.
static bool isPartOfWord(const Type *T) { return T->isIntOrIntVectorTy() && T->getScalarSizeInBits() < 64; }

/// Types in which optimised code copies one or more pointers.
static bool isCopyType(const Type *T) {
  if (is64BitInteger(T) || T->isIntegerTy(128))
    return true;
  const auto *Vector = dyn_cast<FixedVectorType>(T);
  return Vector && !containsPointer(T) && Vector->getPrimitiveSizeInBits().getFixedValue() % 64 == 0 &&
         Vector->getElementType()->isIntegerTy();
}

bool isDeclaredAddress(const Value *V) {
  if (const auto *A = dyn_cast<Argument>(V))
    return A->getParent()->getAttributes().hasParamAttr(A->getArgNo(), AddressAttribute);
  if (const auto *Call = dyn_cast<CallBase>(V))
    if (const Function *Callee = Call->getCalledFunction())
      return Callee->getAttributes().hasRetAttr(AddressAttribute);
  return false;
}

/// The place that `U` hands its value to is declared to get addresses.
static bool goesToDeclaredAddress(const Use &U) {
  if (const auto *Return = dyn_cast<ReturnInst>(U.getUser()))
    return Return->getFunction()->getAttributes().hasRetAttr(AddressAttribute);
  const auto *Call = dyn_cast<CallBase>(U.getUser());
  const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  return Callee && Call->isArgOperand(&U) && Call->getArgOperandNo(&U) < Callee->arg_size() &&
         Callee->getAttributes().hasParamAttr(Call->getArgOperandNo(&U), AddressAttribute);
}

bool usesAddressIntegers(const Function &F) {
  AddressIntegers Addresses(F);
  return any_of(instructions(F), [&](const Instruction &I) {
    if (const auto *Cast = dyn_cast<IntToPtrInst>(&I); Cast && isPointer(Cast->getType()->getScalarType()))
      return !Addresses.isProvedAddress(Cast->getOperand(0));
    if (!isa<StoreInst, CallBase, ReturnInst>(I) || isa<IntrinsicInst>(I) || Addresses.isInCell(I))
      return false;
    return any_of(I.operands(), [&](const Use &U) {
      AddressForm Form = Addresses.form(U.get());
      if (!is64BitInteger(U->getType()) || Form == AddressForm::None || Form == AddressForm::Invariant)
        return false;
      return Form != AddressForm::Address || !goesToDeclaredAddress(U);
    });
  });
}

AddressIntegers::AddressIntegers(const Function &F)
    : DL(F.getDataLayout()), KeepsAddresses(F.hasFnAttribute(AddressIntegersAttribute)) {
  findCells(F);
  findTainted(F);
  solve(F);
  for (const Argument &A : F.args())
    if (isCopyType(A.getType()))
      Candidates.push_back(const_cast<Argument *>(&A));
  for (const Instruction &I : instructions(F))
    if (Tainted.contains(&I) || isDeclaredAddress(&I) || (isCopyType(I.getType()) && (KeepsAddresses || !isPure(I))) ||
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
  std::set<int64_t> Parts; // bytes at which something else than a cell is read or written
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
  // With an index that is not known, all words are one cell.
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
    if (!FromAddress || !isPure(I) || containsPointer(I.getType()) || I.getType()->isVoidTy())
      return;
    // An integer field taken out of an aggregate is a value of its own.
    if (isa<ExtractValueInst>(I) && containsPointer(I.getOperand(0)->getType()))
      return;
    if (Tainted.try_emplace(&I).second)
      Work.push_back(&I);
  };
  for (const Instruction &I : instructions(F))
    Consider(I, any_of(inputs(I), [](const Use &U) {
               return (containsPointer(U->getType()) && !isa<ConstantPointerNull>(U)) || isAddressConstant(U) ||
                      isDeclaredAddress(U);
             }));
  while (!Work.empty())
    for (const User *U : Work.pop_back_val()->users())
      if (auto *I = dyn_cast<Instruction>(U))
        Consider(*I, true);
}

AddressIntegers::Linear AddressIntegers::valueOf(const Value *V) const {
  if (auto At = Tainted.find(V); At != Tainted.end())
    return At->second;
  if (containsPointer(V->getType()) || isDeclaredAddress(V))
    return {Linear::Known, 1};
  if (!isAddressConstant(V))
    return {Linear::Known, 0};
  std::optional<int64_t> Coefficient = coefficientIn(*cast<Constant>(V));
  return Coefficient ? Linear{Linear::Known, *Coefficient} : Linear{Linear::Top};
}

/// Scalars, and vectors with the same scalar in each lane.
static const APInt *constantIn(const Value *V) {
  const APInt *C = nullptr;
  return PatternMatch::match(V, PatternMatch::m_APInt(C)) ? C : nullptr;
}

static bool isSmallConstant(const Value *V) {
  const APInt *C = constantIn(V);
  return C && C->abs().ult(DeltaUnit);
}

/// What a value is that has one of two forms.
AddressIntegers::Linear AddressIntegers::merge(const Linear &A, const Linear &B) const {
  auto ZeroOrOne = [](const Linear &L) {
    return L.State == Linear::Either || (L.State == Linear::Known && (L.Coefficient == 0 || L.Coefficient == 1));
  };
  if (A.State == Linear::Unknown || A == B)
    return B;
  if (B.State == Linear::Unknown)
    return A;
  return ZeroOrOne(A) && ZeroOrOne(B) ? Linear{Linear::Either} : Linear{Linear::Top};
}

AddressIntegers::Linear AddressIntegers::evaluate(const Instruction &I) const {
  const Linear Top{Linear::Top};
  if (isa<LoadInst>(I)) {
    Linear Result;
    for (const Value *Stored : Cells[CellOf.lookup(&I)].Stored)
      if (!isSmallConstant(Stored) && !isa<UndefValue>(Stored) && !isa<ConstantPointerNull>(Stored))
        Result = merge(Result, valueOf(Stored));
    return Result;
  }
  SmallVector<Linear, 4> In;
  bool AllInvariant = true, AnyUnknown = false;
  for (const Value *Operand : inputs(I)) {
    In.push_back(valueOf(Operand));
    AnyUnknown |= In.back().State == Linear::Unknown;
    AllInvariant &= In.back().State == Linear::Known && In.back().Coefficient == 0;
  }
  if (isa<CmpInst>(I))
    return {Linear::Known, 0};
  auto Merge = [&](unsigned First) {
    Linear Result;
    bool Part = isPartOfWord(I.getType()); // in which there is no null
    for (unsigned N = First; N < In.size(); ++N)
      if ((Part || !isSmallConstant(I.getOperand(N))) && !isa<UndefValue>(I.getOperand(N)))
        Result = merge(Result, In[N]);
    return Result;
  };
  if (isa<PHINode>(I))
    return Merge(0);
  if (AnyUnknown)
    return {};
  if (AllInvariant)
    return {Linear::Known, 0};

  unsigned Bits = I.getType()->getScalarSizeInBits();
  switch (I.getOpcode()) {
  case Instruction::PtrToInt:
  case Instruction::PtrToAddr:
  case Instruction::Trunc:
    if (Bits <= 16)
      return {Linear::Known, 0};
    return Bits >= 64 || In[0].State == Linear::Known ? In[0] : Top;
  case Instruction::ZExt:
  case Instruction::SExt:
    return I.getOperand(0)->getType()->getScalarSizeInBits() >= 64 ? In[0] : Top;
  case Instruction::Freeze:
    return In[0];
  case Instruction::BitCast:
  case Instruction::ExtractElement:
    return I.getType()->getScalarSizeInBits() == 64 ? In[0] : Top;
  case Instruction::Add:
    if (In[0].State == Linear::Known && In[1].State == Linear::Known)
      return {Linear::Known, In[0].Coefficient + In[1].Coefficient};
    if (isSmallConstant(I.getOperand(1)))
      return In[0];
    return Top;
  case Instruction::Sub:
    if (In[0].State == Linear::Known && In[1].State == Linear::Known)
      return {Linear::Known, In[0].Coefficient - In[1].Coefficient};
    if (isSmallConstant(I.getOperand(1)))
      return In[0];
    return Top;
  case Instruction::And:
    if (const APInt *Mask = constantIn(I.getOperand(1))) {
      if (Mask->ult(DeltaUnit))
        return {Linear::Known, 0};
      if ((~*Mask).ult(DeltaUnit))
        return In[0];
    }
    return Top;
  case Instruction::URem:
    if (const APInt *Modulus = constantIn(I.getOperand(1)); Modulus && Modulus->isPowerOf2() && Modulus->ule(DeltaUnit))
      return {Linear::Known, 0};
    return Top;
  case Instruction::Or:
  case Instruction::Xor: // tags
    for (unsigned N : {0, 1})
      if (KnownBits Tag = computeKnownBits(I.getOperand(N), DL); Tag.getMaxValue().ult(DeltaUnit))
        return In[1 - N];
    return Top;
  case Instruction::Select:
    return In[0].State == Linear::Known && In[0].Coefficient == 0 ? Merge(1) : Top;
  case Instruction::InsertElement:
    return Merge(0).State == Linear::Known ? In[1] : Top;
  case Instruction::ShuffleVector:
    return Merge(0);
  default:
    return Top;
  }
}

void AddressIntegers::solve(const Function &F) {
  ReversePostOrderTraversal<const Function *> Order(&F);
  iterate(Order);
  // What is still unknown depends on itself and on constants: a sum that starts at zero.
  auto StartsSmall = [&](const Instruction &I) {
    if (const auto *Phi = dyn_cast<PHINode>(&I))
      return any_of(Phi->incoming_values(), [](const Value *V) { return isSmallConstant(V); });
    return isa<LoadInst>(I) && any_of(Cells[CellOf.lookup(&I)].Stored, isSmallConstant);
  };
  for (const BasicBlock *B : Order)
    for (const Instruction &I : *B)
      if (auto At = Tainted.find(&I); At != Tainted.end() && At->second.State == Linear::Unknown && StartsSmall(I)) {
        At->second = {Linear::Known, 0};
        iterate(Order);
      }
}

void AddressIntegers::iterate(ReversePostOrderTraversal<const Function *> &Order) {
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (const BasicBlock *B : Order)
      for (const Instruction &I : *B) {
        auto At = Tainted.find(&I);
        if (At == Tainted.end() || At->second.State == Linear::Top)
          continue;
        Linear New = evaluate(I);
        if (New == At->second || New.State == Linear::Unknown)
          continue;
        // Only ever upwards: a value that changes its coefficient has none, or either.
        New = merge(At->second, New);
        if (New == At->second)
          continue;
        At->second = New;
        Changed = true;
      }
  }
}

AddressForm AddressIntegers::form(const Value *V) const {
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

/// Follows a 64-bit integer through the operations that keep it an address.
static bool keepsAddress(const Instruction &I, const Value *Of) {
  switch (I.getOpcode()) {
  case Instruction::Add:
  case Instruction::Or:
  case Instruction::And:
  case Instruction::Xor:
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

bool AddressIntegers::reachesPointer(const Value *V) const {
  SmallPtrSet<const Value *, 16> Seen{V};
  SmallVector<const Value *, 16> Work{V};
  while (!Work.empty() && Seen.size() < SliceLimit) {
    const Value *At = Work.pop_back_val();
    for (const User *U : At->users()) {
      const auto *I = dyn_cast<Instruction>(U);
      if (!I)
        continue;
      if (isa<IntToPtrInst>(I)) {
        if (isPointer(I->getType()->getScalarType()))
          return true;
        continue; // to shared memory, which does not move
      }
      if (keepsAddress(*I, At) && Seen.insert(I).second)
        Work.push_back(I);
      if (auto Found = CellOf.find(I); Found != CellOf.end() && isa<StoreInst>(I))
        for (const Instruction *Load : Cells[Found->second].Loads) {
          if (containsPointer(Load->getType()))
            return true;
          if (Seen.insert(Load).second)
            Work.push_back(Load);
        }
    }
  }
  return false;
}

/// True if type-based alias information says that the access is to a plain integer or floating-point object.
static bool isTaggedAsNumber(const Instruction &I) {
  const MDNode *Tag = I.getMetadata(LLVMContext::MD_tbaa);
  if (!Tag || Tag->getNumOperands() < 2)
    return false;
  const auto *Access = dyn_cast<MDNode>(Tag->getOperand(1));
  const auto *Name = Access && Access->getNumOperands() ? dyn_cast<MDString>(Access->getOperand(0)) : nullptr;
  return Name && Name->getString() != "omnipotent char" && !Name->getString().contains("pointer") &&
         !Name->getString().starts_with("p");
}

bool AddressIntegers::isCopiedOnly(const Value *V) const {
  if (const auto *Load = dyn_cast<LoadInst>(V); Load && isTaggedAsNumber(*Load))
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
        if (isTaggedAsNumber(*Store) || Seen.contains(Store->getPointerOperand()))
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

/// Too small for an address: it fits in 32 bits.
bool AddressIntegers::isSmall(const Value *V) const {
  return ComputeNumSignBits(V, DL) > 32 || computeKnownBits(V, DL).countMinLeadingZeros() >= 32;
}

Treatment AddressIntegers::treatment(Value *V) const {
  AddressForm Form = form(V);
  if (is64BitInteger(V->getType())) {
    if (Form != AddressForm::Invariant && Form != AddressForm::Either && reachesPointer(V))
      return Treatment::PointerHome;
    if (Form == AddressForm::Address)
      return Treatment::PointerHome;
    if (Form == AddressForm::Either)
      return Treatment::AmbiguousWitness;
  }
  if (Form == AddressForm::Invariant)
    return Treatment::Freeze;
  if (Form != AddressForm::None)
    return Treatment::LeafWitness;
  if (isCopyType(V->getType()) && (isCopiedOnly(V) || (KeepsAddresses && !isSmall(V))))
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
      if (isDeclaredAddress(Operand) || (CellOf.contains(dyn_cast<Instruction>(Operand)) && Tainted.contains(Operand)))
        return true;
      if (Seen.insert(Operand).second)
        Work.push_back(Operand);
    }
  }
  return false;
}

SmallVector<Value *, 4> AddressIntegers::leaves(Value *V) const {
  SmallVector<Value *, 4> Leaves;
  SmallPtrSet<Value *, 16> Seen{V};
  SmallVector<Value *, 16> Work{V};
  while (!Work.empty()) {
    auto *I = dyn_cast<Instruction>(Work.pop_back_val());
    if (!I)
      continue;
    if (isa<LoadInst>(I)) {
      Leaves.push_back(I);
      continue;
    }
    for (Value *Operand : inputs(*I)) {
      if (isa<BasicBlock>(Operand) || !Seen.insert(Operand).second)
        continue;
      if (isa<LoadInst>(Operand) && Tainted.contains(Operand))
        Leaves.push_back(Operand); // from a cell
      else if (Tainted.contains(Operand))
        Work.push_back(Operand);
      else if (containsPointer(Operand->getType()) || isAddressConstant(Operand) || isDeclaredAddress(Operand))
        Leaves.push_back(Operand);
    }
  }
  return Leaves;
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
  return isCopyType(V->getType()) && (isCopiedOnly(V) || (KeepsAddresses && !isSmall(V)));
}

} // namespace skein
