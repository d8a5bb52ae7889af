//===- Unit.h - What rules know of the translation unit they look at -----===//
#ifndef SKEIN_RULES_UNIT_H
#define SKEIN_RULES_UNIT_H

#include "rules/PossibleMoves.h"
#include "rules/Rule.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <optional>

namespace skein {

class Unit {
public:
  Unit(clang::ASTContext &Context, const RuleOptions &Options, FindingSink &Sink);

  clang::ASTContext &context() const { return Context; }
  const RuleOptions &options() const { return Options; }
  const PossibleMoves &points() const { return Points; }
  /// Functions that are defined here, templates without their instances excepted; in the order of the source.
  llvm::ArrayRef<const clang::FunctionDecl *> functions() const { return Points.functions(); }

  /// Whether <skein/skein.h> has been read, or its macros expanded (a precompiled header passes by without its
  /// declarations).
  bool usesSkein() const { return UsesSkein; }

  /// Whether each thread has its own copy of this variable, which is not a local one.
  bool isOfThread(const clang::VarDecl &Global) const;

  /// Whether this unit may change the global after its initialisation.
  bool changes(const clang::VarDecl &Global);

  /// Completes a fix that uses `Name`: includes `Header` first, unless the unit knows the name already.
  void addInclude(Finding &Found, llvm::StringRef Name, llvm::StringRef Header) const;

  /// What `Answer` says of a function for a rule, asked once; no while it is being asked.
  bool remembered(Warning Rule, const clang::FunctionDecl &Function, llvm::function_ref<bool()> Answer);

  /// Passes a finding on once, whatever the number of instances of the template that it is in.
  void report(Finding Found);

private:
  clang::ASTContext &Context;
  const RuleOptions Options;
  FindingSink &Sink;
  bool UsesSkein;
  PossibleMoves Points;
  std::optional<llvm::DenseSet<const clang::VarDecl *>> Changed;
  llvm::DenseSet<std::pair<unsigned, unsigned>> Reported; ///< rule and raw source location
  llvm::DenseMap<std::pair<const clang::FunctionDecl *, unsigned>, bool> Answers;
};

} // namespace skein

#endif
