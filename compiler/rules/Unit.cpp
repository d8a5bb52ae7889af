//===- Unit.cpp - All rules over one translation unit --------------------===//
#include "rules/Unit.h"
#include "rules/ChangedVariables.h"
#include "rules/SourceAnnotations.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace skein {

llvm::ArrayRef<const Rule *> allRules() {
  static const Rule *const All[] = {
#define SKEIN_RULE(Identifier, Name, Help) &Identifier##Rule,
#include "rules/Warnings.def"
  };
  return All;
}

static const Rule &ruleFor(Warning Kind) {
  return **llvm::find_if(allRules(), [&](const Rule *Each) { return Each->Id == Kind; });
}

static constexpr struct {
  llvm::StringLiteral Name, Help;
} Texts[] = {
#define SKEIN_WARNING(Identifier, Name, FollowsWerror, Help) {Name, Help},
#include "rules/Warnings.def"
};

llvm::StringRef nameOfRule(Warning Kind) { return Texts[unsigned(Kind)].Name; }
llvm::StringRef helpOfRule(Warning Kind) { return Texts[unsigned(Kind)].Help; }

static bool usesSkein(const ASTContext &Context) { return Context.Idents.find(SpawnFunction) != Context.Idents.end(); }

Unit::Unit(ASTContext &Context, const RuleOptions &Options, FindingSink &Sink)
    : Context(Context), Options(Options), Sink(Sink), UsesSkein(skein::usesSkein(Context)), Points(Context) {}

bool Unit::remembered(Warning Rule, const FunctionDecl &Function, llvm::function_ref<bool()> Answer) {
  const std::pair Key(&Function, unsigned(Rule));
  auto [Known, New] = Answers.insert({Key, false});
  if (!New)
    return Known->second;
  return Answers[Key] = Answer();
}

bool Unit::isOfThread(const VarDecl &Global) const {
  return Options.PrivateGlobals || Global.getTLSKind() != VarDecl::TLS_None || hasAnnotation(Global, PrivateAnnotation);
}

bool Unit::changes(const VarDecl &Global) {
  if (!Changed)
    Changed = findChangedVariables(Context);
  return Changed->contains(Global.getCanonicalDecl());
}

void Unit::addInclude(Finding &Found, llvm::StringRef Name, llvm::StringRef Header) const {
  if (Context.Idents.find(Name) != Context.Idents.end())
    return;
  const SourceManager &Sources = Context.getSourceManager();
  Found.Fixes.push_back(FixItHint::CreateInsertion(Sources.getLocForStartOfFile(Sources.getMainFileID()),
                                                   ("#include <" + Header + ">\n").str()));
}

void Unit::report(Finding Found) {
  Found.Pedantic |= !UsesSkein || ruleFor(Found.Rule).Pedantic;
  if (Sink.wants(Found.Rule, Found.Pedantic) &&
      Reported.insert({unsigned(Found.Rule), Found.Where.getBegin().getRawEncoding()}).second)
    Sink.take(Found);
}

/// Defined in the headers of Skein, which are not the user's to change.
static bool isOfSkein(const FunctionDecl &F) {
  if (const auto *Namespace = dyn_cast<NamespaceDecl>(F.getDeclContext()->getEnclosingNamespaceContext()))
    if (Namespace->getName() == "skein")
      return true;
  return F.getIdentifier() && F.getName().starts_with("skein_");
}

/// The functions that rules are for: SKEIN_UNTRACKED says that the programmer answers for the function.
static bool isToBeChecked(const FunctionDecl &F) {
  return !hasAnnotation(F, NoMigrateAnnotation) && !hasAnnotation(F, AssumeNoMigrateAnnotation) &&
         !hasAnnotation(F, UntrackedAnnotation) && !isOfSkein(F);
}

void checkUnit(ASTContext &Context, const RuleOptions &Options, FindingSink &Sink) {
  llvm::SmallVector<const Rule *, WarningCount> Wanted;
  for (const Rule *Each : allRules())
    if ((usesSkein(Context) && !Each->Pedantic && Sink.wants(Each->Id, false)) || Sink.wants(Each->Id, true))
      Wanted.push_back(Each);
  if (Wanted.empty())
    return;
  Unit Whole(Context, Options, Sink);
  for (const FunctionDecl *F : Whole.functions())
    if (isToBeChecked(*F))
      for (const Rule *Each : Wanted)
        Each->CheckFunction(Whole, *F);
}

} // namespace skein
