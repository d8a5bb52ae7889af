//===- ForeignCallbackRule.cpp - A library between two frames of ours ----===//
#include "rules/Unit.h"
#include "clang/AST/ExprCXX.h"

using namespace clang;

namespace skein {
namespace {

/// Those that the runtime replaces by versions which move (stdlib/src), and those that only keep the function for
/// later.
constexpr llvm::StringRef Harmless[] = {"qsort",
                                        "qsort_r",
                                        "bsearch",
                                        "lfind",
                                        "lsearch",
                                        "tsearch",
                                        "tfind",
                                        "tdelete",
                                        "twalk",
                                        "twalk_r",
                                        "tdestroy",
                                        "atexit",
                                        "on_exit",
                                        "at_quick_exit",
                                        "signal",
                                        "sigaction",
                                        "sigset",
                                        "pthread_create",
                                        "pthread_atfork",
                                        "thrd_create",
                                        "pthread_key_create",
                                        "tss_create",
                                        "__cxa_atexit",
                                        "clone",
                                        "makecontext",
                                        "pthread_cleanup_push"};

/// The function that an argument is, by name or as a lambda without captures.
const FunctionDecl *functionIn(const Expr &Argument) {
  const Expr *E = Argument.IgnoreParenCasts();
  if (const auto *Unary = dyn_cast<UnaryOperator>(E);
      Unary && (Unary->getOpcode() == UO_AddrOf || Unary->getOpcode() == UO_Plus))
    E = Unary->getSubExpr()->IgnoreParenCasts();
  if (const auto *Name = dyn_cast<DeclRefExpr>(E))
    return dyn_cast<FunctionDecl>(Name->getDecl());
  if (const auto *Conversion = dyn_cast<CXXMemberCallExpr>(E))
    if (const Expr *Object = Conversion->getImplicitObjectArgument())
      if (const auto *Lambda = dyn_cast<LambdaExpr>(Object->IgnoreUnlessSpelledInSource()))
        return Lambda->getCallOperator();
  return nullptr;
}

void check(Unit &Whole, const FunctionDecl &Function) {
  for (const Stmt *S : Whole.points().calls(Function)) {
    const auto *Call = dyn_cast<CallExpr>(S);
    const FunctionDecl *Library = Call ? Call->getDirectCallee() : nullptr;
    if (!Library || !isLibraryFunction(*Library) || isNamed(Library, Harmless))
      continue;
    const unsigned Parameters = std::min(Library->getNumParams(), Call->getNumArgs());
    for (const Expr *Argument : llvm::ArrayRef(Call->getArgs(), Parameters)) { // what "..." takes is not called
      const FunctionDecl *Callback = functionIn(*Argument);
      const Move May = Callback ? Whole.points().of(*Callback) : Move::Never;
      if (May == Move::Never)
        continue;
      Finding Found{Warning::ForeignCallback, May != Move::Certain, Argument->getSourceRange(),
                    "'" + Library->getNameAsString() + "' calls '" + Callback->getNameAsString() +
                        "', which may want to move; with the library's frame between them the thread stays where it is "
                        "meanwhile: collect what is to be done, and do it when the library has returned"};
      Found.Notes.push_back({Callback->getLocation(), "'" + Callback->getNameAsString() + "' is declared here"});
      Whole.report(std::move(Found));
    }
  }
}

} // namespace

const Rule ForeignCallbackRule{
    Warning::ForeignCallback,
    true,
    check,
    "A library that was not compiled by skeincc has frames without maps. While one of them is on the stack the thread "
    "cannot move, so a callback that blocks or yields blocks more than it seems to. qsort, bsearch and the search "
    "functions of the C library are quiet: the runtime has versions of them that move.",
    R"(#include <search.h>
#include <ftw.h>
#include <skein/skein.h>

static int visit(const char *path, const struct stat *about, int kind) {
  skein_yield();
  return 0;
}

int walk(void) { return ftw(".", visit, 8); }
)",
    R"(#include <skein/skein.h>
#include <stdlib.h>

static int compare(const void *a, const void *b) {
  skein_yield();
  return *(const int *)a - *(const int *)b;
}

void sort(int *values, size_t n) { qsort(values, n, sizeof *values, compare); }
)"};

} // namespace skein
