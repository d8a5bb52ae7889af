//===- Annotations.cpp - Encoding of the metadata between IR and MIR passes -===//
#include "Annotations.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineInstr.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Metadata.h"

using namespace llvm;

namespace skein {

bool hasMappableConvention(const Function &F) {
  switch (F.getCallingConv()) {
  case CallingConv::C:
  case CallingConv::Fast:
  case CallingConv::Cold:
  case CallingConv::PreserveMost: // what it saves beyond them holds no address: no register does at a site
  case CallingConv::X86_64_SysV:
    return true;
  default:
    return false;
  }
}

static constexpr const char *LocalKind = "skein.local";
static constexpr const char *SiteTag = "skein.site";

static Metadata *integer(LLVMContext &C, int64_t Value) {
  return ConstantAsMetadata::get(ConstantInt::get(Type::getInt64Ty(C), Value, true));
}

static int64_t integerAt(const MDNode &Node, unsigned I) {
  return mdconst::extract<ConstantInt>(Node.getOperand(I))->getSExtValue();
}

void setLocalLayout(AllocaInst &Alloca, const LocalLayout &Layout) {
  LLVMContext &C = Alloca.getContext();
  SmallVector<Metadata *, 8> Fields{integer(C, Layout.Index)};
  for (const WordGroup &G : Layout.Groups)
    for (int64_t Field : {int64_t(G.Kind), G.Offset, G.Stride, G.Count})
      Fields.push_back(integer(C, Field));
  Alloca.setMetadata(LocalKind, MDNode::get(C, Fields));
}

std::optional<LocalLayout> getLocalLayout(const AllocaInst &Alloca) {
  const MDNode *Node = Alloca.getMetadata(LocalKind);
  if (!Node)
    return std::nullopt;
  LocalLayout Layout;
  Layout.Index = integerAt(*Node, 0);
  for (unsigned I = 1; I + 3 < Node->getNumOperands(); I += 4)
    Layout.Groups.push_back(
        {unsigned(integerAt(*Node, I)), integerAt(*Node, I + 1), integerAt(*Node, I + 2), integerAt(*Node, I + 3)});
  return Layout;
}

static MDNode *encode(LLVMContext &C, const SiteInfo &Site) {
  SmallVector<Metadata *, 4> Outgoing;
  for (int64_t Offset : Site.Outgoing)
    Outgoing.push_back(integer(C, Offset));
  SmallVector<Metadata *, 8> Locals;
  for (unsigned Index : Site.Locals)
    Locals.push_back(integer(C, Index));
  return MDNode::get(C, {MDString::get(C, SiteTag), integer(C, Site.Pin), integer(C, Site.VaPointers),
                         integer(C, unsigned(Site.Result)), MDNode::get(C, Outgoing), MDNode::get(C, Locals)});
}

void setSiteInfo(CallBase &Call, const SiteInfo &Site) {
  Call.setMetadata("heapallocsite", encode(Call.getContext(), Site));
}

void setSiteInfo(MachineFunction &Function, MachineInstr &Call, const SiteInfo &Site) {
  Call.setHeapAllocMarker(Function, encode(Function.getFunction().getContext(), Site));
}

static bool isSite(const MDNode *Node) {
  if (!Node || Node->getNumOperands() != 6)
    return false;
  const auto *Tag = dyn_cast<MDString>(Node->getOperand(0));
  return Tag && Tag->getString() == SiteTag;
}

static std::optional<SiteInfo> decode(const MDNode *Node) {
  if (!isSite(Node))
    return std::nullopt;
  SiteInfo Site;
  Site.Pin = integerAt(*Node, 1);
  Site.VaPointers = integerAt(*Node, 2);
  Site.Result = ResultKind(integerAt(*Node, 3));
  const auto &Outgoing = *cast<MDNode>(Node->getOperand(4));
  for (unsigned I = 0; I < Outgoing.getNumOperands(); ++I)
    Site.Outgoing.push_back(integerAt(Outgoing, I));
  const auto &Locals = *cast<MDNode>(Node->getOperand(5));
  for (unsigned I = 0; I < Locals.getNumOperands(); ++I)
    Site.Locals.push_back(integerAt(Locals, I));
  return Site;
}

std::optional<SiteInfo> getSiteInfo(const CallBase &Call) { return decode(Call.getMetadata("heapallocsite")); }

bool hasSiteInfo(const MachineInstr &Call) { return isSite(Call.getHeapAllocMarker()); }

std::optional<SiteInfo> getSiteInfo(const MachineInstr &Call) { return decode(Call.getHeapAllocMarker()); }

} // namespace skein
