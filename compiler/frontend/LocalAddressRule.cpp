//===- LocalAddressRule.cpp - -Wskein-local-address ------------------------===//
//
// When a new thread follows a pointer into the stack of the thread that started it, that stack may be on another node,
// or gone; and the new thread cannot leave while it holds such a pointer. The rule looks at each argument of
// skein_spawn as it is written, and knows &local, an array's name, &a[i], &s.f, a + i, either branch of ?:, and
// compound literals.
//
//===----------------------------------------------------------------------===//
#include "Report.h"
#include "Rules.h"
#include "clang/AST/ASTContext.h"

using namespace clang;

namespace skein {

static const VarDecl *localBehindAddress(const Expr *Pointer, const Expr *&Literal);

/// The local variable whose storage contains the object that this lvalue names.
static const VarDecl *localOfObject(const Expr *Object, const Expr *&Literal) {
  Object = Object->IgnoreParens();
  if (const auto *Name = dyn_cast<DeclRefExpr>(Object)) {
    const auto *V = dyn_cast<VarDecl>(Name->getDecl());
    return V && V->hasLocalStorage() && !V->getType()->isReferenceType() ? V : nullptr;
  }
  if (const auto *Member = dyn_cast<MemberExpr>(Object))
    return Member->isArrow() ? localBehindAddress(Member->getBase(), Literal)
                             : localOfObject(Member->getBase(), Literal);
  if (const auto *Element = dyn_cast<ArraySubscriptExpr>(Object))
    return localBehindAddress(Element->getBase(), Literal);
  if (const auto *Inner = dyn_cast<UnaryOperator>(Object); Inner && Inner->getOpcode() == UO_Deref)
    return localBehindAddress(Inner->getSubExpr(), Literal);
  if (const auto *Compound = dyn_cast<CompoundLiteralExpr>(Object); Compound && !Compound->isFileScope())
    Literal = Compound;
  return nullptr;
}

/// The local variable whose address, or an address in it, this pointer expression is.
static const VarDecl *localBehindAddress(const Expr *Pointer, const Expr *&Literal) {
  Pointer = Pointer->IgnoreParens();
  if (const auto *Cast = dyn_cast<CastExpr>(Pointer)) {
    if (Cast->getCastKind() == CK_ArrayToPointerDecay)
      return localOfObject(Cast->getSubExpr(), Literal);
    if (Cast->getCastKind() == CK_LValueToRValue)
      return nullptr; // the variable's value is not followed
    return localBehindAddress(Cast->getSubExpr(), Literal);
  }
  if (const auto *Unary = dyn_cast<UnaryOperator>(Pointer))
    return Unary->getOpcode() == UO_AddrOf ? localOfObject(Unary->getSubExpr(), Literal) : nullptr;
  if (const auto *Sum = dyn_cast<BinaryOperator>(Pointer);
      Sum && Sum->isAdditiveOp() && Sum->getType()->isPointerType()) {
    const Expr *Base = Sum->getLHS()->getType()->isPointerType() ? Sum->getLHS() : Sum->getRHS();
    return localBehindAddress(Base, Literal);
  }
  if (const auto *Choice = dyn_cast<ConditionalOperator>(Pointer)) {
    const VarDecl *V = localBehindAddress(Choice->getTrueExpr(), Literal);
    return V || Literal ? V : localBehindAddress(Choice->getFalseExpr(), Literal);
  }
  return nullptr;
}

void checkLocalAddress(ASTContext &Context, const CallExpr &Spawn) {
  for (const Expr *Argument : llvm::drop_begin(Spawn.arguments())) {
    const Expr *Literal = nullptr;
    const VarDecl *V = localBehindAddress(Argument, Literal);
    if (!V && !Literal)
      continue;
    warn(Context.getDiagnostics(), Argument->getSourceRange(), Warning::LocalAddress,
         "the new thread gets the address of " +
             (V ? "local variable '" + V->getNameAsString() + "'" : std::string("a local compound literal")) +
             ", which stays on this thread's stack: neither can move while it is used; pass a value or skein_shared "
             "memory");
  }
}

} // namespace skein
