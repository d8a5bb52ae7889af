//===- Frontend.cpp - The Clang half of the plugin -------------------------===//
//
// Runs in front of clang's own action on every translation unit that skeincc compiles. Each top-level declaration
// passes here before clang generates code for it, the whole unit before the optimiser runs:
//
//     declaration complete   what Rules.h checks and changes in it; the types of its allocations
//     unit complete          the rules of compiler/rules; functions that never migrate are recorded for the passes
//
// Units that do not include <skein/skein.h> are drop-in code: they get the record, and reports only if they are asked
// for (-Wskein-pedantic).
//
//===----------------------------------------------------------------------===//
#include "Pragmas.h"
#include "Report.h"
#include "Rules.h"
#include "passes/addresses/WordEvidence.h"
#include "passes/ir/SourceFacts.h"
#include "passes/private/PrivateHeap.h"
#include "passes/private/PrivateVariables.h"
#include "rules/Rule.h"
#include "rules/SourceAnnotations.h"
#include "rules/Spawn.h"
#include "clang/AST/ASTConsumer.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendPluginRegistry.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace clang;

namespace skein {
namespace {

/// Finds function definitions and calls of skein_spawn in a declaration and applies the rules.
class RuleVisitor : public DynamicRecursiveASTVisitor {
public:
  explicit RuleVisitor(CompilerInstance &Compiler) : Compiler(Compiler) {
    // An instantiated template is checked in its instance, which clang hands over as a declaration of its own.
    ShouldVisitTemplateInstantiations = false;
  }

  bool VisitFunctionDecl(FunctionDecl *F) override {
    Current = F;
    return true;
  }

  bool VisitVarDecl(VarDecl *Variable) override {
    if (!Variable->getType()->isDependentType() && Checked.insert(Variable).second)
      checkSharedVariable(Compiler.getASTContext(), *Variable);
    return true;
  }

  bool VisitCastExpr(CastExpr *Cast) override {
    if (!Cast->isTypeDependent() && !Cast->getSubExpr()->isTypeDependent())
      checkSharedCast(Compiler.getASTContext(), *Cast);
    return true;
  }

  bool VisitCallExpr(CallExpr *Call) override {
    if (!Call->isInstantiationDependent())
      checkSharedArguments(Compiler.getASTContext(), *Call);
    const bool Asks = asksForWords(*Call);
    if ((!isSpawn(*Call) && !Asks) || Call->isTypeDependent())
      return true;
    for (const Expr *Argument : Call->arguments())
      if (Argument->isTypeDependent() || Argument->isInstantiationDependent())
        return true;
    if (!Checked.insert(Call).second)
      return true;
    if (Asks)
      writeWordsOfClosure(Compiler.getASTContext(), *Call);
    else if (!checkSpawn(Compiler.getSema(), *Call))
      noteInstantiation();
    return true;
  }

private:
  /// Says which instantiation led here, which Sema no longer knows.
  void noteInstantiation() const {
    if (Current && Current->getPointOfInstantiation().isValid())
      note(Compiler.getDiagnostics(), Current->getPointOfInstantiation(),
           "in instantiation of '" + Current->getNameAsString() + "' requested here");
  }

  CompilerInstance &Compiler;
  const FunctionDecl *Current = nullptr;
  llvm::SmallPtrSet<const void *, 32> Checked;
};

/// Writes into a declaration what the passes have to know and only the source tells.
class TreeWriter : public DynamicRecursiveASTVisitor {
public:
  explicit TreeWriter(ASTContext &Context) : Context(Context), Types(makeHeapTypes(Context)) {
    ShouldVisitTemplateInstantiations = false; // an instance is a declaration of its own here, too
  }

  void write(Decl &D, bool WithHeapTypes) {
    WritesTypes = WithHeapTypes;
    WritesCopies = !Context.getSourceManager().isInSystemHeader(D.getLocation());
    if (WritesTypes || WritesCopies)
      TraverseDecl(&D);
  }

  bool TraverseDecl(Decl *D) override {
    const auto *Function = dyn_cast_or_null<FunctionDecl>(D);
    llvm::SaveAndRestore Restore(InTemplate, InTemplate || (Function && Function->isDependentContext()));
    return DynamicRecursiveASTVisitor::TraverseDecl(D);
  }
  bool VisitCastExpr(CastExpr *Cast) override {
    if (WritesTypes)
      Types->readConversion(*Cast);
    return true;
  }
  bool VisitCallExpr(CallExpr *Call) override {
    if (WritesTypes)
      Types->readCall(*Call);
    if (WritesCopies && !InTemplate) // each instance is made anew of what the template says
      nameWhatIsCopiedTo(Context, *Call);
    return true;
  }
  bool VisitCXXNewExpr(CXXNewExpr *New) override {
    if (WritesTypes)
      Types->readNew(*New);
    return true;
  }

private:
  ASTContext &Context;
  std::unique_ptr<HeapTypes> Types;
  bool WritesTypes = false, WritesCopies = false, InTemplate = false;
};

RuleOptions optionsOfRules() {
  return {globalsArePrivate(), privateHeapRequested(), loopPollsRequested(), growableStacksRequested()};
}

class Consumer : public ASTConsumer {
public:
  explicit Consumer(CompilerInstance &Compiler) : Compiler(Compiler), Rules(Compiler) {}

  void Initialize(ASTContext &Context) override {
    installDiagnosticSink(Compiler);
    Writer = std::make_unique<TreeWriter>(Context);
  }

  bool HandleTopLevelDecl(DeclGroupRef Group) override {
    if (usesSkein())
      for (Decl *D : Group)
        Rules.TraverseDecl(D);
    const bool WithHeapTypes = usesPrivateHeap();
    for (Decl *D : Group)
      Writer->write(*D, WithHeapTypes);
    return true;
  }

  void HandleTranslationUnit(ASTContext &Context) override {
    if (!Compiler.getDiagnostics().hasErrorOccurred()) {
      DiagnosticFindings Findings(Compiler.getDiagnostics());
      checkUnit(Context, optionsOfRules(), Findings);
    }
    recordNonMigrating(Context);
    printLayouts(Context);
  }

private:
  /// Whether <skein/skein.h> is in use. Its macro's expansion counts, too, since the declarations of a precompiled
  /// header are not handed to HandleTopLevelDecl.
  bool usesSkein() {
    const IdentifierTable &Names = Compiler.getASTContext().Idents;
    return UsesSkein = UsesSkein || Names.find(SpawnFunction) != Names.end();
  }

  bool usesPrivateHeap() {
    const IdentifierTable &Names = Compiler.getASTContext().Idents;
    return UsesHeap = UsesHeap || privateHeapRequested() || Names.find("skein_malloc") != Names.end();
  }

  CompilerInstance &Compiler;
  RuleVisitor Rules;
  std::unique_ptr<TreeWriter> Writer;
  bool UsesSkein = false, UsesHeap = false;
};

class Action : public PluginASTAction {
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &Compiler, StringRef) override {
    readSharedInContext(Compiler);
    observePragmas(Compiler);
    if (Compiler.getCodeGenOpts().RelaxedAliasing)
      declareTypesNoEvidence();
    return std::make_unique<Consumer>(Compiler);
  }
  bool ParseArgs(const CompilerInstance &, const std::vector<std::string> &) override { return true; }
  ActionType getActionType() override { return AddBeforeMainAction; }
};

FrontendPluginRegistry::Add<Action> Registration("skein", "annotated C of Skein");

} // namespace
} // namespace skein
