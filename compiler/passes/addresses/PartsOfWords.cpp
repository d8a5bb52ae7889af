//===- PartsOfWords.cpp ------------------------------------------------------===//
//
// An address can be read in parts: by bytes, as two halves through a union, as six bytes of a packed struct, as two
// floats, or as a full word that begins in the middle of it. No part looks like an address, so the words from which it
// was cut are its witnesses. This file finds the loads and copies that may cut one.
//
// Of a local that is only loaded, stored and copied here, all that is ever written to it can be seen. A load cuts if it
// takes a part of what was written as a full word. If it is not known at which offset it reads, and many words are
// written, their offsets modulo 8 say in which words the bytes lie.
//
// Of other memory, and of locals that other code knows, a load of less than a word cuts, unless its declared type is
// evidence of a number (evidenceOfPart). The words are the aligned ones around it: reading them never faults, since no
// page ends within one.
//
// What is written to a part of a word hides no address: code that overwrites a byte of an address must have read it
// before. The two highest bytes do not matter, since they are zero in every address (base/addresses.h).
//
// If too much is found, this costs instructions but refuses no moves, since the running program checks the words.
//
// Not covered: addresses at unaligned places in memory that is no local of the function (docs/pitfalls.md).
//
//===----------------------------------------------------------------------===//
#include "PartsOfWords.h"
#include "AddressForms.h"
#include "PointerTypes.h"
#include "WordEvidence.h"
#include "WordGroups.h"
#include "passes/Annotations.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace skein {

bool readsForWitness(const Instruction &I) { return isMarked(I, WitnessMetadata); }

/// Values that hold less than a word, or parts of several words.
static bool isPartType(const Type *T) {
  if (containsPointer(T) || !(T->isIntOrIntVectorTy() || T->isFPOrFPVectorTy()))
    return false;
  return !isWide(T) || T->getScalarSizeInBits() < 32;
}

bool isAtomicOnPart(const Instruction &I) {
  return isa<AtomicRMWInst, AtomicCmpXchgInst>(I) && isPartType(I.getOperand(1)->getType());
}

static bool isScalarOrVector(const Type *T) { return T->isIntOrIntVectorTy() || T->isFPOrFPVectorTy(); }

namespace {

constexpr int64_t AddressBytes = 6; ///< bytes of an address that are not zero anyway

using Offset = std::optional<int64_t>; // none: not known

/// What is written to a local and read from it through pointers that this function derives from it.
struct Local {
  SmallSetVector<int64_t, 4> Words;                   ///< where full words are written
  SmallVector<std::pair<int64_t, int64_t>, 2> Ranges; ///< first and last byte of what is copied there
  bool Anywhere = false;                              ///< full words are written at places that are not known
  bool Escapes = false;                               ///< other code knows the local
  bool TooMany = false;                               ///< more words are written than are noted
  SmallVector<std::pair<const LoadInst *, Offset>, 8> Loads;
  SmallVector<std::pair<const MemTransferInst *, Offset>, 2> Reads, Writes; ///< copies

  /// The words of which some bytes are among the `Bytes` bytes at `At`.
  SmallVector<int64_t, 2> wordsIn(int64_t At, int64_t Bytes) const {
    SmallSetVector<int64_t, 4> Found;
    for (int64_t Word : Words)
      if (Word < At + Bytes && Word + 8 > At)
        Found.insert(Word);
    for (auto [First, End] : Ranges)
      for (int64_t Word = First + std::max<int64_t>(At - First, 0) / 8 * 8; Word + 8 <= End && Word < At + Bytes;
           Word += 8)
        if (Word + 8 > At)
          Found.insert(Word);
    return Found.takeVector();
  }
  bool holdsNone() const { return Words.empty() && Ranges.empty() && !Anywhere && !Escapes && !TooMany; }
};

/// Whether `V` is a constant that is no address.
bool isPlainConstant(const Value *V) { return isa<Constant>(V) && !isAddressConstant(V); }

bool copiesNumbers(const MemTransferInst &Copy) {
  const auto *Source = dyn_cast<GlobalVariable>(getUnderlyingObject(Copy.getRawSource()));
  return (Source && Source->isConstant() && Source->hasDefinitiveInitializer() &&
          !Source->getInitializer()->needsRelocation()) ||
         Copy.hasMetadata(LLVMContext::MD_tbaa_struct) || Copy.hasMetadata(LLVMContext::MD_tbaa);
}

class Locals {
public:
  explicit Locals(const Function &F) : DL(F.getDataLayout()) {
    for (const Instruction &I : F.getEntryBlock())
      if (const auto *Alloca = dyn_cast<AllocaInst>(&I); Alloca && Alloca->isStaticAlloca())
        scan(*Alloca, All[Alloca]);
    addCopiesFromElsewhere();
    while (any_of(All, [&](auto &Entry) { return passOn(Entry.second); }))
      ;
  }
  const MapVector<const AllocaInst *, Local> &all() const { return All; }

private:
  void write(Local &To, Type *T, const Offset &At) {
    if (!At)
      To.Anywhere = true;
    else
      for (int64_t Word = 0, Bytes = DL.getTypeStoreSize(T).getKnownMinValue(); Word + 8 <= Bytes; Word += 8)
        To.Words.insert(*At + Word);
  }

  void scan(const AllocaInst &Alloca, Local &To) {
    SmallVector<std::pair<const Value *, Offset>, 8> Work{{&Alloca, 0}};
    SmallPtrSet<const Value *, 8> Seen{&Alloca};
    auto Follow = [&](const Instruction &I, Offset At) {
      if (Seen.insert(&I).second)
        Work.push_back({&I, At});
    };
    while (!Work.empty()) {
      auto [Pointer, At] = Work.pop_back_val();
      for (const Use &U : Pointer->uses()) {
        const auto &I = *cast<Instruction>(U.getUser());
        if (const auto *Gep = dyn_cast<GetElementPtrInst>(&I)) {
          APInt Constant(64, 0);
          bool Known = At && Gep->accumulateConstantOffset(DL, Constant);
          Follow(I, Known ? Offset(*At + Constant.getSExtValue()) : std::nullopt);
        } else if (isa<PHINode, SelectInst>(I)) {
          Follow(I, std::nullopt);
        } else if (isa<FreezeInst, AddrSpaceCastInst>(I)) {
          Follow(I, At);
        } else if (const auto *Load = dyn_cast<LoadInst>(&I)) {
          To.Loads.push_back({Load, At});
        } else if (const auto *Store = dyn_cast<StoreInst>(&I); Store && U.getOperandNo() == 1) {
          const Value *Content = Store->getValueOperand();
          if (!isPartType(Content->getType()) && !isPlainConstant(Content))
            write(To, Content->getType(), At);
        } else if (isa<AtomicRMWInst, AtomicCmpXchgInst>(I) && U.getOperandNo() == 0) {
          Type *T = I.getOperand(1)->getType();
          if (!isPartType(T))
            write(To, T, At);
        } else if (const auto *Copy = dyn_cast<MemTransferInst>(&I); Copy && U.getOperandNo() < 2) {
          (U.getOperandNo() ? To.Reads : To.Writes).push_back({Copy, At});
          if (!U.getOperandNo())
            Written[Copy] = {&Alloca, At};
        } else if (!isa<ICmpInst, MemSetInst>(I) && !I.isLifetimeStartOrEnd() && !I.isDroppable() &&
                   !readsForWitness(I)) {
          To.Escapes = true;
        }
      }
    }
  }

  /// Adds what is copied from memory to which no scan has led; passOn does the rest.
  void addCopiesFromElsewhere() {
    SmallPtrSet<const MemTransferInst *, 8> Followed;
    for (auto &[Alloca, From] : All)
      for (auto [Copy, At] : From.Reads)
        Followed.insert(Copy);
    for (auto &[Alloca, To] : All)
      for (auto [Copy, Where] : To.Writes) {
        if (copiesNumbers(*Copy) || Followed.contains(Copy))
          continue;
        const auto *Length = dyn_cast<ConstantInt>(Copy->getLength());
        if (Where && Length)
          To.Ranges.push_back({*Where, *Where + int64_t(Length->getZExtValue())});
        else
          To.Anywhere = true;
      }
  }

  /// Passes what is known on to the locals to which parts of this one are copied. True if this is new there.
  bool passOn(const Local &From) {
    bool New = false;
    for (auto [Copy, At] : From.Reads) {
      auto Found = Written.find(Copy);
      if (Found == Written.end())
        continue;
      auto [Alloca, Where] = Found->second;
      Local &To = All.find(Alloca)->second;
      const auto *Length = dyn_cast<ConstantInt>(Copy->getLength());
      if (From.TooMany)
        New |= !std::exchange(To.TooMany, true);
      if (!Length || !At || !Where || From.Anywhere || From.Escapes) {
        New |= !To.Anywhere && !From.holdsNone();
        To.Anywhere |= !From.holdsNone();
        continue;
      }
      for (int64_t Word : From.wordsIn(*At, Length->getSExtValue()))
        if (To.Words.size() < Most)
          New |= To.Words.insert(Word - *At + *Where);
        else if (!To.Words.contains(Word - *At + *Where))
          New |= !std::exchange(To.TooMany, true);
    }
    return New;
  }

  static constexpr size_t Most = 512;
  const DataLayout &DL;
  MapVector<const AllocaInst *, Local> All;
  DenseMap<const MemTransferInst *, std::pair<const AllocaInst *, Offset>> Written;
};

/// What is read from a local: a part of a word, or full words.
struct Reading {
  Offset At;
  int64_t Bytes;
  Align Alignment;
  bool Part, Evidence; ///< Evidence: its type says that it is a number
};

/// Whether an address may lie in the aligned words around these bytes of a local. What lies there beside the local is
/// no business of whoever reads them.
bool mayBeOfAddress(const AllocaInst &Alloca, const Reading &R) {
  const int64_t Size = Alloca.getAllocationSize(Alloca.getDataLayout())->getFixedValue();
  if (!R.At || *R.At < 0 || Alloca.getAlign() < Align(8))
    return Size >= AddressBytes;
  return std::min<int64_t>(alignTo(*R.At + R.Bytes, 8), Size) - alignDown(*R.At, 8) >= AddressBytes;
}

/// The words that are cut by this reading.
std::optional<CutWords> cut(const AllocaInst &Alloca, const Local &From, const Reading &R) {
  CutWords Words;
  Words.Local = const_cast<AllocaInst *>(&Alloca);
  // A full word may begin within another one.
  const bool Between = !R.Part && !R.Evidence && (R.At ? *R.At % 8 != 0 : R.Alignment < Align(8));
  const bool Cuts = R.Part || Between;
  if (R.At) {
    for (int64_t Word : From.wordsIn(*R.At, R.Bytes))
      if (R.Part || (Word - *R.At) % 8 != 0)
        Words.Offsets.push_back(Word);
  } else {
    constexpr size_t MostListed = 4;
    SmallSetVector<int64_t, 2> Residues;
    for (int64_t Word : From.Words)
      if (Cuts || Word % 8 != 0) {
        Words.Offsets.push_back(Word);
        Residues.insert(Word & 7);
      }
    if (Words.Offsets.size() > std::max<size_t>(MostListed, Residues.size() * (R.Bytes / 8 + 2))) {
      Words.Offsets.clear();
      Words.Residues = Residues.takeVector();
    }
  }
  Words.AtAnyByte = From.TooMany && (Cuts || !R.Evidence);
  // Where it is not known what lies in the local, the full word around counts.
  Words.Around = Cuts && !Words.AtAnyByte && mayBeOfAddress(Alloca, R) &&
                 (From.Anywhere || (From.Escapes && !R.Evidence) || (!R.At && !From.Ranges.empty()));
  if (Words.Offsets.empty() && Words.Residues.empty() && !Words.Around && !Words.AtAnyByte)
    return std::nullopt;
  return Words;
}

} // namespace

/// The end of a longer object, which is copied from an unknown place, is not looked at in optimised code: such objects
/// are structs of halves.
static bool isCut(const ConstantInt &Length, const Function &F) {
  const uint64_t Bytes = Length.getZExtValue();
  return Bytes % 8 != 0 && (Bytes < 8 || F.hasOptNone());
}

ArrayRef<int64_t> PartsOfWords::wordsWritten(const AllocaInst &Local) const {
  auto Found = Written.find(&Local);
  return Found == Written.end() ? ArrayRef<int64_t>() : ArrayRef(Found->second);
}

PartsOfWords::PartsOfWords(const Function &F) {
  const DataLayout &DL = F.getDataLayout();
  SmallPtrSet<const Instruction *, 16> OfLocals;
  const Locals Of(F);
  for (auto &[Alloca, From] : Of.all()) {
    if (From.Escapes)
      Written[Alloca] = From.wordsIn(0, Alloca->getAllocationSize(DL)->getFixedValue());
    for (auto [Load, At] : From.Loads) {
      OfLocals.insert(Load);
      Type *T = Load->getType();
      if (containsPointer(T) || !isScalarOrVector(T) || readsForWitness(*Load))
        continue;
      if (auto Words = cut(*Alloca, From,
                           {At, int64_t(DL.getTypeStoreSize(T).getFixedValue()), Load->getAlign(), isPartType(T),
                            evidenceOfPart(*Load) == Evidence::Number})) {
        // Aligned words are among those around what is read, wherever it is. One that is not read need not be written
        // yet, and an address that another frame has left in it would be told.
        if (Words->Around && !At && Alloca->getAlign() >= Align(8))
          erase_if(Words->Offsets, [](int64_t Word) { return Word % 8 == 0; });
        Loads[Load] = std::move(*Words);
      } else if (F.hasOptNone() && !isPartType(T) && !T->isIntegerTy() && !From.holdsNone())
        Whole.insert(Load);
    }
    for (auto [Copy, At] : From.Reads) {
      OfLocals.insert(Copy);
      const auto *Length = dyn_cast<ConstantInt>(Copy->getLength());
      if (!Length || copiesNumbers(*Copy))
        continue;
      const int64_t Bytes = Length->getZExtValue();
      std::optional<CutWords> Words =
          cut(*Alloca, From, {At, Bytes, Align(1), /*Part=*/true, /*Evidence=*/Bytes % 8 == 0});
      if (!Words)
        continue;
      if (At) // whole words stay together
        erase_if(Words->Offsets, [&](int64_t Word) { return Word >= *At && Word + 8 <= *At + Bytes; });
      Words->Around &= Bytes % 8 != 0;
      const bool MayCut = At || Copy->getSourceAlign().valueOrOne() < Align(8);
      if (Words->Around || Words->AtAnyByte || (MayCut && !(Words->Offsets.empty() && Words->Residues.empty())))
        Copies[Copy] = std::move(*Words);
    }
  }
  for (const Instruction &I : instructions(F)) {
    if (OfLocals.contains(&I) || readsForWitness(I))
      continue;
    CutWords Around;
    Around.Around = true;
    if (const auto *Load = dyn_cast<LoadInst>(&I)) {
      const auto *Global = dyn_cast<GlobalVariable>(getUnderlyingObject(Load->getPointerOperand()));
      bool Constant = Global && Global->isConstant() && Global->hasDefinitiveInitializer() &&
                      !Global->getInitializer()->needsRelocation();
      if (isPartType(Load->getType()) && !Constant && isPointer(Load->getPointerOperandType()) &&
          evidenceOfPart(*Load) != Evidence::Number)
        Loads[Load] = Around;
    } else if (const auto *Copy = dyn_cast<MemTransferInst>(&I)) {
      const auto *Length = dyn_cast<ConstantInt>(Copy->getLength());
      if (Length && isCut(*Length, F) && !copiesNumbers(*Copy) && isPointer(Copy->getRawSource()->getType()))
        Copies[Copy] = Around;
    }
  }
}

static Value *marked(Value *V) {
  if (auto *I = dyn_cast<Instruction>(V))
    I->setMetadata(WitnessMetadata, MDNode::get(I->getContext(), {}));
  return V;
}

/// The load is volatile, since nothing may be concluded from reading beyond the program's bytes.
static Value *loadMarked(IRBuilderBase &B, Value *At, Align A) {
  return marked(B.CreateAlignedLoad(B.getInt64Ty(), At, A, /*isVolatile=*/true));
}

Value *addressForWitness(IRBuilderBase &B, AllocaInst &Local, int64_t Offset) {
  return marked(B.CreateConstGEP1_64(B.getInt8Ty(), &Local, Offset));
}

Value *loadForWitness(IRBuilderBase &B, AllocaInst &Local, int64_t Offset) {
  return loadMarked(B, addressForWitness(B, Local, Offset), Align(1));
}

/// Loads the word of a local in which the byte lies, if words begin at this offset, and at each multiple of 8 from
/// there.
static Value *loadWordAround(IRBuilderBase &B, Value *Byte, AllocaInst &Local, int64_t Residue) {
  Value *Begin = addressForWitness(B, Local, Residue);
  Value *Distance = marked(
      B.CreateSub(marked(B.CreatePtrToInt(Byte, B.getInt64Ty())), marked(B.CreatePtrToInt(Begin, B.getInt64Ty()))));
  Value *Word = B.CreateGEP(B.getInt8Ty(), Byte, marked(B.CreateNeg(marked(B.CreateAnd(Distance, B.getInt64(7))))));
  return loadMarked(B, marked(Word), Align(1));
}

Value *loadWordAround(IRBuilderBase &B, Value *Byte) {
  Value *Word;
  if (B.GetInsertBlock()->getParent()->hasOptNone()) { // the fast instruction selection does not know ptrmask
    Value *Low = marked(B.CreateAnd(marked(B.CreatePtrToInt(Byte, B.getInt64Ty())), B.getInt64(7)));
    Word = B.CreateInBoundsGEP(B.getInt8Ty(), Byte, marked(B.CreateNeg(Low)));
  } else {
    Word = B.CreateIntrinsic(Intrinsic::ptrmask, {Byte->getType(), B.getInt64Ty()}, {Byte, B.getInt64(~7ull)});
  }
  return loadMarked(B, marked(Word), Align(8));
}

/// A part that is not aligned may reach into the next word.
static bool straddles(Align A, uint64_t Bytes) { return A < Align(8) && Bytes > A.value(); }

bool PartsOfWords::isOfOneWord(const Instruction &Part) const {
  const CutWords &Cut = Loads.find(&Part)->second;
  const uint64_t Bytes = Part.getDataLayout().getTypeStoreSize(Part.getType()).getFixedValue();
  return Cut.Around && Cut.Offsets.empty() && Cut.Residues.empty() && Bytes <= 8 &&
         !straddles(getLoadStoreAlignment(&Part), Bytes);
}

SmallVector<Value *, 2> PartsOfWords::wordsAt(Instruction &Reader) const {
  const auto *Copy = dyn_cast<MemTransferInst>(&Reader);
  auto Found = Loads.find(&Reader);
  const CutWords &Cut = Found != Loads.end() ? Found->second : Copies.find(&Reader)->second;
  const DataLayout &DL = Reader.getDataLayout();
  IRBuilder<> B(&Reader);
  SmallVector<Value *, 2> Words;
  for (int64_t Offset : Cut.Offsets)
    Words.push_back(loadForWitness(B, *Cut.Local, Offset));
  if (!Cut.Around && !Cut.AtAnyByte && Cut.Residues.empty())
    return Words;
  Value *From = Copy ? Copy->getRawSource() : getLoadStorePointerOperand(&Reader);
  uint64_t Bytes = Copy ? cast<ConstantInt>(Copy->getLength())->getZExtValue()
                        : DL.getTypeStoreSize(Reader.getType()).getFixedValue();
  const Align A = Copy ? Copy->getSourceAlign().valueOrOne() : getLoadStoreAlignment(&Reader);
  auto ByteAt = [&](int64_t N) { return N ? marked(B.CreateConstGEP1_64(B.getInt8Ty(), From, N)) : From; };
  for (int64_t Residue : Cut.Residues) {
    for (int64_t At = 0; At < int64_t(Copy ? 1 : Bytes); At += 8) // of a copy, only its ends cut
      Words.push_back(loadWordAround(B, ByteAt(At), *Cut.Local, Residue));
    if (Bytes > 1)
      Words.push_back(loadWordAround(B, ByteAt(Bytes - 1), *Cut.Local, Residue));
  }
  if (!Cut.Around && !Cut.AtAnyByte)
    return Words;
  auto LoadAround = [&](Value *Byte) { Words.push_back(loadWordAround(B, Byte)); };
  if (Cut.AtAnyByte) {
    auto LoadAt = [&](int64_t Byte) {
      Words.push_back(loadMarked(B, marked(B.CreateConstGEP1_64(B.getInt8Ty(), From, Byte)), Align(1)));
    };
    for (int64_t Byte = -7; Byte < (Copy ? 0 : int64_t(Bytes)); ++Byte)
      LoadAt(Byte);
    for (int64_t Byte = -7; Copy && Byte < 0; ++Byte)
      LoadAt(int64_t(Bytes) + Byte);
    return Words;
  }
  if (!Copy) // every word of which it reads bytes
    for (uint64_t At = 0; At < Bytes; At += 8)
      LoadAround(ByteAt(At));
  else if (A < Align(8) || Bytes < 8)
    LoadAround(From);
  if (straddles(A, Bytes) || (Copy && Bytes > 8))
    LoadAround(ByteAt(Bytes - 1));
  return Words;
}

/// Whether two addresses have the same offset from their bases, and it changes in the same way.
static bool stepTogether(const Value *A, const Value *B) {
  while (isa<GetElementPtrInst>(A) && isa<GetElementPtrInst>(B)) {
    const auto *P = cast<GetElementPtrInst>(A), *Q = cast<GetElementPtrInst>(B);
    if (P->getSourceElementType() != Q->getSourceElementType() || !equal(P->indices(), Q->indices()))
      return false;
    A = P->getPointerOperand();
    B = Q->getPointerOperand();
    if (!isa<PHINode, GetElementPtrInst>(A))
      return true;
  }
  if (const auto *P = dyn_cast<PHINode>(A)) {
    const auto *Q = dyn_cast<PHINode>(B);
    if (!Q || P->getParent() != Q->getParent())
      return false;
    auto Step = [](const PHINode *Phi, const BasicBlock *From) -> const Value * {
      const auto *Gep = dyn_cast<GetElementPtrInst>(Phi->getIncomingValueForBlock(From));
      return Gep && Gep->getPointerOperand() == Phi && Gep->getNumIndices() == 1 ? Gep->getOperand(1) : nullptr;
    };
    return any_of(P->blocks(), [&](const BasicBlock *From) {
      const Value *Of = Step(P, From);
      return Of && Of == Step(Q, From);
    });
  }
  return !isa<GetElementPtrInst>(A) && !isa<PHINode, GetElementPtrInst>(B);
}

/// Whether a thread can move in the middle of the loop.
static bool loopCalls(const Loop &L) {
  return any_of(L.blocks(), [](const BasicBlock *B) {
    return any_of(*B, [](const Instruction &I) { return isa<CallBase>(I) && !isa<IntrinsicInst>(I); });
  });
}

/// Whether, in code without optimisation, the place of the store is also read through the same variable.
static bool isHalfOfExchange(const StoreInst &To) {
  const auto *Pointer = dyn_cast<LoadInst>(To.getPointerOperand());
  return Pointer && any_of(Pointer->getPointerOperand()->users(), [](const User *U) {
           return isa<LoadInst>(U) && any_of(U->users(), [](const User *Used) { return isa<LoadInst>(Used); });
         });
}

bool isStepOfCopy(const LoadInst &Part, const Instruction &Store, const LoopInfo &LI) {
  const auto *To = dyn_cast<StoreInst>(&Store);
  if (!To || To->getValueOperand() != &Part || To->getParent() != Part.getParent())
    return false;
  for (const Instruction *I = Part.getNextNode(); I != To; I = I->getNextNode())
    if (isa<CallBase>(I) && !isa<IntrinsicInst>(I))
      return false;
  const Loop *L = LI.getLoopFor(To->getParent());
  if (!L && isHalfOfExchange(*To))
    return false;
  return stepTogether(Part.getPointerOperand(), To->getPointerOperand()) && !(L && loopCalls(*L));
}

/// Whether an index or an address falls as the program goes on; if that is not known, it counts as rising. `Deep` is
/// set if it is computed in more steps than are looked at.
static bool falls(const Value *V, bool &Deep, unsigned Depth = 0) {
  constexpr unsigned MostSteps = 6;
  const auto *I = dyn_cast<Instruction>(V);
  if (!I)
    return false;
  if (Depth == MostSteps)
    return Deep = true;
  auto Operand = [&](unsigned N) { return falls(I->getOperand(N), Deep, Depth + 1); };
  auto IsNegative = [](const Value *Of) {
    const auto *C = dyn_cast<ConstantInt>(Of);
    return C && C->isNegative();
  };
  switch (I->getOpcode()) {
  case Instruction::SExt:
  case Instruction::ZExt:
  case Instruction::Trunc:
    return Operand(0);
  case Instruction::Add:
    return Operand(0) || Operand(1);
  case Instruction::Sub:
    return isa<Instruction>(I->getOperand(1)) && !Operand(1);
  case Instruction::Xor:
    return !Operand(0);
  case Instruction::GetElementPtr:
    return Operand(0) || Operand(I->getNumOperands() - 1);
  case Instruction::PHI:
    return any_of(I->operands(), [&](const Value *In) {
      const auto *Step = dyn_cast<Instruction>(In);
      return Step && is_contained(Step->operands(), I) &&
             (isa<GetElementPtrInst>(Step) || Step->getOpcode() == Instruction::Add) && IsNegative(Step->getOperand(1));
    });
  default:
    return false;
  }
}

bool changesOrder(const LoadInst &Part, const StoreInst &Store) {
  const DataLayout &DL = Part.getDataLayout();
  APInt From(64, 0), To(64, 0);
  const Value *Read = Part.getPointerOperand()->stripAndAccumulateConstantOffsets(DL, From, true);
  const Value *Written = Store.getPointerOperand()->stripAndAccumulateConstantOffsets(DL, To, true);
  auto Begins = [](const Value *V) { return !isa<GetElementPtrInst, PHINode>(V); };
  if (Begins(Read) && Begins(Written))
    return From != To;
  bool Deep = false;
  const bool Differ = falls(Read, Deep) != falls(Written, Deep);
  return Differ || Deep;
}

} // namespace skein
