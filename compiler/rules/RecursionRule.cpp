//===- RecursionRule.cpp - Recursion on a stack of fixed size ------------===//
#include "rules/Unit.h"

using namespace clang;

namespace skein {
namespace {

/// The first call in a recursive function of one that is recursive, too, and so leads back here or into another circle.
const CallExpr *recursiveCall(const Unit &Whole, const FunctionDecl &Function) {
  for (const Stmt *S : Whole.points().calls(Function))
    if (const FunctionDecl *Callee = calleeOf(*S); Callee && isa<CallExpr>(S) && Whole.points().isRecursive(*Callee))
      return cast<CallExpr>(S);
  return nullptr;
}

/// An argument that is arithmetic on numbers (n - 1, depth + 1, (low + high) / 2) shows that something counts.
bool counts(const CallExpr &Call) {
  return llvm::any_of(Call.arguments(), [](const Expr *Argument) {
    const auto *Operation = dyn_cast<BinaryOperator>(Argument->IgnoreParenImpCasts());
    return Operation && Operation->getType()->isIntegerType() &&
           (Operation->isAdditiveOp() || Operation->isMultiplicativeOp() || Operation->isShiftOp());
  });
}

void check(Unit &Whole, const FunctionDecl &Function) {
  if (Whole.options().GrowableStacks || !Whole.points().isRecursive(Function))
    return;
  const CallExpr *Call = recursiveCall(Whole, Function);
  if (!Call || counts(*Call))
    return;
  Whole.report(
      {Warning::Recursion, true, Call->getSourceRange(),
       "'" + Function.getNameAsString() +
           "' calls itself as deep as the data wants, on a stack of fixed size; compile all units of the program "
           "with -fskein-stacks=growable, or count the depth"});
}

} // namespace

const Rule RecursionRule{
    Warning::Recursion,
    true,
    check,
    "A thread's stack has a size (SKEIN_OPTIONS=stack=…), and a recursion that follows the data (a list, a tree that "
    "may "
    "be one long branch) can outgrow it: the runtime then ends the program with a message. With "
    "-fskein-stacks=growable it grows instead. A recursion that passes a number on which it computes is taken to be "
    "bounded by it.",
    R"(#include <skein/skein.h>

struct list {
  struct list *next;
};

int length(const struct list *list) {
  if (!list)
    return 0;
  return 1 + length(list->next);
}
)",
    R"(#include <skein/skein.h>

int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
)"};

} // namespace skein
