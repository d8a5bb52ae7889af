//===- Spawn.h - skein_spawn and its kin in the tree of clang ------------===//
//
// <skein/skein.h> makes `skein_spawn(f, a, b)` the call `skein_spawn_((void (*)(void))(f), 0, a, b)`; skein_spawn_with
// and skein_create have their attributes before the function.
//
//===----------------------------------------------------------------------===//
#ifndef SKEIN_RULES_SPAWN_H
#define SKEIN_RULES_SPAWN_H

#include "rules/SourceAnnotations.h"
#include "clang/AST/Expr.h"
#include "llvm/ADT/STLExtras.h"

namespace skein {

inline bool isSpawn(const clang::CallExpr &Call) {
  const clang::FunctionDecl *Callee = Call.getDirectCallee();
  return Callee && Callee->getIdentifier() &&
         llvm::is_contained({SpawnFunction, SpawnWithFunction, CreateFunction}, Callee->getName());
}

/// Which argument is the function; its result's class and the arguments of the new thread follow it.
inline unsigned spawnedFunctionAt(const clang::CallExpr &Spawn) {
  return Spawn.getDirectCallee()->getName() == SpawnFunction ? 0 : 1;
}
inline unsigned firstSpawnArgument(const clang::CallExpr &Spawn) { return spawnedFunctionAt(Spawn) + 2; }

/// The expression the user wrote for the function, without the macro's cast.
inline const clang::Expr *spawnedFunction(const clang::CallExpr &Spawn) {
  const clang::Expr *E = Spawn.getArg(spawnedFunctionAt(Spawn))->IgnoreParens();
  if (const auto *Cast = llvm::dyn_cast<clang::CStyleCastExpr>(E))
    E = Cast->getSubExprAsWritten()->IgnoreParens();
  return E;
}

/// The function that the new thread begins in, null if it is not named.
inline const clang::FunctionDecl *spawnedDeclaration(const clang::CallExpr &Spawn) {
  const auto *Name = llvm::dyn_cast<clang::DeclRefExpr>(spawnedFunction(Spawn)->IgnoreParenImpCasts());
  return Name ? llvm::dyn_cast<clang::FunctionDecl>(Name->getDecl()) : nullptr;
}

inline auto spawnArguments(const clang::CallExpr &Spawn) {
  return llvm::drop_begin(Spawn.arguments(), std::min(firstSpawnArgument(Spawn), Spawn.getNumArgs()));
}

} // namespace skein

#endif
