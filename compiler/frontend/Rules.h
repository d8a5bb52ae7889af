//===- Rules.h - What the Clang half checks and records, one rule a file ---===//
//
// A rule sees each function definition once, when it is complete and *before* clang generates code for it, so that it
// may still change the tree. It also sees the whole translation unit once, before the optimiser runs.
//
//===----------------------------------------------------------------------===//
#ifndef SKEIN_FRONTEND_RULES_H
#define SKEIN_FRONTEND_RULES_H

#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include <memory>

namespace clang {
class ASTContext;
class ASTNameGenerator;
class CXXNewExpr;
class CompilerInstance;
class Sema;
} // namespace clang

namespace skein {

/// From this call on, the macro `shared` of <skein/shared.h> is a qualifier only where one can stand.
void readSharedInContext(clang::CompilerInstance &Compiler);

/// Records, without any report, the functions that never migrate: those of system headers that have no body here, and
/// those that are annotated. Records variables on the way, too.
void recordNonMigrating(clang::ASTContext &Context);

/// With -mllvm -skein-print-layouts: prints where the pointers are in the types that this file defines.
void printLayouts(clang::ASTContext &Context);

/// Records what the passes must know about a variable (see PrivateRule.cpp).
void recordVariable(const clang::VarDecl &Variable, clang::ASTNameGenerator &Names);

/// Whether each thread has its own copy of the variable.
bool isPrivateVariable(const clang::VarDecl &Variable);

/// Reports errors where a call of skein_spawn does not fit the function it names, and returns false. Otherwise converts
/// the arguments as in a direct call.
bool checkSpawn(clang::Sema &Sema, clang::CallExpr &Spawn);

/// Answers how a closure travels (rules/Spawn.h).
void writeWordsOfClosure(clang::ASTContext &Context, clang::CallExpr &Asks);

/// Reports an error where a pointer to shared memory becomes one to plain memory, or the other way round, or is given
/// to a library function that works on plain memory.
void checkSharedCast(clang::ASTContext &Context, const clang::CastExpr &Cast);
void checkSharedArguments(clang::ASTContext &Context, const clang::CallExpr &Call);
/// Reports an error where a variable is declared to be in shared memory.
void checkSharedVariable(clang::ASTContext &Context, const clang::VarDecl &Variable);

/// Writes into the tree what the allocations of a unit say about their types. A conversion has to be read before the
/// call inside of it.
class HeapTypes {
public:
  virtual ~HeapTypes() = default;
  virtual void readConversion(clang::CastExpr &Cast) = 0;
  virtual void readCall(clang::CallExpr &Call) = 0;
  virtual void readNew(clang::CXXNewExpr &New) = 0;
};
std::unique_ptr<HeapTypes> makeHeapTypes(clang::ASTContext &Context);

/// Makes the address that a copy is written to tell the type of the object there, and arguments of which a function
/// does not learn the type tell theirs.
void nameWhatIsCopiedTo(clang::ASTContext &Context, clang::CallExpr &Call);

} // namespace skein

#endif
