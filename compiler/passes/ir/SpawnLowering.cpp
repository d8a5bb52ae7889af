//===- SpawnLowering.cpp - skein_spawn becomes a call of the runtime ------===//
//
//     skein_spawn_(f, r, a, b)       =>   words[0] = a; words[1] = b; __skein_spawn(f, words, 2, classes)
//     skein_spawn_with_(at, f, r, a) =>   words[0] = a; __skein_spawn_with(at, f, words, 1 << 32 | classes)
//     skein_create_(at, f, r, a)     =>   the same with SKEIN_CREATE
//
// The classes say how each argument travels, so that a thread that has not run yet can move as a function and a few
// words; r says what the function returns (runtime/abi/entry_points.h). The Clang half has checked the arguments and
// converted them to the types of the parameters. One thing is left: C promotes float to double in a variadic call that
// the Clang half has not looked at.
//
//===----------------------------------------------------------------------===//
#include "abi/entry_points.h"
#include "passes/Diagnostics.h"
#include "passes/Passes.h"
#include "passes/addresses/PointerTypes.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace skein {

static bool creates(const CallInst &Call) { return Call.getCalledFunction()->getName() == "skein_create_"; }

/// The position of the argument that is the function; the class of its result and the arguments of the new thread
/// follow it. None if the call is no spawn.
static std::optional<unsigned> functionAt(const CallInst &Call) {
  const Function *Callee = Call.getCalledFunction();
  if (Callee && Callee->getName() == "skein_spawn_" && Call.arg_size() > 1)
    return 0;
  if (Callee && (Callee->getName() == "skein_spawn_with_" || creates(Call)) && Call.arg_size() > 2)
    return 1;
  return std::nullopt;
}

/// Stores argument `N` of the new thread and returns its class; or reports an error if it cannot.
static std::optional<unsigned> storeArgument(IRBuilder<> &B, CallInst &Spawn, unsigned At, unsigned N, Value *Word) {
  Value *Argument = Spawn.getArgOperand(At + 2 + N);
  Type *T = Argument->getType();
  Type *WordType = B.getInt64Ty();
  if (isPointer(T)) {
    B.CreateStore(Argument, Word);
    return SKEIN_ARGUMENT_POINTER;
  }
  if (T->isPointerTy()) {
    B.CreateStore(B.CreatePtrToInt(Argument, WordType), Word);
    return SKEIN_ARGUMENT_INTEGER;
  }
  if (T->isIntegerTy() && T->getIntegerBitWidth() <= 64) {
    B.CreateStore(B.CreateSExt(Argument, WordType), Word);
    return SKEIN_ARGUMENT_INTEGER;
  }
  if (T->isFloatTy()) {
    B.CreateStore(Argument, Word);
    return SKEIN_ARGUMENT_FLOAT;
  }
  if (T->isDoubleTy()) {
    const auto *Callee = dyn_cast<Function>(Spawn.getArgOperand(At));
    bool Float = Callee && N < Callee->arg_size() && Callee->getArg(N)->getType()->isFloatTy();
    B.CreateStore(Float ? B.CreateFPTrunc(Argument, B.getFloatTy()) : Argument, Word);
    return Float ? SKEIN_ARGUMENT_FLOAT : SKEIN_ARGUMENT_DOUBLE;
  }
  error(*Spawn.getFunction(), Spawn.getDebugLoc(),
        "skein_spawn cannot pass argument " + Twine(N + 1) + ": only integers, pointers, float and double travel");
  return std::nullopt;
}

static void lowerSpawn(CallInst &Spawn, unsigned At) {
  Function &F = *Spawn.getFunction();
  Module &M = *F.getParent();
  LLVMContext &C = F.getContext();
  IRBuilder<> B(&Spawn);
  unsigned Count = Spawn.arg_size() - At - 2;
  Type *Word = B.getInt64Ty();
  auto *Words = ArrayType::get(Word, std::max(Count, 1u));
  AllocaInst *Slot =
      IRBuilder<>(&F.getEntryBlock(), F.getEntryBlock().begin()).CreateAlloca(Words, nullptr, "spawn.words");
  B.CreateLifetimeStart(Slot);
  const auto *Result = dyn_cast<ConstantInt>(Spawn.getArgOperand(At + 1));
  unsigned Classes = Result ? Result->getZExtValue() << SKEIN_RESULT_SHIFT : 0, Integers = 0, Floats = 0;
  for (unsigned N = 0; N < Count; ++N) {
    std::optional<unsigned> Class = storeArgument(B, Spawn, At, N, B.CreateConstInBoundsGEP2_32(Words, Slot, 0, N));
    if (!Class)
      break;
    (*Class == SKEIN_ARGUMENT_INTEGER || *Class == SKEIN_ARGUMENT_POINTER ? Integers : Floats) += 1;
    if (Integers > 6 || Floats > 8) {
      error(F, Spawn.getDebugLoc(), "skein_spawn passes at most 6 integers or pointers and 8 floating-point arguments");
      break;
    }
    Classes |= *Class << (2 * N);
  }
  Type *Pointer = PointerType::get(C, 0);
  CallInst *Call;
  if (At == 0) {
    FunctionCallee Entry = M.getOrInsertFunction(
        "__skein_spawn", FunctionType::get(Spawn.getType(), {Pointer, Pointer, B.getInt32Ty(), B.getInt32Ty()}, false));
    Call = B.CreateCall(Entry, {Spawn.getArgOperand(0), Slot, B.getInt32(Count), B.getInt32(Classes)});
  } else {
    FunctionCallee Entry = M.getOrInsertFunction(
        "__skein_spawn_with", FunctionType::get(Spawn.getType(), {Pointer, Pointer, Pointer, Word}, false));
    Call = B.CreateCall(
        Entry, {Spawn.getArgOperand(0), Spawn.getArgOperand(1), Slot,
                B.getInt64((creates(Spawn) ? SKEIN_CREATE : 0) | static_cast<uint64_t>(Count) << 32 | Classes)});
  }
  Call->setDebugLoc(Spawn.getDebugLoc());
  Call->setDoesNotThrow();
  B.CreateLifetimeEnd(Slot);
  Spawn.replaceAllUsesWith(Call);
  Spawn.eraseFromParent();
}

PreservedAnalyses SpawnLoweringPass::run(Function &F, FunctionAnalysisManager &) {
  SmallVector<CallInst *, 4> Spawns;
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallInst>(&I); Call && functionAt(*Call))
      Spawns.push_back(Call);
  for (CallInst *Spawn : Spawns)
    lowerSpawn(*Spawn, *functionAt(*Spawn));
  return Spawns.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

} // namespace skein
