//===- RuntimeRecords.cpp ----------------------------------------------------===//
#include "RuntimeRecords.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace skein {

GlobalVariable &createRecord(Module &M, Type *Layout, const Twine &Name, StringRef Section, Align Alignment) {
  auto *Record = new GlobalVariable(M, Layout, true, GlobalValue::PrivateLinkage, nullptr, Name);
  Record->setSection(Section);
  Record->setAlignment(Alignment);
  return *Record;
}

void attachRecord(GlobalVariable &Record, GlobalVariable &G) {
  Record.setMetadata(LLVMContext::MD_associated, MDNode::get(G.getContext(), ValueAsMetadata::get(&G)));
  if (Comdat *Group = G.getComdat())
    Record.setComdat(Group);
}

Constant *distanceTo(Constant *Target, GlobalVariable &Record, unsigned Index) {
  Type *Half = Type::getInt32Ty(Record.getContext()), *Word = Type::getInt64Ty(Record.getContext());
  Constant *Field = ConstantExpr::getGetElementPtr(
      Record.getValueType(), &Record, ArrayRef<Constant *>{ConstantInt::get(Half, 0), ConstantInt::get(Half, Index)});
  return ConstantExpr::getTrunc(
      ConstantExpr::getSub(ConstantExpr::getPtrToInt(Target, Word), ConstantExpr::getPtrToInt(Field, Word)), Half);
}

} // namespace skein
