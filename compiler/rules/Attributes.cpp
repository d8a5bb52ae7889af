//===- Attributes.cpp - Skein's attributes, as clang's own ---------------===//
//
// A program may write the macros of <skein/skein.h>, or the attributes themselves:
//
//     __attribute__((skein_private)) int depth;       C and C++
//     [[skein::private]] int depth;                   C23 and C++
//
// A name that is misspelled, stands where it means nothing, or contradicts another one is an error at its place; as an
// `annotate` of some text it would have been silence. Every attribute becomes clang's own annotate attribute, because
// clang writes those to IR, where the passes find them.
//
//===----------------------------------------------------------------------===//
#include "rules/SharedMemory.h"
#include "rules/SourceAnnotations.h"
#include "clang/AST/Decl.h"
#include "clang/Basic/ParsedAttrInfo.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Sema/ParsedAttr.h"
#include "clang/Sema/Sema.h"

using namespace clang;

namespace skein {
namespace {

void error(Sema &Actions, SourceRange Where, const llvm::Twine &Text) {
  DiagnosticsEngine &Diags = Actions.getDiagnostics();
  // Of a macro of ours, that it stands here is all there is to say.
  Where = Actions.getSourceManager().getExpansionRange(Where).getAsRange();
  Diags.Report(Where.getBegin(), Diags.getCustomDiagID(DiagnosticsEngine::Error, "%0")) << Text.str() << Where;
}

/// One of the attributes: its spellings, its text, where it may stand, and what it may not stand beside.
class Attribute : public ParsedAttrInfo {
public:
  Attribute(llvm::ArrayRef<Spelling> Own, llvm::StringLiteral Text) : Text(Text) { Spellings = Own; }

  bool diagAppertainsToDecl(Sema &Actions, const ParsedAttr &Written, const Decl *D) const override {
    std::string Why = misplaced(*D);
    if (Why.empty())
      return true;
    error(Actions, Written.getRange(), "'" + Written.getAttrName()->getName() + "' " + Why);
    return false;
  }

  AttrHandling handleDeclAttribute(Sema &Actions, Decl *D, const ParsedAttr &Written) const override {
    for (llvm::StringRef Other : Excluded)
      if (hasAnnotation(*D, Other)) {
        error(Actions, Written.getRange(),
              "'" + Written.getAttrName()->getName() + "' contradicts '" + Other + "' of the same declaration");
        return AttributeNotApplied;
      }
    D->addAttr(AnnotateAttr::Create(Actions.Context, Text, nullptr, 0, Written.getRange()));
    return AttributeApplied;
  }

protected:
  /// Why it may not stand at this declaration; empty if it may.
  virtual std::string misplaced(const Decl &D) const = 0;

  llvm::ArrayRef<llvm::StringRef> Excluded;

private:
  const llvm::StringLiteral Text;
};

std::string onFunctions(const Decl &D) { return isa<FunctionDecl>(D) ? "" : "is for functions"; }

std::string onGlobals(const Decl &D) {
  const auto *V = dyn_cast<VarDecl>(&D);
  if (!V || isa<ParmVarDecl>(V))
    return "is for variables";
  return V->hasGlobalStorage() ? ""
                               : "is for variables of the file and static ones: a local is the thread's own without it";
}

#define SKEIN_SPELLINGS(Name)                                                                                          \
  static constexpr ParsedAttrInfo::Spelling Own[] = {{ParsedAttr::AS_GNU, "skein_" Name},                              \
                                                     {ParsedAttr::AS_CXX11, "skein::" Name},                           \
                                                     {ParsedAttr::AS_C23, "skein::" Name}}

class NoMigrate : public Attribute {
  SKEIN_SPELLINGS("nomigrate");

public:
  NoMigrate() : Attribute(Own, NoMigrateAnnotation) {}
  std::string misplaced(const Decl &D) const override { return onFunctions(D); }
};

class AssumeNoMigrate : public Attribute {
  SKEIN_SPELLINGS("assume_nomigrate");

public:
  AssumeNoMigrate() : Attribute(Own, AssumeNoMigrateAnnotation) {}
  std::string misplaced(const Decl &D) const override { return onFunctions(D); }
};

class MovesSame : public Attribute {
  SKEIN_SPELLINGS("moves_same");

public:
  MovesSame() : Attribute(Own, MovesSameAnnotation) {}
  std::string misplaced(const Decl &D) const override { return onFunctions(D); }
};

class Private : public Attribute {
  SKEIN_SPELLINGS("private");
  static constexpr llvm::StringRef Contradictions[] = {NodeLocalAnnotation};

public:
  Private() : Attribute(Own, PrivateAnnotation) { Excluded = Contradictions; }
  std::string misplaced(const Decl &D) const override { return onGlobals(D); }
};

class NodeLocal : public Attribute {
  SKEIN_SPELLINGS("node_local");
  static constexpr llvm::StringRef Contradictions[] = {PrivateAnnotation};

public:
  NodeLocal() : Attribute(Own, NodeLocalAnnotation) { Excluded = Contradictions; }
  std::string misplaced(const Decl &D) const override { return onGlobals(D); }
};

class Untracked : public Attribute {
  SKEIN_SPELLINGS("untracked");

public:
  Untracked() : Attribute(Own, UntrackedAnnotation) {}
  std::string misplaced(const Decl &D) const override {
    return isa<FunctionDecl>(D) || isa<VarDecl>(D) ? "" : "is for functions and variables";
  }
};

class Entry : public Attribute {
  SKEIN_SPELLINGS("entry");
  static constexpr llvm::StringRef Contradictions[] = {NoMigrateAnnotation, AssumeNoMigrateAnnotation};

public:
  Entry() : Attribute(Own, EntryAnnotation) { Excluded = Contradictions; }

  /// A thread can begin in what skein_spawn takes: so much is checked where the function is declared already.
  std::string misplaced(const Decl &D) const override {
    const auto *F = dyn_cast<FunctionDecl>(&D);
    if (!F)
      return "is for functions";
    if (const auto *Method = dyn_cast<CXXMethodDecl>(F); Method && Method->isInstance())
      return "is for functions without an object: a thread begins with arguments only";
    if (F->isVariadic())
      return "is for functions with a fixed number of parameters";
    unsigned Words = 0, Floats = 0;
    for (const ParmVarDecl *Parameter : F->parameters()) {
      const QualType T = Parameter->getType();
      if (T->isRecordType() || T->isReferenceType())
        return "is for functions whose parameters are numbers and pointers, and '" + Parameter->getNameAsString() +
               "' is of type '" + T.getAsString() + "'";
      ++(T->isFloatingType() ? Floats : Words);
    }
    return Words > 6 || Floats > 8
               ? "is for functions with at most 6 integers and pointers and 8 floating-point numbers"
               : "";
  }
};

ParsedAttrInfoRegistry::Add<NoMigrate> A("skein_nomigrate", "never reaches a migration point");
ParsedAttrInfoRegistry::Add<AssumeNoMigrate> B("skein_assume_nomigrate", "the same, believed");
ParsedAttrInfoRegistry::Add<Private> C("skein_private", "each thread has its own");
ParsedAttrInfoRegistry::Add<NodeLocal> D("skein_node_local", "each node is meant to have its own");
ParsedAttrInfoRegistry::Add<Untracked> E("skein_untracked", "the rules leave it alone");
ParsedAttrInfoRegistry::Add<Entry> F("skein_entry", "a thread begins in it");
ParsedAttrInfoRegistry::Add<MovesSame> G("skein_moves_same", "compiled without maps; a thread in it keeps its address");

} // namespace
} // namespace skein
