//===- ProcessHeapRule.cpp - Memory of malloc, and a move ----------------===//
#include "rules/Crossings.h"
#include "rules/HeapFunctions.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/ParentMapContext.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/SmallVector.h"

using namespace clang;

namespace skein {
namespace {

/// The table's function that the call is of, if it gives memory in that way.
bool gives(const CallExpr &Call, HeapFunction::What How) {
  const HeapFunction *F = heapFunction(nameInC(Call.getDirectCallee()));
  return F && F->Gives == How;
}

/// <skein/heap.h> has no counterpart of these.
constexpr llvm::StringRef OtherAllocators[] = {"pvalloc", "wcsdup", "tempnam"};

class ProcessBlocks : public CrossingRule {
public:
  ProcessBlocks() : CrossingRule(Warning::ProcessHeap) {}

  bool isSource(const Expr &E) override {
    if (const auto *New = dyn_cast<CXXNewExpr>(&E))
      return New->getOperatorNew() && New->getOperatorNew()->isReplaceableGlobalAllocationFunction();
    const auto *Call = dyn_cast<CallExpr>(&E);
    return Call && (gives(*Call, HeapFunction::Block) || isNamed(Call->getDirectCallee(), OtherAllocators));
  }

  bool begins(const Expr &E) override { return isSource(E) || givesByAddress(E); }

  void atCall(const CallExpr &Call, HeldPlaces &Places) override {
    if (givesByAddress(Call) && Call.getNumArgs() > 0)
      if (Place Block = placeBehind(Call.getArg(0)))
        Places.hold(Block, Held{&Call});
  }

private:
  /// Memory comes in a variable whose address is the first argument.
  static bool givesByAddress(const Expr &E) {
    const auto *Call = dyn_cast<CallExpr>(&E);
    return Call && gives(*Call, HeapFunction::ByAddress);
  }
};

/// Finds out whether all a function does with a block is seen here: it is made in one place, dereferenced, given to
/// functions of the library, and freed.
class BlockUses : public DynamicRecursiveASTVisitor {
public:
  BlockUses(ASTContext &Context, const VarDecl &Block) : Context(Context), Block(Block) {}

  bool VisitDeclRefExpr(DeclRefExpr *Use) override {
    if (Use->getDecl() == &Block)
      OnlyHere &= isSeen(*Use);
    return true;
  }

  bool OnlyHere = true;
  llvm::SmallVector<const CallExpr *, 2> Frees;

private:
  bool isSeen(const DeclRefExpr &Use) {
    const Expr *Child = &Use;
    while (true) {
      const auto Parents = Context.getParents(*Child);
      const auto *Parent = Parents.empty() ? nullptr : Parents.begin()->get<Expr>();
      if (!Parent) // a condition or a statement of its own
        return !Parents.empty() && Parents.begin()->get<Stmt>() && !Parents.begin()->get<ReturnStmt>();
      if (const auto *Call = dyn_cast<CallExpr>(Parent)) {
        if (isNamed(Call->getDirectCallee(), {"free"}))
          Frees.push_back(Call);
        else if (!isNamed(Call->getDirectCallee(), {"memcpy", "memset", "memmove", "strcpy", "strcmp", "strlen",
                                                    "printf", "puts", "snprintf", "memcmp", "qsort"}))
          return false;
        return true;
      }
      if (isa<MemberExpr>(Parent) || isa<ArraySubscriptExpr>(Parent))
        return true;
      if (const auto *Unary = dyn_cast<UnaryOperator>(Parent))
        return Unary->getOpcode() == UO_Deref || Unary->getOpcode() == UO_LNot;
      if (const auto *Operation = dyn_cast<BinaryOperator>(Parent))
        return Operation->isComparisonOp() || Operation->isLogicalOp();
      if (!isa<ImplicitCastExpr>(Parent) && !isa<ParenExpr>(Parent))
        return false;
      Child = Parent;
    }
  }

  ASTContext &Context;
  const VarDecl &Block;
};

/// `skein_malloc` for `malloc`, and for `free` of the same block, where all that happens to it is seen.
void addFixes(Unit &Whole, const FunctionDecl &Function, const Crossing &Each, Finding &Found) {
  const auto *Made = dyn_cast<CallExpr>(Each.What.Source);
  if (!Made || !gives(*Made, HeapFunction::Block) || Each.Where.Member || !Whole.usesSkein())
    return;
  BlockUses Uses(Whole.context(), *Each.Where.Variable);
  Uses.TraverseStmt(const_cast<Stmt *>(Function.getBody()));
  if (!Uses.OnlyHere || isa<ParmVarDecl>(Each.Where.Variable))
    return;
  Whole.addInclude(Found, "skein_malloc", "skein/heap.h");
  Found.Fixes.push_back(FixItHint::CreateInsertion(Made->getBeginLoc(), "skein_"));
  for (const CallExpr *Free : Uses.Frees)
    Found.Fixes.push_back(FixItHint::CreateInsertion(Free->getBeginLoc(), "skein_"));
}

void check(Unit &Whole, const FunctionDecl &Function) {
  if (Whole.options().PrivateHeap)
    return;
  ProcessBlocks Blocks;
  findCrossings(Whole, Function, Blocks);
  reportCrossings(
      Whole, Blocks,
      [](const Crossing &Each) {
        return "'" + Each.Where.name() +
               "' leads to memory of the process, which stays behind when the thread moves: until it is given up, the "
               "thread cannot leave this node; use skein_malloc of <skein/heap.h>, or compile with "
               "-fskein-heap=private";
      },
      "the memory is allocated here",
      [&](const Crossing &Each, Finding &Found) { addFixes(Whole, Function, Each, Found); });
}

} // namespace

const Rule ProcessHeapRule{
    Warning::ProcessHeap,
    true,
    check,
    "Memory of malloc belongs to the process. A thread that holds a pointer to it is refused every move to another "
    "node, "
    "so it never takes part in balancing. The private heap (skein_malloc, or malloc itself with -fskein-heap=private) "
    "belongs to the thread and moves with it.",
    R"(#include <skein/skein.h>
#include <stdlib.h>

int sum(int n) {
  int *values = malloc(n * sizeof *values), total = 0;
  for (int i = 0; i < n; i++)
    values[i] = i;
  skein_yield();
  for (int i = 0; i < n; i++)
    total += values[i];
  free(values);
  return total;
}
)",
    R"(#include <skein/heap.h>
#include <skein/skein.h>

int sum(int n) {
  int *values = skein_malloc(n * sizeof *values), total = 0;
  for (int i = 0; i < n; i++)
    values[i] = i;
  skein_yield();
  for (int i = 0; i < n; i++)
    total += values[i];
  skein_free(values);
  return total;
}
)"};

} // namespace skein
