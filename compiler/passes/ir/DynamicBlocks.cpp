//===- DynamicBlocks.cpp -----------------------------------------------------===//
//
// An alloca that is executed more than once, or on some paths only, makes any number of blocks. Those that can hold
// pointers start with a header and form a chain, one for each such instruction of the function, newest block first:
//
//        head (static)          newest block                     older block
//        +----------+           +----------+----------+-----+    +----------+----------+-----+
//        |    o-----+---------> | previous |  bytes   | ... |    |   null   |  bytes   | ... |
//        +----------+           +----o-----+----------+-----+    +----------+----------+-----+
//                                    |                           ^            addresses grow ->
//                                    +---------------------------+
//
// `bytes` counts the header. What the program gets is the address behind it, and the layout is the instruction's own,
// so the map names it once for the whole chain (SKEIN_LOCAL_DYNAMIC_*). Invariant: at each call the chain leads through
// the blocks that exist, and no others, by ascending addresses.
//
//   * An alloca pushes its block. The head is null when the function begins.
//   * A block ceases to exist when the stack pointer rises above it. This happens at a stackrestore, before which all
//     blocks below the new stack pointer are popped (in a loop, since one restore frees the blocks of many turns), and
//     where setjmp returns for the second time. There the freed blocks must not be read, since the runtime has written
//     over them. So the head is saved before the call and restored after it. If the saved head is of a later turn than
//     the jump (one call of setjmp, several buffers), its block is gone, and the head is set to an address that no
//     block has, at which the walk refuses to go on.
//   * When the function itself returns, all its blocks cease to exist.
//
// Heads are volatile: only the runtime and the pops read them.
//
// Rejected: a descriptor {base, bytes} for each instruction, which names only one block and pinned every loop; popping
// to the head saved at the stacksave that belongs to a restore, since that stacksave need not be known
// (__builtin_stack_restore); never popping, and skipping blocks below the stack pointer, since what lies there is
// overwritten, links included.
//
//===----------------------------------------------------------------------===//
#include "DynamicBlocks.h"
#include "HomeSlots.h"
#include "JumpLowering.h"
#include "LocalLayouts.h"
#include "abi/frame_map.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace skein {

static constexpr uint64_t HeaderSize = 16;

static AllocaInst *createHead(Function &F) {
  IRBuilder<> Entry(&F.getEntryBlock(), F.getEntryBlock().begin());
  AllocaInst *Head = Entry.CreateAlloca(Entry.getPtrTy(), nullptr, "skein.blocks");
  BasicBlock::iterator Start = F.getEntryBlock().getFirstInsertionPt();
  while (isa<AllocaInst>(*Start) && cast<AllocaInst>(*Start).isStaticAlloca())
    ++Start;
  IRBuilder<>(Start->getParent(), Start)
      .CreateStore(ConstantPointerNull::get(Entry.getPtrTy()), Head, /*isVolatile=*/true);
  return Head;
}

/// Gives the block room for its header and pushes it. With `Clear` it also fills the block with zeros. Returns the
/// distance of the program's bytes from the start of the block.
static uint64_t addHeader(AllocaInst &Alloca, AllocaInst &Head, bool Clear) {
  const DataLayout &DL = Alloca.getDataLayout();
  IRBuilder<> B(&Alloca);
  Type *Word = B.getInt64Ty();
  Align Alignment = std::max(Alloca.getAlign(), Align(HeaderSize));
  uint64_t Distance = Alignment.value();
  Value *Count = B.CreateZExtOrTrunc(Alloca.getArraySize(), Word);
  Value *Bytes = B.CreateAdd(
      B.CreateMul(Count, ConstantInt::get(Word, DL.getTypeAllocSize(Alloca.getAllocatedType()).getFixedValue())),
      ConstantInt::get(Word, Distance));
  AllocaInst *Block = B.CreateAlloca(B.getInt8Ty(), Bytes, Alloca.getName() + ".block");
  Block->setAlignment(Alignment);
  B.CreateStore(B.CreateLoad(B.getPtrTy(), &Head, /*isVolatile=*/true), Block, /*isVolatile=*/true);
  B.CreateStore(Bytes, B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Block, 8), /*isVolatile=*/true);
  B.CreateStore(Block, &Head, /*isVolatile=*/true);
  Value *Content = B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Block, Distance);
  if (Clear) // else what other functions left there would refuse moves
    B.CreateMemSet(Content, B.getInt8(0), B.CreateSub(Bytes, ConstantInt::get(Word, Distance)), Align(HeaderSize));
  Content->takeName(&Alloca);
  Alloca.replaceAllUsesWith(Content);
  Alloca.eraseFromParent();
  return Distance;
}

/// Before `At`: while (head && head < top) head = head->previous.
static void pop(AllocaInst &Head, Value &Top, Instruction &At) {
  BasicBlock *Before = At.getParent();
  BasicBlock *After = SplitBlock(Before, At.getIterator(), static_cast<DominatorTree *>(nullptr));
  Function &F = *Before->getParent();
  BasicBlock *Test = BasicBlock::Create(F.getContext(), "skein.pop", &F, After);
  BasicBlock *Step = BasicBlock::Create(F.getContext(), "skein.pop.step", &F, After);
  Before->getTerminator()->setSuccessor(0, Test);
  IRBuilder<> B(Test);
  B.SetCurrentDebugLocation(At.getDebugLoc());
  Value *Newest = B.CreateLoad(B.getPtrTy(), &Head, /*isVolatile=*/true);
  Value *Freed = B.CreateAnd(B.CreateIsNotNull(Newest), B.CreateICmpULT(Newest, &Top));
  B.CreateCondBr(Freed, Step, After);
  B.SetInsertPoint(Step);
  B.CreateStore(B.CreateLoad(B.getPtrTy(), Newest, /*isVolatile=*/true), &Head, /*isVolatile=*/true);
  B.CreateBr(Test);
}

/// Restores the head after a call that returns twice to what it was before the call. Returns the slot where it is
/// saved.
static AllocaInst *saveHeadAcross(CallInst &Call, AllocaInst &Head) {
  AllocaInst *Saved = createHead(*Call.getFunction());
  IRBuilder<> Before(&Call);
  Before.CreateStore(Before.CreateLoad(Before.getPtrTy(), &Head, /*isVolatile=*/true), Saved, /*isVolatile=*/true);
  IRBuilder<> B(Call.getNextNode());
  Value *Top = B.CreateStackSave();
  Value *Newest = B.CreateLoad(B.getPtrTy(), Saved, /*isVolatile=*/true);
  Value *Gone = B.CreateAnd(B.CreateIsNotNull(Newest), B.CreateICmpULT(Newest, Top));
  Value *Nowhere = ConstantExpr::getIntToPtr(ConstantInt::getAllOnesValue(B.getInt64Ty()), B.getPtrTy());
  B.CreateStore(B.CreateSelect(Gone, Nowhere, Newest), &Head, /*isVolatile=*/true);
  return Saved;
}

/// Inserts what is needed where blocks cease to exist although the function goes on. Returns the slots of more pointers
/// that are live at all calls.
static SmallVector<AllocaInst *, 4> popFreed(Function &F, ArrayRef<AllocaInst *> Heads) {
  SmallVector<AllocaInst *, 4> SavedHeads;
  SmallVector<IntrinsicInst *, 4> Restores;
  SmallVector<CallInst *, 2> Returns;
  for (Instruction &I : instructions(F)) {
    auto *Intrinsic = dyn_cast<IntrinsicInst>(&I);
    if (Intrinsic && Intrinsic->getIntrinsicID() == Intrinsic::stackrestore)
      Restores.push_back(Intrinsic);
    else if (auto *Call = dyn_cast<CallInst>(&I);
             Call && (Call->hasFnAttr(Attribute::ReturnsTwice) || isJumpTarget(*Call)))
      Returns.push_back(Call);
  }
  for (IntrinsicInst *Restore : Restores)
    for (AllocaInst *Head : Heads)
      pop(*Head, *Restore->getArgOperand(0), *Restore);
  for (CallInst *Call : Returns)
    for (AllocaInst *Head : Heads)
      SavedHeads.push_back(saveHeadAcross(*Call, *Head));
  return SavedHeads;
}

void chainDynamicBlocks(Function &F, ArrayRef<CallBase *> Calls, const AddressIntegers &Addresses, LocalTable &Locals) {
  SmallVector<AllocaInst *, 4> Dynamic;
  for (Instruction &I : instructions(F))
    if (auto *Alloca = dyn_cast<AllocaInst>(&I); Alloca && !Alloca->isStaticAlloca())
      Dynamic.push_back(Alloca);
  SmallVector<AllocaInst *, 4> Heads;
  for (AllocaInst *Alloca : Dynamic) {
    SmallVector<WordGroup, 2> Content = inferDynamicLayout(*Alloca, Addresses);
    if (Content.empty())
      continue;
    AllocaInst *Head = createHead(F);
    Heads.push_back(Head);
    bool Ambiguous = any_of(Content, [](const WordGroup &G) { return G.Kind == SKEIN_LOCAL_DYNAMIC_AMBIGUOUS; });
    uint64_t Distance = addHeader(*Alloca, *Head, Ambiguous);
    SmallVector<WordGroup, 4> Groups{{SKEIN_LOCAL_POINTER, 0, 8, 1}};
    for (WordGroup &G : Content) {
      G.Count += Distance;
      Groups.push_back(G);
    }
    // The links themselves come last: the walk follows them for each group, and a move changes the words of this group.
    Groups.push_back({SKEIN_LOCAL_DYNAMIC_POINTER, 0, 0, 0});
    unsigned Index = Locals.add(*Head, Groups);
    for (CallBase *Call : Calls)
      Locals.listAt(*Call, Index);
  }
  if (Heads.empty())
    return;
  // Popping splits blocks. An alloca that is static now is so only as long as it stands in the first block.
  SmallVector<AllocaInst *, 16> Static;
  for (Instruction &I : F.getEntryBlock())
    if (auto *Alloca = dyn_cast<AllocaInst>(&I); Alloca && Alloca->isStaticAlloca())
      Static.push_back(Alloca);
  for (AllocaInst *Alloca : reverse(Static))
    Alloca->moveBefore(F.getEntryBlock().getFirstInsertionPt());
  for (AllocaInst *Saved : popFreed(F, Heads)) {
    unsigned Index = Locals.add(*Saved, {{SKEIN_LOCAL_POINTER, 0, 8, 1}});
    for (CallBase *Call : Calls)
      Locals.listAt(*Call, Index);
  }
}

} // namespace skein
