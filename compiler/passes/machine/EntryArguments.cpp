//===- EntryArguments.cpp ---------------------------------------------------===//
#include "EntryArguments.h"
#include "ArgumentPlaces.h"
#include "abi/frame_map.h"
#include "passes/addresses/AddressIntegers.h"
#include "passes/addresses/PointerTypes.h"
#include "passes/addresses/WordEvidence.h"
#include "llvm/CodeGen/MachineFrameInfo.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Function.h"

using namespace llvm;

namespace skein {

uint64_t incomingBytes(const MachineFunction &Function) {
  const MachineFrameInfo &MFI = Function.getFrameInfo();
  int64_t End = 0;
  for (int Index = MFI.getObjectIndexBegin(); Index < 0; ++Index)
    if (!MFI.isDeadObjectIndex(Index) && MFI.getObjectOffset(Index) >= 0)
      End = std::max(End, MFI.getObjectOffset(Index) + MFI.getObjectSize(Index));
  return alignTo<8>(uint64_t(End));
}

namespace {
/// Collects what the map says of one place after the other.
class Entry {
public:
  explicit Entry(const llvm::Function &F) : F(F), KeepsAddresses(F.hasFnAttribute(AddressIntegersAttribute)) {}

  void add(const ArgumentPart &Part) {
    if (Part.ByValue)
      return addStructure(Part);
    const Argument &A = *F.getArg(Part.Argument);
    const bool Pointer = isDeclaredAddress(&A) || (Part.Of->isPointerTy() && Part.Of->getPointerAddressSpace() == 0);
    const bool Ambiguous = !Pointer && mayHoldAddress(A, *Part.Of);
    switch (Part.In) {
    case ArgumentPart::Chain:
      Found.Pointers |= SKEIN_ENTRY_HAS_CHAIN;
      break;
    case ArgumentPart::Integer:
      Found.Pointers |= unsigned(Pointer) << Part.Register;
      Found.Ambiguous |= unsigned(Ambiguous) << Part.Register;
      break;
    case ArgumentPart::Vector:
      Found.Ambiguous |= unsigned(Ambiguous) << (8 + Part.Register);
      Found.Wide |= Part.Bytes > 16;
      break;
    case ArgumentPart::Memory:
      for (int64_t At = 0; At < Part.Bytes; At += 8)
        addWord(Part.Offset + At, Pointer, Ambiguous);
    }
  }

  /// Nothing is known of any argument, in registers or in memory.
  void addEverything(uint64_t MemoryBytes) {
    Found.Pointers &= SKEIN_ENTRY_HAS_CHAIN;
    Found.Ambiguous = EveryRegister;
    addMemory(MemoryBytes);
  }

  void addMemory(uint64_t Bytes) {
    Found.PointersInMemory.clear();
    Found.AmbiguousInMemory.clear();
    for (uint64_t Word = 0; Word < Bytes; Word += 8)
      Found.AmbiguousInMemory.push_back(int64_t(Word));
  }

  EntryArguments Found;

private:
  static constexpr unsigned EveryRegister = 0xff3f;

  /// Clang passes unions and small structures as integers; floating-point numbers are what they seem to be, unless the
  /// frontend has seen more.
  static bool mayHoldAddress(const Argument &A, const Type &T) {
    if (isDeclaredAmbiguous(&A))
      return true;
    if (T.isIntegerTy())
      return T.getIntegerBitWidth() > 32;
    return T.isVectorTy() && !T.getScalarType()->isFloatingPointTy();
  }

  void addWord(int64_t Offset, bool Pointer, bool Ambiguous) {
    if (Pointer)
      Found.PointersInMemory.push_back(Offset);
    else if (Ambiguous)
      Found.AmbiguousInMemory.push_back(Offset);
  }

  /// A pointer that is not aligned makes two ambiguous words.
  void addStructure(const ArgumentPart &Part) {
    SmallVector<WordGroup, 4> Groups;
    const bool Listed = appendWordGroups(Part.Of, 0, F.getDataLayout(), Groups);
    SmallVector<std::pair<bool, bool>, 8> Kinds(divideCeil(uint64_t(Part.Bytes), 8),
                                                {false, KeepsAddresses || !Listed});
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
    for (auto [Word, Kind] : enumerate(Kinds))
      addWord(Part.Offset + 8 * int64_t(Word), Kind.first, Kind.second);
  }

  const llvm::Function &F;
  const bool KeepsAddresses;
};
} // namespace

EntryArguments entryArguments(const MachineFunction &Function) {
  const llvm::Function &F = Function.getFunction();
  const ArgumentPlaces Places = argumentPlaces(Function);
  const uint64_t Bytes = incomingBytes(Function);
  Entry E(F);
  for (const ArgumentPart &Part : Places.Parts)
    E.add(Part);
  if (!Places.Known) {
    E.addEverything(Bytes);
    E.Found.Wide = any_of(F.args(), [](const Argument &A) { return A.getType()->isVectorTy(); });
  } else if (!F.isVarArg() && Bytes != uint64_t(Places.MemoryBytes)) {
    E.addMemory(Bytes); // what this count does not explain may hold anything
  }
  return std::move(E.Found);
}

} // namespace skein
