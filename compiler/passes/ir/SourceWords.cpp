//===- SourceWords.cpp - What a slot of the frame is in the source ----------===//
#include "SourceWords.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace skein {

static constexpr const char *SourceKind = "skein.source";

bool hasNamedVariables(const Function &F) {
  const DISubprogram *Program = F.getSubprogram();
  return Program && Program->getUnit() && Program->getUnit()->getEmissionKind() == DICompileUnit::FullDebug;
}

namespace {

/// A variable, or a part of it, that a slot holds.
struct Found {
  const DILocalVariable *Variable = nullptr;
  uint64_t Offset = 0; ///< the slot begins so many bytes behind the variable's beginning
};

/// The line in the function itself, not in one that was inlined into it.
unsigned lineOf(const DILocation *Where) {
  while (Where && Where->getInlinedAt())
    Where = Where->getInlinedAt();
  return Where ? Where->getLine() : 0;
}

/// The best of some debug records: a variable of the function itself rather than one of an inlined function.
template <typename Records> Found best(const Records &All, bool InMemory) {
  Found Best;
  bool BestIsInlined = false;
  for (DbgVariableRecord *Record : All) {
    const DIExpression *Expression = Record->getExpression();
    // The record says that the variable is where the value leads, or that it is the value.
    if (Record->hasArgList() || (Record->isDbgValue() && Expression->startsWithDeref() != InMemory))
      continue;
    const auto Fragment = Expression->getFragmentInfo();
    const bool Inlined = Record->getDebugLoc() && Record->getDebugLoc()->getInlinedAt();
    if (Best.Variable && (Inlined || !BestIsInlined))
      continue;
    Best = {Record->getVariable(), Fragment ? Fragment->OffsetInBits / 8 : 0};
    BestIsInlined = Inlined;
  }
  return Best;
}

} // namespace

void noteSource(AllocaInst &Slot, Value &V) {
  Function &F = *Slot.getFunction();
  if (!hasNamedVariables(F))
    return;
  LLVMContext &C = F.getContext();
  const auto Number = [&](uint64_t N) { return ConstantAsMetadata::get(ConstantInt::get(Type::getInt64Ty(C), N)); };
  const Found In = best(findDVRValues(&V), /*InMemory=*/false);
  const auto *Computed = dyn_cast<Instruction>(&V);
  Slot.setMetadata(SourceKind, MDNode::get(C, {const_cast<DILocalVariable *>(In.Variable), Number(In.Offset),
                                               Number(Computed ? lineOf(Computed->getDebugLoc().get()) : 0)}));
}

bool isMadeSlot(const AllocaInst &Slot) { return Slot.hasMetadata(SourceKind); }

static uint64_t numberIn(const MDNode &Noted, unsigned I) {
  return mdconst::extract<ConstantInt>(Noted.getOperand(I))->getZExtValue();
}

static Found variableIn(const AllocaInst &Slot) {
  if (const MDNode *Noted = Slot.getMetadata(SourceKind))
    return {cast_or_null<DILocalVariable>(Noted->getOperand(0)), numberIn(*Noted, 1)};
  auto *Address = const_cast<AllocaInst *>(&Slot);
  if (Found Declared = best(findDVRDeclares(Address), /*InMemory=*/false); Declared.Variable)
    return Declared;
  if (Found Assigned = best(at::getDVRAssignmentMarkers(Address), /*InMemory=*/false); Assigned.Variable)
    return Assigned;
  return best(findDVRValues(Address), /*InMemory=*/true);
}

namespace {

/// Prints types as the language of a unit has them.
class TypeText {
public:
  explicit TypeText(const DICompileUnit &Unit)
      : IsCxx(dwarf::isCPlusPlus(dwarf::SourceLanguage(Unit.getSourceLanguage().getUnversionedName()))) {}

  /// The type, around what is declared with it: `Inner` is "" or "*", "(*)", "[4]" and so on.
  std::string of(const DIType *T, const std::string &Inner = "") const {
    if (!T)
      return join("void", Inner);
    if (const auto *Function = dyn_cast<DISubroutineType>(T))
      return ofFunction(*Function, Inner);
    if (const auto *Derived = dyn_cast<DIDerivedType>(T))
      return ofDerived(*Derived, Inner);
    if (const auto *Composite = dyn_cast<DICompositeType>(T))
      return ofComposite(*Composite, Inner);
    return join(T->getName().str(), Inner);
  }

private:
  static std::string join(const std::string &Name, const std::string &Inner) {
    return Inner.empty() || Inner[0] == '[' ? Name + Inner : Name + " " + Inner;
  }

  std::string ofFunction(const DISubroutineType &T, const std::string &Inner) const {
    std::string Parameters;
    const auto Types = T.getTypeArray();
    for (unsigned I = 1; I < Types.size(); ++I)
      Parameters += (I > 1 ? ", " : "") + (Types[I] ? of(Types[I]) : std::string("..."));
    const DIType *Result = Types.size() ? Types[0] : nullptr;
    return of(Result, "") + " " + Inner + "(" + Parameters + ")";
  }

  /// A declarator that binds more weakly than what follows it: `(*)(int)`, `(*)[4]`.
  static bool needsParentheses(const DIType *Base) {
    return isa_and_nonnull<DISubroutineType>(Base) ||
           (isa_and_nonnull<DICompositeType>(Base) && Base->getTag() == dwarf::DW_TAG_array_type);
  }

  std::string ofDerived(const DIDerivedType &T, const std::string &Inner) const {
    const DIType *Base = T.getBaseType();
    const auto Around = [&](const char *Symbol) {
      const std::string Declarator = Symbol + Inner;
      return of(Base, needsParentheses(Base) ? "(" + Declarator + ")" : Declarator);
    };
    const auto Qualified = [&](const char *Word) {
      const bool OfPointer = isa_and_nonnull<DIDerivedType>(Base) && Base->getTag() == dwarf::DW_TAG_pointer_type;
      return OfPointer ? of(Base, Word + (Inner.empty() || Inner[0] == '[' ? Inner : " " + Inner))
                       : std::string(Word) + " " + of(Base, Inner);
    };
    switch (T.getTag()) {
    case dwarf::DW_TAG_pointer_type:
      return Around("*");
    case dwarf::DW_TAG_reference_type:
      return Around("&");
    case dwarf::DW_TAG_rvalue_reference_type:
      return Around("&&");
    case dwarf::DW_TAG_const_type:
      return Qualified("const");
    case dwarf::DW_TAG_volatile_type:
      return Qualified("volatile");
    case dwarf::DW_TAG_restrict_type:
      return of(Base, Inner);
    case dwarf::DW_TAG_atomic_type:
      return join("_Atomic(" + of(Base) + ")", Inner);
    case dwarf::DW_TAG_member:
    case dwarf::DW_TAG_inheritance:
      return of(Base, Inner);
    default:
      return T.getName().empty() ? of(Base, Inner) : join(T.getName().str(), Inner);
    }
  }

  std::string ofComposite(const DICompositeType &T, const std::string &Inner) const {
    if (T.getTag() == dwarf::DW_TAG_array_type) {
      std::string Sizes;
      for (const DINode *Element : T.getElements())
        if (const auto *Range = dyn_cast<DISubrange>(Element)) {
          const auto *Count = dyn_cast_or_null<ConstantInt *>(Range->getCount());
          Sizes += "[" + (Count ? std::to_string(Count->getSExtValue()) : std::string()) + "]";
        }
      return of(T.getBaseType(), Inner + Sizes);
    }
    const char *Kind = T.getTag() == dwarf::DW_TAG_union_type         ? "union "
                       : T.getTag() == dwarf::DW_TAG_enumeration_type ? "enum "
                                                                      : "struct ";
    const std::string Name = T.getName().empty() ? "{...}" : T.getName().str();
    return join(IsCxx && !T.getName().empty() ? Name : Kind + Name, Inner);
  }

  bool IsCxx;
};

} // namespace

static const DIType *withoutNames(const DIType *T) {
  while (const auto *Derived = dyn_cast_or_null<DIDerivedType>(T)) {
    switch (Derived->getTag()) {
    case dwarf::DW_TAG_typedef:
    case dwarf::DW_TAG_const_type:
    case dwarf::DW_TAG_volatile_type:
    case dwarf::DW_TAG_restrict_type:
    case dwarf::DW_TAG_atomic_type:
    case dwarf::DW_TAG_member:
    case dwarf::DW_TAG_inheritance:
      T = Derived->getBaseType();
      continue;
    default:
      return T;
    }
  }
  return T;
}

/// Goes down from a variable of type `T` to the member or element that contains the bytes. `Path` grows by its name,
/// and `Offset` becomes that of the bytes in it.
static const DIType *memberAt(const DIType *T, uint64_t &Offset, uint64_t Bytes, std::string &Path) {
  for (;;) {
    const auto *Composite = dyn_cast_or_null<DICompositeType>(withoutNames(T));
    if (!Composite)
      return T;
    const DIType *Into = nullptr;
    if (Composite->getTag() == dwarf::DW_TAG_array_type) {
      const DIType *Element = Composite->getBaseType();
      const auto *Sized = withoutNames(Element);
      const uint64_t Size = Sized ? Sized->getSizeInBits() / 8 : 0;
      if (Composite->getElements().size() != 1 || Size == 0 || Offset % Size + Bytes > Size)
        return T;
      Path += "[" + std::to_string(Offset / Size) + "]";
      Offset %= Size;
      Into = Element;
    } else if (Composite->getTag() != dwarf::DW_TAG_union_type) {
      for (const DINode *Element : Composite->getElements()) {
        const auto *Member = dyn_cast_or_null<DIDerivedType>(Element);
        if (!Member || Member->isStaticMember() || Member->isBitField() ||
            (Member->getTag() != dwarf::DW_TAG_member && Member->getTag() != dwarf::DW_TAG_inheritance))
          continue;
        const DIType *Of = withoutNames(Member);
        const uint64_t Begin = Member->getOffsetInBits() / 8, Size = Of ? Of->getSizeInBits() / 8 : 0;
        if (Offset < Begin || Offset + Bytes > Begin + Size)
          continue;
        Offset -= Begin;
        if (Member->getTag() == dwarf::DW_TAG_member && !Member->getName().empty())
          Path += "." + Member->getName().str();
        Into = Member->getBaseType();
        break;
      }
    }
    if (!Into)
      return T;
    T = Into;
  }
}

SourceWord sourceOf(const AllocaInst &Slot, uint64_t Offset, uint64_t Bytes) {
  SourceWord Word;
  if (const MDNode *Noted = Slot.getMetadata(SourceKind))
    Word.Line = unsigned(numberIn(*Noted, 2));
  const Found In = variableIn(Slot);
  if (!In.Variable || In.Variable->getName().empty()) // what a range-based loop keeps has no name
    return Word;
  Word.Name = In.Variable->getName().str();
  const DISubprogram *Of = In.Variable->getScope()->getSubprogram();
  if (Of && Of != Slot.getFunction()->getSubprogram())
    Word.Inlined = Of->getName().str();
  else
    Word.Line = In.Variable->getLine();
  uint64_t Inside = In.Offset + Offset;
  const DIType *T = memberAt(In.Variable->getType(), Inside, Bytes, Word.Name);
  Word.Type = TypeText(*Slot.getFunction()->getSubprogram()->getUnit()).of(T);
  return Word;
}

} // namespace skein
