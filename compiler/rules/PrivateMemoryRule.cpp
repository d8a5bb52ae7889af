//===- PrivateMemoryRule.cpp - One thread's memory, given to another one ---===//
#include "rules/Crossings.h"
#include "rules/HeapFunctions.h"
#include "rules/SharedMemory.h"
#include "rules/SourceAnnotations.h"
#include "rules/Spawn.h"

using namespace clang;

namespace skein {
namespace {

/// Whether the call gives a block of the caller's private heap.
bool allocates(const CallExpr &Call, const RuleOptions &Options) {
  const llvm::StringRef Name = nameInC(Call.getDirectCallee());
  const HeapFunction *F = ownHeapFunction(Name);
  if (!F && Options.PrivateHeap)
    F = heapFunction(Name);
  return F && F->Gives == HeapFunction::Block;
}

class PrivateBlocks : public CrossingRule {
public:
  explicit PrivateBlocks(Unit &Whole) : CrossingRule(Warning::PrivateMemory), Whole(Whole) {}

  bool needsMove() const override { return false; }
  bool readsAreUses() const override { return false; }

  bool isSource(const Expr &E) override {
    const auto *Call = dyn_cast<CallExpr>(&E);
    return Call && allocates(*Call, Whole.options());
  }

  bool begins(const Expr &E) override {
    const auto *Call = dyn_cast<CallExpr>(&E);
    const auto *Assignment = dyn_cast<BinaryOperator>(&E);
    return isSource(E) || (Call && isSpawn(*Call)) ||
           (Assignment && Assignment->getOpcode() == BO_Assign &&
            isShared(Whole.context(), Assignment->getLHS()->getType()));
  }

  void atCall(const CallExpr &Call, HeldPlaces &Places) override {
    if (isSpawn(Call))
      for (const Expr *Argument : spawnArguments(Call))
        check(*Argument, Places, "the new thread gets ");
  }

  void atAssignment(const BinaryOperator &Assignment, HeldPlaces &Places) override {
    if (Assignment.getOpcode() == BO_Assign && isShared(Whole.context(), Assignment.getLHS()->getType()))
      check(*Assignment.getRHS(), Places, "shared memory gets ");
  }

private:
  void check(const Expr &Value, const HeldPlaces &Places, const char *Begin) {
    const Expr *E = Value.IgnoreParenCasts();
    Finding Found{Warning::PrivateMemory, false, Value.getSourceRange(), Begin};
    if (Place Where = placeOf(E); Where && Places.at(Where)) {
      Found.Text += "'" + Where.name() + "', which leads to private memory of this thread";
      Found.Notes.push_back({Places.at(Where)->Source->getSourceRange(), "the memory is allocated here"});
    } else if (const VarDecl *V = privateBehind(*E)) {
      Found.Text += "the address of '" + V->getNameAsString() + "', of which each thread has its own";
    } else {
      return;
    }
    Found.Text += ": it leaves with this thread, and another one may not use it; pass a value, or skein_shared memory";
    Whole.report(std::move(Found));
  }

  /// The private or thread-local variable whose address this is.
  const VarDecl *privateBehind(const Expr &Address) const {
    const Expr *E = Address.IgnoreParenCasts();
    if (const auto *Unary = dyn_cast<UnaryOperator>(E); Unary && Unary->getOpcode() == UO_AddrOf)
      E = Unary->getSubExpr()->IgnoreParens();
    else if (!E->getType()->isArrayType())
      return nullptr;
    while (true) {
      if (const auto *Access = dyn_cast<MemberExpr>(E); Access && !Access->isArrow())
        E = Access->getBase()->IgnoreParenImpCasts();
      else if (const auto *Element = dyn_cast<ArraySubscriptExpr>(E))
        E = Element->getBase()->IgnoreParenImpCasts();
      else
        break;
    }
    const auto *Name = dyn_cast<DeclRefExpr>(E);
    const auto *V = Name ? dyn_cast<VarDecl>(Name->getDecl()) : nullptr;
    return V && V->hasGlobalStorage() && !V->getType().isConstant(Whole.context()) && Whole.isOfThread(*V) &&
                   !hasAnnotation(*V, UntrackedAnnotation)
               ? V
               : nullptr;
  }

  Unit &Whole;
};

void check(Unit &Whole, const FunctionDecl &Function) {
  PrivateBlocks Blocks(Whole);
  findCrossings(Whole, Function, Blocks);
}

} // namespace

const Rule PrivateMemoryRule{
    Warning::PrivateMemory,
    false,
    check,
    "Private variables and the private heap belong to one thread and leave the node with it. A pointer to them that "
    "another thread has leads to nothing then, or to what is there next.",
    R"(#include <skein/heap.h>
#include <skein/skein.h>

void work(int *values);

void start(void) {
  int *values = skein_calloc(10, sizeof *values);
  skein_spawn(work, values);
}
)",
    R"(#include <skein/shared.h>

void work(skein_shared int *values);

void start(void) {
  skein_shared int *values = (skein_shared int *)skein_shared_alloc(skein_node(), 10 * sizeof *values);
  skein_spawn(work, values);
}
)"};

} // namespace skein
