//===- CopyRule.cpp - What a copy goes to -----------------------------------===//
//
// `memcpy(to, &pointer, sizeof pointer)` with `uint64_t *to` puts an address into an object that is declared as a
// number, and whoever reads the object takes it for a number. The pass that looks for such copies (CopiesToNumbers.cpp)
// sees only pointers without a type. So the first argument becomes `&to[0]`, which means the same: the address of an
// element tells its type.
//
// Types that may alias anything are left alone, since they do not say that there is a number. So is the code of system
// headers, which copies for others.
//
// Other functions copy without saying so. `push(&vector, &pointer)` has a parameter `const void *`, and copies what it
// leads to into memory where other code takes it for something else. If the body of the function is not seen, the
// runtime is told of the pointer before the call (CopiesToNumbers.cpp). LLVM does not show that an argument loses its
// type there, so the argument becomes `&(&p[0])[0]`, which no program contains. A function that may copy has a place to
// copy to: another parameter that leads to something it may change. A function that compares, hashes or searches has
// none. If the function may also change what the pointer leads to, only a place of numbers counts, since most
// parameters `void *` are for the context of a function that is called back.
//
// Copies whose destination has lost its type, and copies between two objects of one type, are marked in the same way,
// by the type of characters and by that type: the first may go anywhere, and the second only where the type says.
//
//===----------------------------------------------------------------------===//
#include "Rules.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/Basic/Builtins.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/Sequence.h"

using namespace clang;

namespace skein {
namespace {

bool isCopy(const FunctionDecl &Callee) {
  switch (Callee.getBuiltinID()) {
  case Builtin::BImemcpy:
  case Builtin::BImemmove:
  case Builtin::BI__builtin_memcpy:
  case Builtin::BI__builtin_memcpy_inline:
  case Builtin::BI__builtin_memmove:
  case Builtin::BI__builtin___memcpy_chk:
  case Builtin::BI__builtin___memmove_chk:
    return true;
  default:
    return false;
  }
}

/// Whether objects of the type hold numbers. Characters do not count; structs do, since they may have such members.
bool holdsNumbers(QualType T) {
  if (T.isNull() || T.isVolatileQualified() || T.getAddressSpace() != LangAS::Default || T->isDependentType() ||
      T->isIncompleteType() || T->isAnyCharacterType() || !(T->isArithmeticType() || T->isRecordType()))
    return false;
  for (const TypedefType *Name = T->getAs<TypedefType>(); Name; Name = Name->desugar()->getAs<TypedefType>())
    if (Name->getDecl()->hasAttr<MayAliasAttr>())
      return false;
  return true;
}

/// Whether this is the address of something that has a name or an index, and so tells its type.
bool saysItsType(const Expr &To) {
  const auto *Address = dyn_cast<UnaryOperator>(&To);
  const auto *Cast = dyn_cast<CastExpr>(&To);
  return (Address && Address->getOpcode() == UO_AddrOf) || (Cast && Cast->getCastKind() == CK_ArrayToPointerDecay);
}

Expr *addressOfFirst(ASTContext &Context, Expr &To) {
  const SourceLocation At = To.getExprLoc();
  const QualType Index = Context.getPointerDiffType();
  auto *Zero = IntegerLiteral::Create(Context, llvm::APInt(unsigned(Context.getTypeSize(Index)), 0), Index, At);
  auto *First = new (Context) ArraySubscriptExpr(&To, Zero, To.getType()->getPointeeType(), VK_LValue, OK_Ordinary, At);
  return UnaryOperator::Create(Context, First, UO_AddrOf, To.getType(), VK_PRValue, OK_Ordinary, At,
                               /*CanOverflow=*/false, FPOptionsOverride());
}

Expr *twiceAddressOfFirst(ASTContext &Context, Expr &To) {
  return addressOfFirst(Context, *addressOfFirst(Context, To));
}

Expr *convert(ASTContext &Context, Expr &Pointer, QualType To) {
  return ImplicitCastExpr::Create(Context, Context.getPointerType(To), CK_BitCast, &Pointer, nullptr, VK_PRValue,
                                  FPOptionsOverride());
}

/// The conversion of an argument to a pointer to something else. Null if there is none.
CastExpr *conversion(Expr &Argument) {
  auto *Cast = dyn_cast<CastExpr>(Argument.IgnoreParens());
  while (Cast && Cast->getCastKind() == CK_NoOp) // to const
    Cast = dyn_cast<CastExpr>(Cast->getSubExpr()->IgnoreParens());
  return Cast && Cast->getCastKind() == CK_BitCast ? Cast : nullptr;
}

QualType typeBefore(const CastExpr *Conversion) {
  return Conversion ? Conversion->getSubExpr()->getType()->getPointeeType() : QualType();
}

/// Whether the type is `void` or that of characters, which may stand for anything.
bool isBytes(QualType T) { return !T.isNull() && (T->isVoidType() || T->isCharType() || T->isStdByteType()); }

bool mayHoldPointer(QualType T) {
  return !T.isNull() && !T.isVolatileQualified() && T.getAddressSpace() == LangAS::Default && !T->isDependentType() &&
         !T->isIncompleteType() && (T->isAnyPointerType() || T->isRecordType());
}

/// Whether no object of the type declares a pointer, and some of it is no character.
bool isNumbersOnly(QualType T) {
  if (T.isNull() || T->isDependentType() || T->isIncompleteType())
    return false;
  if (const ArrayType *Array = T->getAsArrayTypeUnsafe())
    return isNumbersOnly(Array->getElementType());
  const RecordDecl *Record = T->getAsRecordDecl();
  if (!Record)
    return T->isArithmeticType() && !T->isAnyCharacterType();
  return !Record->isUnion() && !Record->field_empty() &&
         all_of(Record->fields(), [](const FieldDecl *Field) { return isNumbersOnly(Field->getType()); });
}

void namePlace(ASTContext &Context, CallExpr &Copy) {
  // What goes to shared memory is lowered as such, and must keep saying that it does.
  const QualType Place = Copy.getArg(0)->getType()->getPointeeType();
  if (Place.isNull() || Place.getAddressSpace() != LangAS::Default)
    return;
  auto *Converted = dyn_cast<CastExpr>(Copy.getArg(0)->IgnoreParens()); // to void *
  if (!Converted || Converted->getCastKind() != CK_BitCast) {
    Expr *Characters = convert(Context, *Copy.getArg(0), Context.CharTy);
    Copy.setArg(0, convert(Context, *twiceAddressOfFirst(Context, *Characters), Context.VoidTy));
    return;
  }
  Expr *To = Converted->getSubExpr();
  const QualType T = typeBefore(Converted), From = Copy.getArg(1)->IgnoreParenImpCasts()->getType()->getPointeeType();
  const bool Alike = !From.isNull() && Context.hasSameUnqualifiedType(T, From) && T->isRecordType() && holdsNumbers(T);
  if (Alike || T->isAnyCharacterType())
    Converted->setSubExpr(twiceAddressOfFirst(Context, *To));
  else if ((holdsNumbers(T) || T->isAnyPointerType()) && !saysItsType(*To->IgnoreParens()))
    Converted->setSubExpr(addressOfFirst(Context, *To));
}

/// The type of the called function, unless it comes from a system header.
const FunctionProtoType *typeOfOwnCallee(ASTContext &Context, const CallExpr &Call) {
  if (const FunctionDecl *Callee = Call.getDirectCallee())
    return Callee->getBuiltinID() || Context.getSourceManager().isInSystemHeader(Callee->getLocation())
               ? nullptr
               : Callee->getType()->getAs<FunctionProtoType>();
  const QualType Pointer = Call.getCallee()->getType();
  return Pointer->isFunctionPointerType() ? Pointer->getPointeeType()->getAs<FunctionProtoType>() : nullptr;
}

void nameWhatLosesItsType(ASTContext &Context, CallExpr &Call, const FunctionProtoType &Type) {
  const unsigned Count = std::min(Type.getNumParams(), Call.getNumArgs());
  for (unsigned N = 0; N < Count; ++N) {
    CastExpr *Converted = conversion(*Call.getArg(N));
    const QualType Parameter = Type.getParamType(N)->getPointeeType(), From = typeBefore(Converted);
    if (!isBytes(Parameter) || !mayHoldPointer(From))
      continue;
    auto MayGoTo = [&](unsigned Other) {
      const QualType Leads = Type.getParamType(Other)->getPointeeType();
      if (Other == N || Leads.isNull() || Leads.isConstQualified() || Leads->isFunctionType())
        return false;
      const QualType To = isBytes(Leads) ? typeBefore(conversion(*Call.getArg(Other))) : QualType();
      if (!Parameter.isConstQualified()) // which most of what is given to functions as their context is not
        return isNumbersOnly(To);
      return To.isNull() || !(To->isAnyPointerType() || Context.hasSameUnqualifiedType(From, To));
    };
    if (any_of(llvm::seq(Count), MayGoTo))
      Converted->setSubExpr(twiceAddressOfFirst(Context, *Converted->getSubExpr()));
  }
}

} // namespace

void nameWhatIsCopiedTo(ASTContext &Context, CallExpr &Call) {
  if (Call.isInstantiationDependent())
    return;
  if (const FunctionDecl *Callee = Call.getDirectCallee(); Callee && isCopy(*Callee) && Call.getNumArgs() >= 2)
    namePlace(Context, Call);
  else if (const FunctionProtoType *Type = typeOfOwnCallee(Context, Call))
    nameWhatLosesItsType(Context, Call, *Type);
}

} // namespace skein
