//===- ChangedVariables.cpp - Which globals a unit changes ------------------===//
#include "rules/ChangedVariables.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace clang;

namespace skein {
namespace {

/// The variable of which an lvalue, or the pointer that an array becomes, is a part; null: it is none.
const DeclRefExpr *variableOf(const Expr *E) {
  for (;;) {
    E = E->IgnoreParens();
    if (const auto *Member = dyn_cast<MemberExpr>(E); Member && !Member->isArrow())
      E = Member->getBase();
    else if (const auto *Element = dyn_cast<ArraySubscriptExpr>(E))
      E = Element->getBase();
    else if (const auto *Cast = dyn_cast<ImplicitCastExpr>(E);
             Cast && (Cast->getCastKind() == CK_ArrayToPointerDecay || Cast->getCastKind() == CK_NoOp))
      E = Cast->getSubExpr();
    else if (const auto *Address = dyn_cast<UnaryOperator>(E); Address && Address->getOpcode() == UO_AddrOf)
      E = Address->getSubExpr();
    else
      return dyn_cast<DeclRefExpr>(E);
  }
}

/// Whether what the cast gives can only be used to read.
bool onlyReads(const CastExpr &Cast) {
  const QualType To = Cast.getType();
  switch (Cast.getCastKind()) {
  case CK_LValueToRValue:
    return true;
  case CK_NoOp:
  case CK_BitCast:
    return To->isPointerType() ? To->getPointeeType().isConstQualified() : Cast.isGLValue() && To.isConstQualified();
  default:
    return false;
  }
}

class ChangesVisitor : public DynamicRecursiveASTVisitor {
public:
  explicit ChangesVisitor(llvm::DenseSet<const VarDecl *> &Changed) : Changed(Changed) {
    ShouldVisitTemplateInstantiations = true;
  }

  // A cast is visited before what it casts.
  bool VisitImplicitCastExpr(ImplicitCastExpr *Cast) override {
    if (onlyReads(*Cast))
      if (const DeclRefExpr *Use = variableOf(Cast->getSubExpr()))
        Read.insert(Use);
    return true;
  }

  bool VisitDeclRefExpr(DeclRefExpr *Use) override {
    if (const auto *V = dyn_cast<VarDecl>(Use->getDecl()); V && V->hasGlobalStorage() && !Read.contains(Use))
      Changed.insert(V->getCanonicalDecl());
    return true;
  }

  /// What is not evaluated is not used.
  bool TraverseUnaryExprOrTypeTraitExpr(UnaryExprOrTypeTraitExpr *) override { return true; }

private:
  llvm::DenseSet<const VarDecl *> &Changed;
  llvm::SmallPtrSet<const DeclRefExpr *, 32> Read;
};

} // namespace

llvm::DenseSet<const VarDecl *> findChangedVariables(ASTContext &Context) {
  llvm::DenseSet<const VarDecl *> Changed;
  ChangesVisitor(Changed).TraverseDecl(Context.getTranslationUnitDecl());
  return Changed;
}

} // namespace skein
