//===- LocalLayouts.cpp ------------------------------------------------------===//
//
// The declared type of an alloca is a good witness but not the only one: SROA cuts structs into byte slices, and memory
// from alloca() or a character buffer never had a type (trap 4). So the visible loads and stores have a say:
//
//   declared       visible accesses                     the word is
//   ------------   ----------------------------------   -----------
//   pointer        any                                  a pointer
//   union, bytes   only pointers                        a pointer
//   union, bytes   anything else, or none               ambiguous
//   integer        only pointers                        a pointer
//   integer        pointers and integers, or an         ambiguous
//                  integer computed from an address
//   integer        others; the module keeps addresses   ambiguous
//                  in integers (AddressIntegers)
//   other          no pointer                           nothing
//
// An ambiguous word is never changed; it refuses the move if it holds an address that moves. So a wrong guess can cost
// a migration, never a value. What this cannot see is a pointer that another function writes into a local declared as
// an integer.
//
//===----------------------------------------------------------------------===//
#include "LocalLayouts.h"
#include "AddressIntegers.h"
#include "PointerTypes.h"
#include "WordGroups.h"
#include "abi/frame_map.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include <map>
#include <set>

using namespace llvm;

namespace skein {

namespace {

/// Longer copies than this are looked at as a whole.
constexpr uint64_t CopyLimit = 4096;

/// What was seen happening to one word.
struct WordAccess {
  bool Pointer = false; ///< loaded or stored as a pointer
  bool Integer = false; ///< loaded or stored as something that is not used as an address
  bool Address = false; ///< an integer stored here may be an address
};

/// All visible accesses to one alloca.
class AccessScan {
public:
  AccessScan(AllocaInst &Alloca, const AddressIntegers &Addresses)
      : DL(Alloca.getModule()->getDataLayout()), Addresses(Addresses) {
    visit(Alloca, 0, true);
  }

  std::map<int64_t, WordAccess> Words;
  /// An access to an unknown offset.
  WordAccess Anywhere;

private:
  void visit(Value &Pointer, int64_t Offset, bool Known) {
    if (!Seen.insert({&Pointer, Known}).second)
      return;
    for (Use &U : Pointer.uses()) {
      auto *I = dyn_cast<Instruction>(U.getUser());
      if (!I)
        continue;
      if (auto *Load = dyn_cast<LoadInst>(I)) {
        record(*Load, Offset, Known);
      } else if (auto *Store = dyn_cast<StoreInst>(I)) {
        if (U.getOperandNo() == StoreInst::getPointerOperandIndex())
          record(*Store->getValueOperand(), Offset, Known);
      } else if (auto *Exchange = dyn_cast<AtomicRMWInst>(I)) {
        record(*Exchange->getValOperand(), Offset, Known);
        record(*Exchange, Offset, Known);
      } else if (auto *Swap = dyn_cast<AtomicCmpXchgInst>(I)) {
        record(*Swap->getNewValOperand(), Offset, Known);
      } else if (auto *Copy = dyn_cast<MemTransferInst>(I)) {
        if (U.getOperandNo() == 0)
          recordCopy(*Copy, Offset, Known);
      } else if (auto *Gep = dyn_cast<GetElementPtrInst>(I)) {
        APInt Delta(64, 0);
        if (Known && Gep->accumulateConstantOffset(DL, Delta))
          visit(*Gep, Offset + Delta.getSExtValue(), true);
        else
          visit(*Gep, 0, false);
      } else if (isa<PHINode, SelectInst, FreezeInst, AddrSpaceCastInst>(I)) {
        visit(*I, 0, false);
      }
    }
  }

  /// Bytes from elsewhere: whatever words they cover may be addresses.
  void recordCopy(MemTransferInst &Copy, int64_t Offset, bool Known) {
    const auto *Source = dyn_cast<GlobalVariable>(getUnderlyingObject(Copy.getRawSource(), 0));
    if (Source && Source->isConstant() && Source->hasDefinitiveInitializer() &&
        !Source->getInitializer()->needsRelocation())
      return;
    const auto *Length = dyn_cast<ConstantInt>(Copy.getLength());
    if (!Known || !Length || Length->getZExtValue() > CopyLimit) {
      Anywhere.Address = true;
      return;
    }
    for (int64_t Word = 0; Word + 8 <= int64_t(Length->getZExtValue()); Word += 8)
      Words[Offset + Word].Address = true;
  }

  /// `Content` is what was loaded or stored.
  void record(Value &Content, int64_t Offset, bool Known) {
    Type *T = Content.getType();
    auto At = [&](int64_t Word) -> WordAccess & { return Known ? Words[Offset + Word] : Anywhere; };
    if (containsPointer(T)) {
      SmallVector<WordGroup, 4> Groups;
      appendWordGroups(T, 0, DL, Groups);
      for (const WordGroup &G : Groups)
        for (int64_t I = 0; I < G.Count; ++I)
          At(G.Offset + I * G.Stride).Pointer = true;
      return;
    }
    bool AddressLike = T->isIntegerTy(64) && Addresses.isAddressLike(&Content);
    bool Null = isa<Constant>(Content) && cast<Constant>(Content).isNullValue();
    bool Address = !Null && (AddressLike || Addresses.mayCarryAddress(&Content));
    int64_t Size = DL.getTypeStoreSize(T);
    for (int64_t Word = 0; Word < Size; Word += 8) {
      At(Word).Integer |= !Null && !AddressLike;
      At(Word).Address |= Address && Size - Word >= 8;
    }
  }

  const DataLayout &DL;
  const AddressIntegers &Addresses;
  std::set<std::pair<Value *, bool>> Seen;
};

} // namespace

/// Beyond this many bytes words are described by the type alone, or the whole object is ambiguous.
static constexpr int64_t WordByWordLimit = 4096;

static bool isBytes(Type *T) {
  while (auto *Array = dyn_cast<ArrayType>(T))
    T = Array->getElementType();
  return T->isIntegerTy(8);
}

static bool holdsAddressIntegers(Type *T, const AddressIntegers &Addresses) {
  while (auto *Array = dyn_cast<ArrayType>(T))
    T = Array->getElementType();
  return Addresses.keepsAddresses() && (T->isIntegerTy(64) || T->isStructTy());
}

/// The 64-bit integers of a type, as ambiguous words.
static void addIntegerWords(Type *T, int64_t Offset, const DataLayout &DL, std::map<int64_t, unsigned> &Words) {
  if (auto *Array = dyn_cast<ArrayType>(T)) {
    for (uint64_t I = 0; I < Array->getNumElements(); ++I)
      addIntegerWords(Array->getElementType(), Offset + I * DL.getTypeAllocSize(Array->getElementType()), DL, Words);
  } else if (auto *Struct = dyn_cast<StructType>(T)) {
    const StructLayout *Layout = DL.getStructLayout(Struct);
    for (unsigned I = 0; I < Struct->getNumElements(); ++I)
      addIntegerWords(Struct->getElementType(I), Offset + int64_t(Layout->getElementOffset(I)), DL, Words);
  } else if (T->isIntOrIntVectorTy() && T->getScalarSizeInBits() >= 64) {
    for (int64_t Word = 0; Word + 8 <= int64_t(DL.getTypeStoreSize(T)); Word += 8)
      Words[Offset + Word] = SKEIN_LOCAL_AMBIGUOUS;
  }
}

SmallVector<WordGroup, 2> inferLocalLayout(AllocaInst &Alloca, const AddressIntegers &Addresses) {
  const DataLayout &DL = Alloca.getModule()->getDataLayout();
  int64_t Size = Alloca.getAllocationSize(DL)->getFixedValue();
  Type *Declared = Alloca.getAllocatedType();
  SmallVector<WordGroup, 2> Groups;
  AccessScan Scan(Alloca, Addresses);

  SmallVector<WordGroup, 4> Typed;
  uint64_t Elements = cast<ConstantInt>(Alloca.getArraySize())->getZExtValue();
  bool Described = appendWordGroups(ArrayType::get(Declared, Elements), 0, DL, Typed);
  auto WholeObject = [&](unsigned Kind) {
    Groups.clear();
    if (Size >= 8)
      Groups.push_back({Kind, 0, 8, Size / 8});
    return Groups;
  };
  if (!Described)
    return WholeObject(SKEIN_LOCAL_AMBIGUOUS);

  bool AnyPointer = Scan.Anywhere.Pointer, AnyAddress = Scan.Anywhere.Address;
  for (auto &[Offset, Access] : Scan.Words) {
    AnyPointer |= Access.Pointer;
    AnyAddress |= Access.Address;
  }
  if (Size > WordByWordLimit) {
    Groups.append(Typed.begin(), Typed.end());
    if (Typed.empty() && (AnyPointer || AnyAddress || isBytes(Declared) || holdsAddressIntegers(Declared, Addresses)))
      return WholeObject(SKEIN_LOCAL_AMBIGUOUS);
    if (Typed.size() && isBytes(Declared))
      return WholeObject(SKEIN_LOCAL_AMBIGUOUS);
    return Groups;
  }

  std::map<int64_t, unsigned> Words;
  if (Addresses.keepsAddresses())
    addIntegerWords(Declared, 0, DL, Words);
  for (const WordGroup &G : Typed)
    for (int64_t I = 0; I < G.Count; ++I)
      Words[G.Offset + I * G.Stride] = G.Kind;
  // Accesses have a say where the type names no pointer.
  auto Judge = [&](int64_t Offset, const WordAccess &Access) {
    if (Offset < 0 || Offset + 8 > Size)
      return;
    auto At = Words.find(Offset);
    if (At != Words.end() && At->second == SKEIN_LOCAL_POINTER)
      return;
    // A pointer word that straddles this one keeps its place.
    if (Access.Pointer && !Access.Integer && !Scan.Anywhere.Integer)
      Words[Offset] = SKEIN_LOCAL_POINTER;
    else if (Access.Pointer || Access.Address)
      Words[Offset] = SKEIN_LOCAL_AMBIGUOUS;
  };
  if (Scan.Anywhere.Pointer || Scan.Anywhere.Address)
    for (int64_t Offset = 0; Offset + 8 <= Size; Offset += 8)
      Judge(Offset, Scan.Anywhere);
  for (auto &[Offset, Access] : Scan.Words)
    Judge(Offset, Access);
  // Of overlapping words (an unaligned pointer in a buffer of bytes) the ambiguous one gives way.
  for (auto At = Words.begin(); At != Words.end();) {
    bool Overlapped = false;
    if (At->second == SKEIN_LOCAL_AMBIGUOUS)
      for (auto Other = Words.lower_bound(At->first - 7); Other != Words.end() && Other->first < At->first + 8; ++Other)
        Overlapped |= Other->second == SKEIN_LOCAL_POINTER;
    At = Overlapped ? Words.erase(At) : std::next(At);
  }
  appendGrouped(Words, Groups);
  return Groups;
}

SmallVector<WordGroup, 2> inferDynamicLayout(AllocaInst &Alloca, const AddressIntegers &Addresses) {
  const DataLayout &DL = Alloca.getModule()->getDataLayout();
  Type *Element = Alloca.getAllocatedType();
  int64_t Size = DL.getTypeAllocSize(Element);
  SmallVector<WordGroup, 2> Result;
  AccessScan Scan(Alloca, Addresses);
  bool AnyPointer = Scan.Anywhere.Pointer, AnyAddress = Scan.Anywhere.Address;
  for (auto &[Offset, Access] : Scan.Words) {
    AnyPointer |= Access.Pointer;
    AnyAddress |= Access.Address;
  }
  SmallVector<WordGroup, 4> Typed;
  if (!appendWordGroups(Element, 0, DL, Typed) || Size > UINT16_MAX)
    Typed.assign(1, {SKEIN_LOCAL_AMBIGUOUS, 0, 8, 1}), Size = 8;
  else if (Typed.empty() && (isBytes(Element) || AnyPointer || AnyAddress || holdsAddressIntegers(Element, Addresses)))
    Typed.assign(1, {SKEIN_LOCAL_AMBIGUOUS, 0, 8, 1}), Size = 8;
  for (const WordGroup &G : Typed) {
    unsigned Kind = G.Kind == SKEIN_LOCAL_POINTER ? SKEIN_LOCAL_DYNAMIC_POINTER : SKEIN_LOCAL_DYNAMIC_AMBIGUOUS;
    for (int64_t I = 0; I < G.Count; ++I)
      Result.push_back({Kind, 0, Size, G.Offset + I * G.Stride});
  }
  return Result;
}

} // namespace skein
