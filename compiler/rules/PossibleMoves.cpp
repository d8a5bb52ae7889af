//===- PossibleMoves.cpp - The call graph of a unit, and who moves -------===//
#include "rules/PossibleMoves.h"
#include "rules/HeapFunctions.h"
#include "rules/SourceAnnotations.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/SCCIterator.h"

using namespace clang;

namespace skein {

const FunctionDecl *calleeOf(const Stmt &Call) {
  if (const auto *Construction = dyn_cast<CXXConstructExpr>(&Call))
    return Construction->getConstructor();
  const auto *E = dyn_cast<CallExpr>(&Call);
  if (!E)
    return nullptr;
  const FunctionDecl *Callee = E->getDirectCallee();
  if (const auto *Member = dyn_cast<CXXMemberCallExpr>(E))
    if (const auto *Method = Member->getMethodDecl(); Method && Method->isVirtual())
      if (const auto *Name = dyn_cast<MemberExpr>(Member->getCallee()->IgnoreParens()); !Name || !Name->hasQualifier())
        return nullptr;
  return Callee;
}

bool isLibraryFunction(const FunctionDecl &F) {
  if (F.hasBody() || F.isPureVirtual())
    return false;
  const SourceManager &Sources = F.getASTContext().getSourceManager();
  return llvm::any_of(F.redecls(), [&](const FunctionDecl *D) { return Sources.isInSystemHeader(D->getLocation()); });
}

StringRef nameInC(const FunctionDecl *F) {
  if (!F || !F->getIdentifier())
    return {};
  const DeclContext *Where = F->getDeclContext()->getRedeclContext();
  return Where->isTranslationUnit() || F->isInStdNamespace() ? F->getName() : StringRef();
}

bool isNamed(const FunctionDecl *F, ArrayRef<StringRef> Names) { return llvm::is_contained(Names, nameInC(F)); }

std::string inCallOf(const Stmt &Call) {
  if (const FunctionDecl *Callee = calleeOf(Call))
    return " in the call of '" + Callee->getNameAsString() + "'";
  return " in this call, of a function that is not known here";
}

/// Finds the functions that are defined in the unit's own files, and what they call.
class PossibleMoves::Collector : public DynamicRecursiveASTVisitor {
public:
  Collector(PossibleMoves &Points, const SourceManager &Sources) : Points(Points), Sources(Sources) {
    ShouldVisitTemplateInstantiations = true;
  }

  /// What a system header defines is not the user's to change, and there is much of it.
  bool TraverseDecl(Decl *D) override {
    if (D && !isa<TranslationUnitDecl>(D) && Sources.isInSystemHeader(Sources.getExpansionLoc(D->getBeginLoc())))
      return true;
    auto *F = dyn_cast_or_null<FunctionDecl>(D);
    const FunctionDecl *Outer = Current;
    if (F && F->doesThisDeclarationHaveABody() && !F->isDependentContext()) {
      Current = F;
      Points.Functions.push_back(F);
    }
    bool GoesOn = DynamicRecursiveASTVisitor::TraverseDecl(D);
    Current = Outer;
    return GoesOn;
  }

  /// The operator() of a lambda is a function of its own, which the visitor would take for a part of the one around it.
  bool TraverseLambdaExpr(LambdaExpr *Lambda) override {
    if (CXXMethodDecl *Operator = Lambda->getCallOperator(); Operator && !Operator->isDependentContext())
      TraverseDecl(Operator);
    for (Expr *Captured : Lambda->capture_inits())
      if (Captured)
        TraverseStmt(Captured);
    return true;
  }

  /// In SKEIN_PINNED, which is a loop, no call moves the thread.
  bool TraverseForStmt(ForStmt *Loop) override {
    const auto *Begin = dyn_cast_or_null<DeclStmt>(Loop->getInit());
    const auto *Pin = Begin && Begin->isSingleDecl() ? dyn_cast<VarDecl>(Begin->getSingleDecl()) : nullptr;
    const bool IsPinned = Pin && Pin->getName() == PinVariable;
    Pins += IsPinned;
    const bool GoesOn = DynamicRecursiveASTVisitor::TraverseForStmt(Loop);
    Pins -= IsPinned;
    return GoesOn;
  }

  bool VisitCallExpr(CallExpr *Call) override { return begins(Call) && add(Call); }
  bool VisitCXXConstructExpr(CXXConstructExpr *Construction) override { return add(Construction); }
  bool VisitCXXNewExpr(CXXNewExpr *New) override { return begins(New); }
  bool VisitCastExpr(CastExpr *Cast) override { return Cast->getCastKind() != CK_PointerToIntegral || begins(Cast); }
  bool VisitBinaryOperator(BinaryOperator *Operation) override {
    return Operation->getOpcode() != BO_Assign || begins(Operation);
  }
  bool VisitMemberExpr(MemberExpr *Access) override {
    const auto *Field = dyn_cast<FieldDecl>(Access->getMemberDecl());
    return !Field || !Field->getParent()->isUnion() || begins(Access);
  }
  bool VisitInitListExpr(InitListExpr *List) override { return begins(List); }

private:
  bool begins(const Expr *E) {
    if (Current)
      Points.Beginnings[Current].push_back(E);
    return true;
  }

  bool add(const Stmt *Call) {
    if (Current)
      Points.Calls[Current].push_back(Call);
    if (Pins)
      Points.Pinned.insert(Call);
    return true;
  }

  PossibleMoves &Points;
  const SourceManager &Sources;
  const FunctionDecl *Current = nullptr;
  unsigned Pins = 0; ///< regions around what is visited
};

PossibleMoves::PossibleMoves(ASTContext &Context) : Context(Context) {
  Collector Visitor(*this, Context.getSourceManager());
  for (Decl *D : Context.getTranslationUnitDecl()->decls())
    Visitor.TraverseDecl(D);

  propagate();
  findRecursion();
  findThreads();
}

/// Among the statements of main's own block. A label may be jumped to from behind, where there are threads.
void PossibleMoves::findThreads() {
  const auto IsMain = [](const FunctionDecl *F) { return F->isMain(); };
  const auto Found = llvm::find_if(Functions, IsMain);
  const auto *Block = Found == Functions.end() ? nullptr : dyn_cast_or_null<CompoundStmt>((*Found)->getBody());
  if (!Block)
    return;
  Main = *Found;
  const SourceManager &Sources = Context.getSourceManager();
  const auto Begin = [&](const Stmt *S) { return Sources.getExpansionLoc(S->getBeginLoc()); };
  llvm::SmallVector<SourceLocation> Moving;
  for (const Stmt *Call : calls(*Main))
    if (of(*Call) != Move::Never)
      Moving.push_back(Begin(Call));
  for (const Stmt *Each : Block->body()) {
    const SourceLocation End = Sources.getExpansionRange(Each->getSourceRange()).getEnd();
    const auto IsHere = [&](SourceLocation Call) { return !Sources.isBeforeInTranslationUnit(End, Call); };
    if (!isa<LabelStmt>(Each) && llvm::none_of(Moving, IsHere))
      continue;
    ThreadsFrom = Begin(Each);
    return;
  }
}

bool PossibleMoves::isBeforeThreads(const FunctionDecl &F, const Expr &E) const {
  const SourceManager &Sources = Context.getSourceManager();
  return &F == Main && (ThreadsFrom.isInvalid() ||
                        Sources.isBeforeInTranslationUnit(Sources.getExpansionLoc(E.getBeginLoc()), ThreadsFrom));
}

/// From each function to its callers, until nothing changes.
void PossibleMoves::propagate() {
  llvm::DenseMap<const FunctionDecl *, llvm::SmallVector<const FunctionDecl *, 4>> Callers;
  for (const FunctionDecl *F : Functions)
    Moves[F->getCanonicalDecl()] = Move::Never;
  llvm::SmallVector<const FunctionDecl *, 32> Work;
  for (const FunctionDecl *F : Functions) {
    Move Most = Move::Never;
    for (const Stmt *Call : calls(*F)) {
      Most = std::max(Most, of(*Call));
      if (const FunctionDecl *Callee = calleeOf(*Call); Callee && !Pinned.contains(Call))
        Callers[Callee->getCanonicalDecl()].push_back(F->getCanonicalDecl());
    }
    if (Most > Moves[F->getCanonicalDecl()]) {
      Moves[F->getCanonicalDecl()] = Most;
      Work.push_back(F->getCanonicalDecl());
    }
  }
  while (!Work.empty()) {
    const FunctionDecl *F = Work.pop_back_val();
    const Move Now = of(*F);
    for (const FunctionDecl *Caller : Callers.lookup(F))
      if (Moves.lookup(Caller) < Now) {
        Moves[Caller] = Now;
        Work.push_back(Caller);
      }
  }
}

namespace {

/// The functions of a unit and their calls of each other, for LLVM's search for strongly connected components.
struct CallNode {
  const FunctionDecl *Function = nullptr;
  llvm::SmallVector<CallNode *, 4> Callees;
};

struct CallNodeTraits {
  using NodeRef = CallNode *;
  using ChildIteratorType = llvm::SmallVector<CallNode *, 4>::iterator;
  static NodeRef getEntryNode(CallNode *Root) { return Root; }
  static ChildIteratorType child_begin(NodeRef Node) { return Node->Callees.begin(); }
  static ChildIteratorType child_end(NodeRef Node) { return Node->Callees.end(); }
};

} // namespace

void PossibleMoves::findRecursion() {
  llvm::DenseMap<const FunctionDecl *, unsigned> Numbers;
  std::vector<CallNode> Nodes(Functions.size());
  CallNode Root; // calls all
  for (unsigned I = 0; I < Functions.size(); ++I) {
    Nodes[I].Function = Functions[I]->getCanonicalDecl();
    Numbers[Nodes[I].Function] = I;
    Root.Callees.push_back(&Nodes[I]);
  }
  for (unsigned I = 0; I < Functions.size(); ++I)
    for (const Stmt *Call : calls(*Functions[I]))
      if (const FunctionDecl *Callee = calleeOf(*Call))
        if (auto Known = Numbers.find(Callee->getCanonicalDecl()); Known != Numbers.end())
          Nodes[I].Callees.push_back(&Nodes[Known->second]);
  for (auto Component = llvm::scc_iterator<CallNode *, CallNodeTraits>::begin(&Root); !Component.isAtEnd(); ++Component)
    if (Component.hasCycle())
      for (const CallNode *Node : *Component)
        Recursive.insert(Node->Function);
}

llvm::ArrayRef<const Expr *> PossibleMoves::beginnings(const FunctionDecl &F) const {
  auto Found = Beginnings.find(&F);
  return Found == Beginnings.end() ? llvm::ArrayRef<const Expr *>() : llvm::ArrayRef<const Expr *>(Found->second);
}

llvm::ArrayRef<const Stmt *> PossibleMoves::calls(const FunctionDecl &F) const {
  auto Found = Calls.find(&F);
  return Found == Calls.end() ? llvm::ArrayRef<const Stmt *>() : llvm::ArrayRef<const Stmt *>(Found->second);
}

Move PossibleMoves::of(const FunctionDecl &F) const {
  if (hasAnnotation(F, NoMigrateAnnotation) || hasAnnotation(F, AssumeNoMigrateAnnotation) || F.isNoReturn())
    return Move::Never;
  if (const IdentifierInfo *Name = F.getIdentifier(); Name && Name->getName().starts_with("skein_"))
    // No header says that the private heap does not move, since the compiler knows its functions by name.
    return ownHeapFunction(Name->getName()) ? Move::Never : Move::Certain;
  if (F.isTrivial() || isLibraryFunction(F) || F.isReplaceableGlobalAllocationFunction())
    return Move::Never;
  if (const unsigned Builtin = F.getBuiltinID(); Builtin && !F.hasBody())
    return Move::Never;
  auto Found = Moves.find(F.getCanonicalDecl());
  if (Found != Moves.end())
    return Found->second;
  return Context.getSourceManager().isInSystemHeader(F.getLocation()) || F.isImplicit() || F.isDefaulted()
             ? Move::Never
             : Move::Possible;
}

Move PossibleMoves::of(const Stmt &S) const {
  if (Pinned.contains(&S))
    return Move::Never;
  if (const FunctionDecl *Callee = calleeOf(S))
    return of(*Callee);
  const auto *Call = dyn_cast<CallExpr>(&S);
  return Call && !isa<CXXPseudoDestructorExpr>(Call->getCallee()->IgnoreParens()) ? Move::Possible : Move::Never;
}

} // namespace skein
