//===- LayoutPrinter.cpp - -mllvm -skein-print-layouts ---------------------===//
//
// Says where the words of each type are that a source file itself defines, for tests and for the curious:
//
//     struct node: 40 bytes, pointers at 0, 8 to 24 by 8, ambiguous at 32
//
//===----------------------------------------------------------------------===//
#include "Rules.h"
#include "TypeLayout.h"
#include "abi/frame_map.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

using namespace clang;

namespace skein {

static llvm::cl::opt<bool> Print("skein-print-layouts", llvm::cl::Hidden,
                                 llvm::cl::desc("Print where the pointers of each type are"));

static void printWords(llvm::raw_ostream &OS, llvm::ArrayRef<WordGroup> Groups) {
  for (auto [Kind, Text] :
       {std::pair(SKEIN_LOCAL_POINTER, "pointers"), std::pair(SKEIN_LOCAL_AMBIGUOUS, "ambiguous")}) {
    bool First = true;
    for (const WordGroup &G : Groups) {
      if (G.Kind != unsigned(Kind))
        continue;
      OS << (First ? std::string(", ") + Text + " at " : std::string(", ")) << G.Offset;
      if (G.Count > 1)
        OS << " to " << G.Offset + (G.Count - 1) * G.Stride << " by " << G.Stride;
      First = false;
    }
  }
}

namespace {

class Printer : public DynamicRecursiveASTVisitor {
public:
  explicit Printer(const ASTContext &Context) : Context(Context) { ShouldVisitTemplateInstantiations = true; }

  bool VisitTypedefNameDecl(TypedefNameDecl *Alias) override {
    if (Alias->getLocation().isValid() && !Alias->getUnderlyingType()->isDependentType() && isOurs(*Alias))
      print(Context.getTypedefType(ElaboratedTypeKeyword::None, std::nullopt, Alias));
    return true;
  }

  bool VisitRecordDecl(RecordDecl *Record) override {
    if (Record->isThisDeclarationADefinition() && !Record->isDependentContext() && Record->getIdentifier() &&
        isOurs(*Record))
      print(Context.getCanonicalTagType(Record));
    return true;
  }

private:
  bool isOurs(const Decl &D) const {
    return Context.getSourceManager().isInMainFile(Context.getSourceManager().getExpansionLoc(D.getLocation()));
  }

  void print(QualType T) {
    llvm::raw_ostream &OS = llvm::outs();
    OS << T.getAsString(Context.getPrintingPolicy()) << ": ";
    std::optional<TypeLayout> Layout = layoutOf(Context, T);
    if (!Layout) {
      OS << "unknown\n";
      return;
    }
    OS << Layout->Size << " bytes";
    printWords(OS, Layout->Groups);
    if (Layout->TailSize) {
      OS << "; from " << Layout->TailOffset << " on each " << Layout->TailSize << " bytes";
      printWords(OS, Layout->Tail);
    }
    OS << '\n';
  }

  const ASTContext &Context;
};

} // namespace

void printLayouts(ASTContext &Context) {
  if (Print)
    Printer(Context).TraverseAST(Context);
}

} // namespace skein
