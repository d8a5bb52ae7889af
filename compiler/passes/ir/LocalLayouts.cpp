//===- LocalLayouts.cpp ------------------------------------------------------===//
//
// Finds the words of a local that can hold pointers. The declared type of an alloca is good evidence but not the only
// one: SROA cuts structs into byte slices, and memory from alloca() or a character buffer never had a type. So the
// visible loads and stores count as well:
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
// a migration, but never a value. What this analysis cannot see is a pointer that another function writes into a local
// declared as an integer.
//
//===----------------------------------------------------------------------===//
#include "LocalLayouts.h"
#include "LibraryFacts.h"
#include "abi/frame_map.h"
#include "passes/addresses/AddressIntegers.h"
#include "passes/addresses/PointerTypes.h"
#include "passes/addresses/WordEvidence.h"
#include "passes/addresses/WordGroups.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include <map>
#include <numeric>

using namespace llvm;

namespace skein {

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

namespace {

/// Longer copies than this are treated as a whole.
constexpr uint64_t CopyLimit = 4096;
/// Copies from buffer to buffer are followed over at most so many buffers.
constexpr unsigned CopyDepth = 3;

/// What was seen to be done with one word.
struct WordAccess {
  bool Pointer = false; ///< loaded or stored as a pointer
  bool Integer = false; ///< loaded or stored as something that is not used as an address
  bool Address = false; ///< an integer stored here may be an address
  bool Guess = false;   ///< and it is not proved to be an address

  void operator|=(const WordAccess &Other) {
    Pointer |= Other.Pointer;
    Integer |= Other.Integer;
    Address |= Other.Address;
    Guess |= Other.Guess;
  }
  /// Whatever the word holds is a pointer, or can be treated as one.
  bool isPointer(bool Private) const { return (Pointer && !Integer) || (Private && Address && !Integer && !Guess); }
};

/// Byte offsets in an object: Offset, Offset + Modulus, Offset + 2 * Modulus and so on, in both directions; just Offset
/// if Modulus is 0. An index that is not known gives the size of the elements as modulus, so the members of structs in
/// an array are kept apart.
struct Places {
  int64_t Modulus = 0;
  int64_t Offset = 0;

  static Places of(int64_t Modulus, int64_t Offset) {
    if (Modulus != 0)
      Offset = ((Offset % Modulus) + Modulus) % Modulus;
    return {Modulus, Offset};
  }
  Places plus(int64_t Delta) const { return of(Modulus, Offset + Delta); }
  /// The smallest set that contains both.
  Places with(const Places &Other) const {
    int64_t M = std::gcd(std::gcd(Modulus, Other.Modulus), Offset - Other.Offset);
    return of(M, Offset);
  }
  auto operator<=>(const Places &) const = default;
};

/// A function of the C library that, if it writes at all through a pointer, writes characters.
bool writesTextOnly(const CallBase &Call) {
  const Function *Callee = Call.getCalledFunction();
  return Callee && Callee->isDeclaration() && library(*Callee, LibraryFact::TextOnly);
}

/// Such a function that returns an address inside of what it was given.
bool returnsItsArgument(const CallBase &Call) { return Call.getType()->isPointerTy() && writesTextOnly(Call); }

/// All visible accesses to one alloca.
class AccessScan {
public:
  AccessScan(AllocaInst &Alloca, const AddressIntegers &Addresses, unsigned Depth = 0)
      : DL(Alloca.getModule()->getDataLayout()), Addresses(Addresses), Alignment(Alloca.getAlign()), Depth(Depth) {
    follow(Alloca);
    for (auto &[Pointer, At] : Derived)
      for (Use &U : Pointer->uses())
        lookAt(U, At);
  }

  std::map<Places, WordAccess> Words;
  /// Other code can write to the alloca.
  bool Escapes = false;
  /// Among that code is some that skeincc or an unknown compiler has compiled, and not only the C library.
  bool EscapesToCode = false;

  WordAccess anywhere() const {
    WordAccess All;
    for (auto &[At, Access] : Words)
      All |= Access;
    return All;
  }
  /// The size of the elements over which accesses in a loop step; 0: all offsets are known.
  int64_t stride() const {
    int64_t M = 0;
    for (auto &[At, Access] : Words)
      M = std::gcd(M, At.Modulus);
    return M;
  }
  /// Everything that was seen of the words at these places.
  WordAccess at(const Places &Where) const {
    WordAccess All;
    for (auto &[At, Access] : Words) {
      int64_t M = std::gcd(At.Modulus, Where.Modulus);
      if (M == 0 ? At.Offset == Where.Offset : (At.Offset - Where.Offset) % M == 0)
        All |= Access;
    }
    return All;
  }

private:
  /// Finds where each pointer that is derived from the alloca leads.
  void follow(AllocaInst &Alloca) {
    SmallVector<Value *, 16> Work;
    auto Reach = [&](Value &Pointer, const Places &At) {
      auto [Known, New] = Derived.try_emplace(&Pointer, At);
      Places Both = Known->second.with(At);
      if (!New && Both == Known->second)
        return;
      Known->second = Both;
      Work.push_back(&Pointer);
    };
    Reach(Alloca, Places());
    while (!Work.empty()) {
      Value *Pointer = Work.pop_back_val();
      Places At = Derived.find(Pointer)->second;
      for (Use &U : Pointer->uses()) {
        auto *I = dyn_cast<Instruction>(U.getUser());
        if (auto *Gep = dyn_cast_or_null<GetElementPtrInst>(I)) {
          SmallMapVector<Value *, APInt, 4> Variable;
          APInt Constant(64, 0);
          Places To = Places::of(1, 0);
          if (Gep->getType()->isPointerTy() && Gep->collectOffset(DL, 64, Variable, Constant)) {
            int64_t M = At.Modulus;
            for (auto &[Index, Scale] : Variable)
              M = std::gcd(M, Scale.getSExtValue());
            To = Places::of(M, At.Offset + Constant.getSExtValue());
          }
          Reach(*Gep, To);
        } else if (isa_and_nonnull<StoreInst>(I) && U.getOperandNo() == 0) {
          // The pointer is stored in a variable of this function (-O0).
          for (const Instruction *Load : Addresses.reloadsOf(*I))
            if (Load->getType()->isPointerTy())
              Reach(*const_cast<Instruction *>(Load), At);
        } else if (auto *Call = dyn_cast_or_null<CallBase>(I); Call && returnsItsArgument(*Call)) {
          Reach(*Call, Places::of(1, 0));
        } else if (isa_and_nonnull<PHINode, SelectInst, FreezeInst, AddrSpaceCastInst>(I)) {
          Reach(*I, At);
        }
      }
    }
  }

  void lookAt(Use &U, const Places &At) {
    auto *I = dyn_cast<Instruction>(U.getUser());
    if (!I || readsForWitness(*I))
      return;
    if (auto *Load = dyn_cast<LoadInst>(I)) {
      record(*Load, At, Load->getAlign());
    } else if (auto *Store = dyn_cast<StoreInst>(I)) {
      if (U.getOperandNo() == StoreInst::getPointerOperandIndex())
        record(*Store->getValueOperand(), At, Store->getAlign());
      else
        EscapesToCode |= !Addresses.isInCell(*Store) ||
                         any_of(Addresses.reloadsOf(*Store),
                                [](const Instruction *Load) { return !Load->getType()->isPointerTy(); });
      Escapes |= EscapesToCode;
    } else if (auto *Exchange = dyn_cast<AtomicRMWInst>(I)) {
      Escapes |= U.getOperandNo() != AtomicRMWInst::getPointerOperandIndex();
      record(*Exchange->getValOperand(), At, Exchange->getAlign());
      record(*Exchange, At, Exchange->getAlign());
    } else if (auto *Swap = dyn_cast<AtomicCmpXchgInst>(I)) {
      Escapes |= U.getOperandNo() != AtomicCmpXchgInst::getPointerOperandIndex();
      record(*Swap->getNewValOperand(), At, Swap->getAlign());
    } else if (auto *Copy = dyn_cast<MemTransferInst>(I)) {
      if (U.getOperandNo() == 0)
        recordCopy(*Copy, At);
    } else if (auto *Call = dyn_cast<CallBase>(I)) {
      bool Harmless = I->isLifetimeStartOrEnd() || isa<MemSetInst>(Call) || writesTextOnly(*Call);
      Escapes |= !Harmless;
      const Function *Callee = Call->getCalledFunction();
      EscapesToCode |= !Harmless && !isa<IntrinsicInst>(Call) && !Call->isInlineAsm() &&
                       !(Callee && Callee->isDeclaration() && Callee->hasFnAttribute(NoMigrateAttribute)) &&
                       !(Call->isArgOperand(&U) && Call->onlyReadsMemory(Call->getArgOperandNo(&U)));
    } else if (!isa<GetElementPtrInst, PHINode, SelectInst, FreezeInst, AddrSpaceCastInst, ICmpInst>(I)) {
      Escapes = true;
    }
  }

  /// The places of an access. The alignment that it states may say more than what can be seen of its place.
  Places aligned(const Places &At, Align Access) const {
    int64_t A = std::min({Access, Alignment, Align(8)}).value();
    return At.Modulus == 0 || At.Modulus % A == 0 || A % At.Modulus != 0 ? At : Places{A, 0};
  }

  /// Bytes are copied from elsewhere: any word that they cover may be an address.
  void recordCopy(MemTransferInst &Copy, const Places &At) {
    WordAccess Unknown;
    Unknown.Address = Unknown.Guess = true;
    const auto *Source = dyn_cast<GlobalVariable>(getUnderlyingObject(Copy.getRawSource(), 0));
    if (Source && Source->isConstant() && Source->hasDefinitiveInitializer() &&
        !Source->getInitializer()->needsRelocation())
      return;
    const auto *Length = dyn_cast<ConstantInt>(Copy.getLength());
    if (!Length || Length->getZExtValue() > CopyLimit) {
      Words[Places::of(8, 0)] |= Unknown;
      return;
    }
    int64_t Size = Length->getZExtValue();
    std::map<int64_t, unsigned> Known;
    if (!describeSource(Copy, Known)) {
      for (int64_t Word = 0; Word + 8 <= Size; Word += 8)
        Words[At.plus(Word)] |= Unknown;
      return;
    }
    for (int64_t Word = 0; Word + 8 <= Size; Word += 8)
      if (!Known.contains(Word))
        Words[At.plus(Word)].Integer = true;
    for (auto [Word, Kind] : Known)
      if (Word >= 0 && Word + 8 <= Size) {
        if (Kind == SKEIN_LOCAL_POINTER)
          Words[At.plus(Word)].Pointer = true;
        else
          Words[At.plus(Word)] |= Unknown;
      }
  }

  /// Finds the words of what is copied, from the type of the local from which it is copied, or from type-based alias
  /// information of an assignment. False: it is not known what is copied.
  bool describeSource(const MemTransferInst &Copy, std::map<int64_t, unsigned> &Known) const {
    int64_t Offset = 0;
    const auto *Local = dyn_cast<AllocaInst>(GetPointerBaseWithConstantOffset(Copy.getRawSource(), Offset, DL));
    if (Local && Local->isStaticAlloca() && !isBytes(Local->getAllocatedType()) &&
        !holdsAddressIntegers(Local->getAllocatedType(), Addresses)) {
      SmallVector<WordGroup, 4> Groups;
      uint64_t Elements = cast<ConstantInt>(Local->getArraySize())->getZExtValue();
      if (!appendWordGroups(ArrayType::get(Local->getAllocatedType(), Elements), 0, DL, Groups))
        return false;
      for (const WordGroup &G : Groups)
        for (int64_t I = 0; I < G.Count; ++I)
          Known[G.Offset + I * G.Stride - Offset] = G.Kind;
      return true;
    }
    // The source is a buffer: its words are known by what is stored there.
    if (Local && Local->isStaticAlloca() && isBytes(Local->getAllocatedType()) && Depth < CopyDepth) {
      AccessScan Source(const_cast<AllocaInst &>(*Local), Addresses, Depth + 1);
      if (!Source.Escapes) {
        int64_t Size = cast<ConstantInt>(Copy.getLength())->getZExtValue();
        for (int64_t Word = 0; Word + 8 <= Size; ++Word) {
          WordAccess Access = Source.at({0, Offset + Word});
          if (Access.isPointer(/*Private=*/true))
            Known[Word] = SKEIN_LOCAL_POINTER;
          else if (Access.Pointer || Access.Address || Source.stride() != 0)
            Known[Word] = SKEIN_LOCAL_AMBIGUOUS;
        }
        return true;
      }
    }
    const MDNode *Fields = Copy.getMetadata(LLVMContext::MD_tbaa_struct);
    if (!Fields || Addresses.keepsAddresses())
      return false;
    for (unsigned I = 0; I + 2 < Fields->getNumOperands(); I += 3) {
      int64_t At = mdconst::extract<ConstantInt>(Fields->getOperand(I))->getSExtValue();
      int64_t Size = mdconst::extract<ConstantInt>(Fields->getOperand(I + 1))->getSExtValue();
      const auto *Tag = cast<MDNode>(Fields->getOperand(I + 2));
      const auto *Access = dyn_cast<MDNode>(Tag->getOperand(1));
      const auto *Name = Access && Access->getNumOperands() ? dyn_cast<MDString>(Access->getOperand(0)) : nullptr;
      if (!Name || Name->getString() == "omnipotent char")
        for (int64_t Word = At; Word + 8 <= At + Size; Word += 8)
          Known[Word] = SKEIN_LOCAL_AMBIGUOUS;
      else if (Size == 8 && (Name->getString().starts_with("p") || Name->getString().contains("pointer")))
        Known[At] = SKEIN_LOCAL_POINTER;
    }
    return true;
  }

  /// Records an access; `Content` is what was loaded or stored.
  void record(Value &Content, const Places &Where, Align Access) {
    Type *T = Content.getType();
    Places At = aligned(Where, Access);
    if (containsPointer(T)) {
      SmallVector<WordGroup, 4> Groups;
      appendWordGroups(T, 0, DL, Groups);
      for (const WordGroup &G : Groups)
        for (int64_t I = 0; I < G.Count; ++I)
          Words[At.plus(G.Offset + I * G.Stride)].Pointer = true;
      return;
    }
    bool AddressLike = T->isIntegerTy(64) && Addresses.isAddressLike(&Content);
    bool Null = isa<Constant>(Content) && cast<Constant>(Content).isNullValue();
    bool Address = !Null && (AddressLike || Addresses.mayCarryAddress(&Content));
    int64_t Size = DL.getTypeStoreSize(T);
    for (int64_t Word = 0; Word < Size; Word += 8) {
      WordAccess &A = Words[At.plus(Word)];
      A.Integer |= !Null && !AddressLike;
      A.Address |= Address && Size - Word >= 8;
      A.Guess |= Address && !(T->isIntegerTy(64) && Addresses.isProvedAddress(&Content));
    }
  }

  const DataLayout &DL;
  const AddressIntegers &Addresses;
  const Align Alignment;
  const unsigned Depth; ///< how many locals were copied from one another up to here
  MapVector<Value *, Places> Derived;
};

} // namespace

/// If an object has more bytes than this, its words are described by the type alone, or the whole object is ambiguous.
static constexpr int64_t WordByWordLimit = 4096;

/// Adds the numbers of a type that are wide enough for an address, as ambiguous words.
static void addIntegerWords(Type *T, int64_t Offset, const DataLayout &DL, std::map<int64_t, unsigned> &Words) {
  if (auto *Array = dyn_cast<ArrayType>(T)) {
    for (uint64_t I = 0; I < Array->getNumElements(); ++I)
      addIntegerWords(Array->getElementType(), Offset + I * DL.getTypeAllocSize(Array->getElementType()), DL, Words);
  } else if (auto *Struct = dyn_cast<StructType>(T)) {
    if (Struct->hasName() && Struct->getName() == "struct.__jmp_buf_tag") // holds a token (JumpLowering.cpp)
      return;
    const StructLayout *Layout = DL.getStructLayout(Struct);
    for (unsigned I = 0; I < Struct->getNumElements(); ++I)
      addIntegerWords(Struct->getElementType(I), Offset + int64_t(Layout->getElementOffset(I)), DL, Words);
  } else if (isWide(T) && T->getScalarSizeInBits() >= 64) {
    for (int64_t Word = 0; Word + 8 <= int64_t(DL.getTypeStoreSize(T)); Word += 8)
      Words[Offset + Word] = SKEIN_LOCAL_AMBIGUOUS;
  }
}

/// Adds the words of arrays of numbers, from which programs cut other objects. The words of a union are ambiguous
/// anyway.
static void addArraysOfNumbers(Type *T, int64_t Offset, const DataLayout &DL, std::map<int64_t, unsigned> &Words) {
  Type *Element = T;
  while (auto *Of = dyn_cast<ArrayType>(Element))
    Element = Of->getElementType();
  if (auto *Struct = dyn_cast<StructType>(T)) {
    if (Struct->hasName() && Struct->getName().starts_with("struct.__jmp_buf_tag"))
      return; // the runtime knows what lies there
    const StructLayout *Layout = DL.getStructLayout(Struct);
    for (unsigned I = 0; I < Struct->getNumElements(); ++I)
      addArraysOfNumbers(Struct->getElementType(I), Offset + int64_t(Layout->getElementOffset(I)), DL, Words);
  } else if (T->isArrayTy() && isWide(Element)) {
    addIntegerWords(T, Offset, DL, Words);
  } else if (auto *Array = dyn_cast<ArrayType>(T); Array && Element->isStructTy()) {
    for (uint64_t I = 0; I < Array->getNumElements(); ++I)
      addArraysOfNumbers(Array->getElementType(), Offset + I * DL.getTypeAllocSize(Array->getElementType()), DL, Words);
  }
}

/// Where words overlap (an unaligned pointer in a buffer of bytes), the ambiguous one is dropped, unless an address was
/// seen there as well, or other code may write one.
static void dropOverlapped(std::map<int64_t, unsigned> &Words, const AccessScan &Scan) {
  for (auto At = Words.begin(); At != Words.end();) {
    bool Overlapped = false;
    const WordAccess Seen = Scan.at({0, At->first});
    if (At->second == SKEIN_LOCAL_AMBIGUOUS && !Scan.EscapesToCode && !Seen.Pointer && !Seen.Address)
      for (auto Other = Words.lower_bound(At->first - 7); Other != Words.end() && Other->first < At->first + 8; ++Other)
        Overlapped |= Other->second == SKEIN_LOCAL_POINTER;
    At = Overlapped ? Words.erase(At) : std::next(At);
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
  auto WholeObject = [&] {
    Groups.clear();
    appendUntyped(0, Size, Groups);
    return Groups;
  };
  if (!Described)
    return WholeObject();

  WordAccess Any = Scan.anywhere();
  if (Size > WordByWordLimit) {
    Groups.append(Typed.begin(), Typed.end());
    if (Typed.empty() && (Any.Pointer || Any.Address || isBytes(Declared) || holdsAddressIntegers(Declared, Addresses)))
      return WholeObject();
    if (Typed.size() && isBytes(Declared))
      return WholeObject();
    // The numbers among its pointers are described by their types. It is not worth finding out which of them hold
    // addresses.
    std::map<int64_t, unsigned> Numbers;
    if (Typed.size() && (Any.Pointer || Any.Address || Addresses.keepsAddresses()))
      addIntegerWords(ArrayType::get(Declared, Elements), 0, DL, Numbers);
    if (Scan.EscapesToCode)
      addArraysOfNumbers(Declared, 0, DL, Numbers);
    appendGrouped(Numbers, Groups);
    return Groups;
  }

  std::map<int64_t, unsigned> Words;
  // Other code that has the address may place an object with pointers in an array of numbers.
  if (Addresses.keepsAddresses())
    addIntegerWords(Declared, 0, DL, Words);
  if (Scan.EscapesToCode)
    addArraysOfNumbers(Declared, 0, DL, Words);
  for (const WordGroup &G : Typed)
    for (int64_t I = 0; I < G.Count; ++I)
      Words[G.Offset + I * G.Stride] = G.Kind;
  // Accesses decide where the type names no pointer.
  auto Judge = [&](int64_t Offset) {
    if (Offset < 0 || Offset + 8 > Size)
      return;
    auto At = Words.find(Offset);
    if (At != Words.end() && At->second == SKEIN_LOCAL_POINTER)
      return;
    WordAccess Access = Scan.at({0, Offset});
    // A pointer that overlaps this word keeps its place.
    if (Access.isPointer(!Scan.Escapes))
      Words[Offset] = SKEIN_LOCAL_POINTER;
    else if (Access.Pointer || Access.Address)
      Words[Offset] = SKEIN_LOCAL_AMBIGUOUS;
    else if (At != Words.end() && !Scan.Escapes && !isBytes(Declared))
      Words.erase(At); // all that is ever stored here is a number
  };
  for (auto &[Where, Access] : Scan.Words) {
    if (Where.Modulus == 0)
      Judge(Where.Offset);
    else // an address that may lie at any byte is looked for at each
      for (int64_t Offset = Where.Offset; Offset + 8 <= Size; Offset += Where.Modulus)
        if (Where.Modulus >= 8)
          Judge(Offset);
        else if (Access.Pointer || Access.Address)
          Words.try_emplace(Offset, SKEIN_LOCAL_AMBIGUOUS);
  }
  dropOverlapped(Words, Scan);
  appendGrouped(Words, Groups);
  return Groups;
}

/// If an element has more words than this, they are not listed one by one.
static constexpr int64_t ElementLimit = 512;

SmallVector<WordGroup, 2> inferDynamicLayout(AllocaInst &Alloca, const AddressIntegers &Addresses) {
  const DataLayout &DL = Alloca.getModule()->getDataLayout();
  Type *Element = Alloca.getAllocatedType();
  int64_t Size = DL.getTypeAllocSize(Element);
  SmallVector<WordGroup, 2> Result;
  // Adds `Words` words from `First` on; 0: as many as the block has.
  auto Add = [&](unsigned Kind, int64_t First, int64_t Stride, int64_t Words = 0) {
    Result.push_back({Kind == SKEIN_LOCAL_POINTER ? SKEIN_LOCAL_DYNAMIC_POINTER : SKEIN_LOCAL_DYNAMIC_AMBIGUOUS, 0,
                      Stride, First + (Words << SKEIN_DYNAMIC_WORDS_SHIFT)});
  };
  AccessScan Scan(Alloca, Addresses);
  WordAccess Any = Scan.anywhere();
  SmallVector<WordGroup, 4> Typed;
  bool Bytes = isBytes(Element);
  bool Described = appendWordGroups(Element, 0, DL, Typed) && Size <= UINT16_MAX;
  auto Untyped = [&] {
    Result.clear();
    Add(SKEIN_LOCAL_AMBIGUOUS, 0, 1);
    return Result;
  };
  if (!Described)
    return Untyped();
  if (!Bytes) {
    if (Typed.empty() && (Any.Pointer || Any.Address || holdsAddressIntegers(Element, Addresses)))
      return Untyped();
    std::map<int64_t, unsigned> Words;
    if (Addresses.keepsAddresses())
      addIntegerWords(Element, 0, DL, Words);
    if (Scan.EscapesToCode)
      addArraysOfNumbers(Element, 0, DL, Words);
    for (const WordGroup &G : Typed)
      for (int64_t I = 0; I < G.Count; ++I)
        Words[G.Offset + I * G.Stride] = G.Kind;
    for (auto &[Where, Access] : Scan.Words) {
      if (!Access.Pointer && !Access.Address)
        continue;
      const Places Each = Places::of(std::gcd(Where.Modulus, Size), Where.Offset);
      if (Each.Modulus < 8 || Each.Offset + 8 > Size)
        return Untyped();
      for (int64_t Offset = Each.Offset; Offset + 8 <= Size; Offset += Each.Modulus)
        if (auto At = Words.find(Offset); At == Words.end() || At->second != SKEIN_LOCAL_POINTER)
          Words[Offset] =
              Scan.at(Places::of(Size, Offset)).isPointer(!Scan.Escapes) ? SKEIN_LOCAL_POINTER : SKEIN_LOCAL_AMBIGUOUS;
    }
    if (Words.size() > ElementLimit)
      return Untyped();
    for (auto [Offset, Kind] : Words)
      Add(Kind, Offset, Size);
    return Result;
  }

  // Memory without a type: the accesses say what it holds. First come the words that are accessed one by one, a header
  // perhaps; behind them are elements of one size. Words without accesses may be written by other code that has the
  // address, at any byte.
  int64_t Period = Scan.stride() ? std::lcm<int64_t>(Scan.stride(), 8) : 8;
  if (Scan.stride() != 0 && Scan.stride() < 8)
    return Untyped();
  int64_t Named = 0;
  for (auto &[At, Access] : Scan.Words)
    if (At.Modulus == 0)
      Named = std::max<int64_t>(Named, alignTo(At.Offset + 8, Period));
  if (const auto *Length = dyn_cast<ConstantInt>(Alloca.getArraySize()); Length && Scan.stride() == 0)
    Named = int64_t(Length->getZExtValue() * Size); // all words
  if (Named > 8 * ElementLimit - 8 || Period > 8 * ElementLimit)
    return Untyped();
  auto Collect = [&](int64_t End, int64_t Modulus) {
    std::map<int64_t, unsigned> Words;
    for (int64_t Offset = 0; Offset + 8 <= End; ++Offset) {
      WordAccess Access;
      if (Modulus == 0)
        Access = Scan.at({0, Offset});
      else
        for (auto &[At, Seen] : Scan.Words)
          if (At.Modulus != 0 && (Offset - At.Offset) % std::gcd(At.Modulus, Modulus) == 0)
            Access |= Seen;
      if (Access.isPointer(!Scan.Escapes))
        Words[Offset] = SKEIN_LOCAL_POINTER;
      else if (Access.Pointer || Access.Address || (Scan.Escapes && !Access.Integer))
        Words[Offset] = SKEIN_LOCAL_AMBIGUOUS;
    }
    dropOverlapped(Words, Scan);
    return Words;
  };
  std::map<int64_t, unsigned> Header = Collect(Named, 0), Each = Collect(Period + 7, Period);
  auto AllAmbiguous = [](auto &Words) {
    return all_of(Words, [](auto &Word) { return Word.second == SKEIN_LOCAL_AMBIGUOUS; });
  };
  if (AllAmbiguous(Header) && AllAmbiguous(Each))
    return Header.empty() && Each.empty() ? Result : Untyped();
  if (Each.size() > ElementLimit)
    return Untyped();
  SmallVector<WordGroup, 8> Runs;
  appendGrouped(Header, Runs);
  for (const WordGroup &G : Runs)
    Add(G.Kind, G.Offset, G.Stride, G.Count);
  if (AllAmbiguous(Each) && Scan.Escapes) {
    Add(SKEIN_LOCAL_AMBIGUOUS, Named, 1);
    return Result;
  }
  for (auto [Offset, Kind] : Each)
    Add(Kind, Named + Offset, Period);
  return Result;
}

} // namespace skein
