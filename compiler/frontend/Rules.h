//===- Rules.h - What the Clang half checks and records, one rule a file ---===//
//
// A rule sees each function definition once, when it is complete and *before* clang generates code for it (so it may
// still change the tree), and the whole translation unit once, before the optimiser runs.
//
//===----------------------------------------------------------------------===//
#ifndef SKEIN_FRONTEND_RULES_H
#define SKEIN_FRONTEND_RULES_H

#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"

namespace clang {
class ASTContext;
class ASTNameGenerator;
class CompilerInstance;
class Sema;
} // namespace clang

namespace skein {

/// From here on, the macro `shared` of <skein/shared.h> is a qualifier only where one can stand.
void readSharedInContext(clang::CompilerInstance &Compiler);

/// Records functions that never migrate: from system headers without a body, or annotated. Never reports.
/// Variables on the way, too.
void recordNonMigrating(clang::ASTContext &Context);

/// -mllvm -skein-print-layouts: where the pointers of the types are that this file defines.
void printLayouts(clang::ASTContext &Context);

/// Records a variable that is SKEIN_PRIVATE, or that belongs to a library.
void recordVariable(const clang::VarDecl &Variable, clang::ASTNameGenerator &Names);

/// Whether each thread has its own.
bool isPrivateVariable(const clang::VarDecl &Variable);

/// The functions of one program text that may run in a thread: defined here, not in a system header, not
/// SKEIN_NOMIGRATE.
bool isMigratable(const clang::FunctionDecl &Function);

/// -Wskein-global: each use of a mutable global of the process by a migratable function, once per function and global.
void checkGlobals(clang::ASTContext &Context, const clang::FunctionDecl &Function);

/// Errors where a call of skein_spawn does not fit the function it names, else the arguments converted as in a direct
/// call. False: the call is wrong.
bool checkSpawn(clang::Sema &Sema, clang::CallExpr &Spawn);

/// -Wskein-local-address: skein_spawn is given the address of a local.
void checkLocalAddress(clang::ASTContext &Context, const clang::CallExpr &Spawn);

/// Errors where a pointer to shared memory becomes one to plain memory, or the other way round, or is given to a
/// library function that works on plain memory.
void checkSharedCast(clang::ASTContext &Context, const clang::CastExpr &Cast);
void checkSharedArguments(clang::ASTContext &Context, const clang::CallExpr &Call);
/// Errors where a variable is declared to be in shared memory.
void checkSharedVariable(clang::ASTContext &Context, const clang::VarDecl &Variable);

/// Writes what each allocation in a declaration says about its type into the tree.
void inferHeapTypes(clang::ASTContext &Context, clang::Decl &D);

/// Lets the address that a copy goes to name the type of what lies there.
void nameWhatIsCopiedTo(clang::ASTContext &Context, clang::Decl &D);

} // namespace skein

#endif
