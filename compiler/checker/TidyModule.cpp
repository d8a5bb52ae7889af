//===- TidyModule.cpp - The rules of Skein as checks of clang-tidy -------===//
//
//     clang-tidy-22 -load=<prefix>/lib/skein/SkeinTidy.so -checks='-*,skein-*' file.c -- -D__SKEIN__ -I<prefix>/include
//
// Each rule is a check of its own, so that a project switches it as any other one. Options, for one check or for all:
// Pedantic, PrivateGlobals, PrivateHeap, LoopPolls, GrowableStacks (true or false), as in rules/Rule.h.
//
//===----------------------------------------------------------------------===//
#include "clang-tidy/ClangTidyCheck.h"
#include "clang-tidy/ClangTidyModule.h"
#include "rules/Rule.h"
#include "clang/ASTMatchers/ASTMatchFinder.h"

using namespace clang;
using namespace clang::tidy;

namespace skein {
namespace {

/// One rule's findings, as the check reports them.
class TidySink : public FindingSink {
public:
  TidySink(ClangTidyCheck &Check, Warning Own, bool Pedantic) : Check(Check), Own(Own), Pedantic(Pedantic) {}

  bool wants(Warning Rule, bool IsPedantic) const override { return Rule == Own && (Pedantic || !IsPedantic); }

  void take(const Finding &Found) override {
    {
      DiagnosticBuilder Builder = Check.diag(Found.Where.getBegin(), "%0") << Found.Text << Found.Where;
      for (const FixItHint &Fix : Found.Fixes)
        Builder << Fix;
    }
    for (const Note &Each : Found.Notes)
      Check.diag(Each.Where.getBegin(), "%0", DiagnosticIDs::Note) << Each.Text << Each.Where;
  }

private:
  ClangTidyCheck &Check;
  const Warning Own;
  const bool Pedantic;
};

template <Warning Own> class RuleCheck : public ClangTidyCheck {
public:
  RuleCheck(llvm::StringRef Name, ClangTidyContext *Context)
      : ClangTidyCheck(Name, Context), Pedantic(Options.getLocalOrGlobal("Pedantic", false)),
        OfUnit{Options.getLocalOrGlobal("PrivateGlobals", false), Options.getLocalOrGlobal("PrivateHeap", false),
               Options.getLocalOrGlobal("LoopPolls", false), Options.getLocalOrGlobal("GrowableStacks", false)} {}

  void registerMatchers(ast_matchers::MatchFinder *Finder) override {
    Finder->addMatcher(ast_matchers::translationUnitDecl(), this);
  }

  void check(const ast_matchers::MatchFinder::MatchResult &Result) override {
    TidySink Sink(*this, Own, Pedantic);
    checkUnit(*Result.Context, OfUnit, Sink);
  }

  void storeOptions(ClangTidyOptions::OptionMap &To) override {
    Options.store(To, "Pedantic", Pedantic);
    Options.store(To, "PrivateGlobals", OfUnit.PrivateGlobals);
    Options.store(To, "PrivateHeap", OfUnit.PrivateHeap);
    Options.store(To, "LoopPolls", OfUnit.LoopPolls);
    Options.store(To, "GrowableStacks", OfUnit.GrowableStacks);
  }

private:
  const bool Pedantic;
  const RuleOptions OfUnit;
};

class Module : public ClangTidyModule {
public:
  void addCheckFactories(ClangTidyCheckFactories &Checks) override {
#define SKEIN_RULE(Identifier, Name, Help) Checks.registerCheck<RuleCheck<Warning::Identifier>>("skein-" Name);
#include "rules/Warnings.def"
  }
};

ClangTidyModuleRegistry::Add<Module> Registration("skein-module", "The rules of Skein");

} // namespace
} // namespace skein
