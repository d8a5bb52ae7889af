//===- ArgumentRegisters.cpp - Which registers hold pointers on entry ------===//
#include "ArgumentRegisters.h"
#include "AddressIntegers.h"
#include "MachineAddresses.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Function.h"

using namespace llvm;

namespace skein {

namespace {
struct Assignment {
  const MachineRegisters &R;
  SmallVector<MCRegister, 8> Pointers;
  unsigned Integers = 0, Vectors = 0;
  bool Unsure = false, AnyPointer = false;

  void add(Type *T) {
    if (auto *Struct = dyn_cast<StructType>(T)) {
      for (Type *Member : Struct->elements())
        add(Member);
    } else if (auto *Array = dyn_cast<ArrayType>(T)) {
      for (uint64_t I = 0; I < Array->getNumElements() && !Unsure; ++I) {
        add(Array->getElementType());
        Unsure |= I > 64;
      }
    } else if (T->isPointerTy() && T->getPointerAddressSpace() == 0) {
      AnyPointer = true;
      if (Integers < 6)
        Pointers.push_back(R.IntegerArguments[Integers++]);
    } else if (T->isPointerTy() || (T->isIntegerTy() && T->getIntegerBitWidth() <= 64)) {
      Integers += Integers < 6;
    } else if (T->isIntegerTy(128)) {
      Unsure |= Integers == 5; // in memory, or half of it
      Integers = std::min(Integers + 2, 6u);
    } else if (T->isIntegerTy()) {
      Unsure = true;
    } else if (T->isVectorTy()) {
      bool Holds = T->getScalarType()->isPointerTy() && T->getScalarType()->getPointerAddressSpace() == 0;
      AnyPointer |= Holds;
      // Wider than a register, it takes several.
      for (unsigned Bytes = 0; Bytes < T->getPrimitiveSizeInBits().getKnownMinValue() / 8 || !Bytes; Bytes += 16)
        if (Vectors < 8) {
          if (Holds)
            Pointers.push_back(R.VectorArguments[Vectors]);
          ++Vectors;
        }
    } else if (T->isFloatTy() || T->isDoubleTy() || T->isHalfTy() || T->isBFloatTy() || T->isFP128Ty()) {
      Vectors += Vectors < 8;
    } else if (!T->isX86_FP80Ty()) {
      Unsure = true;
    }
  }
};
} // namespace

SmallVector<MCRegister, 8> pointerArgumentRegisters(const MachineFunction &Function, bool *Exact) {
  Assignment A{MachineRegisters::of(Function), {}};
  for (const Argument &Arg : Function.getFunction().args()) {
    if (Arg.hasByValAttr())
      continue; // in memory
    if (Arg.hasNestAttr())
      A.Pointers.push_back(A.R.R10);
    else if (isDeclaredAddress(&Arg))
      A.add(PointerType::get(Arg.getContext(), 0));
    else
      A.add(Arg.getType());
  }
  if (A.Unsure && A.AnyPointer)
    A.Pointers.append(std::begin(A.R.IntegerArguments), std::end(A.R.IntegerArguments));
  if (Exact)
    *Exact = !A.Unsure;
  return A.Pointers;
}

} // namespace skein
