//===- PrivateRule.cpp - What the passes must know about variables ---------===//
//
// The passes must know more about a variable than IR says, to decide whether each thread can have its own. This rule
// tells them which variables carry SKEIN_PRIVATE, which are initialised by code, which belong to a library (its header
// declares or defines them, and its code, compiled by somebody else, uses the one of the process), and which are only
// declared, in the file itself.
//
// The name of a static variable in a C function cannot be foreseen (`f.calls`, perhaps with a number). clang lists the
// annotated ones in the module; for those in system headers the usual name is taken.
//
//===----------------------------------------------------------------------===//
#include "Report.h"
#include "Rules.h"
#include "passes/private/PrivateVariables.h"
#include "rules/SourceAnnotations.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/Mangle.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace skein {

static std::string assemblerName(const VarDecl &V, ASTNameGenerator &Names) {
  if (V.isStaticLocal() && !V.getASTContext().getLangOpts().CPlusPlus)
    if (const auto *F = dyn_cast<FunctionDecl>(V.getDeclContext()))
      return (F->getNameAsString() + "." + V.getName()).str();
  return Names.getName(&V);
}

/// Whether the variable's value is in the program's image, as clang's CodeGen decides (ConstantEmitter): it is zero, or
/// clang can compute it. `V` is the declaration that initialises the variable, or defines it without an initialiser.
static bool hasConstantValue(const VarDecl &V) {
  const Expr *Init = V.getInit();
  if (!Init) {
    if (V.isThisDeclarationADefinition())
      return true;
    // This is a member of a class template, whose definition is made when the whole unit has been read.
    const VarDecl *Pattern = V.getTemplateInstantiationPattern();
    const VarDecl *Definition = Pattern ? Pattern->getDefinition() : nullptr;
    const QualType Element = V.getASTContext().getBaseElementType(V.getType());
    const auto *Class = Element->getAsCXXRecordDecl();
    return Definition && !Definition->hasInit() && (!Class || Class->hasTrivialDefaultConstructor());
  }
  if (const auto *Call = dyn_cast<CXXConstructExpr>(Init))
    if (Call->getConstructor()->isTrivial() && Call->getConstructor()->isDefaultConstructor())
      return true;
  return V.hasConstantInitialization() || (!Init->isValueDependent() && V.evaluateValue());
}

/// Constructors run once, before main, and initialise main's copy, so that the variable of every other thread would
/// stay without a value. (A thread-local variable is initialised by each thread that uses it.)
static void checkInitialisation(const VarDecl &V, ASTNameGenerator &Names) {
  ASTContext &Context = V.getASTContext();
  const VarDecl *Initialised = V.getInitializingDeclaration();
  if (!Context.getLangOpts().CPlusPlus || !Initialised || V.isStaticLocal() || V.getTLSKind() != VarDecl::TLS_None ||
      !isPrivateVariable(V) || V.isTemplated() || V.isConstexpr() || hasConstantValue(*Initialised))
    return;
  addFact(VariableFact::InitialisedByCode, assemblerName(V, Names));
  if (Context.Idents.find(SpawnFunction) == Context.Idents.end() ||
      Context.getSourceManager().isInSystemHeader(V.getLocation()))
    return;
  warn(Context.getDiagnostics(), V.getSourceRange(), Warning::Global,
       "private variable '" + V.getNameAsString() +
           "' is initialised by code that runs before main, in main's copy; other threads that use theirs stop with a "
           "message. Make it thread_local, or initialise it in the thread");
}

void recordVariable(const VarDecl &V, ASTNameGenerator &Names) {
  if (!V.isFirstDecl() || V.getType()->isDependentType() || V.getDeclContext()->isDependentContext())
    return;
  ASTContext &Context = V.getASTContext();
  const SourceManager &Sources = Context.getSourceManager();
  if (V.hasGlobalStorage())
    checkInitialisation(V, Names);
  if (V.hasGlobalStorage() && hasAnnotation(V, PrivateAnnotation)) {
    addFact(VariableFact::Private, assemblerName(V, Names));
  } else if (V.hasGlobalStorage() &&
             llvm::any_of(V.redecls(), [&](const VarDecl *D) { return Sources.isInSystemHeader(D->getLocation()); })) {
    addFact(VariableFact::OfProcess, assemblerName(V, Names));
  } else if (V.isExternallyVisible() && V.getTLSKind() == VarDecl::TLS_None && V.hasExternalStorage() &&
             llvm::all_of(V.redecls(),
                          [&](const VarDecl *D) { return Sources.isWrittenInMainFile(D->getLocation()); })) {
    addFact(VariableFact::Unsure, assemblerName(V, Names));
  }
}

bool isPrivateVariable(const VarDecl &V) {
  return globalsArePrivate() || V.getTLSKind() != VarDecl::TLS_None || hasAnnotation(V, PrivateAnnotation);
}

} // namespace skein
