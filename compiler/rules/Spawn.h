//===- Spawn.h - skein_spawn and its kin in the tree of clang ------------===//
//
// <skein/skein.h> makes `skein_spawn(f, a, b)` the call `skein_spawn_((void (*)(void))(f), 0, a, b)`, and in C++
// `skein_spawn_(skein_entry_(f), 0, a, b)`; skein_spawn_with and skein_create have their attributes before the
// function.
//
//===----------------------------------------------------------------------===//
#ifndef SKEIN_RULES_SPAWN_H
#define SKEIN_RULES_SPAWN_H

#include "rules/SourceAnnotations.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLExtras.h"

namespace skein {

inline bool isSpawn(const clang::CallExpr &Call) {
  const clang::FunctionDecl *Callee = Call.getDirectCallee();
  return Callee && Callee->getIdentifier() &&
         llvm::is_contained({SpawnFunction, SpawnWithFunction, CreateFunction}, Callee->getName());
}

/// Whether the call asks how its first argument, the address of a closure, travels to a new thread that begins in the
/// second: the third is the answer.
inline bool asksForWords(const clang::CallExpr &Call) {
  const clang::FunctionDecl *Callee = Call.getDirectCallee();
  return Callee && Callee->getIdentifier() && Callee->getName() == ClosureFunction && Call.getNumArgs() == 3;
}

/// Which argument is the function; its result's class and the arguments of the new thread follow it.
inline unsigned spawnedFunctionAt(const clang::CallExpr &Spawn) {
  return Spawn.getDirectCallee()->getName() == SpawnFunction ? 0 : 1;
}
inline unsigned firstSpawnArgument(const clang::CallExpr &Spawn) { return spawnedFunctionAt(Spawn) + 2; }

/// The argument of skein_entry_, or null if that is not called.
inline const clang::Expr *argumentOfEntry(const clang::Expr &E) {
  const auto *Call = llvm::dyn_cast<clang::CallExpr>(E.IgnoreParenImpCasts());
  const clang::FunctionDecl *Callee = Call ? Call->getDirectCallee() : nullptr;
  return Callee && Callee->getIdentifier() && Callee->getName() == EntryFunction ? Call->getArg(0) : nullptr;
}

/// The expression the user wrote for the function, without the macro's cast.
inline const clang::Expr *spawnedFunction(const clang::CallExpr &Spawn) {
  const clang::Expr *E = Spawn.getArg(spawnedFunctionAt(Spawn))->IgnoreParens();
  if (const clang::Expr *Argument = argumentOfEntry(*E))
    E = Argument;
  if (const auto *Cast = llvm::dyn_cast<clang::CastExpr>(E))
    E = Cast->getSubExprAsWritten();
  return E->IgnoreParens();
}

/// The function that the new thread begins in, null if it is not named.
inline const clang::FunctionDecl *spawnedDeclaration(const clang::CallExpr &Spawn) {
  const auto *Name = llvm::dyn_cast<clang::DeclRefExpr>(spawnedFunction(Spawn)->IgnoreParenImpCasts());
  return Name ? llvm::dyn_cast<clang::FunctionDecl>(Name->getDecl()) : nullptr;
}

inline auto spawnArguments(const clang::CallExpr &Spawn) {
  return llvm::drop_begin(Spawn.arguments(), std::min(firstSpawnArgument(Spawn), Spawn.getNumArgs()));
}

/// Whether `D` is this member of namespace skein.
inline bool isOfSkein(const clang::NamedDecl &D, llvm::StringRef Name) {
  const auto *Space = llvm::dyn_cast<clang::NamespaceDecl>(D.getDeclContext());
  return D.getIdentifier() && D.getName() == Name && Space && Space->getName() == "skein" &&
         Space->getDeclContext()->isTranslationUnit();
}

/// Whether the expression makes a skein::thread, or calls skein::async: its arguments are a closure and what that gets.
inline bool startsClosure(const clang::CXXConstructExpr &New) {
  return isOfSkein(*New.getConstructor()->getParent(), "thread");
}
inline bool startsClosure(const clang::CallExpr &Call) {
  return Call.getDirectCallee() && isOfSkein(*Call.getDirectCallee(), "async");
}

} // namespace skein

#endif
