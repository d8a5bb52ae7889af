//===- LibraryKeeps.cpp - Addresses the C library keeps -------------------===//
//
// Some functions of the C library, and some system calls, remember an address that they were given, or store it where
// no map describes it. The runtime is told before each such call; if the address lies in the thread's own stack, the
// thread stays where it is.
//
// Other functions change the protection of memory. The runtime reads a thread's stack and heap before it moves them, so
// it is told of these calls as well.
//
// LibraryKeeps.def is the list of all of them. Calls through a pointer are not seen.
//
// Calls that take locks are no tail calls, so that the runtime can see which function holds the lock, and since which
// line.
//
// getopt remembers how far it has come until it returns -1. The runtime is told what it returned.
//
//===----------------------------------------------------------------------===//
#include "abi/entry_points.h"
#include "passes/Diagnostics.h"
#include "passes/Passes.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

#include <aio.h>
#include <csignal>
#include <cstddef>
#include <linux/aio_abi.h>
#include <linux/io_uring.h>
#include <linux/kvm.h>
#include <linux/usbdevice_fs.h>
#include <linux/userfaultfd.h>
#include <netdb.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/profil.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>

using namespace llvm;

namespace skein {

namespace {

constexpr uint64_t ALL_BITS = ~uint64_t{0};
constexpr uint64_t GUARD_INSTALL = 102;  // MADV_GUARD_INSTALL of Linux 6.13
constexpr uint64_t REGISTER_BUFFERS = 0; // IORING_REGISTER_BUFFERS
#define AIO_WORDS offsetof(aiocb, aio_buf), offsetof(aiocb, aio_sigevent.sigev_value)

/// A row of LibraryKeeps.def, which explains it.
struct Fact {
  enum { Argument, Words, Each, Rows, Stored, Frame, Pages } What;
  unsigned N = 0;
  unsigned Other = 0; ///< the argument that holds the count, or the place where the address is stored
  uint64_t Layout = 0;
  bool Conditional = false;
  unsigned Asked = 0;
  uint64_t Bits = 0, Value = 0;

  constexpr Fact when(unsigned Which, uint64_t Mask, uint64_t Is) const {
    Fact Result = *this;
    Result.Conditional = true;
    Result.Asked = Which;
    Result.Bits = Mask;
    Result.Value = Is;
    return Result;
  }
};

template <typename... Offsets> constexpr uint64_t layout(Offsets... At) {
  uint64_t Result = 0;
  unsigned Shift = 0;
  ((Result |= (uint64_t{At} / SKEIN_KEPT_UNIT + 1) << Shift, Shift += 8), ...);
  return Result;
}
constexpr Fact argument(unsigned N) { return {Fact::Argument, N}; }
template <typename... Offsets> constexpr Fact words(unsigned N, Offsets... At) {
  return {Fact::Words, N, 0, layout(At...)};
}
template <typename... Offsets> constexpr Fact each(unsigned N, unsigned Count, Offsets... At) {
  return {Fact::Each, N, Count, layout(At...)};
}
template <typename... Offsets> constexpr Fact rows(unsigned N, unsigned Count, uint64_t Bytes, Offsets... At) {
  return {Fact::Rows, N, Count, layout(At...) | Bytes / SKEIN_KEPT_UNIT << SKEIN_KEPT_ROW_SHIFT};
}
constexpr Fact stored(unsigned N, unsigned Place) { return {Fact::Stored, N, Place}; }
constexpr Fact frame() { return {Fact::Frame}; }
constexpr Fact pages(unsigned N) { return {Fact::Pages, N}; }

struct Keeper {
  StringRef Function; ///< for a system call, the name that reports use
  long Number;        ///< of the system call; -1: it is a function
  Fact Keeps;
};

constexpr Keeper Keepers[] = {
#define KEEPS(NAME, ...) {#NAME, -1, __VA_ARGS__},
#define KERNEL(CALL, ...) {"syscall(SYS_" #CALL ")", SYS_##CALL, __VA_ARGS__},
#ifndef SYS_mseal // the headers of Debian 12 are older
#define SYS_mseal 462
#endif
#include "LibraryKeeps.def"
};

constexpr StringRef LockFunctions[] = {
#define SKEIN_LOCK_FUNCTION(Name) #Name,
#include "abi/lock_functions.def"
};

constexpr StringRef OptionReaders[] = {"getopt", "getopt_long", "getopt_long_only"};

/// Inserts the reports to the runtime in front of one call.
class Reporter {
public:
  explicit Reporter(CallBase &Call) : M(*Call.getModule()), Call(Call), B(&Call) {}

  /// `First` is the position of the first argument, behind the number of a system call.
  void tell(const Keeper &K, unsigned First) {
    const Fact &Keeps = K.Keeps;
    if (Keeps.Conditional && !mayHold(Keeps, First))
      return;
    Type *Pointer = B.getPtrTy(), *Word = B.getInt64Ty();
    const auto ToldWords = [&](StringRef Entry, Value *Count) {
      if (Value *At = pointer(First + Keeps.N); At && Count)
        tell(Entry, {Pointer, Word, Word, Pointer}, {At, Count, B.getInt64(Keeps.Layout), name(K)});
    };
    switch (Keeps.What) {
    case Fact::Argument:
      return tellAddress("__skein_library_keeps", address(First + Keeps.N), K);
    case Fact::Pages:
      return tellAddress("__skein_memory_changed", address(First + Keeps.N), K);
    case Fact::Frame:
      return tellAddress("__skein_library_keeps", B.CreateIntrinsic(Intrinsic::addressofreturnaddress, {Pointer}, {}),
                         K);
    case Fact::Words:
      return ToldWords("__skein_library_keeps_words", B.getInt64(1));
    case Fact::Rows:
      return ToldWords("__skein_library_keeps_words", integer(First + Keeps.Other));
    case Fact::Each:
      return ToldWords("__skein_library_keeps_each", integer(First + Keeps.Other));
    case Fact::Stored:
      // If the place is a local, the maps describe it.
      Value *Address = address(First + Keeps.N), *Place = pointer(First + Keeps.Other);
      if (Address && Place && !isa<AllocaInst>(getUnderlyingObject(Place, 0)))
        tell("__skein_library_stores", {Pointer, Pointer, Pointer}, {Address, Place, name(K)});
      return;
    }
  }

private:
  bool mayHold(const Fact &Keeps, unsigned First) {
    const unsigned N = First + Keeps.Asked;
    const auto *Known = N < Call.arg_size() ? dyn_cast<ConstantInt>(Call.getArgOperand(N)) : nullptr;
    return !Known ||
           ((Known->getZExtValue() ^ Keeps.Value) & Keeps.Bits & maskTrailingOnes<uint64_t>(Known->getBitWidth())) == 0;
  }

  /// Argument `N` as a pointer, if it is one or is passed as a word. Null: there is none, or it is zero.
  Value *pointer(unsigned N) {
    Value *V = N < Call.arg_size() ? Call.getArgOperand(N) : nullptr;
    if (!V || isa<ConstantPointerNull, ConstantInt, UndefValue>(V))
      return nullptr;
    if (V->getType()->isPointerTy())
      return V;
    return V->getType()->isIntegerTy(64) ? B.CreateIntToPtr(V, B.getPtrTy()) : nullptr;
  }
  /// The same for an argument that may be an address of the stack itself.
  Value *address(unsigned N) {
    Value *V = pointer(N);
    return V && !isa<Constant>(V) ? V : nullptr;
  }
  Value *integer(unsigned N) {
    Value *V = N < Call.arg_size() ? Call.getArgOperand(N) : nullptr;
    return V && V->getType()->isIntegerTy() ? B.CreateSExtOrTrunc(V, B.getInt64Ty()) : nullptr;
  }

  Value *name(const Keeper &K) {
    return Name ? Name : Name = B.CreateGlobalString((K.Function + placeInFunction(Call)).str());
  }

  void tellAddress(StringRef Entry, Value *Address, const Keeper &K) {
    if (Address)
      tell(Entry, {B.getPtrTy(), B.getPtrTy()}, {Address, name(K)});
  }
  void tell(StringRef Entry, ArrayRef<Type *> Types, ArrayRef<Value *> Arguments) {
    B.CreateCall(M.getOrInsertFunction(Entry, FunctionType::get(B.getVoidTy(), Types, false)), Arguments);
    if (auto *Plain = dyn_cast<CallInst>(&Call); Plain && !Plain->isMustTailCall())
      Plain->setTailCall(false);
    Told = true;
  }

  Module &M;
  CallBase &Call;
  IRBuilder<> B;
  Value *Name = nullptr;

public:
  bool Told = false;
};

/// The keepers by function; those of system calls are under "syscall".
const StringMap<SmallVector<const Keeper *, 2>> &keepers() {
  static const StringMap<SmallVector<const Keeper *, 2>> Map = [] {
    StringMap<SmallVector<const Keeper *, 2>> Result;
    for (const Keeper &K : Keepers)
      Result[K.Number < 0 ? K.Function : "syscall"].push_back(&K);
    return Result;
  }();
  return Map;
}

} // namespace

/// True if something was reported to the runtime.
static bool tellBefore(CallBase &Call, ArrayRef<const Keeper *> All) {
  Reporter Runtime(Call);
  for (const Keeper *K : All) {
    if (K->Number < 0) {
      Runtime.tell(*K, 0);
      continue;
    }
    const auto *Number = dyn_cast<ConstantInt>(Call.getArgOperand(0));
    if (Number && Number->getSExtValue() == K->Number)
      Runtime.tell(*K, 1);
  }
  return Runtime.Told;
}

static void tellResult(CallInst &Call) {
  IRBuilder<> B(Call.getParent(), std::next(Call.getIterator()));
  B.SetCurrentDebugLocation(Call.getDebugLoc());
  Call.setTailCall(false);
  B.CreateCall(Call.getModule()->getOrInsertFunction("__skein_options_read",
                                                     FunctionType::get(B.getVoidTy(), {B.getInt32Ty()}, false)),
               {&Call});
}

PreservedAnalyses LibraryKeepsPass::run(Function &F, FunctionAnalysisManager &) {
  SmallVector<std::pair<CallBase *, ArrayRef<const Keeper *>>, 4> Calls;
  SmallVector<CallInst *, 4> Options;
  bool Changed = false;
  for (Instruction &I : instructions(F)) {
    auto *Call = dyn_cast<CallBase>(&I);
    const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    if (!Callee || !Callee->isDeclaration() || Callee->isIntrinsic())
      continue;
    const StringRef Name = GlobalValue::dropLLVMManglingEscape(Callee->getName());
    if (auto Found = keepers().find(Name); Found != keepers().end() && !Call->arg_empty())
      Calls.push_back({Call, Found->second});
    auto *Plain = dyn_cast<CallInst>(Call);
    if (Plain && is_contained(OptionReaders, Name) && Call->getType()->isIntegerTy(32))
      Options.push_back(Plain);
    if (Plain && is_contained(LockFunctions, Name) && !Plain->isNoTailCall()) {
      Plain->setTailCallKind(CallInst::TCK_NoTail);
      Changed = true;
    }
  }
  Changed |= !Options.empty();
  for (auto [Call, All] : Calls)
    Changed |= tellBefore(*Call, All);
  for (CallInst *Call : Options)
    tellResult(*Call);
  return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace skein
