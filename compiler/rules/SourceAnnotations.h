//===- SourceAnnotations.h - The annotations of the language, one list ---===//
//
// All that annotated C adds to C on the Clang side. docs/language.md explains them to users.
//
// Attributes.cpp registers them as attributes of clang, spelled skein_nomigrate or [[skein::nomigrate]], with checks of
// where they may stand. Each becomes clang's own annotate attribute of the given text, which reaches the passes.
//
//   SKEIN_NOMIGRATE   "skein-nomigrate", on a function: neither it nor anything it calls reaches a migration point.
//                     Checked (passes/ir/NonMigratingClaims.cpp).
//   SKEIN_ASSUME_NOMIGRATE   "skein-assume-nomigrate", the same, believed without a check
//   SKEIN_MOVES_SAME  "skein-moves-same", on a function: compiled as clang does it; a thread in it keeps the address of
//                     its stack. passes/ir/SameMoves.h
//   SKEIN_PRIVATE     "skein-private", on a variable: each thread has its own. frontend/PrivateRule.cpp
//   SKEIN_NODE_LOCAL  "skein-node-local", on a variable: each node is meant to have its own. GlobalRule.cpp
//   SKEIN_ENTRY       "skein-entry", on a function: a thread begins in it. Its parameters are checked at once.
//   SKEIN_UNTRACKED   "skein-untracked", on a function or variable: the rules of this folder leave it alone
//
// What is not an attribute of a declaration:
//
//   skein_shared      __attribute__((address_space(100))): a global address. Clang and SharedRule.cpp check it, the
//                     passes lower it.
//   skein_spawn       a macro around skein_spawn_, which has a rule of its own. SpawnRule.cpp
//   SKEIN_PINNED      a loop of one turn around skein_pin_begin_ and skein_pin_end_: no call in it moves the thread
//   skein_spawn_with, skein_create   likewise; the function follows the attributes. SpawnRule.cpp
//   skein::thread     asks with skein_closure_words_ how the words of a closure travel. SpawnRule.cpp
//
//===----------------------------------------------------------------------===//
#ifndef SKEIN_RULES_SOURCEANNOTATIONS_H
#define SKEIN_RULES_SOURCEANNOTATIONS_H

#include "clang/AST/Attr.h"
#include "clang/AST/Decl.h"

namespace skein {

inline constexpr llvm::StringLiteral NoMigrateAnnotation = "skein-nomigrate";
inline constexpr llvm::StringLiteral AssumeNoMigrateAnnotation = "skein-assume-nomigrate";
inline constexpr llvm::StringLiteral MovesSameAnnotation = "skein-moves-same";
inline constexpr llvm::StringLiteral PrivateAnnotation = "skein-private";
inline constexpr llvm::StringLiteral NodeLocalAnnotation = "skein-node-local";
inline constexpr llvm::StringLiteral UntrackedAnnotation = "skein-untracked";
inline constexpr llvm::StringLiteral EntryAnnotation = "skein-entry";

/// The variable of the loop that SKEIN_PINNED expands to.
inline constexpr llvm::StringLiteral PinVariable = "skein_pin_here_";

/// What skein_spawn() expands to a call of.
inline constexpr llvm::StringLiteral SpawnFunction = "skein_spawn_";
inline constexpr llvm::StringLiteral SpawnWithFunction = "skein_spawn_with_";
inline constexpr llvm::StringLiteral CreateFunction = "skein_create_";
/// What makes its first argument of a function, in C++.
inline constexpr llvm::StringLiteral EntryFunction = "skein_entry_";
/// How <skein/thread.hpp> asks how the words of a closure travel.
inline constexpr llvm::StringLiteral ClosureFunction = "skein_closure_words_";

/// On any declaration of `D` seen so far.
inline bool hasAnnotation(const clang::Decl &D, llvm::StringRef Name) {
  for (const clang::Decl *Each : D.redecls())
    for (const auto *A : Each->specific_attrs<clang::AnnotateAttr>())
      if (A->getAnnotation() == Name)
        return true;
  return false;
}

} // namespace skein

#endif
