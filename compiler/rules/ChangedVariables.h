//===- ChangedVariables.h - Which globals a unit changes --------------------===//
//
// A global that is initialised and never written again is the same on all nodes, whatever its declaration says. This
// file finds those that a unit may change: every use counts as a change unless it can only read, that is unless it is
//
//     loaded                           x, x.member, x[i] as a value
//     lent to what may only read it    &x or the array x where a pointer to const, or in C++ a reference to const, is
//                                      wanted
//
// Initialisation with a constant is no change. What is computed is the business of the caller.
//
//===----------------------------------------------------------------------===//
#ifndef SKEIN_RULES_CHANGEDVARIABLES_H
#define SKEIN_RULES_CHANGEDVARIABLES_H

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "llvm/ADT/DenseSet.h"

namespace skein {

/// Those with static storage, as canonical declarations.
llvm::DenseSet<const clang::VarDecl *> findChangedVariables(clang::ASTContext &Context);

} // namespace skein

#endif
