//===- GrowableStacks.cpp - What growable stacks need in IR ---------------===//
//
// A growable stack has no guard zone and costs only the memory that its thread touches (runtime/thread/growable.h). So
// each function checks itself whether there is room. Three passes arrange this; this one does what needs no machine
// code:
//
//   * Each function carries a mark in front of its entry (SKEIN_GROWABLE_MARK). It says that the function checks for
//     room itself, so that it may be called on a stack that no guard protects. A call of a function that this unit does
//     not define compares the mark (`foreign-calls`). Functions with a calling convention of another system (ms_abi,
//     regcall) have no mark and are called as foreign ones.
//   * A block of variable size is preceded by a call of __skein_reserve, which never migrates.
//   * A call to another unit with arguments in memory is no tail call: its arguments are copied if the callee is
//     foreign, and for a tail call it is not known how many there are.
//
// Runs after migration-points: whether a function reaches a migration point must not depend on its having a VLA.
//
//===----------------------------------------------------------------------===//
#include "GrowableStacks.h"
#include "abi/growable_mark.h"
#include "passes/Annotations.h"
#include "passes/Passes.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace skein {

/// Whether the function's convention lets it save its registers so that a call before its prologue keeps them.
static bool hasCheckableConvention(const Function &F) {
  switch (F.getCallingConv()) {
  case CallingConv::PreserveMost:
  case CallingConv::PreserveAll:
  case CallingConv::CXX_FAST_TLS:
    return true;
  default:
    return hasMappableConvention(F);
  }
}

bool growsStack(const Function &F) {
  return F.getFnAttribute(StacksAttribute).getValueAsString() == "growable" && hasCheckableConvention(F);
}

bool isCertainlyGrowable(const Function &Callee) {
  const StringRef Name = GlobalValue::dropLLVMManglingEscape(Callee.getName());
  if (Name == "__skein_stress" || Name == "__skein_poll" || Name == "__skein_reserve" || Name == "__skein_home")
    return true;
  return growsStack(Callee) &&
         (Callee.hasLocalLinkage() || (Callee.isStrongDefinitionForLinker() && Callee.isDSOLocal()));
}

/// Whether an earlier run has marked it, in bitcode that is compiled again.
static bool isMarked(const Function &F) {
  const auto *Fields = F.hasPrefixData() ? dyn_cast<ConstantStruct>(F.getPrefixData()) : nullptr;
  if (!Fields || !Fields->getNumOperands())
    return false;
  const auto *Last = dyn_cast<ConstantInt>(Fields->getOperand(Fields->getNumOperands() - 1));
  return Last && Last->getBitWidth() == 32 && Last->getZExtValue() == SKEIN_GROWABLE_MARK;
}

static void mark(Function &F) {
  LLVMContext &C = F.getContext();
  uint64_t Bytes = std::max<uint64_t>(16, F.getAlign().valueOrOne().value()); // so that the entry stays aligned
  SmallVector<Constant *, 3> Fields;
  if (F.hasPrefixData()) {
    Fields.push_back(F.getPrefixData());
    Bytes = alignTo(F.getDataLayout().getTypeAllocSize(F.getPrefixData()->getType()) + 4, Bytes) -
            F.getDataLayout().getTypeAllocSize(F.getPrefixData()->getType());
  }
  Fields.push_back(ConstantDataArray::get(C, ArrayRef(SmallVector<uint8_t>(Bytes - 4, 0xcc)))); // int3
  Fields.push_back(ConstantInt::get(Type::getInt32Ty(C), SKEIN_GROWABLE_MARK));
  F.setPrefixData(ConstantStruct::getAnon(C, Fields, /*Packed=*/true));
}

bool mayPassInMemory(const CallBase &Call) {
  if (Call.isByValArgument(0) || Call.getFunctionType()->isVarArg())
    return true;
  unsigned Words = 0;
  for (const Use &Argument : Call.args()) {
    Type *T = Argument->getType();
    if (Call.isByValArgument(Call.getArgOperandNo(&Argument)) ||
        !(T->isPointerTy() || T->isFloatTy() || T->isDoubleTy() || (T->isIntegerTy() && T->getIntegerBitWidth() <= 64)))
      return true;
    ++Words;
  }
  return Words > 6;
}

static void reserveRoom(Function &F) {
  SmallVector<AllocaInst *, 4> Dynamic;
  for (Instruction &I : instructions(F))
    if (auto *Alloca = dyn_cast<AllocaInst>(&I); Alloca && !Alloca->isStaticAlloca())
      Dynamic.push_back(Alloca);
  for (AllocaInst *Alloca : Dynamic) {
    IRBuilder<> B(Alloca);
    B.SetCurrentDebugLocation(Alloca->getDebugLoc());
    if (!B.getCurrentDebugLocation())
      if (DISubprogram *Subprogram = F.getSubprogram())
        B.SetCurrentDebugLocation(DILocation::get(F.getContext(), Subprogram->getLine(), 0, Subprogram));
    Value *Count = B.CreateZExtOrTrunc(Alloca->getArraySize(), B.getInt64Ty());
    uint64_t Size = F.getDataLayout().getTypeAllocSize(Alloca->getAllocatedType());
    Value *Bytes = B.CreateMul(Count, B.getInt64(Size), "", /*HasNUW=*/false, /*HasNSW=*/false);
    Bytes = B.CreateAdd(Bytes, B.getInt64(Alloca->getAlign().value() + 16));
    FunctionCallee Reserve = F.getParent()->getOrInsertFunction(
        "__skein_reserve", FunctionType::get(B.getVoidTy(), {B.getInt64Ty()}, false));
    CallInst *Call = B.CreateCall(Reserve, Bytes);
    Call->setDoesNotThrow();
    Call->addFnAttr(Attribute::get(F.getContext(), NoMigrateAttribute));
  }
}

PreservedAnalyses GrowableStacksPass::run(Module &M, ModuleAnalysisManager &) {
  bool Changed = false;
  for (Function &F : M) {
    if (!growsStack(F) || F.isDeclaration() || F.hasAvailableExternallyLinkage() ||
        F.hasFnAttribute(Attribute::Naked) || isMarked(F))
      continue;
    Changed = true;
    mark(F);
    reserveRoom(F);
    for (Instruction &I : instructions(F))
      if (auto *Call = dyn_cast<CallInst>(&I);
          Call && Call->isTailCall() && !Call->isMustTailCall() && !isa<IntrinsicInst>(Call) && mayPassInMemory(*Call))
        if (const Function *Callee = Call->getCalledFunction(); !Callee || !Callee->hasLocalLinkage())
          Call->setTailCallKind(CallInst::TCK_NoTail);
  }
  return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace skein
