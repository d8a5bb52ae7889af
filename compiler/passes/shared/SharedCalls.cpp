//===- SharedCalls.cpp -------------------------------------------------------===//
//
// Shared memory that is not mapped here is accessed through the entry points of abi/entry_points.h:
//
//     load, store         __skein_shared_get into a slot on the stack, __skein_shared_put from it
//     copies, fills       __skein_shared_get, _put, or _copy between shared places; __skein_shared_set
//     atomic operations   __skein_shared_atomic: done by the owner. 16 bytes: __skein_shared_atomic16
//     volatile            of 1, 2, 4 or 8 aligned bytes: as relaxed atomic operations, which no cache may answer
//     masked vectors      one access for each lane that the mask lets through
//
// Each call is a message to another host, so neighbours travel together. Loads of one object at constant distances,
// with nothing between them that might write there, become one get of the range that covers them (fields between them
// come along). Stores that touch each other, with nothing between them that might read there, become one put. A put
// never covers a byte that the program does not write, since another thread may be writing it.
//
// All of these calls may migrate. A slot is filled right before the call or read right after it. There is one slot for
// each type, so that maps know what it holds.
//
//===----------------------------------------------------------------------===//
#include "SharedCalls.h"
#include "SharedAccess.h"
#include "abi/entry_points.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/AtomicOrdering.h"

using namespace llvm;

namespace skein {

constexpr int64_t TogetherMost = 256; // how many bytes one message for several fields may have

/// A plain load or store at a constant distance from a base.
struct SharedCalls::Field {
  Instruction *Access;
  Value *Base;
  int64_t Offset, Bytes;
  int64_t end() const { return Offset + Bytes; }
};

SharedCalls::SharedCalls(Function &F) : F(F), M(*F.getParent()), C(F.getContext()) {}

CallInst *SharedCalls::call(IRBuilderBase &B, StringRef Name, Type *Result, ArrayRef<Value *> Arguments) {
  SmallVector<Type *, 4> Types;
  for (Value *Argument : Arguments)
    Types.push_back(Argument->getType());
  return B.CreateCall(M.getOrInsertFunction(Name, FunctionType::get(Result, Types, false)), Arguments);
}

Value *SharedCalls::address(IRBuilderBase &B, Value *Shared, int64_t Offset) {
  Value *Address = B.CreatePtrToInt(Shared, B.getInt64Ty());
  return Offset ? B.CreateAdd(Address, B.getInt64(static_cast<uint64_t>(Offset))) : Address;
}

AllocaInst *SharedCalls::slot(Type *T) {
  AllocaInst *&Slot = Slots[T];
  if (!Slot)
    Slot = IRBuilder<>(&F.getEntryBlock(), F.getEntryBlock().begin()).CreateAlloca(T, nullptr, "shared.copy");
  return Slot;
}

// --- atomic operations -------------------------------------------------------

/// Converts an operand of an atomic operation into the integer that is passed to the runtime; fromWord converts it
/// back.
static Value *toWord(IRBuilderBase &B, Value *V, Type *Word) {
  if (V->getType()->isPointerTy())
    return B.CreatePtrToInt(V, Word);
  return B.CreateZExt(B.CreateBitCast(V, B.getIntNTy(V->getType()->getPrimitiveSizeInBits().getFixedValue())), Word);
}

static Value *fromWord(IRBuilderBase &B, Value *Word, Type *T) {
  if (T->isPointerTy())
    return B.CreateIntToPtr(Word, T);
  return B.CreateBitCast(B.CreateTrunc(Word, B.getIntNTy(T->getPrimitiveSizeInBits().getFixedValue())), T);
}

/// Calls the runtime for an atomic operation; operands that are not needed are null. Returns the old value, as a word.
Value *SharedCalls::operate(IRBuilderBase &B, Value *Address, unsigned Operation, uint64_t Bytes, AtomicOrdering Order,
                            Value *Operand, Value *Expected) {
  Value *What = B.getInt64(Operation | Bytes << 8 | static_cast<uint64_t>(toCABI(Order)) << 16);
  if (Bytes < 16) {
    Value *Zero = B.getInt64(0);
    return call(B, "__skein_shared_atomic", B.getInt64Ty(),
                {Address, Operand ? Operand : Zero, Expected ? Expected : Zero, What});
  }
  Type *Word = B.getInt128Ty();
  AllocaInst *Both = slot(ArrayType::get(Word, 2));
  Value *Second = B.CreateConstInBoundsGEP1_64(Word, Both, 1);
  if (Operand)
    B.CreateStore(Operand, Both);
  if (Expected)
    B.CreateStore(Expected, Second);
  call(B, "__skein_shared_atomic16", B.getVoidTy(), {Address, Both, Second, What});
  return B.CreateLoad(Word, Both);
}

void SharedCalls::lowerAtomic(Instruction &Access) {
  IRBuilder<> B(&Access);
  const bool Wide = needsRuntime(Access);
  Type *Word = B.getIntNTy(Wide ? 128 : 64);
  Value *Address = address(B, Access.getOperand(sharedOperands(Access)[0]));
  auto Ask = [&](unsigned Operation, Type *T, Value *Operand, Value *Expected) {
    return operate(B, Address, Operation, M.getDataLayout().getTypeStoreSize(T), orderingOf(Access), Operand, Expected);
  };
  if (auto *Load = dyn_cast<LoadInst>(&Access)) {
    Type *T = Load->getType();
    Load->replaceAllUsesWith(fromWord(B, Ask(SKEIN_ATOMIC_LOAD, T, nullptr, nullptr), T));
  } else if (auto *Store = dyn_cast<StoreInst>(&Access)) {
    Value *V = Store->getValueOperand();
    Ask(Wide ? SKEIN_ATOMIC_EXCHANGE : SKEIN_ATOMIC_STORE, V->getType(), toWord(B, V, Word), nullptr);
  } else if (auto *Modify = dyn_cast<AtomicRMWInst>(&Access)) {
    Type *T = Modify->getType();
    Value *Old = Ask(*runtimeOperation(*Modify), T, toWord(B, Modify->getValOperand(), Word), nullptr);
    Modify->replaceAllUsesWith(fromWord(B, Old, T));
  } else {
    auto &Compare = cast<AtomicCmpXchgInst>(Access);
    Type *T = Compare.getCompareOperand()->getType();
    Value *New = toWord(B, Compare.getNewValOperand(), Word), *Expected = toWord(B, Compare.getCompareOperand(), Word);
    Value *Old = Ask(SKEIN_ATOMIC_COMPARE, T, New, Expected);
    Value *Pair = B.CreateInsertValue(PoisonValue::get(Compare.getType()), fromWord(B, Old, T), 0);
    Compare.replaceAllUsesWith(B.CreateInsertValue(Pair, B.CreateICmpEQ(Old, Expected), 1));
  }
  Access.eraseFromParent();
}

// --- single accesses ---------------------------------------------------------

/// Whether this is a volatile access to one word, which the owner can do as such.
static bool isVolatileWord(const Instruction &Access) {
  Type *T = getLoadStoreType(&Access);
  uint64_t Bits = T->isPointerTy() ? 64 : T->getPrimitiveSizeInBits().getKnownMinValue();
  return Access.isVolatile() && (Bits == 8 || Bits == 16 || Bits == 32 || Bits == 64) &&
         getLoadStoreAlignment(&Access).value() * 8 >= Bits;
}

void SharedCalls::lowerOne(Instruction &Access) {
  IRBuilder<> B(&Access);
  if (auto *Call = dyn_cast<IntrinsicInst>(&Access)) {
    if (auto *Set = dyn_cast<MemSetInst>(Call)) {
      call(B, "__skein_shared_set", B.getVoidTy(),
           {address(B, Set->getRawDest()), B.CreateZExt(Set->getValue(), B.getInt32Ty()),
            B.CreateZExtOrTrunc(Set->getLength(), B.getInt64Ty())});
      Set->eraseFromParent();
    } else if (auto *Copy = dyn_cast<MemTransferInst>(Call)) {
      bool To = isShared(Copy->getRawDest()), From = isShared(Copy->getRawSource());
      call(B,
           To && From ? "__skein_shared_copy"
           : To       ? "__skein_shared_put"
                      : "__skein_shared_get",
           B.getVoidTy(),
           {To ? address(B, Copy->getRawDest()) : Copy->getRawDest(),
            From ? address(B, Copy->getRawSource()) : Copy->getRawSource(),
            B.CreateZExtOrTrunc(Copy->getLength(), B.getInt64Ty())});
      Copy->eraseFromParent();
    } else {
      SmallVector<Instruction *, 8> Lanes;
      scalarise(*Call, Lanes);
      for (Instruction *Lane : Lanes)
        lowerOne(*Lane);
    }
    return;
  }
  if (Access.isAtomic() || isVolatileWord(Access))
    return lowerAtomic(Access);
  Type *T = getLoadStoreType(&Access);
  AllocaInst *Copy = slot(T);
  Value *Bytes = B.getInt64(M.getDataLayout().getTypeStoreSize(T).getFixedValue());
  if (auto *Load = dyn_cast<LoadInst>(&Access)) {
    call(B, "__skein_shared_get", B.getVoidTy(), {Copy, address(B, Load->getPointerOperand()), Bytes});
    auto *Value = B.CreateLoad(T, Copy);
    Value->copyMetadata(*Load, {LLVMContext::MD_tbaa}); // what the source says about the word (WordEvidence.h)
    Value->takeName(Load);
    Load->replaceAllUsesWith(Value);
  } else {
    auto &Store = cast<StoreInst>(Access);
    B.CreateStore(Store.getValueOperand(), Copy);
    call(B, "__skein_shared_put", B.getVoidTy(), {address(B, Store.getPointerOperand()), Copy, Bytes});
  }
  Access.eraseFromParent();
}

// --- neighbours --------------------------------------------------------------

void SharedCalls::getTogether(ArrayRef<Field> Fields) {
  int64_t Begin = Fields[0].Offset, End = Fields[0].end();
  for (const Field &One : Fields) {
    Begin = std::min(Begin, One.Offset);
    End = std::max(End, One.end());
  }
  IRBuilder<> B(Fields[0].Access);
  AllocaInst *Copy = slot(ArrayType::get(B.getInt8Ty(), static_cast<uint64_t>(End - Begin)));
  Copy->setAlignment(std::max(Copy->getAlign(), Align(16)));
  call(B, "__skein_shared_get", B.getVoidTy(),
       {Copy, address(B, Fields[0].Base, Begin), B.getInt64(static_cast<uint64_t>(End - Begin))});
  for (const Field &One : Fields) {
    auto Offset = static_cast<uint64_t>(One.Offset - Begin);
    Value *Place = B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Copy, Offset);
    auto *Value = B.CreateAlignedLoad(One.Access->getType(), Place, commonAlignment(Align(16), Offset));
    Value->copyMetadata(*One.Access, {LLVMContext::MD_tbaa});
    Value->takeName(One.Access);
    One.Access->replaceAllUsesWith(Value);
  }
  for (const Field &One : Fields)
    One.Access->eraseFromParent();
}

void SharedCalls::putTogether(ArrayRef<Field> Fields) {
  // Runs of bytes without a gap become one message each. Within a run the order of the program decides which store
  // overwrites which.
  SmallVector<Field, 8> Sorted(Fields);
  llvm::sort(Sorted, [](const Field &A, const Field &B) { return A.Offset < B.Offset; });
  IRBuilder<> B(Fields.back().Access);
  for (size_t First = 0, Next; First < Sorted.size(); First = Next) {
    int64_t Begin = Sorted[First].Offset, End = Sorted[First].end();
    for (Next = First + 1; Next < Sorted.size() && Sorted[Next].Offset <= End; ++Next)
      End = std::max(End, Sorted[Next].end());
    AllocaInst *Copy = slot(ArrayType::get(B.getInt8Ty(), static_cast<uint64_t>(End - Begin)));
    Copy->setAlignment(std::max(Copy->getAlign(), Align(16)));
    for (const Field &One : Fields) {
      if (One.Offset < Begin || One.end() > End)
        continue;
      auto Offset = static_cast<uint64_t>(One.Offset - Begin);
      B.CreateAlignedStore(cast<StoreInst>(One.Access)->getValueOperand(),
                           B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Copy, Offset),
                           commonAlignment(Align(16), Offset));
    }
    call(B, "__skein_shared_put", B.getVoidTy(),
         {address(B, Fields[0].Base, Begin), Copy, B.getInt64(static_cast<uint64_t>(End - Begin))});
  }
  for (const Field &One : Fields)
    One.Access->eraseFromParent();
}

/// Whether something between two accesses keeps them from travelling together: for loads, something that may write
/// there; for stores, something that may read or write there.
static bool comesBetween(Instruction &I, const MemoryLocation &Place, bool Loads, AAResults &AA) {
  if (!isGuaranteedToTransferExecutionToSuccessor(&I))
    return true; // for example exit() between two stores
  if (!I.mayReadOrWriteMemory())
    return false;
  ModRefInfo Does = AA.getModRefInfo(&I, Place);
  return Loads ? isModSet(Does) : isModOrRefSet(Does);
}

void SharedCalls::lower(ArrayRef<Instruction *> Accesses, AAResults &AA) {
  SmallPtrSet<Instruction *, 16> Done;
  for (size_t N = 0; N < Accesses.size(); ++N) {
    if (Done.contains(Accesses[N]))
      continue;
    SmallVector<Field, 8> Together;
    auto FieldOf = [&](Instruction *Access) -> std::optional<Field> {
      if (!isa<LoadInst, StoreInst>(Access) || Access->isAtomic() || Access->isVolatile())
        return std::nullopt;
      APInt Offset(64, 0);
      Value *Base = Access->getOperand(sharedOperands(*Access)[0])
                        ->stripAndAccumulateConstantOffsets(M.getDataLayout(), Offset, /*AllowNonInbounds=*/true);
      TypeSize Bytes = M.getDataLayout().getTypeStoreSize(getLoadStoreType(Access));
      return Field{Access, Base, Offset.getSExtValue(), static_cast<int64_t>(Bytes.getFixedValue())};
    };
    std::optional<Field> First = FieldOf(Accesses[N]);
    if (First) {
      Together.push_back(*First);
      const bool Loads = isa<LoadInst>(Accesses[N]);
      int64_t Begin = First->Offset, End = First->end();
      for (size_t Later = N + 1; Later < Accesses.size(); ++Later) {
        if (Done.contains(Accesses[Later]))
          continue;
        std::optional<Field> Next = FieldOf(Accesses[Later]);
        if (!Next || isa<LoadInst>(Next->Access) != Loads || Next->Base != First->Base)
          continue;
        if (std::max(End, Next->end()) - std::min(Begin, Next->Offset) > TogetherMost)
          continue;
        // A load moves up to the first one, stores move down to the last one; nothing on the way may be affected by
        // that.
        bool Free = true;
        for (Instruction *I = First->Access->getNextNode(); I != Next->Access && Free; I = I->getNextNode()) {
          if (Loads)
            Free = !comesBetween(*I, MemoryLocation::get(Next->Access), true, AA);
          else
            for (const Field &Before : Together)
              Free &= I == Before.Access || !comesBetween(*I, MemoryLocation::get(Before.Access), false, AA);
        }
        if (!Free) {
          if (Loads)
            continue;
          break; // what stopped this store also stops the later ones
        }
        Begin = std::min(Begin, Next->Offset);
        End = std::max(End, Next->end());
        Together.push_back(*Next);
      }
    }
    if (Together.size() < 2) {
      lowerOne(*Accesses[N]);
      continue;
    }
    for (const Field &One : Together)
      Done.insert(One.Access);
    if (isa<LoadInst>(Together[0].Access))
      getTogether(Together);
    else
      putTogether(Together);
  }
}

} // namespace skein
