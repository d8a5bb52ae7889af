//===- Rule.h - What a rule of the language is, and what it reports ------===//
//
// A rule looks at one function of a translation unit, or at the unit as a whole, and reports findings. It knows neither
// clang's diagnostics nor command lines, so that three programs share it:
//
//     skeincc       as warnings with flags: the plugin, frontend/Frontend.cpp
//     skein-check   over whole projects, as text or SARIF: checker/
//     clang-tidy    as a module: checker/TidyModule.cpp
//
// Findings come in two degrees. A *certain* one is a mistake in every run in which the thread moves there: the program
// itself asks for the move (skein_yield, skein_push_self, a lock, a join, ...). A *pedantic* one is a mistake only if
// something happens that the source does not show, such as a move in a call of a function of another file; or it is no
// mistake, but keeps the thread where it is or at its address: some rules find nothing else. A unit that does not
// include <skein/skein.h> is drop-in code, of which every finding is pedantic.
//
//===----------------------------------------------------------------------===//
#ifndef SKEIN_RULES_RULE_H
#define SKEIN_RULES_RULE_H

#include "rules/Warnings.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "clang/Basic/Diagnostic.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace skein {

/// How the unit is compiled, as far as rules depend on it: the options -fskein-… of skeincc.
struct RuleOptions {
  bool PrivateGlobals = false;
  bool PrivateHeap = false;
  bool LoopPolls = false;
  bool GrowableStacks = false;
};

struct Note {
  clang::SourceRange Where;
  std::string Text;
};

struct Finding {
  Warning Rule;
  bool Pedantic = false;
  clang::SourceRange Where;
  std::string Text;
  llvm::SmallVector<Note, 2> Notes = {};
  llvm::SmallVector<clang::FixItHint, 2> Fixes = {};
};

/// Where findings go.
class FindingSink {
public:
  virtual ~FindingSink() = default;
  /// Whether a finding of this kind would be shown: a rule that nobody wants need not look.
  virtual bool wants(Warning Rule, bool Pedantic) const = 0;
  virtual void take(const Finding &Found) = 0;
};

class Unit;

struct Rule {
  Warning Id;
  bool Pedantic; ///< all that it finds is
  /// Called once for each function that is defined in the unit, not in a system header, and may run in a thread that
  /// moves. Instances of templates are functions of their own; templates are not.
  void (*CheckFunction)(Unit &, const clang::FunctionDecl &);
  /// The texts of docs/rules.md. `Wrong` and `Right` are whole units of C; a test compiles both.
  llvm::StringRef Rationale, Wrong, Right;
};

#define SKEIN_RULE(Identifier, Name, Help) extern const Rule Identifier##Rule;
#include "rules/Warnings.def"

/// All rules, in the order of Warnings.def.
llvm::ArrayRef<const Rule *> allRules();

/// The name without the `skein-`, as in -Wskein-<name>, and the line of help.
llvm::StringRef nameOfRule(Warning Kind);
llvm::StringRef helpOfRule(Warning Kind);

/// Applies all rules to a unit that has been read to its end.
void checkUnit(clang::ASTContext &Context, const RuleOptions &Options, FindingSink &Sink);

} // namespace skein

#endif
