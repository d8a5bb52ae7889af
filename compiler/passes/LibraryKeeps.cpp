//===- LibraryKeeps.cpp ------------------------------------------------------===//
//
// Some functions of the C library remember an address they were given (trap 10). No map can reach their memory, so the
// runtime is told before each such call; if the address lies in the thread's own stack, the thread stays where it is.
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
  } What = Kept; ///< the argument; the pointer at the beginning of what it points to;
                 ///< not kept: pages from there on are not as they were
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
    {"aio_read", 0},
    {"aio_write", 0},
    {"insque", 0},
    {"insque", 1},
    {"hcreate_r", 1},
    {"timer_create", 2},
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
    if (K->What == Keeper::Pointee && isKnownNonZero(Address, F.getDataLayout()))
      Address = B.CreateLoad(Pointer, Address);
    FunctionCallee Tell = F.getParent()->getOrInsertFunction(
        K->What == Keeper::Changed ? "__skein_memory_changed" : "__skein_library_keeps",
        FunctionType::get(B.getVoidTy(), {Pointer, Pointer}, false));
    Call->setTailCall(false);
    B.CreateCall(Tell, {Address, B.CreateGlobalString(Call->getCalledFunction()->getName())});
  }
  return Kept.empty() && Options.empty() && !Changed ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

} // namespace skein
