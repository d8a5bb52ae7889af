//===- PointerUnionRule.cpp - Pointer or number, and a move --------------===//
#include "rules/Crossings.h"
#include "rules/PointersInTypes.h"

using namespace clang;

namespace skein {
namespace {

/// A union of which one member holds a pointer, and another one something else of a pointer's width.
bool isMixed(const ASTContext &Context, const RecordDecl *Union) {
  if (!Union || !Union->isUnion() || !(Union = Union->getDefinition()))
    return false;
  bool Pointer = false, Number = false;
  for (const FieldDecl *Field : Union->fields())
    if (holdsPointer(Context, Field->getType()))
      Pointer = true;
    else
      Number |= Context.getTypeSize(Field->getType()) >= Context.getTypeSize(Context.VoidPtrTy);
  return Pointer && Number;
}

class MixedUnions : public CrossingRule {
public:
  explicit MixedUnions(const ASTContext &Context) : CrossingRule(Warning::PointerUnion), Context(Context) {}

  bool copiesMatter() const override { return false; }
  bool begins(const Expr &E) override {
    if (const auto *List = dyn_cast<InitListExpr>(&E))
      return pointerIn(*List);
    const auto *Access = dyn_cast<MemberExpr>(&E);
    return Access && pointerMember(*Access);
  }

  void atAssignment(const BinaryOperator &Assignment, HeldPlaces &Places) override {
    const auto *Access = dyn_cast<MemberExpr>(Assignment.getLHS()->IgnoreParens());
    if (!Access || Access->isArrow())
      return;
    if (pointerMember(*Access))
      hold(Access->getBase(), *Access, Places);
    else if (isMixed(Context, Access->getBase()->getType()->getAsRecordDecl()))
      release(placeOf(Access->getBase()), Places);
  }

  void atDeclaration(const VarDecl &Variable, HeldPlaces &Places) override {
    const auto *List = dyn_cast_or_null<InitListExpr>(Variable.getInit());
    if (List && pointerIn(*List))
      holdAll({&Variable, nullptr}, Held{List}, Places);
  }

private:
  /// A member of a mixed union that holds a pointer.
  bool pointerMember(const MemberExpr &Access) const {
    const auto *Field = dyn_cast<FieldDecl>(Access.getMemberDecl());
    return Field && isMixed(Context, Field->getParent()) && holdsPointer(Context, Field->getType());
  }

  bool pointerIn(const InitListExpr &Written) const {
    const InitListExpr &List =
        Written.isSyntacticForm() && Written.getSemanticForm() ? *Written.getSemanticForm() : Written;
    const FieldDecl *Field = List.getInitializedFieldInUnion();
    return Field && isMixed(Context, Field->getParent()) && holdsPointer(Context, Field->getType()) &&
           List.getNumInits() == 1 &&
           !List.getInit(0)->isNullPointerConstant(const_cast<ASTContext &>(Context), Expr::NPC_ValueDependentIsNull);
  }

  void hold(const Expr *Union, const Expr &Source, HeldPlaces &Places) const {
    if (Place Where = placeOf(Union))
      holdAll(Where, Held{&Source}, Places);
  }

  /// A variable that is a union: whichever member is read, it is the same word.
  static void holdAll(Place Where, const Held &What, HeldPlaces &Places) {
    Places.hold(Where, What);
    const RecordDecl *Union = Where.Variable->getType()->getAsRecordDecl();
    if (!Where.Member && Union && Union->isUnion() && (Union = Union->getDefinition()))
      for (const FieldDecl *Field : Union->fields())
        Places.hold({Where.Variable, Field}, What);
  }

  static void release(Place Where, HeldPlaces &Places) {
    if (Where)
      Places.release(Where);
  }

  const ASTContext &Context;
};

void check(Unit &Whole, const FunctionDecl &Function) {
  MixedUnions Unions(Whole.context());
  findCrossings(Whole, Function, Unions);
  reportCrossings(
      Whole, Unions,
      [](const Crossing &Each) {
        return "'" + Each.Where.name() +
               "' may hold a pointer or a number, which nothing tells a move: the thread stays where it is while this "
               "holds an address of its own; keep the pointer in a member beside the number";
      },
      "the pointer is stored in the union here");
}

} // namespace

const Rule PointerUnionRule{
    Warning::PointerUnion,
    true,
    check,
    "A union of a pointer and a number of the same width has no type that says which of them is there. A word that "
    "looks "
    "like an address of the thread may then be one, or a number of that value; the runtime changes neither and keeps "
    "the thread where it is.",
    R"(#include <skein/skein.h>

union value {
  int *pointer;
  long number;
};

int use(int n) {
  union value v;
  v.pointer = &n;
  skein_yield();
  return *v.pointer;
}
)",
    R"(#include <skein/skein.h>

struct value {
  int *pointer;
  long number;
};

int use(int n) {
  struct value v = {0};
  v.pointer = &n;
  skein_yield();
  return *v.pointer;
}
)"};

} // namespace skein
