//===- Crossings.cpp - Forward data flow from sources over moves to uses ---===//
//
// The state at a point is the map of held places, joined over the ways that lead there: a place is held if it is on any
// way, and has crossed if it has on any, so that the states only grow and the iteration ends. Clang's CFG lists every
// subexpression before the expression that uses it, so an argument of a call is used before the thread moves in it.
//
//===----------------------------------------------------------------------===//
#include "rules/Crossings.h"
#include "rules/SourceAnnotations.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/Analysis/CFG.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/DenseSet.h"
#include <deque>

using namespace clang;

namespace skein {

std::string Place::name() const {
  return Variable->getNameAsString() + (Member ? "." + Member->getNameAsString() : std::string());
}

static Place ownVariable(const ValueDecl *D) {
  const auto *V = dyn_cast<VarDecl>(D);
  return V && V->hasLocalStorage() && !V->getType()->isReferenceType() && !hasAnnotation(*V, UntrackedAnnotation)
             ? Place{V, nullptr}
             : Place{};
}

Place placeOf(const Expr *Lvalue) {
  Lvalue = Lvalue->IgnoreParens();
  if (const auto *Name = dyn_cast<DeclRefExpr>(Lvalue))
    return ownVariable(Name->getDecl());
  if (const auto *Element = dyn_cast<ArraySubscriptExpr>(Lvalue)) {
    const Expr *Base = Element->getBase()->IgnoreParenImpCasts();
    return Base->getType()->isArrayType() ? placeOf(Base) : Place{};
  }
  if (const auto *Access = dyn_cast<MemberExpr>(Lvalue))
    if (const auto *Field = dyn_cast<FieldDecl>(Access->getMemberDecl()))
      if (Place Whole = placeOf(Access->isArrow() ? Access->getBase()->IgnoreParenImpCasts() : Access->getBase()))
        return {Whole.Variable, Whole.Member ? Whole.Member : Field};
  return {};
}

Place placeBehind(const Expr *Address) {
  Address = Address->IgnoreParenCasts();
  if (const auto *Unary = dyn_cast<UnaryOperator>(Address); Unary && Unary->getOpcode() == UO_AddrOf) {
    const Expr *Object = Unary->getSubExpr()->IgnoreParens();
    if (const auto *Element = dyn_cast<ArraySubscriptExpr>(Object))
      return placeBehind(Element->getBase());
    return placeOf(Object);
  }
  if (const auto *Sum = dyn_cast<BinaryOperator>(Address); Sum && Sum->isAdditiveOp())
    return placeBehind(Sum->getLHS()->getType()->isIntegerType() ? Sum->getRHS() : Sum->getLHS());
  return Address->getType()->isArrayType() ? placeOf(Address) : Place{};
}

void HeldPlaces::release(Place Where) {
  if (Where.Member) {
    Places.erase(Where);
    return;
  }
  auto First = Places.lower_bound(Where);
  auto Last = First;
  while (Last != Places.end() && Last->first.Variable == Where.Variable)
    ++Last;
  Places.erase(First, Last);
}

const Held *HeldPlaces::at(Place Where) const {
  auto Found = Places.find(Where);
  return Found == Places.end() ? nullptr : &Found->second;
}

void HeldPlaces::cross(const Stmt &Point, Move Certainty) {
  for (auto &[Where, What] : Places)
    if (Certainty > What.Certainty) {
      What.Point = &Point;
      What.Certainty = Certainty;
    }
}

void HeldPlaces::renew(const VarDecl &Variable) {
  std::erase_if(Places, [&](const auto &Each) {
    const bool Reachable = Each.first.Member || !Variable.getType()->isPointerType();
    return Each.first.Variable == &Variable && Reachable && Each.second.Point;
  });
}

bool HeldPlaces::join(const HeldPlaces &Other) {
  bool New = false;
  for (const auto &[Where, What] : Other.Places) {
    auto [Own, Added] = Places.insert({Where, What});
    New |= Added;
    if (!Added && What.Certainty > Own->second.Certainty) {
      Own->second = What;
      New = true;
    }
  }
  return New;
}

void CrossingRule::use(Place Where, const HeldPlaces &Places, const Expr &Use) {
  if (!Where)
    return;
  const Held *What = Places.at(Where);
  if (!What || !What->Point)
    return;
  for (Crossing &Before : Found)
    if (Before.What.Source == What->Source) {
      if (What->Certainty > Before.What.Certainty)
        Before = {Where, *What, &Use};
      return;
    }
  Found.push_back({Where, *What, &Use});
}

namespace {

/// A truth value or a short number keeps nothing of an address.
bool isNarrowed(const ASTContext &Context, const CastExpr &Cast) {
  const CastKind Kind = Cast.getCastKind();
  if (Kind == CK_PointerToBoolean || Kind == CK_IntegralToBoolean || Kind == CK_ToVoid)
    return true;
  return Kind == CK_IntegralCast && Context.getTypeSize(Cast.getSubExpr()->getType()) >= 64 &&
         Context.getTypeSize(Cast.getType()) < 64;
}

/// Finds out whether a function returns a value that is made at a source: directly, or by one of its variables.
class ReturnFinder : public DynamicRecursiveASTVisitor {
public:
  ReturnFinder(const ASTContext &Context, CrossingRule &Rule) : Context(Context), Rule(Rule) {}

  bool VisitReturnStmt(ReturnStmt *Return) override {
    if (const Expr *Value = Return->getRetValue()) {
      Value = stripped(*Value);
      Returns |= Rule.isSource(*Value);
      if (const auto *Name = dyn_cast<DeclRefExpr>(Value))
        Returned.insert(Name->getDecl());
    }
    return true;
  }

  bool VisitVarDecl(VarDecl *V) override {
    if (V->hasLocalStorage() && V->getInit() && Rule.isSource(*stripped(*V->getInit())))
      Made.insert(V);
    return true;
  }

  bool VisitBinaryOperator(BinaryOperator *Assignment) override {
    if (const auto *Name = dyn_cast<DeclRefExpr>(Assignment->getLHS()->IgnoreParens());
        Name && Assignment->getOpcode() == BO_Assign && Rule.isSource(*stripped(*Assignment->getRHS())))
      Made.insert(Name->getDecl());
    return true;
  }

  bool TraverseLambdaExpr(LambdaExpr *) override { return true; } // a function of its own

  bool answer() const {
    return Returns || llvm::any_of(Made, [&](const ValueDecl *V) {
             return Returned.contains(V) && cast<VarDecl>(V)->hasLocalStorage();
           });
  }

private:
  /// Casts that are sources themselves stay.
  const Expr *stripped(const Expr &E) const {
    const Expr *Inner = E.IgnoreParens();
    while (const auto *Cast = dyn_cast<CastExpr>(Inner)) {
      if (Rule.isSource(*Cast) || isNarrowed(Context, *Cast))
        break;
      Inner = Cast->getSubExpr()->IgnoreParens();
    }
    return Inner;
  }

  const ASTContext &Context;
  CrossingRule &Rule;
  bool Returns = false;
  llvm::DenseSet<const ValueDecl *> Returned, Made;
};

/// Whether this is a call of a function of the unit that returns what a source makes.
bool returnsSource(Unit &Whole, CrossingRule &Rule, const Expr &E) {
  const auto *Call = dyn_cast<CallExpr>(&E);
  const FunctionDecl *Callee = Call ? calleeOf(*Call) : nullptr;
  const FunctionDecl *Definition = nullptr;
  if (!Callee || Callee->getReturnType()->isVoidType() || !Callee->isDefined(Definition) ||
      Whole.context().getSourceManager().isInSystemHeader(Definition->getLocation()))
    return false;
  return Whole.remembered(Rule.kind(), *Definition, [&] {
    ReturnFinder Finder(Whole.context(), Rule);
    Finder.TraverseStmt(Definition->getBody());
    return Finder.answer();
  });
}

class Flow {
public:
  Flow(Unit &Whole, CrossingRule &Rule) : Whole(Whole), Rule(Rule) {}

  void run(const FunctionDecl &Function) {
    CFG::BuildOptions Options;
    Options.setAllAlwaysAdd();
    std::unique_ptr<CFG> Graph = CFG::buildCFG(&Function, Function.getBody(), &Whole.context(), Options);
    if (!Graph)
      return;
    std::vector<HeldPlaces> Before(Graph->getNumBlockIDs());
    Rule.atEntry(Function, Before[Graph->getEntry().getBlockID()]);
    std::vector<bool> Seen(Graph->getNumBlockIDs());
    std::deque<const CFGBlock *> Work{&Graph->getEntry()};
    Seen[Graph->getEntry().getBlockID()] = true;
    while (!Work.empty()) {
      const CFGBlock *Block = Work.front();
      Work.pop_front();
      HeldPlaces State = Before[Block->getBlockID()];
      for (const CFGElement &Element : *Block)
        if (auto Statement = Element.getAs<CFGStmt>())
          apply(*Statement->getStmt(), State);
      for (const CFGBlock *Next : Block->succs()) {
        if (!Next)
          continue;
        const unsigned Id = Next->getBlockID();
        // With polls, each turn of a loop is a migration point.
        if (Whole.options().LoopPolls && Block->getLoopTarget() && Block->getLoopTarget() == Next->getTerminatorStmt())
          State.cross(*Block->getLoopTarget(), Move::Possible);
        const bool New = Before[Id].join(State);
        if (New || !Seen[Id]) {
          Seen[Id] = true;
          Work.push_back(Next);
        }
      }
    }
  }

private:
  void apply(const Stmt &S, HeldPlaces &State) {
    if (const auto *Declarations = dyn_cast<DeclStmt>(&S)) {
      for (const Decl *D : Declarations->decls())
        if (const auto *V = dyn_cast<VarDecl>(D))
          if (Place Where = ownVariable(V)) {
            give(Where, V->getInit(), State);
            Rule.atDeclaration(*V, State);
          }
      return;
    }
    if (const auto *Operation = dyn_cast<BinaryOperator>(&S); Operation && Operation->isAssignmentOp()) {
      assign(*Operation, State);
      return;
    }
    if (const auto *Cast = dyn_cast<ImplicitCastExpr>(&S)) {
      if (Cast->getCastKind() != CK_LValueToRValue && Cast->getCastKind() != CK_ArrayToPointerDecay)
        return;
      if (Rule.readsAreUses())
        Rule.use(placeOf(Cast->getSubExpr()), State, *Cast->getSubExpr());
      Rule.atRead(*Cast->getSubExpr(), State);
      return;
    }
    if (const auto *Call = dyn_cast<CallExpr>(&S)) {
      Rule.atCall(*Call, State);
      renewArguments(*Call, State);
    }
    if (isa<CallExpr, CXXConstructExpr>(S) && !State.empty())
      if (const Move Certainty = Whole.points().of(S); Certainty != Move::Never)
        State.cross(S, Certainty);
  }

  void renewArguments(const CallExpr &Call, HeldPlaces &State) {
    const FunctionDecl *Callee = Call.getDirectCallee();
    if (State.empty() || (Callee && isLibraryFunction(*Callee)))
      return;
    for (const Expr *Argument : Call.arguments()) {
      const QualType T = Argument->getType();
      if (!T->isPointerType() || T->getPointeeType().isConstQualified())
        continue;
      Place Where = placeBehind(Argument);
      if (!Where)
        Where = placeOf(Argument->IgnoreParenImpCasts());
      if (Where)
        State.renew(*Where.Variable);
    }
  }

  void assign(const BinaryOperator &Operation, HeldPlaces &State) {
    if (Place Where = placeOf(Operation.getLHS()))
      assignTo(Where, Operation, State);
    Rule.atAssignment(Operation, State);
  }

  void assignTo(Place Where, const BinaryOperator &Operation, HeldPlaces &State) {
    if (Operation.getOpcode() == BO_Assign) {
      give(Where, Operation.getRHS(), State);
    } else {
      Rule.use(Where, State, *Operation.getLHS());
      if (!State.at(Where))
        if (std::optional<Held> Value = valueOf(Operation.getRHS(), State); Value && Rule.survives(Operation))
          State.hold(Where, *Value);
    }
  }

  void give(Place Where, const Expr *Init, HeldPlaces &State) {
    std::optional<Held> Value = Init ? valueOf(Init, State) : std::nullopt;
    State.release(Where);
    if (Value)
      State.hold(Where, *Value);
    const auto *List = dyn_cast_or_null<InitListExpr>(Init ? Init->IgnoreParens() : nullptr);
    if (!List || Where.Member || !Where.Variable->getType()->isRecordType())
      return;
    const RecordDecl *Record = Where.Variable->getType()->getAsRecordDecl();
    unsigned I = 0;
    for (const FieldDecl *Field : Record->fields()) {
      if (I >= List->getNumInits())
        break;
      if (!Field->isUnnamedBitField())
        if (std::optional<Held> Of = valueOf(List->getInit(I++), State))
          State.hold({Where.Variable, Field}, *Of);
    }
  }

  /// What the value of an expression is made from.
  std::optional<Held> valueOf(const Expr *E, const HeldPlaces &State) {
    E = E->IgnoreParens();
    if (Rule.isSource(*E) || returnsSource(Whole, Rule, *E))
      return Held{E};
    if (const auto *Cleanups = dyn_cast<ExprWithCleanups>(E))
      return valueOf(Cleanups->getSubExpr(), State);
    if (const auto *Cast = dyn_cast<CastExpr>(E)) {
      const Expr *From = Cast->getSubExpr();
      if (Cast->getCastKind() == CK_LValueToRValue) {
        const Held *What = nullptr;
        if (Place Where = placeOf(From); Where && Rule.copiesMatter())
          What = State.at(Where);
        return What ? std::optional<Held>(*What) : std::nullopt;
      }
      return isNarrowed(Whole.context(), *Cast) ? std::nullopt : valueOf(From, State);
    }
    if (const auto *Address = dyn_cast<UnaryOperator>(E); Address && Address->getOpcode() == UO_AddrOf) {
      const auto *Reached = dyn_cast<UnaryOperator>(Address->getSubExpr()->IgnoreParens()); // &*p
      return Reached && Reached->getOpcode() == UO_Deref ? valueOf(Reached->getSubExpr(), State) : std::nullopt;
    }
    if (const auto *Choice = dyn_cast<AbstractConditionalOperator>(E)) {
      std::optional<Held> Value = valueOf(Choice->getTrueExpr(), State);
      return Value ? Value : valueOf(Choice->getFalseExpr(), State);
    }
    if (const auto *Operation = dyn_cast<BinaryOperator>(E)) {
      if (Operation->getOpcode() == BO_Comma || Operation->getOpcode() == BO_Assign)
        return valueOf(Operation->getRHS(), State);
      if (Operation->isComparisonOp() || Operation->isLogicalOp() || !Rule.survives(*Operation))
        return std::nullopt;
      std::optional<Held> Left = valueOf(Operation->getLHS(), State), Right = valueOf(Operation->getRHS(), State);
      if (Left && Right && Operation->getOpcode() == BO_Sub)
        return std::nullopt; // both change alike
      return Left ? Left : Right;
    }
    return std::nullopt;
  }

  Unit &Whole;
  CrossingRule &Rule;
};

} // namespace

void findCrossings(Unit &Whole, const FunctionDecl &Function, CrossingRule &Rule) {
  Move Most = Whole.options().LoopPolls || !Rule.needsMove() ? Move::Possible : Move::Never;
  for (const Stmt *Call : Whole.points().calls(Function))
    Most = std::max(Most, Whole.points().of(*Call));
  if (Most == Move::Never || !Function.getBody())
    return;
  HeldPlaces Parameters;
  Rule.atEntry(Function, Parameters);
  if (Parameters.empty() && llvm::none_of(Whole.points().beginnings(Function), [&](const Expr *E) {
        return Rule.begins(*E) || returnsSource(Whole, Rule, *E);
      }))
    return;
  Flow(Whole, Rule).run(Function);
}

void reportCrossings(Unit &Whole, CrossingRule &Rule, llvm::function_ref<std::string(const Crossing &)> Text,
                     llvm::StringRef MadeHere, llvm::function_ref<void(const Crossing &, Finding &)> Complete) {
  for (const Crossing &Each : Rule.Found) {
    Finding Found{Rule.kind(), Each.What.Certainty != Move::Certain, Each.Use->getSourceRange(), Text(Each)};
    Found.Notes.push_back({Each.What.Source->getSourceRange(), MadeHere.str()});
    Found.Notes.push_back({Each.What.Point->getSourceRange(),
                           isa<Expr>(Each.What.Point)
                               ? "the thread may move" + inCallOf(*Each.What.Point)
                               : std::string("the thread may move at the poll in this loop (-fskein-polls=loops)")});
    Complete(Each, Found);
    Whole.report(std::move(Found));
  }
}

} // namespace skein
