//===- NonMigratingRule.cpp - Functions that never reach a migration point -===//
//
// A function that a system header declares and nobody defines here lives in a library that was not compiled by skeincc:
// its frames have no maps, so the thread cannot move while it runs. Calls to it are therefore no migration points,
// which is what makes programs full of printf and memcpy fast. Functions that call back (qsort, bsearch, twalk, ftw,
// scandir, glob, pthread_once, atexit, ...) are no exception: when the callback asks to migrate, the runtime finds the
// library's frame on the stack and refuses.
//
// The names of functions that are SKEIN_MOVES_SAME are recorded as well.
//
// Functions with a body in a system header (inline ones, templates) are compiled here and do get maps.
//
//===----------------------------------------------------------------------===//
#include "Rules.h"
#include "passes/ir/NonMigratingFunctions.h"
#include "rules/SourceAnnotations.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/Mangle.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace skein {
namespace {

class Recorder : public DynamicRecursiveASTVisitor {
public:
  explicit Recorder(ASTContext &Context) : Sources(Context.getSourceManager()), Names(Context) {
    ShouldVisitTemplateInstantiations = true;
  }

  bool VisitFunctionDecl(FunctionDecl *F) override {
    // A function that is never called needs no record, and one record for all its declarations is enough.
    if (!isFirstWritten(*F) || F->isDependentContext() || (!F->isUsed(/*CheckUsedAttr=*/false) && !F->hasBody()))
      return true;
    const NonMigrating Why = why(*F);
    const bool Same = hasAnnotation(*F, MovesSameAnnotation);
    if (Why == NonMigrating::No && !Same)
      return true;
    // Constructors and destructors have several bodies. For an ordinary function this list is empty.
    std::vector<std::string> All = Names.getAllManglings(F);
    All.push_back(Names.getName(F));
    for (const std::string &Name : All) {
      if (Why != NonMigrating::No)
        addNonMigrating(Name, Why);
      if (Same)
        addSameMoves(Name);
    }
    return true;
  }

  bool VisitVarDecl(VarDecl *V) override {
    recordVariable(*V, Names);
    return true;
  }

private:
  /// Whether this is the first declaration that is visited. Those that clang makes by itself, for the builtin functions
  /// of the C library, are not.
  static bool isFirstWritten(const FunctionDecl &F) {
    const FunctionDecl *Before = F.getPreviousDecl();
    while (Before && Before->isImplicit())
      Before = Before->getPreviousDecl();
    return !Before;
  }

  NonMigrating why(const FunctionDecl &F) const {
    if (hasAnnotation(F, AssumeNoMigrateAnnotation))
      return NonMigrating::Assumed;
    if (hasAnnotation(F, NoMigrateAnnotation))
      return NonMigrating::Claimed;
    return isLibraryFunction(F) ? NonMigrating::Library : NonMigrating::No;
  }

  bool isLibraryFunction(const FunctionDecl &F) const {
    if (F.hasBody() || F.isPureVirtual() || isOwn(F))
      return false;
    return llvm::any_of(F.redecls(), [&](const FunctionDecl *D) { return Sources.isInSystemHeader(D->getLocation()); });
  }

  /// Skein's own functions can migrate even where their header was installed among the system's.
  static bool isOwn(const FunctionDecl &F) {
    const IdentifierInfo *Name = F.getIdentifier();
    return Name && (Name->getName().starts_with("skein_") || Name->getName().starts_with("__skein_"));
  }

  const SourceManager &Sources;
  ASTNameGenerator Names;
};

} // namespace

void recordNonMigrating(ASTContext &Context) { Recorder(Context).TraverseDecl(Context.getTranslationUnitDecl()); }

} // namespace skein
