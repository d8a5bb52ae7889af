//===- CopiesToNumbers.cpp - Words that are copied into numbers ------------===//
//
// `memcpy(&message->word, &pointer, sizeof pointer)` puts an address where the declared type says that there is a
// number, and whoever reads it there takes it for one (WordEvidence.h). Nothing of that is left when the optimiser is
// through: it stores the pointer. So at the very beginning, where the types of both sides can still be seen, such a
// copy becomes loads and stores of integers. An integer made of an address is what the analysis looks for wherever one
// is stored (AddressIntegers::losesSight, EscapingAddresses.cpp).
//
// So does one out of a pointer to where a pointer leads, of which nothing is declared: C's `uint64_t *` is as bare in
// LLVM as `void *`.
//
// Not covered: copies by those who do not know what they copy, and how much of it (docs/pitfalls.md).
//
//===----------------------------------------------------------------------===//
#include "PointerTypes.h"
#include "WordEvidence.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace skein {

static bool isNumber(const Type *T) { return T && (T->isIntegerTy(64) || T->isDoubleTy()); }

/// Whether a word gets into a number and does not come from one; or out of a pointer to where a pointer leads of which
/// nobody says what it is to. What is copied to a variable of its own from who knows where is looked at where that is
/// read.
static bool becomesNumber(const Type *From, const Type *To, const Value *Dest) {
  if (From && isPointer(From) && !To)
    return !isa<AllocaInst, GlobalVariable, GEPOperator>(Dest);
  return isNumber(To) && !isNumber(From) && (From || !isa<AllocaInst>(Dest));
}

/// The number of words that are copied, if that happens to any of them.
static unsigned wordsIntoNumbers(const MemTransferInst &Copy, const DataLayout &DL) {
  constexpr uint64_t MostWords = 8;
  const auto *Length = dyn_cast<ConstantInt>(Copy.getLength());
  const uint64_t Bytes = Length ? Length->getZExtValue() : 0;
  if (Bytes % 8 != 0 || Bytes > 8 * MostWords || Copy.isVolatile() || Copy.hasMetadata(LLVMContext::MD_tbaa_struct) ||
      !isPointer(Copy.getRawDest()->getType()) || !isPointer(Copy.getRawSource()->getType()))
    return 0;
  for (uint64_t Word = 0; Word < Bytes; Word += 8) {
    const Type *From = declaredAt(Copy.getRawSource(), Word, DL), *To = declaredAt(Copy.getRawDest(), Word, DL);
    if (becomesNumber(From, To, Copy.getRawDest()))
      return Bytes / 8;
  }
  return 0;
}

void makeIntegersOfCopies(Function &F) {
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    auto *Copy = dyn_cast<MemTransferInst>(&I);
    const unsigned Words = Copy ? wordsIntoNumbers(*Copy, F.getDataLayout()) : 0;
    if (!Words)
      continue;
    IRBuilder<> B(Copy);
    auto At = [&](Value *Pointer, unsigned Word) {
      return Word ? B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Pointer, 8 * Word) : Pointer;
    };
    SmallVector<Value *, 8> Read; // all of it, since the two may overlap
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
