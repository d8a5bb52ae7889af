//===- GlobalRule.cpp - -Wskein-global -------------------------------------===//
//
// Every node runs its own process with its own copy of each global. A thread that moves goes on with the copy of
// the node where it lands, so a global that changes is not what it seems.
//
// No warning is given for constants, private variables, what system headers declare (stderr), operands that are not
// evaluated, and the locks of <skein/sync.h>: those are meant to be their node's, which a thread does not leave while
// it holds one.
//
//===----------------------------------------------------------------------===//
#include "Report.h"
#include "Rules.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace clang;

namespace skein {
namespace {

/// Whether the type is one of <skein/sync.h>, or an array of them.
bool isObjectOfNode(QualType Type) {
  while (const auto *Array = dyn_cast<ArrayType>(Type.getTypePtr()))
    Type = Array->getElementType();
  const auto *Named = Type->getAs<TypedefType>();
  return Named && llvm::is_contained({"skein_mutex_t", "skein_spin_t", "skein_sem_t", "skein_rwlock_t",
                                      "skein_condition_t", "skein_barrier_t", "skein_once_t", "skein_future_t"},
                                     Named->getDecl()->getName());
}

class UseVisitor : public DynamicRecursiveASTVisitor {
public:
  UseVisitor(ASTContext &Context, const FunctionDecl &Function) : Context(Context), Function(Function) {}

  bool VisitDeclRefExpr(DeclRefExpr *Use) override {
    if (const auto *V = dyn_cast<VarDecl>(Use->getDecl()))
      check(*Use, *V);
    return true;
  }

  bool TraverseUnaryExprOrTypeTraitExpr(UnaryExprOrTypeTraitExpr *) override { return true; }

private:
  void check(const DeclRefExpr &Use, const VarDecl &V) {
    if (!V.hasGlobalStorage() || isPrivateVariable(V) || V.isConstexpr() || V.getType().isConstant(Context) ||
        isObjectOfNode(V.getType()) || Context.getSourceManager().isInSystemHeader(V.getLocation()) ||
        !Seen.insert(V.getCanonicalDecl()).second)
      return;
    llvm::StringRef What = V.isStaticLocal() ? "static variable" : "global";
    if (warn(Context.getDiagnostics(), Use.getSourceRange(), Warning::Global,
             "function '" + Function.getNameAsString() + "' uses " + What + " '" + V.getNameAsString() +
                 "', of which each node has its own copy: a thread that moves goes on with another one"))
      note(Context.getDiagnostics(), V.getLocation(),
           "'" + V.getNameAsString() +
               "' is declared here; make it const, pass it to the thread, or keep it in skein_shared memory");
  }

  ASTContext &Context;
  const FunctionDecl &Function;
  llvm::SmallPtrSet<const VarDecl *, 8> Seen;
};

} // namespace

void checkGlobals(ASTContext &Context, const FunctionDecl &Function) {
  if (levelOf(Warning::Global) != Level::Off)
    UseVisitor(Context, Function).TraverseStmt(Function.getBody());
}

} // namespace skein
