//===- PointerBytesRule.cpp - A pointer as bytes, and a move -------------===//
#include "rules/Crossings.h"
#include "rules/PointersInTypes.h"

using namespace clang;

namespace skein {
namespace {

bool isBytes(const ASTContext &Context, QualType T) {
  return T->isArrayType() && Context.getBaseElementType(T)->isAnyCharacterType();
}

class PointersInBytes : public CrossingRule {
public:
  explicit PointersInBytes(const ASTContext &Context) : CrossingRule(Warning::PointerBytes), Context(Context) {}

  bool readsAreUses() const override { return false; }

  bool copiesMatter() const override { return false; }
  bool begins(const Expr &E) override {
    if (const auto *Call = dyn_cast<CallExpr>(&E))
      return isCopy(*Call);
    const auto *Assignment = dyn_cast<BinaryOperator>(&E);
    return Assignment && Assignment->getOpcode() == BO_Assign && bytesUnder(*Assignment->getLHS());
  }

  void atAssignment(const BinaryOperator &Assignment, HeldPlaces &Places) override {
    if (Place Bytes = bytesUnder(*Assignment.getLHS()))
      if (holdsPointer(Context, Assignment.getLHS()->getType()))
        Places.hold(Bytes, Held{&Assignment});
  }

  void atCall(const CallExpr &Call, HeldPlaces &Places) override {
    const bool Copy = isCopy(Call);
    for (const Expr *Argument : llvm::drop_begin(Call.arguments(), Copy ? 1 : 0))
      use(bytesOf(*Argument), Places, *Argument);
    if (!Copy)
      return;
    Place To = bytesOf(*Call.getArg(0));
    if (!To)
      return;
    const QualType From = Call.getArg(1)->IgnoreParenImpCasts()->getType();
    const QualType Object = From->isArrayType() ? From : From->isPointerType() ? From->getPointeeType() : QualType();
    if (!Object.isNull() && !Object->isVoidType() && holdsPointer(Context, Object))
      Places.hold(To, Held{&Call});
  }

  void atRead(const Expr &Lvalue, HeldPlaces &Places) override { use(bytesUnder(Lvalue), Places, Lvalue); }

private:
  bool isCopy(const CallExpr &Call) const {
    return Call.getNumArgs() == 3 &&
           isNamed(Call.getDirectCallee(), {"memcpy", "memmove", "__builtin_memcpy", "__builtin_memmove"});
  }

  /// A local array of characters that this address leads into.
  Place bytesOf(const Expr &Address) const {
    Place Where = Address.getType()->isPointerType() ? placeBehind(&Address) : Place{};
    if (!Where)
      return {};
    return isBytes(Context, Where.Member ? Where.Member->getType() : Where.Variable->getType()) ? Where : Place{};
  }

  /// The local array of characters in which an object of another type is reached: `*(T **)bytes`.
  Place bytesUnder(const Expr &Lvalue) const {
    const Expr *E = Lvalue.IgnoreParens();
    if (E->getType()->isAnyCharacterType())
      return {};
    if (const auto *Member = dyn_cast<MemberExpr>(E); Member && Member->isArrow())
      return bytesOf(*Member->getBase());
    if (const auto *Element = dyn_cast<ArraySubscriptExpr>(E))
      return bytesOf(*Element->getBase());
    const auto *Reached = dyn_cast<UnaryOperator>(E);
    return Reached && Reached->getOpcode() == UO_Deref ? bytesOf(*Reached->getSubExpr()) : Place{};
  }

  const ASTContext &Context;
};

void check(Unit &Whole, const FunctionDecl &Function) {
  PointersInBytes Bytes(Whole.context());
  findCrossings(Whole, Function, Bytes);
  reportCrossings(
      Whole, Bytes,
      [](const Crossing &Each) {
        return "the bytes in '" + Each.Where.name() +
               "' hold a pointer, which no type shows: the thread stays where it is while they hold an address of its "
               "own; declare an object of the pointer's type";
      },
      "the pointer becomes bytes here");
}

} // namespace

const Rule PointerBytesRule{
    Warning::PointerBytes,
    true,
    check,
    "A pointer that is copied into an array of characters has lost its type. The runtime finds words there that look "
    "like addresses of the thread, cannot know what they are, and keeps the thread where it is.",
    R"(#include <skein/skein.h>
#include <string.h>

int use(int n) {
  int *pointer = &n;
  char bytes[sizeof pointer];
  memcpy(bytes, &pointer, sizeof pointer);
  skein_yield();
  memcpy(&pointer, bytes, sizeof pointer);
  return *pointer;
}
)",
    R"(#include <skein/skein.h>

int use(int n) {
  int *pointer = &n;
  skein_yield();
  return *pointer;
}
)"};

} // namespace skein
