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
  case CallingConv::PreserveMost: // the registers that it saves beyond those of C hold no address at a site
  case CallingConv::X86_64_SysV:
    return true;
  default:
    return false;
  }
}

static constexpr const char *LocalKind = "skein.local";
static constexpr const char *SiteTag = "skein.site";

bool isMarked(const Instruction &I, StringRef Kind) { return I.hasMetadataOtherThanDebugLoc() && I.hasMetadata(Kind); }

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

// The operands of a site's node.
enum { Tag, Pin, VaPointers, Result, Outgoing, Locals, SiteFields };

static MDNode *integers(LLVMContext &C, auto &&Values, ArrayRef<MDOperand> Before = {}) {
  SmallVector<Metadata *, 8> Fields(Before.begin(), Before.end());
  for (int64_t Value : Values)
    Fields.push_back(integer(C, Value));
  return MDNode::get(C, Fields);
}

static void integersAt(const MDNode &Node, unsigned I, auto &To) {
  const auto &List = *cast<MDNode>(Node.getOperand(I));
  for (unsigned N = 0; N < List.getNumOperands(); ++N)
    To.push_back(integerAt(List, N));
}

void setSiteInfo(CallBase &Call, const SiteInfo &Site) {
  LLVMContext &C = Call.getContext();
  Call.setMetadata("heapallocsite", MDNode::get(C, {MDString::get(C, SiteTag), integer(C, Site.Pin),
                                                    integer(C, Site.VaPointers), integer(C, unsigned(Site.Result)),
                                                    integers(C, Site.Outgoing), integers(C, Site.Locals)}));
}

static bool isSite(const MDNode *Node) {
  if (!Node || Node->getNumOperands() != SiteFields)
    return false;
  const auto *Text = dyn_cast<MDString>(Node->getOperand(Tag));
  return Text && Text->getString() == SiteTag;
}

bool hasSiteInfo(const CallBase &Call) {
  return Call.hasMetadataOtherThanDebugLoc() && isSite(Call.getMetadata("heapallocsite"));
}

bool hasSiteInfo(const MachineInstr &Call) { return isSite(Call.getHeapAllocMarker()); }

SiteInfo decodeSite(const MachineInstr &Call) {
  const MDNode &Node = *Call.getHeapAllocMarker();
  SiteInfo Site;
  Site.Pin = integerAt(Node, Pin);
  Site.VaPointers = integerAt(Node, VaPointers);
  Site.Result = ResultKind(integerAt(Node, Result));
  integersAt(Node, Outgoing, Site.Outgoing);
  integersAt(Node, Locals, Site.Locals);
  return Site;
}

static void replaceField(MachineFunction &Function, MachineInstr &Call, unsigned Field, Metadata *By) {
  SmallVector<Metadata *, SiteFields> Fields(Call.getHeapAllocMarker()->operands());
  Fields[Field] = By;
  Call.setHeapAllocMarker(Function, MDNode::get(Function.getFunction().getContext(), Fields));
}

void pinSite(MachineFunction &Function, MachineInstr &Call, unsigned Reason) {
  replaceField(Function, Call, Pin, integer(Function.getFunction().getContext(), Reason));
}

void addLocalsToSite(MachineFunction &Function, MachineInstr &Call, ArrayRef<unsigned> Indices) {
  const auto &Known = *cast<MDNode>(Call.getHeapAllocMarker()->getOperand(Locals));
  replaceField(Function, Call, Locals, integers(Function.getFunction().getContext(), Indices, Known.operands()));
}

} // namespace skein
