//===- PossibleMoves.h - At which calls a thread may move ----------------===//
//
// Rules ask of each call whether the thread may be elsewhere when it returns. The compiler's own answer (the pass
// migration-points) errs on the side of *may*; a rule that did so would cry wolf at every call into another file. So
// there are three answers, found over the call graph of the unit:
//
//     Never      a library function, one that is SKEIN_NOMIGRATE, or one whose body here calls nothing else
//     Possible   a function of another file, or a call through a pointer: nothing shows that it moves
//     Certain    a function of Skein that may move the caller, or one whose body here calls such a function
//
//===----------------------------------------------------------------------===//
#ifndef SKEIN_RULES_POSSIBLEMOVES_H
#define SKEIN_RULES_POSSIBLEMOVES_H

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"
#include <vector>

namespace skein {

enum class Move { Never, Possible, Certain };

class PossibleMoves {
public:
  explicit PossibleMoves(clang::ASTContext &Context);

  /// Of a call, or of the construction of an object; Never for any other statement.
  Move of(const clang::Stmt &S) const;
  Move of(const clang::FunctionDecl &F) const;

  llvm::ArrayRef<const clang::FunctionDecl *> functions() const { return Functions; }
  /// The calls in a function's body, without those in lambdas, which are functions of their own; in the order of the
  /// source.
  llvm::ArrayRef<const clang::Stmt *> calls(const clang::FunctionDecl &F) const;
  /// Its expressions at which something can begin that rules follow (Crossings.h): calls, `new`, assignments, addresses
  /// made into numbers, members and initial values of unions. Found once for all rules.
  llvm::ArrayRef<const clang::Expr *> beginnings(const clang::FunctionDecl &F) const;
  /// Whether main does this by itself, at a time when it has neither moved nor started a thread.
  bool isBeforeThreads(const clang::FunctionDecl &F, const clang::Expr &E) const;
  /// Whether main is defined here, and never moves nor starts a thread.
  bool isSerial() const { return Main && ThreadsFrom.isInvalid(); }
  /// Whether a call of the function may come to be one of itself.
  bool isRecursive(const clang::FunctionDecl &F) const { return Recursive.contains(F.getCanonicalDecl()); }

private:
  class Collector;
  void propagate();
  void findRecursion();
  void findThreads();

  clang::ASTContext &Context;
  std::vector<const clang::FunctionDecl *> Functions;
  llvm::DenseMap<const clang::FunctionDecl *, llvm::SmallVector<const clang::Stmt *, 4>> Calls;
  llvm::DenseMap<const clang::FunctionDecl *, llvm::SmallVector<const clang::Expr *, 4>> Beginnings;
  llvm::DenseMap<const clang::FunctionDecl *, Move> Moves; ///< by canonical declaration
  llvm::DenseSet<const clang::FunctionDecl *> Recursive;   ///< likewise
  const clang::FunctionDecl *Main = nullptr;               ///< with its body, if that is here
  clang::SourceLocation ThreadsFrom;                       ///< of main's statement that may be the first to start one
  llvm::DenseSet<const clang::Stmt *> Pinned;              ///< calls in a region SKEIN_PINNED
};

/// The function that a call or construction names; null for a call through a pointer or of a virtual function.
const clang::FunctionDecl *calleeOf(const clang::Stmt &Call);

/// A function that a system header declares and no body here defines: its frames have no maps, and it never moves.
bool isLibraryFunction(const clang::FunctionDecl &F);

/// Whether it is named in a C library's manner (no class or namespace of C++, but std) and is one of `Names`.
bool isNamed(const clang::FunctionDecl *F, llvm::ArrayRef<llvm::StringRef> Names);
/// The name of a function outside of any class and namespace, or in std; else "".
llvm::StringRef nameInC(const clang::FunctionDecl *F);

/// " in the call of 'f'": for notes.
std::string inCallOf(const clang::Stmt &Call);

} // namespace skein

#endif
