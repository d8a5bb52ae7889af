//===- SourceAnnotations.h - The annotations of the language, one list -----===//
//
// All that annotated C adds to C on the Clang side. docs/language.md explains it to users.
//
//   SKEIN_NOMIGRATE   __attribute__((annotate("skein-nomigrate"))) on a function, declared or defined: neither it nor
//                     anything it calls reaches a migration point. Checked (passes/ir/NonMigratingClaims.cpp).
//                     NonMigratingRule.cpp
//   SKEIN_ASSUME_NOMIGRATE   the same, annotate("skein-assume-nomigrate"), believed without a check
//   SKEIN_PRIVATE     __attribute__((annotate("skein-private"))) on a variable, declared or defined: each thread has
//                     its own. PrivateRule.cpp
//   skein_shared      __attribute__((address_space(100))): a global address. Clang and SharedRule.cpp check it, the
//                     passes lower it.
//   skein_spawn       a macro around skein_spawn_, which has a rule of its own. SpawnRule.cpp
//   skein_spawn_with, skein_create   likewise; the function follows the attributes. SpawnRule.cpp
//
//===----------------------------------------------------------------------===//
#ifndef SKEIN_FRONTEND_SOURCEANNOTATIONS_H
#define SKEIN_FRONTEND_SOURCEANNOTATIONS_H

#include "clang/AST/Attr.h"
#include "clang/AST/Decl.h"

namespace skein {

inline constexpr llvm::StringLiteral NoMigrateAnnotation = "skein-nomigrate";
inline constexpr llvm::StringLiteral AssumeNoMigrateAnnotation = "skein-assume-nomigrate";
inline constexpr llvm::StringLiteral PrivateAnnotation = "skein-private";

/// The function that skein_spawn() expands to a call of.
inline constexpr llvm::StringLiteral SpawnFunction = "skein_spawn_";
inline constexpr llvm::StringLiteral SpawnWithFunction = "skein_spawn_with_";
inline constexpr llvm::StringLiteral CreateFunction = "skein_create_";

/// Whether a declaration of `D` seen so far carries the annotation.
inline bool hasAnnotation(const clang::Decl &D, llvm::StringRef Name) {
  for (const clang::Decl *Each : D.redecls())
    for (const auto *A : Each->specific_attrs<clang::AnnotateAttr>())
      if (A->getAnnotation() == Name)
        return true;
  return false;
}

} // namespace skein

#endif
