//===- Calls.h - Rules that forbid calls of functions by name ------------===//
#ifndef SKEIN_RULES_CALLS_H
#define SKEIN_RULES_CALLS_H

#include "rules/Unit.h"

namespace skein {

/// One function that is not to be called, and what to do instead.
struct UnwantedCall {
  llvm::StringRef Name;
  llvm::StringRef Text;  ///< what comes of it and what to do, after "'name' "
  bool Pedantic = false; ///< though the rule is not as a whole
};

/// Reports each call of one of them; `Complete` may add fixes.
void reportCalls(
    Unit &Whole, const clang::FunctionDecl &Function, Warning Kind, llvm::ArrayRef<UnwantedCall> Unwanted,
    llvm::function_ref<void(const clang::CallExpr &, Finding &)> Complete = [](const clang::CallExpr &, Finding &) {});

} // namespace skein

#endif
