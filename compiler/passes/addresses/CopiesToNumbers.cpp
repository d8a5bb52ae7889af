//===- CopiesToNumbers.cpp - Words that are copied into numbers ------------===//
//
// `memcpy(&message->word, &pointer, sizeof pointer)` puts an address where the declared type says that there is a
// number, and code that reads it there takes it for one (WordEvidence.h). After the optimiser this can no longer be
// seen: it stores the pointer. So at the very beginning, where the types of both sides are still known, such a copy is
// changed into loads and stores of integers. An integer made of an address is what the analysis looks for wherever an
// integer is stored (AddressIntegers::losesSight, EscapingAddresses.cpp).
//
// In LLVM C's `uint64_t *` has no more type than `void *`; there the frontend names the type (frontend/CopyRule.cpp).
//
// A function that does not know what it copies, or how much of it, is noticed if its body is seen, since it reads parts
// of words (PartReaders.cpp). If its body is not seen, the frontend marks the arguments that lose their type. The
// runtime is told before the call of the pointers that lie there, as numbers that go elsewhere: llvm.fake.use, with two
// operands, keeps them until EscapingAddresses.cpp finds them.
//
// Two cases are not covered, both of a function whose body is not seen (docs/pitfalls.md): it declares that it changes
// what it copies, or its caller hands on a pointer of which nothing shows that it leads to an object. That pointer may
// be null, so nothing may be read there before the call.
//
//===----------------------------------------------------------------------===//
#include "CopiesToNumbers.h"
#include "PointerTypes.h"
#include "WordEvidence.h"
#include "passes/Annotations.h"
#include "passes/Compat.h"
#include "llvm/Analysis/Loads.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;

namespace skein {

static constexpr const char *TypedMetadata = "skein.typed";

static bool isNumber(const Type *T) { return T && (T->isIntegerTy(64) || T->isDoubleTy()); }
/// Halves and quarters of a word. Characters may hold anything, so they do not count.
static bool isPart(const Type *T) { return T && (T->isIntegerTy(32) || T->isIntegerTy(16) || T->isFloatTy()); }

/// The number of words that are copied, if any of them gets into a number and does not come from one; else 0. Where it
/// is not known what is copied, all words have to get into numbers, since anything else is the assignment of a struct.
/// What gets into a local variable of its own is looked at where the variable is read.
static unsigned wordsIntoNumbers(const MemTransferInst &Copy, const DataLayout &DL) {
  constexpr uint64_t MostWords = 8;
  const Value *Source = Copy.getRawSource(), *Dest = Copy.getRawDest();
  const auto *Length = dyn_cast<ConstantInt>(Copy.getLength());
  const uint64_t Bytes = Length ? Length->getZExtValue() : 0;
  if (Bytes % 8 != 0 || Bytes > 8 * MostWords || Copy.isVolatile() || Copy.hasMetadata(LLVMContext::MD_tbaa_struct) ||
      !isPointer(Dest->getType()) || !isPointer(Source->getType()))
    return 0;
  bool IntoNumber = false, OnlyNumbers = !isa<AllocaInst>(Dest), Known = true;
  for (uint64_t Word = 0; Word < Bytes; Word += 8) {
    const Type *From = declaredAt(Source, Word, DL), *To = declaredAt(Dest, Word, DL);
    Known &= From != nullptr;
    OnlyNumbers &= isNumber(To);
    IntoNumber |= (isNumber(To) && !isNumber(From)) || (isPart(To) && From && isPointer(From));
  }
  return IntoNumber && (Known || OnlyNumbers) ? Bytes / 8 : 0;
}

/// The mark that the frontend sets on an argument that loses its type: the address of the first element of the first
/// element. Null if this is something else.
static const GetElementPtrInst *withoutItsType(const Value *Argument) {
  auto IsOfFirst = [](const GetElementPtrInst *Gep) {
    return Gep && Gep->getNumIndices() == 1 && match(Gep->getOperand(1), PatternMatch::m_Zero());
  };
  const auto *Outer = dyn_cast<GetElementPtrInst>(Argument);
  const auto *Inner = IsOfFirst(Outer) ? dyn_cast<GetElementPtrInst>(Outer->getPointerOperand()) : nullptr;
  return IsOfFirst(Inner) && Inner->getSourceElementType() == Outer->getSourceElementType() ? Outer : nullptr;
}

/// Keeps the pointers that a call may copy elsewhere. Only objects that are known to be there are looked at: a pointer
/// that the program hands on may be null, or lead behind the end of an array.
static void keepWhatIsCopiedBy(CallBase &Call) {
  constexpr uint64_t MostWords = 8;
  const DataLayout &DL = Call.getDataLayout();
  for (Value *Argument : Call.args())
    if (const GetElementPtrInst *Named = withoutItsType(Argument);
        Named && isDereferenceableAt(Argument, Named->getSourceElementType(), DL, &Call)) {
      IRBuilder<> B(&Call);
      const uint64_t Words = DL.getTypeAllocSize(Named->getSourceElementType()) / 8;
      for (uint64_t N = 0; N < std::min(Words, MostWords); ++N)
        if (const Type *T = declaredAt(Named, int64_t(8 * N), DL); !T || isPointer(T))
          B.CreateIntrinsic(
              Intrinsic::fake_use, {},
              {B.CreateAlignedLoad(B.getInt64Ty(), B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Argument, 8 * N),
                                   Align(1)),
               Argument});
    }
}

/// Whether this is a call through a pointer, or of another module's function. What the C library does with pointers is
/// known.
static bool isBodyUnseen(const CallBase &Call) {
  const Function *Callee = Call.getCalledFunction();
  return Callee ? Callee->isDeclaration() && !Callee->isIntrinsic() && !Callee->hasFnAttribute(NoMigrateAttribute) &&
                      !Callee->getName().starts_with("skein_") && !Callee->getName().starts_with("__skein_")
                : !Call.isInlineAsm();
}

bool losesItsType(const Value *Argument) { return withoutItsType(Argument) != nullptr; }

bool isTypedCopy(const MemTransferInst &Copy) { return isMarked(Copy, TypedMetadata); }

static void markTypedCopy(MemTransferInst &Copy) {
  const GetElementPtrInst *Alike = withoutItsType(Copy.getRawDest());
  const Type *To = declaredAt(Copy.getRawDest(), 0, Copy.getDataLayout());
  const auto *Named = dyn_cast<GetElementPtrInst>(Copy.getRawDest());
  if (Alike ? !Alike->getSourceElementType()->isIntegerTy(8)
            : To && isPointer(To) && (!Named || isPointer(Named->getResultElementType())))
    Copy.setMetadata(TypedMetadata, MDNode::get(Copy.getContext(), {}));
}

bool isCopiedElsewhere(const Instruction &I) {
  const auto *Use = dyn_cast<IntrinsicInst>(&I);
  return Use && Use->getIntrinsicID() == Intrinsic::fake_use && Use->arg_size() == 2;
}

void makeIntegersOfCopies(Function &F) {
  for (Instruction &I : make_early_inc_range(instructions(F)))
    if (auto *Transfer = dyn_cast<MemTransferInst>(&I))
      markTypedCopy(*Transfer);
    else if (auto *Call = dyn_cast<CallBase>(&I); Call && isBodyUnseen(*Call))
      keepWhatIsCopiedBy(*Call);
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    auto *Copy = dyn_cast<MemTransferInst>(&I);
    const unsigned Words = Copy ? wordsIntoNumbers(*Copy, F.getDataLayout()) : 0;
    if (!Words)
      continue;
    IRBuilder<> B(Copy);
    auto At = [&](Value *Pointer, unsigned Word) {
      return Word ? B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Pointer, 8 * Word) : Pointer;
    };
    SmallVector<Value *, 8> Read; // all words are read before any is written, since the two may overlap
    for (unsigned N = 0; N < Words; ++N)
      Read.push_back(B.CreateAlignedLoad(B.getInt64Ty(), At(Copy->getRawSource(), N),
                                         commonAlignment(Copy->getSourceAlign().valueOrOne(), 8 * N)));
    for (unsigned N = 0; N < Words; ++N)
      B.CreateAlignedStore(Read[N], At(Copy->getRawDest(), N),
                           commonAlignment(Copy->getDestAlign().valueOrOne(), 8 * N));
    Copy->eraseFromParent();
  }
}

} // namespace skein
