//===- GlobalMaps.cpp --------------------------------------------------------===//
//
// A process global does not move with a thread. If it holds an address of the thread's stack when the thread leaves,
// that address dangles for everyone who follows it later. So each mutable global that can hold a pointer gets a
// skein_global_map, and the runtime looks through them before a move and refuses it by the global's name.
//
// Integers are not searched: an integer that looks like an address is an integer. Byte buffers are, up to a size at
// which they are tables rather than storage for something else.
//
// A record leads to its global by a 32-bit distance. To an exported variable of position-independent code there is
// none: the program may define it too, or have a copy of it. There the record leads to the global's slot in the global
// offset table, which the dynamic linker fills with the address that all modules use.
//
//===----------------------------------------------------------------------===//
#include "GlobalMaps.h"
#include "abi/frame_map.h"
#include "passes/Annotations.h"
#include "passes/addresses/AddressIntegers.h"
#include "passes/addresses/PointerTypes.h"
#include "passes/private/PrivateVariables.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace skein {

static constexpr uint64_t UntypedLimit = 64 << 10;

static bool canHoldPointers(const GlobalVariable &G, const DataLayout &DL, bool KeepsAddresses) {
  if (G.isDeclaration() || G.isConstant() || G.getAddressSpace() != 0 || G.hasAvailableExternallyLinkage() ||
      G.hasAttribute(PrivateAttribute) || G.hasAttribute(PrivateAddressAttribute) || G.getName().starts_with("llvm.") ||
      G.getSection().starts_with("skein_") || G.getSection() == "llvm.metadata")
    return false;
  Type *T = G.getValueType();
  uint64_t Size = DL.getTypeAllocSize(T).getFixedValue();
  if (Size < 8)
    return false;
  if (containsPointer(T))
    return true;
  if (KeepsAddresses && Size <= UntypedLimit)
    return true;
  SmallVector<WordGroup, 4> Groups;
  return !appendWordGroups(T, 0, DL, Groups) || (!Groups.empty() && Size <= UntypedLimit);
}

/// target - field, where field is element `Index` of `Record`.
static Constant *difference(GlobalVariable &Record, Type *Layout, unsigned Index, Constant *Target) {
  LLVMContext &C = Record.getContext();
  Type *Word = Type::getInt64Ty(C);
  Constant *Field = ConstantExpr::getGetElementPtr(
      Layout, &Record,
      ArrayRef<Constant *>{ConstantInt::get(Type::getInt32Ty(C), 0), ConstantInt::get(Type::getInt32Ty(C), Index)});
  return ConstantExpr::getTrunc(
      ConstantExpr::getSub(ConstantExpr::getPtrToInt(Target, Word), ConstantExpr::getPtrToInt(Field, Word)),
      Type::getInt32Ty(C));
}

/// A function that returns the calling kernel thread's copy of `G`.
static Function *createAccessor(Module &M, GlobalVariable &G) {
  LLVMContext &C = M.getContext();
  auto *F = Function::Create(FunctionType::get(PointerType::get(C, 0), false), GlobalValue::PrivateLinkage,
                             "skein.thread_local." + G.getName(), M);
  F->addFnAttr(Attribute::NoUnwind);
  F->addFnAttr(NoMigrateAttribute);
  IRBuilder<> B(BasicBlock::Create(C, "", F));
  B.CreateRet(B.CreateThreadLocalAddress(&G));
  return F;
}

/// A constant with the address of `G`. Code generation puts the slot that the global offset table has for `G` in its
/// place, where a record takes the distance to it.
static GlobalVariable *createSlot(Module &M, GlobalVariable &G) {
  auto *Slot = new GlobalVariable(M, G.getType(), true, GlobalValue::PrivateLinkage, &G, "skein.global.slot");
  Slot->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
  return Slot;
}

PreservedAnalyses GlobalMapsPass::run(Module &M, ModuleAnalysisManager &) {
  const DataLayout &DL = M.getDataLayout();
  LLVMContext &C = M.getContext();
  SmallVector<GlobalVariable *, 16> Found;
  bool KeepsAddresses = any_of(M, [](const Function &F) { return F.hasFnAttribute(AddressIntegersAttribute); });
  for (GlobalVariable &G : M.globals())
    if (canHoldPointers(G, DL, KeepsAddresses))
      Found.push_back(&G);
  Type *Half = Type::getInt32Ty(C), *Word = Type::getInt64Ty(C);
  StructType *Layout = StructType::get(Half, Half, Word);
  SmallVector<GlobalValue *, 16> Records;
  for (GlobalVariable *G : Found) {
    Constant *Text = ConstantDataArray::getString(C, G->getName());
    auto *Name = new GlobalVariable(M, Text->getType(), true, GlobalValue::PrivateLinkage, Text, "skein.global.name");
    Name->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
    auto *Record = new GlobalVariable(M, Layout, true, GlobalValue::PrivateLinkage, nullptr, "skein.global");
    Constant *Address = G;
    uint64_t Size = DL.getTypeAllocSize(G->getValueType()).getFixedValue();
    if (G->isThreadLocal()) {
      Address = createAccessor(M, *G);
      Size |= SKEIN_GLOBAL_THREAD_LOCAL;
    } else if (!G->isDSOLocal()) { // another module's definition may be the one that is used
      Address = createSlot(M, *G);
      Size |= SKEIN_GLOBAL_INDIRECT;
    }
    Record->setInitializer(
        ConstantStruct::get(Layout, {difference(*Record, Layout, 0, Address), difference(*Record, Layout, 1, Name),
                                     ConstantInt::get(Word, Size)}));
    Record->setSection(SKEIN_GLOBALS_SECTION);
    Record->setAlignment(Align(8));
    // The record lives and dies with its global, also under --gc-sections.
    Record->setMetadata(LLVMContext::MD_associated, MDNode::get(C, ValueAsMetadata::get(G)));
    if (Comdat *Group = G->getComdat())
      Record->setComdat(Group);
    Records.push_back(Record);
  }
  if (Records.empty())
    return PreservedAnalyses::all();
  appendToCompilerUsed(M, Records);
  return PreservedAnalyses::none();
}

} // namespace skein
