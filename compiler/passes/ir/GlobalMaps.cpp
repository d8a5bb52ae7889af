//===- GlobalMaps.cpp --------------------------------------------------------===//
//
// A process global does not move with a thread. If it holds an address of the thread's stack when the thread leaves,
// code that follows the address later finds another thread's data. So each mutable global that can hold a pointer gets
// a skein_global_map. The runtime searches these globals before a move, and refuses it with the name of the global.
//
// Globals of numbers are not searched, since an integer that looks like an address is an integer. Byte buffers and
// unions of any size are searched, and so are numbers to which this module writes pointers or words of unknown kind, as
// memcpy does. What is stored in a global of another module is reported to the runtime where it is stored
// (EscapingAddresses.cpp).
//
// A record leads to its global by a 32-bit distance. Position-independent code has no such distance to an exported
// variable, which the program may define too, or have a copy of. Then the record leads to the slot of the global in the
// global offset table, which the dynamic linker fills with the address that all modules use.
//
//===----------------------------------------------------------------------===//
#include "GlobalMaps.h"
#include "abi/frame_map.h"
#include "passes/Annotations.h"
#include "passes/Passes.h"
#include "passes/RuntimeRecords.h"
#include "passes/addresses/AddressIntegers.h"
#include "passes/addresses/PointerTypes.h"
#include "passes/addresses/WordEvidence.h"
#include "passes/private/PrivateVariables.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Instrumentation.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace skein {

bool holdsNumbersOnly(const GlobalVariable &G) {
  SmallVector<WordGroup, 4> Groups;
  return appendWordGroups(G.getValueType(), 0, G.getDataLayout(), Groups) && Groups.empty();
}

/// Whether a global stays where it is when a thread leaves, can change, and has room for an address.
static bool isSearchable(const GlobalVariable &G) {
  return !G.isDeclaration() && !G.isConstant() && G.getAddressSpace() == 0 && !G.hasAvailableExternallyLinkage() &&
         !G.hasAttribute(PrivateAttribute) && !G.hasAttribute(PrivateAddressAttribute) &&
         !G.getName().starts_with("llvm.") && !G.getSection().starts_with("skein_") &&
         G.getSection() != "llvm.metadata" && G.getDataLayout().getTypeAllocSize(G.getValueType()).getFixedValue() >= 8;
}

namespace {

/// Something that may be an address is written to a global of numbers. If it was read from another global, that holds
/// only if this other global may hold an address.
struct Write {
  GlobalVariable *To;
  const GlobalVariable *From;
};

class Writes {
public:
  explicit Writes(Module &M) {
    for (Function &F : M)
      for (Instruction &I : instructions(F))
        look(I);
  }
  ArrayRef<Write> all() const { return All; }

private:
  void look(Instruction &I) {
    if (auto *Store = dyn_cast<StoreInst>(&I))
      lookAtWord(*Store->getValueOperand(), *Store->getPointerOperand());
    else if (isa<AtomicRMWInst, AtomicCmpXchgInst>(I))
      lookAtWord(*I.getOperand(isa<AtomicRMWInst>(I) ? 1 : 2), *I.getOperand(0));
    else if (auto *Copy = dyn_cast<MemTransferInst>(&I))
      lookAtCopy(*Copy);
    else if (auto *Call = dyn_cast<IntrinsicInst>(&I); Call && Call->mayWriteToMemory() && !isa<MemSetInst>(Call))
      for (const Value *Place : Call->args()) // a masked or expanding store
        for (const Value *Word : Call->args())
          if (Place->getType()->isPointerTy() && Word->getType()->isVectorTy())
            lookAtWord(*Word, *Place);
  }

  void lookAtWord(const Value &Word, const Value &Place) {
    if (isa<Constant>(Word) || !(containsPointer(Word.getType()) || isUnknownWord(&Word)))
      return;
    const auto *Load = dyn_cast<LoadInst>(&Word);
    add(Place, containsPointer(Word.getType()) || !Load ? nullptr : Load->getPointerOperand());
  }

  void lookAtCopy(const MemTransferInst &Copy) {
    const auto *Length = dyn_cast<ConstantInt>(Copy.getLength());
    if ((Length && Length->getZExtValue() < 8) || Copy.hasMetadata(LLVMContext::MD_tbaa_struct))
      return;
    add(*Copy.getRawDest(), Copy.getRawSource());
  }

  void add(const Value &Place, const Value *Source) {
    const auto *From = Source ? dyn_cast<GlobalVariable>(getUnderlyingObject(Source, 0)) : nullptr;
    SmallVector<const Value *, 4> Objects;
    getUnderlyingObjects(&Place, Objects);
    for (const Value *Object : Objects)
      if (const auto *G = dyn_cast<GlobalVariable>(Object); G && isSearchable(*G) && holdsNumbersOnly(*G))
        All.push_back({const_cast<GlobalVariable *>(G), From});
  }

  SmallVector<Write, 16> All;
};

} // namespace

static SmallSetVector<GlobalVariable *, 16> findSearched(Module &M) {
  SmallSetVector<GlobalVariable *, 16> Found;
  const bool KeepsAddresses = any_of(M, [](const Function &F) { return F.hasFnAttribute(AddressIntegersAttribute); });
  for (GlobalVariable &G : M.globals())
    if (isSearchable(G) && (KeepsAddresses || !holdsNumbersOnly(G) || isNumberOfOthers(&G)))
      Found.insert(&G);
  const Writes Of(M);
  auto MayHoldAddress = [&](const GlobalVariable &From) {
    return Found.contains(const_cast<GlobalVariable *>(&From)) || (From.isDeclaration() && !holdsNumbersOnly(From));
  };
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (const Write &W : Of.all())
      if (!W.From || MayHoldAddress(*W.From))
        Changed |= Found.insert(W.To);
  }
  return Found;
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
  Type *Half = Type::getInt32Ty(C), *Word = Type::getInt64Ty(C);
  StructType *Layout = StructType::get(Half, Half, Word);
  SmallVector<GlobalValue *, 16> Records;
  for (GlobalVariable *G : findSearched(M)) {
    Constant *Address = G;
    uint64_t Size = DL.getTypeAllocSize(G->getValueType()).getFixedValue();
    if (G->isThreadLocal()) {
      Address = createAccessor(M, *G);
      Size |= SKEIN_GLOBAL_THREAD_LOCAL;
    } else if (!G->isDSOLocal()) { // the definition of another module may be the one in use
      Address = createSlot(M, *G);
      Size |= SKEIN_GLOBAL_INDIRECT;
    }
    GlobalVariable &Record = createRecord(M, Layout, "skein.global", SKEIN_GLOBALS_SECTION);
    auto *Name = createPrivateGlobalForString(M, G->getName(), /*AllowMerging=*/true, "skein.global.name");
    Record.setInitializer(ConstantStruct::get(
        Layout, {distanceTo(Address, Record, 0), distanceTo(Name, Record, 1), ConstantInt::get(Word, Size)}));
    attachRecord(Record, *G);
    Records.push_back(&Record);
  }
  if (Records.empty())
    return PreservedAnalyses::all();
  appendToCompilerUsed(M, Records);
  return PreservedAnalyses::none();
}

} // namespace skein
