//===- FrameObjects.cpp - Which stack object is which ----------------------===//
#include "FrameObjects.h"
#include "MachineAddresses.h"
#include "llvm/CodeGen/MachineFrameInfo.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/TargetFrameLowering.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace skein {

FrameObjects::FrameObjects(const MachineFunction &Function) : Function(Function) {
  findLocals();
  findElidedCopies();
  findSaveArea();
}

void FrameObjects::findLocals() {
  const MachineFrameInfo &MFI = Function.getFrameInfo();
  DenseMap<const AllocaInst *, int> Objects;
  for (int FI = 0; FI < MFI.getObjectIndexEnd(); ++FI)
    if (const AllocaInst *Alloca = MFI.getObjectAllocation(FI);
        Alloca && !MFI.isDeadObjectIndex(FI) && !MFI.isVariableSizedObjectIndex(FI))
      Objects[Alloca] = FI;
  for (const BasicBlock &Block : Function.getFunction())
    for (const Instruction &I : Block) {
      const auto *Alloca = dyn_cast<AllocaInst>(&I);
      if (!Alloca)
        continue;
      std::optional<LocalLayout> Layout = getLocalLayout(*Alloca);
      if (!Layout)
        continue;
      Local &L = Locals[Layout->Index];
      L.Groups = Layout->Groups;
      L.Alloca = Alloca;
      auto Found = Objects.find(Alloca);
      if (Found == Objects.end()) {
        L.Lost = true; // findElidedCopies may still find it
        continue;
      }
      L.FrameIndex = Found->second;
      Mapped[Found->second] = Layout->Index;
    }
}

/// The argument into whose memory `Alloca` may have been moved: the one that the entry block stores there first.
static const Argument *firstArgumentStored(const AllocaInst &Alloca) {
  for (const Instruction &I : Alloca.getFunction()->getEntryBlock())
    if (const auto *Store = dyn_cast<StoreInst>(&I))
      if (Store->getPointerOperand() == &Alloca)
        return dyn_cast<Argument>(Store->getValueOperand());
  return nullptr;
}

void FrameObjects::findElidedCopies() {
  const MachineFrameInfo &MFI = Function.getFrameInfo();
  DenseMap<const Argument *, const AllocaInst *> Elided;
  for (int FI = 0; FI < MFI.getObjectIndexEnd(); ++FI)
    if (const AllocaInst *Alloca = MFI.getObjectAllocation(FI); Alloca && MFI.isDeadObjectIndex(FI))
      if (const Argument *Stored = firstArgumentStored(*Alloca))
        Elided[Stored] = Alloca;
  if (Elided.empty())
    return;

  SmallVector<int, 8> Incoming;
  for (int FI = MFI.getObjectIndexBegin(); FI < 0; ++FI)
    if (!MFI.isDeadObjectIndex(FI) && MFI.getObjectOffset(FI) >= 0 && !MFI.isImmutableObjectIndex(FI) &&
        MFI.isAliasedObjectIndex(FI) && !MFI.isSpillSlotObjectIndex(FI))
      Incoming.push_back(FI);
  sort(Incoming, [&](int A, int B) { return MFI.getObjectOffset(A) < MFI.getObjectOffset(B); });

  SmallVector<const AllocaInst *, 8> Expected; // null: a byval argument, which has memory of its own
  for (const Argument &A : Function.getFunction().args()) {
    if (A.hasByValAttr())
      Expected.push_back(nullptr);
    else if (const AllocaInst *Alloca = Elided.lookup(&A))
      Expected.push_back(Alloca);
  }
  if (Expected.size() != Incoming.size())
    return;
  for (auto [Alloca, FI] : zip(Expected, Incoming)) {
    std::optional<LocalLayout> Layout;
    if (Alloca)
      Layout = getLocalLayout(*Alloca);
    if (!Layout)
      continue;
    Local &L = Locals[Layout->Index];
    L.Lost = false;
    L.FrameIndex = FI;
    Mapped[FI] = Layout->Index;
  }
}

void FrameObjects::addMachineHomes(const SiteInfo &Site) {
  for (unsigned Index : Site.Locals)
    if (Index >= MachineHomeBase) {
      const int FI = int(Index - MachineHomeBase);
      Locals[Index] = {FI, /*Lost=*/false, /*Alloca=*/nullptr, {WordGroup{}}};
      Mapped[FI] = Index;
    }
}

// The save area: the argument lowering of X86 creates it as the first object that has no alloca. It holds six general
// registers and, unless the function may not use them, eight vector registers.
void FrameObjects::findSaveArea() {
  const MachineFrameInfo &MFI = Function.getFrameInfo();
  if (!Function.getFunction().isVarArg() || !MFI.hasVAStart())
    return;
  constexpr uint64_t General = 6 * 8, Vector = 8 * 16;
  for (int FI = 0; FI < MFI.getObjectIndexEnd(); ++FI) {
    if (MFI.getObjectAllocation(FI) || MFI.isSpillSlotObjectIndex(FI) || MFI.isDeadObjectIndex(FI))
      continue;
    uint64_t Size = MFI.getObjectSize(FI);
    if (Size == General || Size == General + Vector) {
      SaveArea = FI;
      return;
    }
  }
  LostSaveArea = true;
}

const FrameObjects::Local *FrameObjects::local(unsigned Index) const {
  auto Found = Locals.find(Index);
  return Found == Locals.end() ? nullptr : &Found->second;
}

std::optional<unsigned> FrameObjects::mappedLocal(int FrameIndex) const {
  auto Found = Mapped.find(FrameIndex);
  return Found == Mapped.end() ? std::nullopt : std::optional(Found->second);
}

bool FrameObjects::isScratch(int FrameIndex) const {
  const MachineFrameInfo &MFI = Function.getFrameInfo();
  return FrameIndex >= 0 && !MFI.getObjectAllocation(FrameIndex) && !Mapped.contains(FrameIndex) &&
         FrameIndex != SaveArea;
}

FrameAddress frameAddressOf(const MachineFunction &Function, int FrameIndex) {
  const TargetFrameLowering &TFI = *Function.getSubtarget().getFrameLowering();
  const MachineFrameInfo &MFI = Function.getFrameInfo();
  const MachineRegisters &Registers = MachineRegisters::of(Function);
  Register Base;
  int64_t Offset = TFI.getFrameIndexReference(Function, FrameIndex, Base).getFixed();
  if (Base == Registers.RBX)
    return {FrameAddress::BP, Offset};
  // In a realigned frame the distance between the stack pointer and the CFA is only known at run time.
  if (Base == Registers.RSP && TFI.hasFP(Function))
    return {FrameAddress::SP, Offset};
  return {FrameAddress::CFA, MFI.getObjectOffset(FrameIndex)};
}

} // namespace skein
