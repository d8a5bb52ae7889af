//===- LayoutPrinter.cpp - -mllvm -skein-print-layouts ---------------------===//
//
// For each type that a source file itself defines, this prints which words can hold pointers. Tests read it.
//
//     struct node: 40 bytes, pointers at 0, 8 to 24 by 8, ambiguous at 32
//
//===----------------------------------------------------------------------===//
#include "Rules.h"
#include "TypeLayout.h"
#include "abi/frame_map.h"
#include "passes/addresses/WordGroups.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

using namespace clang;

namespace skein {

static llvm::cl::opt<bool> Print("skein-print-layouts", llvm::cl::Hidden,
                                 llvm::cl::desc("Print where the pointers of each type are"));

static void printWords(llvm::raw_ostream &OS, llvm::ArrayRef<WordGroup> Found) {
  std::map<int64_t, unsigned> Words;
  for (const WordGroup &G : Found)
    for (int64_t I = 0; I < G.Count; ++I)
      Words.emplace(G.Offset + I * G.Stride, G.Kind);
  llvm::SmallVector<WordGroup, 8> Groups;
  appendGrouped(Words, Groups);
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

  int64_t sizeOf(QualType T) const { return Context.getTypeSizeInChars(T).getQuantity(); }

  void print(QualType T) {
    llvm::outs() << T.getAsString(Context.getPrintingPolicy()) << ": ";
    llvm::SmallVector<WordGroup, 8> Words;
    if (T->isIncompleteType() || T->isFunctionType() || T->isVariablyModifiedType() ||
        !appendWordsOf(Context, T, WordsOf::All, Words)) {
      llvm::outs() << "unknown\n";
      return;
    }
    llvm::outs() << sizeOf(T) << " bytes";
    printWords(llvm::outs(), Words);
    printTail(T);
    llvm::outs() << '\n';
  }

  /// Prints what is repeated by the flexible array at the end of a record, or at the end of its last member. Bytes are
  /// printed a word at a time.
  void printTail(QualType T) {
    int64_t Offset = 0;
    while (const RecordDecl *Record = T->getAsRecordDecl()) {
      const FieldDecl *Last = lastMember(*Record->getDefinition());
      if (!Last)
        return;
      Offset += int64_t(Context.getFieldOffset(Last) / 8);
      T = Last->getType();
      if (!isShortArray(Context, *Last, 0))
        continue;
      QualType Element = Context.getAsArrayType(T)->getElementType();
      const bool Bytes = Element->isCharType();
      llvm::SmallVector<WordGroup, 8> Words;
      if (Bytes)
        Words.push_back({SKEIN_LOCAL_AMBIGUOUS, 0, 8, 1});
      else
        appendWordsOf(Context, Element, WordsOf::All, Words);
      llvm::outs() << "; from " << Offset << " on each " << (Bytes ? 8 : sizeOf(Element)) << " bytes";
      printWords(llvm::outs(), Words);
    }
  }

  const ASTContext &Context;
};

} // namespace

void printLayouts(ASTContext &Context) {
  if (Print)
    Printer(Context).TraverseAST(Context);
}

} // namespace skein
