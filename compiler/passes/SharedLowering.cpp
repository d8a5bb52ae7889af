//===- SharedLowering.cpp ----------------------------------------------------===//
//
// A load or store through address space 100 becomes
//
//     mapped = __skein_slice_mapped[(address >> 36) & 511]
//     if (likely(mapped))  access it directly, at the same address
//     else                 __skein_shared_get(&copy, address, size)  or  __skein_shared_put
//
// The range [2^45, 2^46) starts at a multiple of 512 slices, so the masked quotient is the slice. An address outside
// the range meets some slice's byte as well and then faults at its own address like any wild pointer.
//
// The call may migrate (the thread is parked while the message travels). It is the cold side, so homing stores there.
// Copies between shared and private memory become one call of the runtime, which itself copies directly where it can;
// the others become loops of loads and stores first. Atomic operations are refused: they need the owner's help on
// slices not mapped here.
//
//===----------------------------------------------------------------------===//
#include "SharedLowering.h"
#include "Diagnostics.h"
#include "abi/entry_points.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/LowerMemIntrinsics.h"

using namespace llvm;

namespace skein {

static constexpr unsigned SharedSpace = 100;

static bool isShared(const Value *Pointer) {
  return Pointer->getType()->isPointerTy() && Pointer->getType()->getPointerAddressSpace() == SharedSpace;
}

namespace {

class Lowering {
public:
  explicit Lowering(Function &F) : F(F), M(*F.getParent()), C(F.getContext()) {}

  void lowerLoad(LoadInst &Load) {
    Type *T = Load.getType();
    AllocaInst *Copy = slot(T);
    auto [Address, Direct, Remote] = split(Load, Load.getPointerOperand());
    IRBuilder<> Near(Direct);
    auto *Value1 = cast<LoadInst>(Load.clone());
    Value1->setOperand(0, plain(Near, Load.getPointerOperand()));
    Near.Insert(Value1);
    IRBuilder<> Far(Remote);
    Far.SetCurrentDebugLocation(Load.getDebugLoc());
    Far.CreateLifetimeStart(Copy);
    callTransfer(Far, "__skein_shared_get", Copy, Address, T);
    Value *Value2 = Far.CreateLoad(T, Copy);
    Far.CreateLifetimeEnd(Copy);
    IRBuilder<> Join(&Load);
    PHINode *Phi = Join.CreatePHI(T, 2);
    Phi->addIncoming(Value1, Direct->getParent());
    Phi->addIncoming(Value2, Remote->getParent());
    Load.replaceAllUsesWith(Phi);
    Load.eraseFromParent();
  }

  void lowerStore(StoreInst &Store) {
    Type *T = Store.getValueOperand()->getType();
    AllocaInst *Copy = slot(T);
    auto [Address, Direct, Remote] = split(Store, Store.getPointerOperand());
    IRBuilder<> Near(Direct);
    auto *Again = cast<StoreInst>(Store.clone());
    Again->setOperand(StoreInst::getPointerOperandIndex(), plain(Near, Store.getPointerOperand()));
    Near.Insert(Again);
    IRBuilder<> Far(Remote);
    Far.SetCurrentDebugLocation(Store.getDebugLoc());
    Far.CreateLifetimeStart(Copy);
    Far.CreateStore(Store.getValueOperand(), Copy);
    callTransfer(Far, "__skein_shared_put", Copy, Address, T);
    Far.CreateLifetimeEnd(Copy);
    Store.eraseFromParent();
  }

  /// memcpy or memmove between shared and private memory.
  void lowerTransfer(MemTransferInst &Copy) {
    IRBuilder<> B(&Copy);
    bool Get = isShared(Copy.getRawSource());
    Value *Address = B.CreatePtrToInt(Get ? Copy.getRawSource() : Copy.getRawDest(), B.getInt64Ty());
    Value *Size = B.CreateZExtOrTrunc(Copy.getLength(), B.getInt64Ty());
    Type *Pointer = PointerType::get(C, 0);
    if (Get)
      B.CreateCall(transfer("__skein_shared_get", {Pointer, B.getInt64Ty(), B.getInt64Ty()}),
                   {Copy.getRawDest(), Address, Size});
    else
      B.CreateCall(transfer("__skein_shared_put", {B.getInt64Ty(), Pointer, B.getInt64Ty()}),
                   {Address, Copy.getRawSource(), Size});
    Copy.eraseFromParent();
  }

private:
  struct Split {
    Value *Address;
    Instruction *Direct, *Remote;
  };

  Split split(Instruction &At, Value *Pointer) {
    IRBuilder<> B(&At);
    Value *Address = B.CreatePtrToInt(Pointer, B.getInt64Ty());
    Value *Slice = B.CreateAnd(B.CreateLShr(Address, SKEIN_SLICE_BITS), SKEIN_SLICE_COUNT - 1);
    auto *Table = ArrayType::get(B.getInt8Ty(), SKEIN_SLICE_COUNT);
    Value *Entry =
        B.CreateInBoundsGEP(Table, M.getOrInsertGlobal("__skein_slice_mapped", Table), {B.getInt64(0), Slice});
    Value *Mapped = B.CreateICmpNE(B.CreateLoad(B.getInt8Ty(), Entry), B.getInt8(0));
    Split S{Address, nullptr, nullptr};
    SplitBlockAndInsertIfThenElse(Mapped, &At, &S.Direct, &S.Remote, MDBuilder(C).createLikelyBranchWeights());
    return S;
  }

  AllocaInst *slot(Type *T) {
    return IRBuilder<>(&F.getEntryBlock(), F.getEntryBlock().begin()).CreateAlloca(T, nullptr, "shared.copy");
  }

  Value *plain(IRBuilder<> &B, Value *Pointer) { return B.CreateAddrSpaceCast(Pointer, PointerType::get(C, 0)); }

  FunctionCallee transfer(StringRef Name, ArrayRef<Type *> Parameters) {
    return M.getOrInsertFunction(Name, FunctionType::get(Type::getVoidTy(C), Parameters, false));
  }

  void callTransfer(IRBuilder<> &B, StringRef Name, Value *Copy, Value *Address, Type *T) {
    Value *Size = B.getInt64(M.getDataLayout().getTypeStoreSize(T).getFixedValue());
    Type *Pointer = PointerType::get(C, 0);
    if (Name == "__skein_shared_get")
      B.CreateCall(transfer(Name, {Pointer, B.getInt64Ty(), B.getInt64Ty()}), {Copy, Address, Size});
    else
      B.CreateCall(transfer(Name, {B.getInt64Ty(), Pointer, B.getInt64Ty()}), {Address, Copy, Size});
  }

  Function &F;
  Module &M;
  LLVMContext &C;
};

} // namespace

/// Turns shared-to-shared copies and fills into loops of loads and stores. True if there were any.
static bool expandIntrinsics(Function &F, FunctionAnalysisManager &AM) {
  SmallVector<MemIntrinsic *, 4> Expanded;
  for (Instruction &I : instructions(F)) {
    if (auto *Set = dyn_cast<MemSetInst>(&I); Set && isShared(Set->getRawDest()))
      Expanded.push_back(Set);
    if (auto *Copy = dyn_cast<MemTransferInst>(&I);
        Copy && isShared(Copy->getRawDest()) && isShared(Copy->getRawSource()))
      Expanded.push_back(Copy);
  }
  for (MemIntrinsic *I : Expanded) {
    const TargetTransformInfo &TTI = AM.getResult<TargetIRAnalysis>(F);
    if (auto *Set = dyn_cast<MemSetInst>(I))
      expandMemSetAsLoop(Set);
    else if (auto *Move = dyn_cast<MemMoveInst>(I))
      expandMemMoveAsLoop(Move, TTI);
    else
      expandMemCpyAsLoop(cast<MemCpyInst>(I), TTI);
    I->eraseFromParent();
  }
  return !Expanded.empty();
}

PreservedAnalyses SharedLoweringPass::run(Function &F, FunctionAnalysisManager &AM) {
  bool Changed = expandIntrinsics(F, AM);
  SmallVector<Instruction *, 16> Accesses;
  for (Instruction &I : instructions(F)) {
    if (auto *Load = dyn_cast<LoadInst>(&I); Load && isShared(Load->getPointerOperand()))
      Accesses.push_back(Load);
    else if (auto *Store = dyn_cast<StoreInst>(&I); Store && isShared(Store->getPointerOperand()))
      Accesses.push_back(Store);
    else if (auto *Copy = dyn_cast<MemTransferInst>(&I);
             Copy && (isShared(Copy->getRawDest()) || isShared(Copy->getRawSource())))
      Accesses.push_back(Copy);
    else if (isa<AtomicRMWInst, AtomicCmpXchgInst>(I) && isShared(I.getOperand(0)))
      error(F, I.getDebugLoc(), "atomic operations on shared memory are not supported");
  }
  Lowering L(F);
  for (Instruction *I : Accesses) {
    if (I->isAtomic()) {
      error(F, I->getDebugLoc(), "atomic operations on shared memory are not supported");
      continue;
    }
    if (auto *Load = dyn_cast<LoadInst>(I))
      L.lowerLoad(*Load);
    else if (auto *Store = dyn_cast<StoreInst>(I))
      L.lowerStore(*Store);
    else
      L.lowerTransfer(*cast<MemTransferInst>(I));
  }
  return Changed || !Accesses.empty() ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace skein
