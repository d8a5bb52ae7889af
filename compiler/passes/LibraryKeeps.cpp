//===- LibraryKeeps.cpp ------------------------------------------------------===//
//
// Some functions of the C library remember an address they were given (trap 10), or hand it to the kernel, which gives
// it back later (epoll_ctl, sigqueue). No map can reach their memory, so the runtime is told before each such call; if
// the address lies in the thread's own stack, the thread stays where it is.
//
// Others change what may be done with memory. The runtime reads a thread's stack and heap before it moves them, so it
// is told of those, too.
//
// Calls that take locks are no tail calls: the runtime is to see which function holds the lock, and since what line.
//
// getopt remembers how far it has come until it returns -1. The runtime is told what it returned.
//
//===----------------------------------------------------------------------===//
#include "LibraryKeeps.h"
#include "Diagnostics.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace skein {

namespace {
struct Keeper {
  StringRef Function;
  unsigned Argument; ///< which one it keeps
  enum {
    Kept,
    Pointee,
    Changed
  } What = Kept; ///< the argument; the word in what it points to; not kept: pages from there on are not as they were
  unsigned Offset = 0; ///< of the word
};
} // namespace

static constexpr Keeper Keepers[] = {
    {"strtok", 0},
    {"getopt", 1},
    {"getopt_long", 1},
    {"getopt_long_only", 1},
    {"setvbuf", 1},
    {"setbuf", 1},
    {"setbuffer", 1},
    {"putenv", 0},
    {"fmemopen", 0},
    {"tsearch", 0},
    {"open_memstream", 0},
    {"open_memstream", 1},
    {"sigaltstack", 0, Keeper::Pointee},
    {"pthread_create", 3},
    {"setstate", 0},
    {"initstate", 1},
    {"pthread_setspecific", 1},
    {"tss_set", 1},
    {"on_exit", 1},
    {"aio_read", 0},
    {"aio_write", 0},
    {"insque", 0},
    {"insque", 1},
    {"hcreate_r", 1},
    {"timer_create", 1, Keeper::Pointee},
    {"timer_create", 2},
    {"mq_notify", 1, Keeper::Pointee},
    {"epoll_ctl", 3, Keeper::Pointee, 4},
    {"sigqueue", 2},
    {"pthread_sigqueue", 2},
    {"__pthread_register_cancel", 0},
    {"mprotect", 0, Keeper::Changed},
    {"pkey_mprotect", 0, Keeper::Changed},
    {"munmap", 0, Keeper::Changed},
    {"mremap", 0, Keeper::Changed},
};

static constexpr StringRef LockFunctions[] = {
#define SKEIN_LOCK_FUNCTION(Name) #Name,
#include "abi/lock_functions.def"
};

static constexpr StringRef OptionReaders[] = {"getopt", "getopt_long", "getopt_long_only"};

/// The word at `Offset` of what `Object` points to, which may be nothing.
static Value *wordOf(IRBuilder<> &B, Value *Object, unsigned Offset, Module &M) {
  if (!isKnownNonZero(Object, M.getDataLayout())) {
    Type *Zeros = ArrayType::get(B.getInt8Ty(), Offset + 8);
    auto *Nothing = new GlobalVariable(M, Zeros, /*isConstant=*/true, GlobalValue::PrivateLinkage,
                                       Constant::getNullValue(Zeros), "skein.nothing");
    Object = B.CreateSelect(B.CreateIsNull(Object), Nothing, Object);
  }
  return B.CreateAlignedLoad(B.getPtrTy(), B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Object, Offset), Align(1));
}

PreservedAnalyses LibraryKeepsPass::run(Function &F, FunctionAnalysisManager &) {
  SmallVector<std::pair<CallInst *, const Keeper *>, 4> Kept;
  SmallVector<CallInst *, 4> Options;
  bool Changed = false;
  for (Instruction &I : instructions(F)) {
    auto *Call = dyn_cast<CallInst>(&I);
    const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    if (!Callee || !Callee->isDeclaration() || Call->isMustTailCall())
      continue;
    for (const Keeper &K : Keepers)
      if (Callee->getName() == K.Function && K.Argument < Call->arg_size() &&
          Call->getArgOperand(K.Argument)->getType()->isPointerTy() && !isa<Constant>(Call->getArgOperand(K.Argument)))
        Kept.push_back({Call, &K});
    if (is_contained(OptionReaders, Callee->getName()) && Call->getType()->isIntegerTy(32))
      Options.push_back(Call);
    if (is_contained(LockFunctions, Callee->getName()) && !Call->isNoTailCall()) {
      Call->setTailCallKind(CallInst::TCK_NoTail);
      Changed = true;
    }
  }
  for (CallInst *Call : Options) {
    IRBuilder<> B(Call->getParent(), std::next(Call->getIterator()));
    B.SetCurrentDebugLocation(Call->getDebugLoc());
    Call->setTailCall(false);
    B.CreateCall(F.getParent()->getOrInsertFunction("__skein_options_read",
                                                    FunctionType::get(B.getVoidTy(), {B.getInt32Ty()}, false)),
                 {Call});
  }
  for (auto [Call, K] : Kept) {
    IRBuilder<> B(Call);
    Type *Pointer = B.getPtrTy();
    Value *Address = Call->getArgOperand(K->Argument);
    if (K->What == Keeper::Pointee)
      Address = wordOf(B, Address, K->Offset, *F.getParent());
    FunctionCallee Tell = F.getParent()->getOrInsertFunction(
        K->What == Keeper::Changed ? "__skein_memory_changed" : "__skein_library_keeps",
        FunctionType::get(B.getVoidTy(), {Pointer, Pointer}, false));
    Call->setTailCall(false);
    B.CreateCall(
        Tell, {Address, B.CreateGlobalString((Call->getCalledFunction()->getName() + placeInFunction(*Call)).str())});
  }
  return Kept.empty() && Options.empty() && !Changed ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

} // namespace skein
