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
//===----------------------------------------------------------------------===//
#include "Rules.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/Basic/Builtins.h"

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

} // namespace

void nameWhatIsCopiedTo(ASTContext &Context, CallExpr &Call) {
  const FunctionDecl *Callee = Call.getDirectCallee();
  if (!Callee || !isCopy(*Callee) || Call.getNumArgs() == 0 || Call.isInstantiationDependent())
    return;
  auto *Converted = dyn_cast<CastExpr>(Call.getArg(0)->IgnoreParens()); // to void *
  Expr *To = Converted && Converted->getCastKind() == CK_BitCast ? Converted->getSubExpr() : nullptr;
  if (To && holdsNumbers(To->getType()->getPointeeType()) && !saysItsType(*To->IgnoreParens()))
    Converted->setSubExpr(addressOfFirst(Context, *To));
}

} // namespace skein
