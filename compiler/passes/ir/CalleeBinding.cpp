//===- CalleeBinding.cpp - Which functions may be called directly ----------===//
//
// On a growable stack, a function of another unit may be called directly only if it looks for room itself, which the
// mark in front of it says (GrowableStacks.cpp). The mark of a function does not change while a program runs, so it is
// looked at once, as a dynamic linker binds a function at its first call. For each such function `f` this pass adds:
//
//     __skein_callee.f:  .quad __skein_bind.f, f         the cell
//     __skein_bind.f:    lea __skein_callee.f(%rip), %r11
//                        jmp *__skein_bind@GOTPCREL(%rip)
//
// and the back end calls through the cell's first word (`foreign-calls`): call *__skein_callee.f(%rip), which takes no
// instruction more than a call of `f`. The runtime (arch/x86_64/deep.S) writes the address of `f` into that word when
// it has found the mark. A foreign function is not entered there: each call of it looks at the mark again, and goes to
// the deep stack. Calls with arguments in memory have cells of their own (`__skein_callee_memory.f`), since only those
// tell the runtime in r10 how many bytes to copy.
//
// The cell holds f's address as the linker and the loader resolve it for this unit. So wrapped, interposed and weak
// functions are the right ones. Cells and their code belong to the unit: if units shared those of one name, two
// functions of that name (static ones, or what objcopy has made local) would be taken for each other. They are data of
// the process: no thread takes them along, and no variable of the program is laid out with them.
//
// Runs after pointer homing, which says what calls have sites; a call of a declared function without one is a call of
// the C library or of one that was declared not to migrate, which the back end treats as foreign or calls by its mark.
//
//===----------------------------------------------------------------------===//
#include "CalleeBinding.h"
#include "GrowableStacks.h"
#include "passes/Annotations.h"
#include "passes/Passes.h"
#include "llvm/ADT/PointerIntPair.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace skein {

static std::string nameFor(StringRef What, const Function &Callee, Passing How) {
  const StringRef Name = GlobalValue::dropLLVMManglingEscape(Callee.getName());
  return (What + (How == Passing::Memory ? "_memory." : ".") + Name).str();
}

static std::string cellName(const Function &Callee, Passing How) { return nameFor("__skein_callee", Callee, How); }

const GlobalVariable *calleeCell(const Function &Callee, Passing How) {
  return Callee.getParent()->getNamedGlobal(cellName(Callee, How));
}

/// The code to which the cell leads at first.
static Function &bindingCode(Function &Callee, Passing How, Constant &Cell) {
  Module &M = *Callee.getParent();
  LLVMContext &C = M.getContext();
  auto *NoArguments = FunctionType::get(Type::getVoidTy(C), false);
  Function &Code =
      *Function::Create(NoArguments, GlobalValue::InternalLinkage, nameFor("__skein_bind", Callee, How), M);
  for (Attribute::AttrKind Kind : {Attribute::Naked, Attribute::NoInline, Attribute::NoUnwind, Attribute::Cold})
    Code.addFnAttr(Kind);
  IRBuilder<> B(BasicBlock::Create(C, "", &Code));
  const char *Runtime = How == Passing::Memory ? "__skein_bind_memory" : "__skein_bind";
  const std::string Text = formatv("leaq ${{0:c}(%rip), %r11\n\tjmpq *{0}@GOTPCREL(%rip)", Runtime);
  auto *Type = FunctionType::get(B.getVoidTy(), {B.getPtrTy()}, false);
  B.CreateCall(InlineAsm::get(Type, Text, "i", /*hasSideEffects=*/true), {&Cell});
  B.CreateUnreachable();
  return Code;
}

static void addCell(Function &Callee, Passing How) {
  if (calleeCell(Callee, How))
    return;
  Module &M = *Callee.getParent();
  auto *Pointer = PointerType::getUnqual(M.getContext());
  auto *Words = ArrayType::get(Pointer, 2);
  auto &Cell =
      *new GlobalVariable(M, Words, /*isConstant=*/false, GlobalValue::InternalLinkage, nullptr, cellName(Callee, How));
  Cell.setAlignment(Align(8));
  Function &Code = bindingCode(Callee, How, Cell);
  Cell.setInitializer(ConstantArray::get(Words, {&Code, &Callee}));
  appendToCompilerUsed(M, {&Cell}); // no code of this representation refers to it
}

PreservedAnalyses CalleeBindingPass::run(Module &M, ModuleAnalysisManager &) {
  SetVector<PointerIntPair<Function *, 1, Passing>> Bound;
  for (Function &F : M) {
    if (!growsStack(F) || F.isDeclaration() || F.hasAvailableExternallyLinkage() || F.hasFnAttribute(Attribute::Naked))
      continue;
    for (Instruction &I : instructions(F)) {
      const auto *Call = dyn_cast<CallBase>(&I);
      Function *Callee = Call ? Call->getCalledFunction() : nullptr;
      if (!Callee || Callee->isIntrinsic() || isCertainlyGrowable(*Callee) ||
          Callee->hasFnAttribute(Attribute::ReturnsTwice))
        continue;
      if (hasSiteInfo(*Call) || !Callee->isDeclarationForLinker())
        Bound.insert({Callee, mayPassInMemory(*Call) ? Passing::Memory : Passing::Registers});
    }
  }
  for (const auto &One : Bound)
    addCell(*One.getPointer(), One.getInt());
  return Bound.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

} // namespace skein
