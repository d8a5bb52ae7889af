//===- AddressForms.cpp ------------------------------------------------------===//
//
// A value that was computed from an address may have to change when the address does, and by how much depends on the
// computation. For each tainted value this file solves for the coefficient of the address in it, a linear form over all
// addresses at once: `p - q` has 0, `p + 8` has 1, `p << 3` has 8.
//
//     None < Unknown (not yet visited) < Known(k) < Either (0 or 1, by the path taken) < Part (some bytes of a word
//     that may be an address) < Top (not linear)
//
// The solution is the usual ascending fixed point (AddressIntegers::solve), so a phi in a loop gets a coefficient if
// all its inputs agree; a small constant (a null, a tag) agrees with any coefficient. The low bits of an address within
// a page are the same after a move: the program moves by pages, stacks by 64 KiB. A value that is not linear (a hash)
// has no such bits.
//
// For an integer of fewer bits the coefficient is that of its low bits: optimisers compute `(int)(p - q)` as the
// difference of two 32-bit halves. Half an address is no address, but the difference of two halves is invariant.
//
// A value with coefficient 1 is an address plus a number. So it is relocated like a pointer, in a home slot or a word
// of a local; afterwards it is what ptrtoint of the same pointer gives. If the address was made into a number of
// another form and that number is kept, the number is noticed (by a witness, or by EscapingAddresses), so the two
// cannot contradict each other.
//
// A text is compared word by word, and `cttz(a ^ b) >> 3` is the number of bytes that agree in the first two words that
// differ. It is invariant if both are addresses that move alike, since the lowest bit in which two words differ is also
// the lowest one of their difference. If only one of them is an address, it changes only where the other one agrees
// with it in all bits that no move changes. It says no more than a loop does that compares the bytes, whose conditions
// count as text in optimised code (isInvariant).
//
// A union of numbers and pointers is often read as a double. No address has more than 47 bits, so as a double it is
// smaller than any normal number, and the integer to which it is converted is zero, before a move and after it.
//
// "All addresses at once" holds only as long as they move alike. For a sum of several addresses it must be known where
// these lead: if all are computed from one pointer, they lead into its object; if some are certain to lie in the stack
// and others in the program, the sum has no form; if neither is certain, `doubts` names it.
//
//===----------------------------------------------------------------------===//
#include "AddressForms.h"
#include "AddressIntegers.h"
#include "PointerTypes.h"
#include "WordEvidence.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/KnownBits.h"

using namespace llvm;

namespace skein {

/// The deltas of the program and its libraries are multiples of a page, those of stacks of 64 KiB. It is not known
/// which pointer leads where, so only bits below a page are the same after any move.
static constexpr unsigned LowBits = 12;
static constexpr uint64_t DeltaUnit = uint64_t(1) << LowBits;
/// No number below this is an address, since nothing is mapped there.
static constexpr uint64_t LowestAddress = 1 << 16;
/// The sum of so many addresses of 47 bits fits in 63 bits.
static constexpr int64_t MostAddresses = 1 << 16;

bool isPure(const Instruction &I) {
  if (isa<CastInst, BinaryOperator, UnaryOperator, CmpInst, SelectInst, PHINode, FreezeInst, ExtractElementInst,
          InsertElementInst, ShuffleVectorInst, ExtractValueInst, InsertValueInst>(I))
    return true;
  const auto *Intrinsic = dyn_cast<IntrinsicInst>(&I);
  if (!Intrinsic || Intrinsic->getIntrinsicID() == Intrinsic::eh_typeid_for) // a number that the compiler chooses
    return false;
  if (isa<ConstrainedFPIntrinsic>(Intrinsic)) // arithmetic, where the program looks at its environment
    return true;
  return Intrinsic->doesNotAccessMemory() && !I.getType()->isTokenTy();
}

bool isAssembly(const Value &V) {
  const auto *Call = dyn_cast<CallBase>(&V);
  return Call && Call->isInlineAsm() && !Call->getType()->isVoidTy();
}

User::const_op_range inputs(const Instruction &I) {
  const auto *Call = dyn_cast<CallBase>(&I);
  return Call ? User::const_op_range(Call->args()) : I.operands();
}

bool isInput(const Use &U) {
  if (isa<BasicBlock>(U))
    return false;
  const auto *Call = dyn_cast<CallBase>(U.getUser());
  return !Call || (Call->isArgOperand(&U) && !Call->getParamElementType(Call->getArgOperandNo(&U)));
}

bool isAddressConstant(const Value *V) {
  const auto *C = dyn_cast<Constant>(V);
  if (!C || isa<ConstantData>(C))
    return false;
  if (isa<GlobalValue, BlockAddress>(C))
    return true;
  return any_of(C->operands(), [](const Use &U) { return isAddressConstant(U.get()); });
}

SmallVector<Constant *, 2> addressesIn(Constant &C) {
  SmallVector<Constant *, 2> Found;
  SmallVector<Constant *, 4> Work{&C};
  while (!Work.empty()) {
    Constant *Part = Work.pop_back_val();
    if (!isAddressConstant(Part))
      continue;
    if (isPointer(Part->getType()))
      Found.push_back(Part);
    else
      for (Use &U : Part->operands())
        Work.push_back(cast<Constant>(U));
  }
  return Found;
}

std::optional<int64_t> coefficientIn(const Constant &C) {
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
    return E->getType()->getIntegerBitWidth() <= LowBits && In(0) ? std::optional<int64_t>(0) : In(0);
  case Instruction::Add:
    return In(0) && In(1) ? std::optional(*In(0) + *In(1)) : std::nullopt;
  case Instruction::Sub:
    return In(0) && In(1) ? std::optional(*In(0) - *In(1)) : std::nullopt;
  default:
    return std::nullopt;
  }
}

AddressIntegers::Linear AddressIntegers::valueOf(const Value *V) const {
  if (auto At = Unknowns.find(V); At != Unknowns.end())
    return At->second;
  if (auto At = Tainted.find(V); At != Tainted.end())
    return At->second;
  if (containsPointer(V->getType()) || isDeclaredAddress(V))
    return {Linear::Known, 1};
  if (!isAddressConstant(V))
    return {Linear::Known, 0};
  std::optional<int64_t> Coefficient = coefficientIn(*cast<Constant>(V));
  return Coefficient ? Linear{Linear::Known, *Coefficient} : Linear{Linear::Top};
}

/// The constant that `V` is: a scalar, or the same scalar in each lane of a vector.
static const APInt *constantIn(const Value *V) {
  const APInt *C = nullptr;
  return PatternMatch::match(V, PatternMatch::m_APInt(C)) ? C : nullptr;
}

bool isSmallConstant(const Value *V) {
  const APInt *C = constantIn(V);
  return C && C->abs().ult(LowestAddress);
}

/// The number by which an instruction multiplies or divides, if it is a small constant.
static std::optional<int64_t> factorIn(const Instruction &I) {
  const APInt *C = constantIn(I.getOperand(1));
  bool Shifts = I.isShift();
  if (!C || C->isZero() || C->uge(Shifts ? 16 : LowestAddress))
    return std::nullopt;
  return Shifts ? int64_t(1) << C->getZExtValue() : int64_t(C->getZExtValue());
}

/// The form of a value that has one of two forms.
AddressIntegers::Linear AddressIntegers::merge(const Linear &A, const Linear &B) const {
  auto ZeroOrOne = [](const Linear &L) {
    return L.State == Linear::Either || (L.State == Linear::Known && (L.Coefficient == 0 || L.Coefficient == 1));
  };
  if (A.State == Linear::Unknown || A == B)
    return B;
  if (B.State == Linear::Unknown)
    return A;
  if (ZeroOrOne(A) && ZeroOrOne(B))
    return {Linear::Either};
  bool Parts = (A.State == Linear::Part || B.State == Linear::Part) && A.State != Linear::Top && B.State != Linear::Top;
  return {Parts ? Linear::Part : Linear::Top};
}

/// Where an address of which an integer was made leads, as far as can be seen: into this frame, into the program, or
/// anywhere.
static unsigned rangeOf(const Value *V, unsigned Depth = 0) {
  enum { Anywhere, Frame, Program };
  if (const auto *C = dyn_cast<Constant>(V))
    return isAddressConstant(C) ? Program : Anywhere;
  const auto *I = dyn_cast<Instruction>(V);
  if (const auto *Sum = dyn_cast_or_null<BinaryOperator>(I); Sum && Sum->getOpcode() == Instruction::Add && Depth < 4)
    return std::max(rangeOf(Sum->getOperand(0), Depth + 1), rangeOf(Sum->getOperand(1), Depth + 1));
  const bool Converted = isa_and_nonnull<PtrToIntInst, PtrToAddrInst>(I);
  if (!Converted && !V->getType()->isPointerTy())
    return Anywhere;
  const Value *Object = getUnderlyingObject(Converted ? I->getOperand(0) : V);
  return isa<AllocaInst>(Object) ? Frame : isa<GlobalValue>(Object) ? Program : Anywhere;
}

/// Whether all these pointers are computed from one in such a way that they stay in its object, and so move alike.
/// (Steps that only stay near would not do: a loop makes many.) If a loop makes that one anew, none of them is computed
/// from an earlier one: it would have to come through a phi at the begin of the loop, which has another input.
static bool areOfOneObject(ArrayRef<Value *> Pointers) {
  constexpr unsigned Most = 16;
  SmallSetVector<const Value *, 8> Work;
  Work.insert_range(Pointers);
  const Value *One = nullptr;
  for (unsigned N = 0; N < Work.size(); ++N) {
    const Value *V = isa<Constant>(Work[N]) ? Work[N]->stripInBoundsConstantOffsets() : Work[N];
    const auto *Gep = dyn_cast<GetElementPtrInst>(V);
    if (Work.size() > Most || !V->getType()->isPointerTy())
      return false;
    if (Gep && Gep->isInBounds())
      Work.insert(Gep->getPointerOperand());
    else if (const auto *Phi = dyn_cast<PHINode>(V))
      Work.insert_range(Phi->incoming_values());
    else if (One && One != V)
      return false;
    else
      One = V;
  }
  return One && (!isa<Constant>(One) || isa<GlobalVariable>(One));
}

/// Collects the addresses of which `V` is a sum: for `3 * p - q` these are `p` and `q`. A sum that is an address itself
/// is one of them, and has doubts of its own. False if not all addresses can be seen, or if there are too many terms.
/// `Numbers` is set if there are other terms than these and small constants.
bool AddressIntegers::collectAddresses(Value *V, SmallVectorImpl<Value *> &Found, bool *Numbers) const {
  constexpr unsigned MostFound = 8, MostTerms = 1024;
  SmallVector<Value *, 8> Work{V};
  for (unsigned Terms = 0; !Work.empty(); ++Terms) {
    V = Work.pop_back_val();
    const Linear L = valueOf(V);
    if (L.State != Linear::Known || Found.size() > MostFound || Terms == MostTerms)
      return false;
    if (L.Coefficient == 0) {
      if (Numbers)
        *Numbers |= !isSmallConstant(V);
      continue;
    }
    auto *I = dyn_cast<Instruction>(V);
    const bool Converted =
        isa_and_nonnull<PtrToIntInst, PtrToAddrInst>(I) && I->getOperand(0)->getType()->isPointerTy();
    const bool Whole = L.Coefficient == 1 && (is64BitInteger(V->getType()) || V->getType()->isPointerTy());
    if (isAddressConstant(V) || Converted || Whole) {
      Found.push_back(Converted ? I->getOperand(0) : V);
      continue;
    }
    if (!I || V->getType()->isVectorTy())
      return false;
    switch (I->getOpcode()) {
    case Instruction::Add:
    case Instruction::Sub:
      Work.append({I->getOperand(1), I->getOperand(0)});
      break;
    case Instruction::Xor: // with all bits set: -x - 1
    case Instruction::Shl:
    case Instruction::Mul:
    case Instruction::Trunc:
    case Instruction::ZExt:
    case Instruction::SExt:
    case Instruction::Freeze:
      Work.push_back(I->getOperand(0));
      break;
    default:
      return false;
    }
  }
  return true;
}

/// Whether the addresses in a sum move alike. A single address does.
AddressIntegers::Kinds AddressIntegers::kindsOf(const Instruction &Sum) const {
  if (Sum.getOpcode() != Instruction::Sub && Sum.getOpcode() != Instruction::Add)
    return Kinds::Same;
  bool OneEach = true;
  for (const Value *Operand : Sum.operands()) {
    const Linear L = valueOf(Operand);
    if (L.State != Linear::Known || L.Coefficient == 0)
      return Kinds::Same;
    OneEach &= L.Coefficient == 1;
  }
  const bool OfPointers = Sum.getOpcode() == Instruction::Sub && OneEach && isPointerSubtraction(Sum);
  SmallVector<Value *, 4> Addresses;
  if (!collectAddresses(Sum.getOperand(0), Addresses) || !collectAddresses(Sum.getOperand(1), Addresses))
    return OfPointers ? Kinds::Same : Kinds::Different;
  bool Frame = false, Program = false, Anywhere = false;
  for (const Value *Address : Addresses) {
    const unsigned Range = rangeOf(Address);
    (Range == 0 ? Anywhere : Range == 1 ? Frame : Program) = true;
  }
  if (Frame && Program)
    return Kinds::Different;
  if (!Anywhere || (OfPointers && !Program) || areOfOneObject(Addresses))
    return Kinds::Same;
  return Kinds::Unclear;
}

/// Whether the instruction adds a number to an address that may lead far away from the object of the address.
bool AddressIntegers::isBiased(const Instruction &I) const {
  if ((I.getOpcode() != Instruction::Add && I.getOpcode() != Instruction::Sub) || !is64BitInteger(I.getType()))
    return false;
  Linear A = valueOf(I.getOperand(0)), B = valueOf(I.getOperand(1));
  auto Is = [](const Linear &L, int64_t K) { return L.State == Linear::Known && L.Coefficient == K; };
  return (Is(A, 1) && Is(B, 0) && !isSmallConstant(I.getOperand(1))) ||
         (I.getOpcode() == Instruction::Add && Is(A, 0) && Is(B, 1));
}

SmallVector<Doubt, 2> AddressIntegers::doubts(Value *V) const {
  // In a difference, a bias vanishes together with the address. Of what is neither, the addresses are told or shown,
  // but not those of the invariant numbers that it is computed with: in `(p - q) + hash` the difference is one.
  const AddressForm Form = form(V);
  const bool IsAddress = Form == AddressForm::Address;
  SmallVector<Doubt, 2> Found;
  SmallVector<Value *, 16> Work;
  if (IsAddress || Form == AddressForm::Invariant)
    Work.push_back(V);
  else
    leaves(V, &Work);
  SmallPtrSet<Value *, 16> Seen(Work.begin(), Work.end());
  while (!Work.empty()) {
    auto *I = dyn_cast<Instruction>(Work.pop_back_val());
    if (!I || !Tainted.contains(I))
      continue;
    // Behind one doubt there may be another: in `p + key + key` only the first sum has an address that lies in the
    // stack.
    if (kindsOf(*I) == Kinds::Unclear) {
      Doubt &D = Found.emplace_back(Doubt{I, {}, valueOf(I).Coefficient == 1});
      collectAddresses(I->getOperand(0), D.Addresses);
      collectAddresses(I->getOperand(1), D.Addresses);
    } else if (IsAddress && isBiased(*I)) {
      Found.push_back({I, {}, true});
    }
    for (Value *Operand : inputs(*I))
      if (!isa<BasicBlock>(Operand) && Seen.insert(Operand).second)
        Work.push_back(Operand);
  }
  return Found;
}

/// Whether the result of a comparison is the same after a move. It is when two addresses are compared, which C allows
/// only within one object; or what is or may be an address with null; or what may be an address with anything that can
/// be equal to it, which would be relocated or refused as well.
bool AddressIntegers::isInvariant(const CmpInst &Compare, const Linear &A, const Linear &B) const {
  auto Is = [](const Linear &L, int64_t Coefficient) {
    return L.State == Linear::Known && L.Coefficient == Coefficient;
  };
  auto Unclear = [](const Linear &L) { return L.State == Linear::Either || L.State == Linear::Part; };
  // A part is taken for a character in optimised code, which compares each byte of a text.
  if ((A.State == Linear::Part || B.State == Linear::Part) && Compare.getFunction()->hasOptNone())
    return false;
  auto MayBeAddress = [&](const Linear &L) { return Unclear(L) || Is(L, 1); };
  auto Small = [](const Value *V) { return isSmallConstant(V) || isa<ConstantPointerNull>(V); };
  if (MayBeAddress(A) && (MayBeAddress(B) || Small(Compare.getOperand(1))))
    return true;
  if (MayBeAddress(B) && Small(Compare.getOperand(0)))
    return true;
  if (A.State == Linear::Known && B.State == Linear::Known && A.Coefficient == B.Coefficient)
    return true;
  // A value that is equal to a number not computed from an address is no address. But an order between an address and a
  // number can be a step of a search for the address.
  return Compare.isEquality() && ((MayBeAddress(A) && Is(B, 0)) || (MayBeAddress(B) && Is(A, 0)));
}

/// Whether the lowest `Count` bits are the same after a move, for an address or one that is shifted right. A part may
/// be any bits of an address, and a hash has no invariant bits.
bool AddressIntegers::hasInvariantLowBits(const Value *V, unsigned Count) const {
  const auto *Shift = dyn_cast<BinaryOperator>(V);
  if (Shift && Shift->getOpcode() == Instruction::LShr)
    if (const APInt *By = constantIn(Shift->getOperand(1)); By && By->ule(LowBits)) {
      V = Shift->getOperand(0);
      Count += By->getZExtValue();
    }
  const Linear L = valueOf(V);
  return Count <= LowBits && L.State != Linear::Top && L.State != Linear::Part;
}

/// Whether this is one bit of the sum of a part and a constant, with a carry from lower bits: `(c - 1) >> 7 & 1`, as
/// the optimiser writes it. Like a comparison with a constant (isInvariant), it says where a character stands in its
/// alphabet, while code that copies bits adds nothing.
bool AddressIntegers::comparesPart(const BinaryOperator &Bit) const {
  using namespace PatternMatch;
  const Value *Part = nullptr;
  const APInt *Added = nullptr, *By = nullptr;
  return !Bit.getFunction()->hasOptNone() && match(&Bit, m_And(m_Value(), m_One())) &&
         match(Bit.getOperand(0), m_LShr(m_Add(m_Value(Part), m_APInt(Added)), m_APInt(By))) &&
         valueOf(Part).State == Linear::Part && By->ult(Added->getBitWidth()) &&
         Added->countr_zero() < By->getZExtValue();
}

/// Whether these are the highest bits of a word that may be an address. They are zero in every address, and a word that
/// may also be a number is never changed.
bool AddressIntegers::areHighBits(const Value *V) const {
  constexpr unsigned AddressBits = 47;
  const auto *I = cast<BinaryOperator>(V);
  const APInt *By = constantIn(I->getOperand(1));
  const Value *Word = I->getOperand(0);
  const bool IsWord =
      is64BitInteger(V->getType()) && (Unknowns.contains(Word) || isa<PtrToIntInst, PtrToAddrInst>(Word));
  if (!IsWord || !By)
    return false;
  return I->getOpcode() == Instruction::And ? By->countr_zero() >= AddressBits : By->uge(AddressBits);
}

/// Whether this counts the low bytes in which two words of unknown kind agree, `cttz(a ^ b) >> 3`. Neither is read from
/// a local of the function.
bool AddressIntegers::countsEqualBytes(const Instruction &Shift) const {
  using namespace PatternMatch;
  Value *Lowest = nullptr, *A = nullptr, *B = nullptr;
  auto IsWord = [&](const Value *V) {
    const auto *Load = dyn_cast<LoadInst>(V);
    return Load && isUnknown(V) && form(V) == AddressForm::Either && is64BitInteger(V->getType()) &&
           !isa<AllocaInst>(getUnderlyingObject(Load->getPointerOperand(), 0));
  };
  return !Shift.getFunction()->hasOptNone() &&
         match(&Shift, m_LShr(m_CombineOr(m_Trunc(m_Value(Lowest)), m_Value(Lowest)), m_SpecificInt(3))) &&
         match(Lowest, m_Intrinsic<Intrinsic::cttz>(m_Xor(m_Value(A), m_Value(B)))) && IsWord(A) && IsWord(B);
}

/// Whether this converts to an integer what may be an address under the type of a floating-point number.
bool AddressIntegers::truncatesWord(const Instruction &Conversion) const {
  const Value *Word = Conversion.getOperand(0);
  if (const auto *Cast = dyn_cast<BitCastInst>(Word))
    Word = Cast->getOperand(0);
  return Conversion.getOperand(0)->getType()->isDoubleTy() && Word->getType()->getPrimitiveSizeInBits() == 64 &&
         isUnknown(Word) && form(Word) == AddressForm::Either;
}

/// Whether `V` is a sum of addresses alone. Other terms would be divided as well, or make the sum overflow.
bool AddressIntegers::isSumOfAddresses(Value *V) const {
  SmallVector<Value *, 4> Addresses;
  bool Numbers = false;
  return collectAddresses(V, Addresses, &Numbers) && !Numbers;
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
  if (isAssembly(I))
    return Top;
  SmallVector<Linear, 4> In;
  bool AllInvariant = true, AnyUnknown = false;
  for (const Value *Operand : inputs(I)) {
    In.push_back(valueOf(Operand));
    AnyUnknown |= In.back().State == Linear::Unknown;
    AllInvariant &= In.back().State == Linear::Known && In.back().Coefficient == 0;
  }
  auto Merge = [&](unsigned First) {
    Linear Result;
    bool Part = isPartOfWord(I.getType()); // a part has no null
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
  if (const auto *Compare = dyn_cast<CmpInst>(&I))
    return isInvariant(*Compare, In[0], In[1]) ? Linear{Linear::Known, 0} : Top;

  unsigned Bits = I.getType()->getScalarSizeInBits();
  auto Low = [&](unsigned Count) {
    if (hasInvariantLowBits(I.getOperand(0), Count))
      return Linear{Linear::Known, 0};
    return In[0].State == Linear::Part ? In[0] : Top;
  };
  switch (I.getOpcode()) {
  case Instruction::PtrToInt:
  case Instruction::PtrToAddr:
  case Instruction::Trunc:
    if (In[0].State == Linear::Part)
      return In[0];
    if (Bits <= LowBits && In[0].State != Linear::Top)
      return {Linear::Known, 0};
    return Bits >= 64 || In[0].State == Linear::Known ? In[0] : Top;
  case Instruction::ZExt:
  case Instruction::SExt:
    return I.getOperand(0)->getType()->getScalarSizeInBits() >= 64 || In[0].State == Linear::Part ? In[0] : Top;
  case Instruction::FPToSI:
  case Instruction::FPToUI:
    return truncatesWord(I) ? Linear{Linear::Known, 0} : Top;
  case Instruction::Freeze:
    return In[0];
  case Instruction::BitCast:
  case Instruction::ExtractElement:
    return I.getType()->getScalarSizeInBits() == 64 || In[0].State == Linear::Part ? In[0] : Top;
  case Instruction::Add:
    if (kindsOf(I) == Kinds::Different)
      return Top;
    if (In[0].State == Linear::Known && In[1].State == Linear::Known)
      return {Linear::Known, In[0].Coefficient + In[1].Coefficient};
    if (isSmallConstant(I.getOperand(1)))
      return In[0];
    return Top;
  case Instruction::Sub:
    if (kindsOf(I) == Kinds::Different)
      return Top;
    if (In[0].State == Linear::Known && In[1].State == Linear::Known)
      return {Linear::Known, In[0].Coefficient - In[1].Coefficient};
    if (isSmallConstant(I.getOperand(1)))
      return In[0];
    return Top;
  // The multiple of an address; and by division an address again, as in (p + q) / 2: floor((x + 2d) / 2) = floor(x / 2)
  // + d.
  case Instruction::Shl:
  case Instruction::Mul:
    if (std::optional<int64_t> Factor = factorIn(I); Factor && Bits >= 64 && In[0].State == Linear::Known)
      if (int64_t Product = In[0].Coefficient * *Factor; std::abs(Product) <= MostAddresses)
        return {Linear::Known, Product};
    return Top;
  case Instruction::LShr:
  case Instruction::UDiv:
    if (I.getOpcode() == Instruction::LShr && (areHighBits(&I) || countsEqualBytes(I)))
      return {Linear::Known, 0};
    if (std::optional<int64_t> Factor = factorIn(I); Factor && Bits >= 64 && In[0].State == Linear::Known)
      if (In[0].Coefficient > 0 && In[0].Coefficient % *Factor == 0 && isSumOfAddresses(I.getOperand(0)))
        return {Linear::Known, In[0].Coefficient / *Factor};
    return Top;
  case Instruction::And:
    if (comparesPart(cast<BinaryOperator>(I)))
      return {Linear::Known, 0};
    if (const APInt *Mask = constantIn(I.getOperand(1))) {
      if (Mask->ult(DeltaUnit))
        return Low(Mask->getActiveBits());
      if (areHighBits(&I))
        return {Linear::Known, 0};
      if ((~*Mask).ult(DeltaUnit))
        return In[0];
    }
    return Top;
  case Instruction::URem:
    if (const APInt *Modulus = constantIn(I.getOperand(1)); Modulus && Modulus->isPowerOf2() && Modulus->ule(DeltaUnit))
      return Low(Modulus->logBase2());
    return Top;
  case Instruction::Or:
  case Instruction::Xor:
    if (const APInt *All = constantIn(I.getOperand(1));
        All && All->isAllOnes() && Bits >= 64 && I.getOpcode() == Instruction::Xor && In[0].State == Linear::Known)
      return {Linear::Known, -In[0].Coefficient}; // -x - 1
    // An operand with low bits only is a tag.
    for (unsigned N : {0, 1})
      if (KnownBits Tag = computeKnownBits(I.getOperand(N), DL);
          Tag.getMaxValue().ult(DeltaUnit) && In[N] == Linear{Linear::Known, 0})
        return In[1 - N];
    return Top;
  case Instruction::Select:
    return In[0].State == Linear::Known && In[0].Coefficient == 0 ? Merge(1) : Top;
  case Instruction::Call: // the larger or the smaller of two
    return isa<MinMaxIntrinsic>(I) ? Merge(0) : Top;
  case Instruction::InsertElement:
    return Merge(0).State == Linear::Known ? In[1] : Top;
  case Instruction::ShuffleVector: // it moves whole words
    return Bits >= 64 ? Merge(0) : Top;
  default:
    return Top;
  }
}

} // namespace skein
