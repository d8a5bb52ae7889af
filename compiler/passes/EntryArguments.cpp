//===- EntryArguments.cpp ---------------------------------------------------===//
#include "EntryArguments.h"
#include "AddressIntegers.h"
#include "PointerTypes.h"
#include "abi/frame_map.h"
#include "llvm/CodeGen/MachineFrameInfo.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Function.h"

using namespace llvm;

namespace skein {

namespace {
struct Assignment {
  EntryArguments Found;
  unsigned Integers = 0, Vectors = 0;
  int64_t Memory = 0;
  bool Unsure = false;

  void integer(bool Pointer, bool Ambiguous) {
    if (Integers < 6) {
      Found.Pointers |= unsigned(Pointer) << Integers;
      Found.Ambiguous |= unsigned(Ambiguous) << Integers;
      ++Integers;
    } else {
      inMemory(Pointer, Ambiguous);
    }
  }

  void inMemory(bool Pointer, bool Ambiguous) {
    if (Pointer)
      Found.PointersInMemory.push_back(Memory);
    else if (Ambiguous)
      Found.AmbiguousInMemory.push_back(Memory);
    Memory += 8;
  }

  /// One passed by value. A pointer that is not aligned makes two ambiguous words.
  void structure(uint64_t Words, ArrayRef<WordGroup> Groups, bool KeepsAddresses) {
    SmallVector<std::pair<bool, bool>, 8> Kinds(std::min<uint64_t>(Words, 1 << 13), {false, KeepsAddresses});
    Unsure |= Words != Kinds.size();
    auto MayHold = [&](uint64_t Word) {
      if (Word < Kinds.size())
        Kinds[Word].second = true;
    };
    for (const WordGroup &G : Groups)
      for (int64_t I = 0, At = G.Offset; I < G.Count && uint64_t(At) < Kinds.size() * 8; ++I, At += G.Stride)
        if (G.Kind == SKEIN_LOCAL_POINTER && At % 8 == 0)
          Kinds[At / 8].first = true;
        else
          MayHold(At / 8), MayHold((At + 7) / 8);
    for (auto [Pointer, Ambiguous] : Kinds)
      inMemory(Pointer, Ambiguous);
  }

  void add(Type *T) {
    if (auto *Struct = dyn_cast<StructType>(T)) {
      for (Type *Member : Struct->elements())
        add(Member);
    } else if (auto *Array = dyn_cast<ArrayType>(T)) {
      Unsure |= Array->getNumElements() > 64;
      for (uint64_t I = 0; I < Array->getNumElements() && !Unsure; ++I)
        add(Array->getElementType());
    } else if (T->isPointerTy()) {
      integer(T->getPointerAddressSpace() == 0, false);
    } else if (T->isIntegerTy() && T->getIntegerBitWidth() <= 64) {
      integer(false, T->getIntegerBitWidth() > 32);
    } else if (T->isFloatTy() || T->isDoubleTy() || T->isHalfTy() || T->isBFloatTy()) {
      if (Vectors < 8)
        ++Vectors;
      else
        inMemory(false, false);
    } else if (T->isX86_FP80Ty()) {
      Memory = int64_t(alignTo<16>(Memory)) + 16;
    } else if (T->isVectorTy() && T->getPrimitiveSizeInBits().getKnownMinValue() <= 128 && Vectors < 8) {
      if (!T->getScalarType()->isFloatingPointTy())
        Found.Ambiguous |= 0x100u << Vectors;
      ++Vectors;
    } else {
      Found.Wide |= T->isVectorTy();
      Unsure = true;
    }
  }
};
} // namespace

uint64_t incomingBytes(const MachineFunction &Function) {
  const MachineFrameInfo &MFI = Function.getFrameInfo();
  int64_t End = 0;
  for (int Index = MFI.getObjectIndexBegin(); Index < 0; ++Index)
    if (!MFI.isDeadObjectIndex(Index) && MFI.getObjectOffset(Index) >= 0)
      End = std::max(End, MFI.getObjectOffset(Index) + MFI.getObjectSize(Index));
  return alignTo<8>(uint64_t(End));
}

EntryArguments entryArguments(const MachineFunction &Function) {
  const llvm::Function &F = Function.getFunction();
  Assignment A;
  for (const Argument &Arg : F.args()) {
    if (Arg.hasNestAttr()) {
      A.Found.Pointers |= SKEIN_ENTRY_HAS_CHAIN;
    } else if (Arg.hasByValAttr()) {
      Type *T = Arg.getParamByValType();
      A.Unsure |= Arg.getParamAlign().valueOrOne() > 8;
      const DataLayout &DL = F.getDataLayout();
      SmallVector<WordGroup, 4> Groups;
      A.Unsure |= !appendWordGroups(T, 0, DL, Groups);
      A.structure(divideCeil(DL.getTypeAllocSize(T), 8), Groups, F.hasFnAttribute(AddressIntegersAttribute));
    } else {
      A.add(Arg.getType());
    }
  }
  // Memory that this count does not explain may hold anything.
  uint64_t Bytes = incomingBytes(Function);
  if (A.Unsure || (!F.isVarArg() && Bytes != uint64_t(A.Memory))) {
    if (A.Unsure) {
      A.Found.Pointers &= SKEIN_ENTRY_HAS_CHAIN;
      A.Found.Ambiguous = 0xff3f;
    }
    A.Found.PointersInMemory.clear();
    A.Found.AmbiguousInMemory.clear();
    for (uint64_t Word = 0; Word < Bytes; Word += 8)
      A.Found.AmbiguousInMemory.push_back(int64_t(Word));
  }
  return A.Found;
}

} // namespace skein
