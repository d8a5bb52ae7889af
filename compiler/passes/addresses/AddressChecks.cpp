//===- AddressChecks.cpp -----------------------------------------------------===//
//
// Inserts code that checks a word when the program runs: is it an address of the calling thread's stack, or so near to
// one that the runtime, which knows exactly, should be asked? The passes that keep witnesses (pointer-homing) and that
// report addresses to the runtime (escaping-addresses) insert these checks.
//
//===----------------------------------------------------------------------===//
#include "AddressChecks.h"
#include "AddressIntegers.h"
#include "PointerTypes.h"
#include "abi/entry_points.h"
#include "abi/stacks.h"
#include "passes/Annotations.h"
#include "passes/ir/GrowableStacks.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace skein {

/// A place in the thread's stack, for code in which minusStackPointer is not used.
static Value *placeInStack(IRBuilder<> &B) {
  constexpr unsigned ThreadControlBlock = 257;
  if (!growsStack(*B.GetInsertBlock()->getParent()))
    return B.CreatePtrToInt(B.CreateIntrinsic(Intrinsic::frameaddress, {B.getPtrTy()}, {B.getInt32(0)}),
                            B.getInt64Ty());
  Value *Limit = B.CreateIntToPtr(B.getInt64(StackLimitWord), B.getPtrTy(ThreadControlBlock));
  LoadInst *Load = B.CreateAlignedLoad(B.getInt64Ty(), Limit, Align(8), /*isVolatile=*/true);
  Load->setMetadata(WitnessMetadata, MDNode::get(B.getContext(), {}));
  return Load;
}

/// The word minus a place a MiB below the stack pointer. LLVM has no instruction that subtracts that register: it would
/// copy and negate it, and keep that in a register for a whole loop. Since the assembly counts as having side effects,
/// no part of it is computed in front of a call and kept.
static Value *minusStackPointer(IRBuilder<> &B, Value *Word) {
  Type *T = B.getInt64Ty();
  auto *Subtract = InlineAsm::get(FunctionType::get(T, {T}, false), "leaq 0x100000($1), $0\n\tsubq %rsp, $0",
                                  "=r,r,~{dirflag},~{fpsr},~{flags}", /*hasSideEffects=*/true);
  CallInst *Call = B.CreateCall(Subtract, {Word});
  Call->setDoesNotAccessMemory();
  Call->setDoesNotThrow();
  return Call;
}

/// How far the word lies above a place that is below the whole stack. Mostly that place is below this frame. But where
/// stacks grow, a function that foreign code calls back runs on the deep stack of its worker; the limit of the thread's
/// own stack is known there as well. The fast instruction selection of code without optimisation knows no inline
/// assembly; such code has a frame pointer anyway.
static Value *distanceFromStack(IRBuilder<> &B, Value *Word) {
  constexpr uint64_t Below = 0x100000;
  const Function &F = *B.GetInsertBlock()->getParent();
  if (!growsStack(F) && !F.hasOptNone())
    return minusStackPointer(B, Word);
  return B.CreateSub(Word, B.CreateSub(placeInStack(B), B.getInt64(Below)));
}

Value *isNearFrame(IRBuilder<> &B, Value *Word) {
  return B.CreateICmpULT(distanceFromStack(B, Word), B.getInt64(SKEIN_WATCH_STACK));
}

/// The address of a word of __skein_watch. A shared library that programs without Skein load as well has a definition
/// of its own, which holds what is right without Skein. In a program that has the runtime, the runtime's definition is
/// used by all.
static Constant *watchWord(IRBuilder<> &B, uint64_t Offset) {
  constexpr const char *Name = "__skein_watch";
  Module &M = *B.GetInsertBlock()->getModule();
  GlobalVariable *Watch = M.getNamedGlobal(Name);
  if (!Watch) {
    auto *T = ArrayType::get(B.getInt64Ty(), 2);
    const bool InProgram = M.getPICLevel() == PICLevel::NotPIC || M.getPIELevel() != PIELevel::Default;
    Constant *Quiet = ConstantArray::get(T, {B.getInt64(SKEIN_WATCH_STACK), B.getInt64(0)});
    Watch = new GlobalVariable(M, T, /*isConstant=*/false,
                               InProgram ? GlobalValue::ExternalLinkage : GlobalValue::WeakAnyLinkage,
                               InProgram ? nullptr : Quiet, Name);
    Watch->setDSOLocal(InProgram);
  }
  return ConstantExpr::getGetElementPtr(B.getInt8Ty(), Watch, B.getInt64(Offset));
}

static Value *loadWatch(IRBuilder<> &B, uint64_t Offset) {
  LoadInst *Load = B.CreateAlignedLoad(B.getInt64Ty(), watchWord(B, Offset), Align(8));
  Load->setMetadata(WitnessMetadata, MDNode::get(B.getContext(), {}));
  return Load;
}

void watchAll(IRBuilder<> &B) {
  for (uint64_t Offset : {offsetof(skein_watch, near), offsetof(skein_watch, program)})
    B.CreateAlignedStore(B.getInt64(UINT64_MAX), watchWord(B, Offset), Align(8));
}

Value *isWatched(IRBuilder<> &B, Value *Word) {
  return B.CreateICmpULT(distanceFromStack(B, Word), loadWatch(B, offsetof(skein_watch, near)));
}

Value *isProgramWatched(IRBuilder<> &B) { return B.CreateIsNotNull(loadWatch(B, offsetof(skein_watch, program))); }

bool liesNearItsObject(const GetElementPtrInst &Gep) {
  constexpr int64_t Near = SKEIN_STACK_NEAR_BYTES;
  if (Gep.isInBounds())
    return true;
  APInt Offset(64, 0);
  return Gep.accumulateConstantOffset(Gep.getDataLayout(), Offset) && Offset.abs().ule(Near);
}

Value *isFar(IRBuilder<> &B, Value *Distance) {
  constexpr uint64_t Far = SKEIN_STACK_NEAR_BYTES;
  return B.CreateICmpUGT(B.CreateAdd(Distance, B.getInt64(Far)), B.getInt64(2 * Far));
}

static Value *areApart(IRBuilder<> &B, Value *Computed, Value *From) { return isFar(B, B.CreateSub(Computed, From)); }

Value *liesFar(IRBuilder<> &B, Value &Computed, Value &From) {
  return areApart(B, B.CreatePtrToInt(&Computed, B.getInt64Ty()), B.CreatePtrToInt(&From, B.getInt64Ty()));
}

/// For a sum of several addresses: one that lies in the stack, if others do not, or if the sum should lie there and
/// does not. Else zero.
static Value *doubtfulAddress(IRBuilder<> &B, Instruction &Sum, ArrayRef<Value *> Addresses, bool Lands) {
  Value *Some = B.getInt64(0), *All = B.getTrue();
  for (Value *Address : Addresses) {
    if (isa<Constant>(Address)) { // an address of the program
      All = B.getFalse();
      continue;
    }
    Value *Word = Address->getType()->isPointerTy() ? B.CreatePtrToInt(Address, B.getInt64Ty()) : Address;
    Value *Near = isNearFrame(B, Word);
    Some = B.CreateSelect(Near, Word, Some);
    All = B.CreateAnd(All, Near);
  }
  Value *Right = Lands ? B.CreateAnd(All, B.CreateNot(areApart(B, &Sum, Some))) : All;
  return B.CreateSelect(Right, B.getInt64(0), Some);
}

Value *doubtfulAddress(IRBuilder<> &B, const Doubt &D) {
  Instruction &I = *D.Sum;
  if (!D.Addresses.empty())
    return doubtfulAddress(B, I, D.Addresses, D.Lands);
  if (auto *Gep = dyn_cast<GetElementPtrInst>(&I)) {
    Value *From = B.CreatePtrToInt(Gep->getPointerOperand(), B.getInt64Ty());
    Value *Doubtful = liesFar(B, *Gep, *Gep->getPointerOperand());
    return B.CreateSelect(B.CreateAnd(isNearFrame(B, From), Doubtful), From, B.getInt64(0));
  }
  Value *A = I.getOperand(0), *C = I.getOperand(1);
  Value *First = isNearFrame(B, A), *Second = isNearFrame(B, C);
  // The sum of an address and a number, whichever operand is which: the address, if it lies in the stack and the sum
  // lies far away from it. If both operands of a subtraction lie in the stack, they are two addresses that move alike.
  Value *Address = B.CreateSelect(First, A, C);
  Value *One = I.getOpcode() == Instruction::Sub ? B.CreateXor(First, Second) : B.CreateOr(First, Second);
  Value *Doubtful = B.CreateAnd(One, areApart(B, &I, Address));
  return B.CreateSelect(Doubtful, Address, B.getInt64(0));
}

static constexpr const char *Escapes = "__skein_address_escapes", *EscapesFast = "__skein_address_escapes_c",
                            *Stored = "__skein_address_stored", *StoredFast = "__skein_address_stored_c",
                            *RowEscapes = "__skein_words_escape";

bool tellsOfEscape(const Function &Callee) { return is_contained({Escapes, EscapesFast}, Callee.getName()); }

void callEscapes(IRBuilder<> &B, Value *Address, Value *Place, Value *How) {
  // In code without optimisation no register is saved for the call, and its fast instruction selection knows only C's
  // calling convention.
  const bool Fast = B.GetInsertBlock()->getParent()->hasOptNone();
  SmallVector<Value *, 3> Arguments{Address, Place ? Place : ConstantPointerNull::get(B.getPtrTy())};
  if (How)
    Arguments.push_back(How);
  const SmallVector<Type *, 3> Types(Arguments.size(), B.getPtrTy());
  FunctionCallee Tell = B.GetInsertBlock()->getModule()->getOrInsertFunction(
      How ? (Fast ? EscapesFast : Escapes) : (Fast ? StoredFast : Stored),
      FunctionType::get(B.getVoidTy(), Types, false));
  const CallingConv::ID Convention = Fast ? CallingConv::C : CallingConv::PreserveMost;
  cast<Function>(Tell.getCallee())->setCallingConv(Convention);
  CallInst *Call = B.CreateCall(Tell, Arguments);
  Call->setCallingConv(Convention);
  Call->setDoesNotThrow();
}

void callRowEscapes(IRBuilder<> &B, Value *First, int64_t Count, Value *How) {
  FunctionCallee Tell = B.GetInsertBlock()->getModule()->getOrInsertFunction(
      RowEscapes, FunctionType::get(B.getVoidTy(), {B.getPtrTy(), B.getInt64Ty(), B.getPtrTy()}, false));
  B.CreateCall(Tell, {First, B.getInt64(Count), How})->setDoesNotThrow();
}

Value *addressFarFrom(IRBuilder<> &B, Value &Address, Value &Sum) {
  auto Word = [&](Value &V) { return V.getType()->isPointerTy() ? B.CreatePtrToInt(&V, B.getInt64Ty()) : &V; };
  return B.CreateSelect(areApart(B, Word(Sum), Word(Address)), Word(Address), B.getInt64(0));
}

Value *asPointers(IRBuilder<> &B, Value *V) {
  Type *T = V->getType();
  if (T->isPtrOrPtrVectorTy())
    return V;
  const unsigned Bits = T->getPrimitiveSizeInBits().getFixedValue(), Lanes = Bits / 64;
  Value *Words = B.CreateTrunc(B.CreateBitCast(V, B.getIntNTy(Bits)), B.getIntNTy(64 * Lanes));
  if (Lanes == 1)
    return B.CreateIntToPtr(Words, B.getPtrTy());
  return B.CreateIntToPtr(B.CreateBitCast(Words, FixedVectorType::get(B.getInt64Ty(), Lanes)),
                          FixedVectorType::get(B.getPtrTy(), Lanes));
}

} // namespace skein
