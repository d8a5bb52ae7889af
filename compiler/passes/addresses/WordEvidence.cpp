//===- WordEvidence.cpp ------------------------------------------------------===//
//
// A full word that a function did not compute may be an address, whatever its LLVM type is: copies of structs, atomic
// accesses and unions become integers and doubles long before these passes run. So such a word is unknown, unless the
// declared type of the object from which it comes is evidence that it is a number. There are two kinds of evidence:
//
//   type-based alias information   A tag names an arithmetic type. Clang gives the tag of `char`, which is no
//                                  evidence, to accesses through `char`, to members of unions and of `may_alias`
//                                  types, and no tag at all to copies of structs. Passes may drop or generalise tags
//                                  but never sharpen them, so losing a tag costs a proof and does no other harm.
//   the type of the address        Without the optimiser clang writes no tags. But an access to a member or an element
//                                  then names its type in the getelementptr just before it. A struct type that stands
//                                  for a union names a member that need not be the one that was written, so an address
//                                  computed from such a type is no evidence.
//
// An integer object can hold an address that the program stored there as a number, (long)&x. This does no harm: the
// code that computes such a number is seen, and the runtime is told when the number leaves the sight of the maps
// (EscapingAddresses.cpp). What this file has to find are words that no code here computed.
//
//===----------------------------------------------------------------------===//
#include "WordEvidence.h"
#include "PointerTypes.h"
#include "passes/Annotations.h"
#include "passes/ir/LibraryFacts.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Operator.h"
#include <atomic>

using namespace llvm;

namespace skein {

static constexpr const char *PointersMetadata = "skein.pointers";
static std::atomic<bool> TypesAreEvidence = true; // atomic, since the linker compiles several modules at once

void declareTypesNoEvidence() { TypesAreEvidence = false; }
bool typesAreEvidence() { return TypesAreEvidence; }

bool isDeclaredAmbiguous(const Value *V) {
  if (const auto *A = dyn_cast<Argument>(V))
    return A->getParent()->getAttributes().hasParamAttr(A->getArgNo(), AmbiguousAttribute);
  if (const auto *Call = dyn_cast<CallBase>(V))
    if (const Function *Callee = Call->getCalledFunction())
      return Callee->getAttributes().hasRetAttr(AmbiguousAttribute) || library(*Callee, LibraryFact::ReturnsAddress);
  return false;
}

bool isWide(const Type *T) {
  if (containsPointer(T) || T->isPtrOrPtrVectorTy())
    return false;
  if (!T->isIntOrIntVectorTy() && !T->isFPOrFPVectorTy())
    return false;
  return T->getPrimitiveSizeInBits().getKnownMinValue() >= 64;
}

/// The evidence of a tag, which names the type of what is accessed. No tag, or that of `char`, says nothing.
static Evidence evidenceOfTag(const MDNode *Tag) {
  if (!Tag || Tag->getNumOperands() < 2)
    return Evidence::None;
  const auto *Access = dyn_cast_or_null<MDNode>(Tag->getOperand(1));
  const auto *Name = Access && Access->getNumOperands() ? dyn_cast<MDString>(Access->getOperand(0)) : nullptr;
  if (!Name || Name->getString() == "omnipotent char" || Name->getString().contains("TBAA"))
    return Evidence::None;
  // "p1 _ZTS4Node", "any pointer", "vtable pointer"
  StringRef Type = Name->getString();
  bool Levels = Type.consume_front("p") && !Type.empty() && llvm::isDigit(Type.front());
  return Levels || Type.ends_with("pointer") ? Evidence::Pointer : Evidence::Number;
}

static bool namesUnion(const Type *T) {
  while (const auto *Array = dyn_cast<ArrayType>(T))
    T = Array->getElementType();
  const auto *Struct = dyn_cast<StructType>(T);
  if (!Struct)
    return false;
  return (Struct->hasName() && Struct->getName().starts_with("union.")) || any_of(Struct->elements(), namesUnion);
}

/// Whether other code may write to a variable. It may copy any bytes into an object of any type, so a number that is
/// read there may be an address.
static bool isFilledByOthers(const Value &Variable) {
  SmallVector<const Value *, 8> Work{&Variable};
  while (!Work.empty())
    for (const Use &U : Work.pop_back_val()->uses()) {
      const auto *I = dyn_cast<Instruction>(U.getUser());
      if (!I)
        continue;
      if (isa<GetElementPtrInst>(I))
        Work.push_back(I);
      else if (const auto *Call = dyn_cast<CallBase>(I); Call && !I->isLifetimeStartOrEnd() && !I->isDroppable()) {
        const Function *Callee = Call->getCalledFunction();
        const bool Reads = Call->isArgOperand(&U) && Call->onlyReadsMemory(Call->getArgOperandNo(&U));
        const bool Known = Callee && (library(*Callee, LibraryFact::TextOnly) ||
                                      (Callee->isDeclaration() && library(*Callee, LibraryFact::NumbersOnly)));
        if (!Reads && !isa<MemSetInst>(I) && !Known)
          return true;
      } else if (isa<StoreInst>(I) && U.getOperandNo() == 0) {
        return true;
      }
    }
  return false;
}

bool isNumberOfOthers(const Value *Pointer) {
  const auto *Local = dyn_cast<AllocaInst>(Pointer);
  const auto *Global = dyn_cast<GlobalVariable>(Pointer);
  const Type *T = Local ? Local->getAllocatedType() : Global ? Global->getValueType() : nullptr;
  return T && isWide(T) && isFilledByOthers(*Pointer);
}

/// Whether the address lies in a local that other code may fill.
static bool isInLocalOfOthers(const Value *Pointer) {
  const auto *Local = dyn_cast<AllocaInst>(getUnderlyingObject(Pointer, 0));
  return Local && isFilledByOthers(*Local);
}

/// The members of a union have its address, and clang computes the address of a member as if there were only that one.
/// So an array, or a struct without a name, that is found through a pointer may be a member of a union.
static bool mayBeMemberOfUnion(const GEPOperator &Gep) {
  const Type *T = Gep.getSourceElementType();
  const auto *Struct = dyn_cast<StructType>(T);
  const bool Nameless = Struct ? !Struct->hasName() || Struct->getName().contains(".anon") : T->isArrayTy();
  return Nameless && !isa<AllocaInst, GlobalVariable>(Gep.getPointerOperand());
}

static bool isReachedThroughUnion(const GEPOperator &Gep) {
  const GEPOperator *First = &Gep;
  for (const auto *At = &Gep; At; At = dyn_cast<GEPOperator>(At->getPointerOperand())) {
    if (namesUnion(At->getSourceElementType()))
      return true;
    First = At;
  }
  return mayBeMemberOfUnion(*First);
}

/// The evidence in how the address of an access was computed: for a member of a struct, or an element of an array.
static Evidence evidenceOfAddress(const Value *Pointer, const Type *Accessed) {
  if (const auto *Local = dyn_cast<AllocaInst>(Pointer))
    return Local->getAllocatedType() == Accessed && !Accessed->isVectorTy() ? Evidence::Number : Evidence::None;
  const auto *Gep = dyn_cast<GEPOperator>(Pointer);
  const bool Declared = Gep && Gep->getResultElementType() == Accessed && !isReachedThroughUnion(*Gep);
  return Declared ? Evidence::Number : Evidence::None;
}

Evidence declaredEvidence(const Instruction &I) {
  if (const MDNode *Tag = I.getMetadata(LLVMContext::MD_tbaa))
    return evidenceOfTag(Tag);
  if (!TypesAreEvidence || !I.getFunction()->hasOptNone() || I.isAtomic())
    return Evidence::None;
  const auto *Store = dyn_cast<StoreInst>(&I);
  const Type *Accessed = Store ? Store->getValueOperand()->getType() : I.getType();
  return evidenceOfAddress(getLoadStorePointerOperand(&I), Accessed);
}

Evidence evidenceOfAccess(const Instruction &I) {
  const Evidence Declared = declaredEvidence(I);
  const Value *Pointer = getLoadStorePointerOperand(&I);
  const bool MayBeDoubted = !I.hasMetadata(LLVMContext::MD_tbaa) || (isa<LoadInst>(I) && isWide(I.getType()));
  const bool Doubted =
      Declared == Evidence::Number && MayBeDoubted && (isNumberOfOthers(Pointer) || isInLocalOfOthers(Pointer));
  return Doubted ? Evidence::None : Declared;
}

/// The member of `T` that begins `Offset` bytes behind the beginning of `T`, and has the type `Wanted`; or, if that is
/// null, the one that has no members itself.
static Type *memberAt(Type *T, APInt Offset, const DataLayout &DL, const Type *Wanted = nullptr) {
  while (T && T != Wanted && (Wanted || T->isAggregateType())) {
    if (namesUnion(T) || (T->isArrayTy() && T->getArrayElementType()->isIntegerTy(8)) ||
        !DL.getGEPIndexForOffset(T, Offset))
      return nullptr;
  }
  return Offset.isZero() ? T : nullptr;
}

static Type *typeOfVariable(const Value *V) {
  const auto *Global = dyn_cast<GlobalVariable>(V);
  const auto *Local = dyn_cast<AllocaInst>(V);
  return Global ? Global->getValueType() : Local ? Local->getAllocatedType() : nullptr;
}

/// Whether a variable, or a member of one, is declared to have the type that is read.
static bool isDeclaredAs(const Value *Pointer, Type *Read, const DataLayout &DL) {
  APInt Offset(64, 0);
  const Value *Base = Pointer->stripAndAccumulateConstantOffsets(DL, Offset, /*AllowNonInbounds=*/true);
  return memberAt(typeOfVariable(Base), Offset, DL, Read);
}

Type *declaredAt(const Value *Pointer, int64_t Behind, const DataLayout &DL) {
  APInt Offset(64, Behind, /*isSigned=*/true);
  const Value *Base = Pointer->stripAndAccumulateConstantOffsets(DL, Offset, /*AllowNonInbounds=*/true);
  if (Type *T = typeOfVariable(Base))
    return memberAt(T, Offset, DL);
  const auto *Gep = dyn_cast<GEPOperator>(Pointer);
  if (!Gep || isReachedThroughUnion(*Gep))
    return nullptr;
  APInt Inside(64, 0);
  if (Gep->hasAllConstantIndices() && Gep->accumulateConstantOffset(DL, Inside))
    return memberAt(Gep->getSourceElementType(), Inside + Behind, DL);
  // Elements at any index have the same members.
  Type *Element = Gep->getResultElementType();
  const uint64_t Bytes = DL.getTypeAllocSize(Element).getFixedValue();
  return Bytes ? memberAt(Element, APInt(64, uint64_t(Behind) % Bytes), DL) : nullptr;
}

Evidence evidenceOfPart(const Instruction &I) {
  const MDNode *Tag = I.getMetadata(LLVMContext::MD_tbaa);
  // The tag of a member also names the struct.
  if (Tag && Tag->getNumOperands() >= 2 && Tag->getOperand(0) != Tag->getOperand(1) &&
      isa_and_nonnull<MDNode>(Tag->getOperand(0).get()))
    return Evidence::Number;
  if (!Tag && typesAreEvidence() && isDeclaredAs(getLoadStorePointerOperand(&I), I.getType(), I.getDataLayout()))
    return Evidence::Number;
  if (Tag || !I.getType()->isIntegerTy(8))
    return evidenceOfAccess(I);
  const auto *Gep = dyn_cast<GEPOperator>(getLoadStorePointerOperand(&I));
  return Gep && Gep->getSourceElementType()->isStructTy() ? evidenceOfAccess(I) : Evidence::None;
}

void markArgumentsOfUnknownKind(Function &F) {
  const DataLayout &DL = F.getDataLayout();
  for (Argument &A : F.args()) {
    if (!isWide(A.getType()))
      continue;
    for (const User *U : A.users()) {
      const auto *Store = dyn_cast<StoreInst>(U);
      int64_t Offset = 0;
      const Value *Base = Store ? GetPointerBaseWithConstantOffset(Store->getPointerOperand(), Offset, DL) : nullptr;
      const auto *Local = dyn_cast_or_null<AllocaInst>(Base);
      if (!Local || !isa<StructType, ArrayType>(Local->getAllocatedType()))
        continue;
      SmallVector<WordGroup, 4> Groups;
      const int64_t Size = DL.getTypeStoreSize(A.getType()).getFixedValue();
      bool Untyped = !appendWordGroups(Local->getAllocatedType(), 0, DL, Groups);
      for (const WordGroup &G : Groups)
        Untyped |= G.Offset < Offset + Size && G.Offset + (G.Count - 1) * G.Stride + 8 > Offset;
      if (Untyped)
        A.addAttr(Attribute::get(F.getContext(), AmbiguousAttribute));
    }
  }
}

void markPointerSubtractions(Function &F) {
  for (Instruction &Difference : instructions(F)) {
    if (Difference.getOpcode() != Instruction::Sub)
      continue;
    auto *Right = dyn_cast<CastInst>(Difference.getOperand(1)), *Left = dyn_cast<CastInst>(Difference.getOperand(0));
    auto IsConversion = [](const CastInst *C) { return C && isa<PtrToIntInst, PtrToAddrInst>(C); };
    if (!IsConversion(Left) || !IsConversion(Right) || Right != Difference.getPrevNode() ||
        Left != Right->getPrevNode())
      continue;
    auto *Minuend = dyn_cast<Instruction>(Left->getOperand(0)),
         *Subtrahend = dyn_cast<Instruction>(Right->getOperand(0));
    if (Minuend && Subtrahend && !isa<AllocaInst>(Minuend) && !isa<AllocaInst>(Subtrahend) && Minuend != Subtrahend &&
        Subtrahend == Left->getPrevNode()) {
      MDNode *Pair = MDNode::getDistinct(F.getContext(), {});
      for (Instruction *I : {&Difference, cast<Instruction>(Left), cast<Instruction>(Right)})
        I->setMetadata(PointersMetadata, Pair);
    }
  }
}

/// What the conversion of a pointer has in common with that of the other pointer in a subtraction. Where it is used
/// twice, equal conversions may have become one, of which the mark says nothing.
static const MDNode *pairOf(const Value *V) {
  const auto *Conversion = dyn_cast<CastInst>(V);
  return Conversion && isa<PtrToIntInst, PtrToAddrInst>(Conversion) && Conversion->hasOneUse()
             ? Conversion->getMetadata(PointersMetadata)
             : nullptr;
}

/// Whether `Found` holds for a pair of which one half is a positive term of the sum `V`.
static bool anyPairIn(const Value *V, function_ref<bool(const MDNode *)> Found, unsigned Depth = 0) {
  constexpr unsigned Most = 3;
  if (const MDNode *Pair = pairOf(V))
    return Found(Pair);
  const auto *Sum = dyn_cast<BinaryOperator>(V);
  if (!Sum || Depth == Most)
    return false;
  const auto In = [&](unsigned N) { return anyPairIn(Sum->getOperand(N), Found, Depth + 1); };
  return Sum->getOpcode() == Instruction::Add ? In(0) || In(1) : Sum->getOpcode() == Instruction::Sub && In(0);
}

/// Whether this subtracts pointers, and numbers besides. The optimiser writes (p - q) - n as p - (q + n), and
/// n - (q - p) as (n + p) - q.
static bool subtractsPointersAndMore(const Instruction &I) {
  return anyPairIn(I.getOperand(0), [&](const MDNode *Pair) {
    return anyPairIn(I.getOperand(1), [&](const MDNode *Other) { return Other == Pair; });
  });
}

bool isPointerSubtraction(const Instruction &I) {
  // The difference is divided by the size of an element, which is exact; no other division is known to be exact.
  auto IsExactDivision = [&](const User *U) {
    const auto *Division = dyn_cast<PossiblyExactOperator>(U);
    return Division && Division->isExact() && Division->getOperand(0) == &I;
  };
  return isMarked(I, PointersMetadata) || subtractsPointersAndMore(I) || any_of(I.users(), IsExactDivision);
}

/// Whether this is a call of a function that the program declares itself and that has no body here, so that its result
/// is unknown. What inline assembly makes is computed from its operands (AddressIntegers.cpp), and functions whose
/// address is taken report to the runtime what they return.
static bool isSeenByNobody(const CallBase &Call) {
  const Function *Callee = Call.getCalledFunction();
  return Callee && Callee->isDeclaration() && !Callee->isIntrinsic() && !Callee->hasFnAttribute(NoMigrateAttribute) &&
         !Callee->getName().starts_with("skein_") && !Callee->getName().starts_with("__skein_") &&
         !Call.isMustTailCall(); // the result of such a call is returned as it is
}

/// Whether an intrinsic loads a vector: under a mask, gathered, or expanded.
static bool readsMemory(const IntrinsicInst &Call) {
  if (Call.getIntrinsicID() == Intrinsic::read_register || Call.getIntrinsicID() == Intrinsic::read_volatile_register)
    return true; // this reads the stack pointer
  return Call.onlyReadsMemory() && !Call.doesNotAccessMemory() &&
         any_of(Call.args(), [](const Use &U) { return containsPointer(U->getType()); });
}

bool isUnknownWord(const Value *V) {
  // The bytes of many words at once are parts of words.
  if (!isWide(V->getType()) || V->getType()->getScalarSizeInBits() < 32)
    return false;
  if (isDeclaredAmbiguous(V) || isa<AtomicRMWInst, VAArgInst>(V))
    return true;
  if (const auto *Load = dyn_cast<LoadInst>(V))
    return evidenceOfAccess(*Load) != Evidence::Number;
  if (const auto *Intrinsic = dyn_cast<IntrinsicInst>(V))
    return readsMemory(*Intrinsic);
  if (const auto *Call = dyn_cast<CallBase>(V))
    return isSeenByNobody(*Call);
  // The words of a struct that came in registers, and the result of a compare-and-exchange.
  if (const auto *Part = dyn_cast<ExtractValueInst>(V)) {
    const Value *Whole = Part->getAggregateOperand();
    if (const auto *Call = dyn_cast<CallBase>(Whole)) {
      return isDeclaredAmbiguous(Call) || isSeenByNobody(*Call);
    }
    return isa<AtomicCmpXchgInst, LoadInst, Argument>(Whole);
  }
  return false;
}

} // namespace skein
