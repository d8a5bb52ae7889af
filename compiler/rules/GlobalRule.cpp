//===- GlobalRule.cpp - A global is another one on each node -------------===//
#include "rules/SourceAnnotations.h"
#include "rules/Unit.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace clang;

namespace skein {
namespace {

/// An object of <skein/sync.h>, or an array of them, is meant to be its node's: a thread that holds one does not leave.
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
  UseVisitor(Unit &Whole, const FunctionDecl &Function) : Whole(Whole), Function(Function) {}

  bool VisitDeclRefExpr(DeclRefExpr *Use) override {
    if (const auto *V = dyn_cast<VarDecl>(Use->getDecl()))
      check(*Use, *V);
    return true;
  }

  /// What is not evaluated is not used.
  bool TraverseUnaryExprOrTypeTraitExpr(UnaryExprOrTypeTraitExpr *) override { return true; }
  bool TraverseLambdaExpr(LambdaExpr *) override { return true; } // a function of its own

private:
  void check(const DeclRefExpr &Use, const VarDecl &V) {
    if (!V.hasGlobalStorage() || Whole.isOfThread(V) || hasAnnotation(V, NodeLocalAnnotation) ||
        hasAnnotation(V, UntrackedAnnotation) || V.isConstexpr() || V.getType().isConstant(Whole.context()) ||
        isObjectOfNode(V.getType()) || Whole.points().isBeforeThreads(Function, Use) ||
        Whole.context().getSourceManager().isInSystemHeader(V.getLocation()) ||
        !Seen.insert(V.getCanonicalDecl()).second)
      return;
    const VarDecl *Initialised = V.getInitializingDeclaration();
    // What is computed at run time, each node computes for itself.
    const bool Computed = Initialised && Initialised->hasInit() && !Initialised->hasConstantInitialization();
    const bool Changes = Computed || V.getType().isVolatileQualified() || Whole.changes(V);
    if (!Changes && !V.hasExternalFormalLinkage())
      return; // nothing else can change it
    const char *What = V.isStaticLocal() ? "static variable" : "global";
    Finding Found{Warning::Global, !Changes, Use.getSourceRange(),
                  "function '" + Function.getNameAsString() + "' uses " + What + " '" + V.getNameAsString() +
                      "', of which each node has its own copy: a thread that moves goes on with another one"};
    Found.Notes.push_back({V.getLocation(), "'" + V.getNameAsString() +
                                                "' is declared here; make it const, pass it to the thread, or keep it "
                                                "in skein_shared memory"});
    Whole.report(std::move(Found));
  }

  Unit &Whole;
  const FunctionDecl &Function;
  llvm::SmallPtrSet<const VarDecl *, 8> Seen;
};

void check(Unit &Whole, const FunctionDecl &Function) {
  if (!Whole.points().isSerial())
    UseVisitor(Whole, Function).TraverseStmt(Function.getBody());
}

} // namespace

const Rule GlobalRule{
    Warning::Global,
    false,
    check,
    "Every node runs its own process with its own copy of each global. A thread that moves goes on with the copy of "
    "the node where it lands, so a global that changes is not what it seems. A finding is certain if this unit changes "
    "the variable, and pedantic if only another one can. Constants are quiet, also those that are only not declared "
    "so; and so are private and thread-local variables, those that are SKEIN_NODE_LOCAL, what system headers declare, "
    "and the locks of <skein/sync.h>, which are meant to be their node's. What main does before it starts the first "
    "thread, or may move, is quiet; and so is a program whose main does neither. The rule is reported once for each "
    "function and variable.",
    R"(#include <skein/skein.h>

static long total;

void add(long n) {
  total += n;
}
)",
    R"(#include <skein/shared.h>

void add(skein_shared long *total, long n) {
  __atomic_fetch_add(total, n, __ATOMIC_RELAXED);
}

SKEIN_NODE_LOCAL static long calls_here; /* a statistic of this node */
void count(void) {
  calls_here++;
}
)"};

} // namespace skein
