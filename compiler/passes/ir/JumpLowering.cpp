//===- JumpLowering.cpp ------------------------------------------------------===//
//
// A buffer that libc's setjmp fills holds a stack pointer and a code address in a form that cannot be found and
// relocated. So before anything is optimised, calls of setjmp and its relatives become calls of the runtime, which
// keeps what they save (runtime/thread/jumps.h) and can relocate it:
//
//     _setjmp(b)                              __skein_setjmp(b, 0)
//     setjmp(b)                               __skein_setjmp(b, 1)      the function of that name saves the mask
//     sigsetjmp(b, m), __sigsetjmp(b, m)      __skein_setjmp(b, m)
//     llvm.eh.sjlj.setjmp(b)                  __skein_builtin_setjmp(b, eight scratch words of the frame)
//     llvm.eh.sjlj.longjmp(b)                 __skein_builtin_longjmp(b, 1)
//
// longjmp keeps its name, since the runtime has a function of that name. Clang stores the frame address and the stack
// pointer in the buffer of __builtin_setjmp; these stores are removed. The scratch words serve kernel threads that are
// no Skein threads.
//
// The rest of the work is done by pointer-homing: what is needed after the second return is described at every call
// from which a jump may come.
//
// pthread_cleanup_push calls __sigsetjmp with a smaller buffer, to which libc itself jumps. This call stays as it is,
// and a function that contains it pins the thread, as do vfork, getcontext and any other function that returns twice.
//
//===----------------------------------------------------------------------===//
#include "JumpLowering.h"
#include "passes/Passes.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace skein {

static constexpr StringRef SetJump = "__skein_setjmp", BuiltinSetJump = "__skein_builtin_setjmp";

bool isJumpTarget(StringRef Callee) { return Callee == SetJump || Callee == BuiltinSetJump; }

bool isJumpTarget(const CallBase &Call) {
  const Function *Callee = Call.getCalledFunction();
  return Callee && isJumpTarget(Callee->getName());
}

namespace {
enum class Kind { None, NoMask, Mask, AskedMask };
} // namespace

static Kind kindOf(const Function &Callee) {
  if (!Callee.isDeclaration())
    return Kind::None;
  return StringSwitch<Kind>(Callee.getName())
      .Case("_setjmp", Kind::NoMask)
      .Case("setjmp", Kind::Mask)
      .Cases({"sigsetjmp", "__sigsetjmp"}, Kind::AskedMask)
      .Default(Kind::None);
}

static CallInst *callTarget(CallBase &Old, StringRef Name, ArrayRef<Value *> Arguments) {
  IRBuilder<> B(&Old);
  SmallVector<Type *, 2> Types;
  for (Value *Argument : Arguments)
    Types.push_back(Argument->getType());
  FunctionCallee Callee =
      Old.getModule()->getOrInsertFunction(Name, FunctionType::get(B.getInt32Ty(), Types, /*isVarArg=*/false));
  if (auto *F = dyn_cast<Function>(Callee.getCallee())) {
    F->addFnAttr(Attribute::ReturnsTwice);
    F->setDoesNotThrow();
  }
  CallInst *Call = B.CreateCall(Callee, Arguments);
  Call->addFnAttr(Attribute::ReturnsTwice);
  Call->setDoesNotThrow();
  Old.replaceAllUsesWith(Call);
  Call->takeName(&Old);
  return Call;
}

/// Removes what clang stores in front of llvm.eh.sjlj.setjmp.
static void eraseSavedAddresses(IntrinsicInst &SetJmp) {
  const Value *Buffer = getUnderlyingObject(SetJmp.getArgOperand(0), 0);
  for (Instruction &I : make_early_inc_range(*SetJmp.getParent())) {
    if (&I == &SetJmp)
      break;
    auto *Store = dyn_cast<StoreInst>(&I);
    const auto *Saved = Store ? dyn_cast<IntrinsicInst>(Store->getValueOperand()) : nullptr;
    if (Saved &&
        (Saved->getIntrinsicID() == Intrinsic::frameaddress || Saved->getIntrinsicID() == Intrinsic::stacksave) &&
        getUnderlyingObject(Store->getPointerOperand(), 0) == Buffer)
      Store->eraseFromParent();
  }
}

PreservedAnalyses JumpLoweringPass::run(Function &F, FunctionAnalysisManager &) {
  bool Cancellation = any_of(instructions(F), [](const Instruction &I) {
    const auto *Call = dyn_cast<CallBase>(&I);
    return Call && Call->getCalledFunction() && Call->getCalledFunction()->getName() == "__pthread_register_cancel";
  });
  // The scratch words have a type that no layout takes for addresses.
  AllocaInst *ScratchWords = nullptr;
  auto Scratch = [&] {
    if (!ScratchWords) {
      IRBuilder<> Entry(&F.getEntryBlock(), F.getEntryBlock().begin());
      ScratchWords = Entry.CreateAlloca(ArrayType::get(Entry.getInt32Ty(), 16), nullptr, "skein.scratch");
      ScratchWords->setAlignment(Align(8));
    }
    return ScratchWords;
  };
  SmallVector<CallBase *, 4> Replaced;
  for (Instruction &I : instructions(F)) {
    auto *Call = dyn_cast<CallInst>(&I);
    const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    if (!Callee || Call->arg_empty() || !Call->getArgOperand(0)->getType()->isPointerTy())
      continue;
    Value *Buffer = Call->getArgOperand(0);
    IRBuilder<> B(Call);
    if (Callee->getIntrinsicID() == Intrinsic::eh_sjlj_setjmp) {
      eraseSavedAddresses(*cast<IntrinsicInst>(Call));
      callTarget(*Call, BuiltinSetJump, {Buffer, Scratch()});
      Replaced.push_back(Call);
    } else if (Callee->getIntrinsicID() == Intrinsic::eh_sjlj_longjmp) {
      FunctionCallee Jump = F.getParent()->getOrInsertFunction(
          "__skein_builtin_longjmp", FunctionType::get(B.getVoidTy(), {B.getPtrTy(), B.getInt32Ty()}, false));
      CallInst *New = B.CreateCall(Jump, {Buffer, B.getInt32(1)});
      New->setDoesNotReturn();
      New->setDoesNotThrow();
      Replaced.push_back(Call);
    } else if (Kind K = kindOf(*Callee); K != Kind::None && Call->getType()->isIntegerTy(32)) {
      if (K == Kind::AskedMask && (Cancellation || Call->arg_size() != 2))
        continue;
      Value *Mask = K == Kind::AskedMask ? B.CreateZExtOrTrunc(Call->getArgOperand(1), B.getInt32Ty())
                                         : B.getInt32(K == Kind::Mask);
      callTarget(*Call, SetJump, {Buffer, Mask});
      Replaced.push_back(Call);
    }
  }
  for (CallBase *Call : Replaced)
    Call->eraseFromParent();
  return Replaced.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

} // namespace skein
