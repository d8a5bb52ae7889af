//===- SharedRaceRule.cpp - Two threads, one shared object ---------------===//
//
// Looks for the simple case, in which all that matters is in one file: a function spawns a thread with a pointer to
// shared memory, and before anything that could wait for the thread
//
//     * the function itself reads or writes the same object, or
//     * it spawns another thread with the same pointer (also in the next turn of a loop),
//
// while the spawned function writes the object (or reads what is written here) before it does anything that could
// order the two. Only the object that the pointer leads to, or a member of it, counts: elements of an array are usually
// shared out among the threads. Atomic accesses are no races.
//
//===----------------------------------------------------------------------===//
#include "rules/Crossings.h"
#include "rules/SharedMemory.h"
#include "rules/Spawn.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"

using namespace clang;

namespace skein {
namespace {

/// The variable whose pointer leads to the shared object that this lvalue is, or is a member of.
const VarDecl *pointerTo(const ASTContext &Context, const Expr &Lvalue) {
  const Expr *E = Lvalue.IgnoreParens();
  if (E->getType()->isAtomicType() || !isShared(Context, E->getType()))
    return nullptr;
  while (const auto *Access = dyn_cast<MemberExpr>(E)) {
    E = Access->getBase()->IgnoreParens();
    if (Access->isArrow())
      break;
  }
  if (const auto *Reached = dyn_cast<UnaryOperator>(E); Reached && Reached->getOpcode() == UO_Deref)
    E = Reached->getSubExpr();
  const auto *Name = dyn_cast<DeclRefExpr>(E->IgnoreParenImpCasts());
  const auto *V = Name ? dyn_cast<VarDecl>(Name->getDecl()) : nullptr;
  return V && leadsToShared(Context, V->getType()) ? V : nullptr;
}

/// Calls that order nothing between two threads.
bool ordersNothing(const CallExpr &Call) {
  const FunctionDecl *Callee = Call.getDirectCallee();
  return Callee && (isSpawn(Call) || isLibraryFunction(*Callee) || (Callee->getBuiltinID() && !Callee->hasBody()) ||
                    isNamed(Callee, {"skein_yield", "skein_self", "skein_node", "skein_nodes", "skein_push_self"}));
}

/// What the spawned function does to the object that a parameter leads to, before its first call that may order it.
struct Accesses {
  const Expr *Read = nullptr;
  const Expr *Write = nullptr;
};

class AccessFinder : public DynamicRecursiveASTVisitor {
public:
  AccessFinder(const ASTContext &Context, const VarDecl &Pointer) : Context(Context), Pointer(Pointer) {}

  bool VisitCallExpr(CallExpr *Call) override { return ordersNothing(*Call); } // the end, otherwise

  bool VisitBinaryOperator(BinaryOperator *Assignment) override {
    if (Assignment->isAssignmentOp() && pointerTo(Context, *Assignment->getLHS()) == &Pointer && !Found.Write)
      Found.Write = Assignment->getLHS();
    return true;
  }

  bool VisitUnaryOperator(UnaryOperator *Operation) override {
    if (Operation->isIncrementDecrementOp() && pointerTo(Context, *Operation->getSubExpr()) == &Pointer && !Found.Write)
      Found.Write = Operation->getSubExpr();
    return true;
  }

  bool VisitImplicitCastExpr(ImplicitCastExpr *Cast) override {
    if (Cast->getCastKind() == CK_LValueToRValue && pointerTo(Context, *Cast->getSubExpr()) == &Pointer && !Found.Read)
      Found.Read = Cast->getSubExpr();
    return true;
  }

  Accesses Found;

private:
  const ASTContext &Context;
  const VarDecl &Pointer;
};

class Races : public CrossingRule {
public:
  explicit Races(Unit &Whole) : CrossingRule(Warning::SharedRace), Whole(Whole) {}

  bool needsMove() const override { return false; }
  bool readsAreUses() const override { return false; }
  bool begins(const Expr &E) override {
    const auto *Call = dyn_cast<CallExpr>(&E);
    return Call && isSpawn(*Call);
  }

  void atCall(const CallExpr &Call, HeldPlaces &Places) override {
    if (!isSpawn(Call)) {
      if (!ordersNothing(Call))
        Places = HeldPlaces();
      return;
    }
    const FunctionDecl *Function = spawnedDeclaration(Call);
    const FunctionDecl *Definition = nullptr;
    if (!Function || !Function->isDefined(Definition))
      return;
    unsigned I = 0;
    for (const Expr *Argument : spawnArguments(Call)) {
      if (I >= Definition->getNumParams())
        break;
      const ParmVarDecl *Parameter = Definition->getParamDecl(I++);
      Place Shared = variableOf(*Argument);
      if (!Shared || !leadsToShared(Whole.context(), Parameter->getType()))
        continue;
      const Accesses Does = accesses(*Definition, *Parameter);
      if (const Held *Before = Places.at(Shared); Before && (Does.Write || Does.Read))
        report(*Shared.Variable, *Argument, *Before, Does.Write, "given to a second thread");
      Spawned[&Call][Shared.Variable] = Does;
      Places.hold(Shared, Held{&Call});
    }
  }

  void atAssignment(const BinaryOperator &Assignment, HeldPlaces &Places) override {
    if (const VarDecl *V = pointerTo(Whole.context(), *Assignment.getLHS()))
      here(*V, *Assignment.getLHS(), true, Places);
  }

  void atRead(const Expr &Lvalue, HeldPlaces &Places) override {
    if (const VarDecl *V = pointerTo(Whole.context(), Lvalue))
      here(*V, Lvalue, false, Places);
  }

private:
  /// The pointer variable that an argument is, whatever casts surround it.
  static Place variableOf(const Expr &Argument) {
    const auto *Name = dyn_cast<DeclRefExpr>(Argument.IgnoreParenCasts());
    const auto *V = Name ? dyn_cast<VarDecl>(Name->getDecl()) : nullptr;
    return V && V->hasLocalStorage() ? Place{V, nullptr} : Place{};
  }

  Accesses accesses(const FunctionDecl &Definition, const VarDecl &Parameter) {
    AccessFinder Finder(Whole.context(), Parameter);
    Finder.TraverseStmt(Definition.getBody());
    return Finder.Found;
  }

  /// The function itself uses the object.
  void here(const VarDecl &V, const Expr &Access, bool Writes, const HeldPlaces &Places) {
    if (const Held *Thread = Places.at({&V, nullptr}))
      report(V, Access, *Thread, Writes, Writes ? "written" : "read");
  }

  void report(const VarDecl &V, const Expr &Where, const Held &Thread, bool Writes, const char *What) {
    const Accesses First = Spawned[cast<CallExpr>(Thread.Source)].lookup(&V);
    const Expr *Other = First.Write ? First.Write : Writes ? First.Read : nullptr;
    if (!Other)
      return;
    Finding Found{
        Warning::SharedRace, false, Where.getSourceRange(),
        "the shared object that '" + V.getNameAsString() + "' leads to is " + What +
            " while a thread that was given it may be " + (First.Write ? "writing" : "reading") +
            " it; wait for the thread first (skein_join), use a lock or semaphore, or make the accesses atomic"};
    Found.Notes.push_back({Thread.Source->getSourceRange(), "the thread is spawned here"});
    Found.Notes.push_back({Other->getSourceRange(), "and uses the object here"});
    Whole.report(std::move(Found));
  }

  Unit &Whole;
  llvm::DenseMap<const CallExpr *, llvm::DenseMap<const VarDecl *, Accesses>> Spawned;
};

void check(Unit &Whole, const FunctionDecl &Function) {
  Races Search(Whole);
  findCrossings(Whole, Function, Search);
}

} // namespace

const Rule SharedRaceRule{
    Warning::SharedRace,
    false,
    check,
    "Shared memory orders nothing by itself: what one thread writes another one may read before, after or in the "
    "middle. "
    "The rule finds the simple case, in which a function goes on using an object that it has just handed to a thread, "
    "or hands it to two, and nothing in between waits for anybody.",
    R"(#include <skein/shared.h>

static void add(skein_shared long *total) { *total += 1; }

long run(void) {
  skein_shared long *total = (skein_shared long *)skein_shared_alloc(skein_node(), sizeof *total);
  skein_thread_t thread = skein_spawn(add, total);
  long before = *total;
  skein_join(thread);
  return before;
}
)",
    R"(#include <skein/shared.h>

static void add(skein_shared long *total) { *total += 1; }

long run(void) {
  skein_shared long *total = (skein_shared long *)skein_shared_alloc(skein_node(), sizeof *total);
  long before = *total;
  skein_thread_t thread = skein_spawn(add, total);
  skein_join(thread);
  return before;
}
)"};

} // namespace skein
