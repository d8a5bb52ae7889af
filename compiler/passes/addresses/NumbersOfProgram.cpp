//===- NumbersOfProgram.cpp - Initialisers that make numbers of addresses ---===//
//
// Code that makes a number of an address of the program reports this to the runtime where it happens
// (EscapingAddresses.cpp). But an initialiser can make one as well: the linker and the loader add a number to an
// address, and the variable is an integer, which other code may read as a number, or a pointer that leads far away. On
// each node the loader makes the value that is right there, but a thread that has read it takes the value along to
// another node.
//
// So a module with such a variable gets a constructor that reports it, if the runtime wants to know. The difference of
// two addresses of one module is the same everywhere, so it is no such number.
//
// Functions that are compiled as clang does it (SameMoves.h) make numbers without a report of each. If any may, a
// constructor says so.
//
// A library that the program loads by itself may lie at another address on other nodes, even where everything else lies
// at the same. So from then on the runtime wants to know: in front of each call that loads a library, __skein_watch is
// set.
//
//===----------------------------------------------------------------------===//
#include "AddressChecks.h"
#include "AddressForms.h"
#include "PointerTypes.h"
#include "abi/stacks.h"
#include "passes/Diagnostics.h"
#include "passes/Passes.h"
#include "passes/ir/SameMoves.h"
#include "passes/private/PrivateVariables.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace skein {

/// Whether a pointer leads to a place far away from its object.
static bool leadsFarAway(const Constant &C, const DataLayout &DL) {
  APInt Offset(DL.getIndexTypeSizeInBits(C.getType()), 0);
  const auto *Object =
      dyn_cast<GlobalVariable>(C.stripAndAccumulateConstantOffsets(DL, Offset, /*AllowNonInbounds=*/true));
  const int64_t Bytes = Object && Object->getValueType()->isSized() ? DL.getTypeAllocSize(Object->getValueType()) : 0;
  return Offset.slt(-SKEIN_STACK_NEAR_BYTES) || Offset.sgt(Bytes + SKEIN_STACK_NEAR_BYTES);
}

static bool makesNumber(const Constant &C, const DataLayout &DL) {
  if (!isAddressConstant(&C) || isa<GlobalValue, BlockAddress>(C))
    return false;
  if (isPointer(C.getType()))
    return leadsFarAway(C, DL);
  return C.getType()->isIntegerTy() && coefficientIn(C) != 0;
}

static bool startsAsNumber(const GlobalVariable &G) {
  if (!G.hasInitializer() || isPrivate(G) || G.getName().starts_with("llvm.") || G.getSection().starts_with("skein_"))
    return false;
  SmallVector<const Constant *, 16> Work{G.getInitializer()};
  SmallPtrSet<const Constant *, 16> Seen;
  while (!Work.empty()) {
    const Constant *C = Work.pop_back_val();
    if (makesNumber(*C, G.getDataLayout()))
      return true;
    if (isa<ConstantAggregate>(C))
      for (const Value *Part : C->operand_values())
        if (Seen.insert(cast<Constant>(Part)).second)
          Work.push_back(cast<Constant>(Part));
  }
  return false;
}

static bool watchWhatIsLoaded(Module &M) {
  bool Any = false;
  for (const char *Name : {"dlopen", "dlmopen"})
    if (Function *Load = M.getFunction(Name); Load && Load->isDeclaration())
      for (User *U : Load->users())
        if (auto *Call = dyn_cast<CallBase>(U); Call && Call->getCalledOperand() == Load) {
          IRBuilder<> B(Call);
          watchAll(B);
          Any = true;
        }
  return Any;
}

/// Where a function may make numbers of addresses without a word (SameMoves.h); empty: none does.
static std::string untoldIn(Module &M) {
  for (Function &F : M)
    if (F.hasFnAttribute(UntoldAttribute)) {
      auto All = instructions(F);
      auto Placed = find_if(All, [](const Instruction &I) { return bool(I.getDebugLoc()); });
      return placeInFunction(Placed == All.end() ? *All.begin() : *Placed);
    }
  return "";
}

/// Code that tells the runtime of such functions before `End`, if there is a runtime: a program without one may load
/// the library that this is.
static void tellUntold(IRBuilder<> &B, Instruction &End, const std::string &Where) {
  FunctionCallee Tell = End.getModule()->getOrInsertFunction("__skein_numbers_untold", B.getVoidTy(), B.getPtrTy());
  cast<Function>(Tell.getCallee())->setLinkage(GlobalValue::ExternalWeakLinkage);
  B.SetInsertPoint(SplitBlockAndInsertIfThen(B.CreateIsNotNull(Tell.getCallee()), &End, /*Unreachable=*/false));
  B.CreateCall(Tell, B.CreateGlobalString("may have been made into a number" + Where + ", compiled with moves=same"))
      ->setDoesNotThrow();
  B.SetInsertPoint(&End);
}

PreservedAnalyses NumbersOfProgramPass::run(Module &M, ModuleAnalysisManager &) {
  const bool Loads = watchWhatIsLoaded(M);
  const auto First = find_if(M.globals(), startsAsNumber);
  const std::string Untold = untoldIn(M);
  if (First == M.global_end() && Untold.empty())
    return Loads ? PreservedAnalyses::none() : PreservedAnalyses::all();
  LLVMContext &C = M.getContext();
  auto *F = Function::Create(FunctionType::get(Type::getVoidTy(C), false), GlobalValue::InternalLinkage,
                             "skein.numbers_of_program", M);
  F->addFnAttr(Attribute::NoUnwind);
  IRBuilder<> B(BasicBlock::Create(C, "", F));
  Instruction *End = B.CreateRetVoid();
  B.SetInsertPoint(End);
  if (!Untold.empty())
    tellUntold(B, *End, Untold);
  if (First != M.global_end()) {
    B.SetInsertPoint(SplitBlockAndInsertIfThen(isProgramWatched(B), End, /*Unreachable=*/false));
    const std::string Name = First->hasName() ? First->getName().str() : "a table";
    const std::string How = "is kept as a number in `" + Name + "` (" + M.getSourceFileName() + ")";
    callEscapes(B, F, nullptr, B.CreateGlobalString(How));
  }
  appendToGlobalCtors(M, F, /*Priority=*/65535);
  return PreservedAnalyses::none();
}

} // namespace skein
