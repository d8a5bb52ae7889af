//===- PointerAsIntegerRule.cpp - An address as a number, and a move -----===//
#include "rules/Crossings.h"
#include "rules/SharedMemory.h"

using namespace clang;

namespace skein {
namespace {

class AddressNumbers : public CrossingRule {
public:
  explicit AddressNumbers(const ASTContext &Context) : CrossingRule(Warning::PointerAsInteger), Context(Context) {}

  bool isSource(const Expr &E) override {
    const auto *Cast = dyn_cast<CastExpr>(&E);
    if (!Cast || Cast->getCastKind() != CK_PointerToIntegral || Context.getTypeSize(Cast->getType()) < 64)
      return false;
    const Expr *Pointer = Cast->getSubExpr();
    return !leadsToShared(Context, Pointer->getType()) &&
           !Pointer->isNullPointerConstant(const_cast<ASTContext &>(Context), Expr::NPC_ValueDependentIsNotNull) &&
           !isNumberInPointer(*Pointer);
  }

  /// Not a mask or remainder that leaves only what every move preserves: the place within a page.
  bool survives(const BinaryOperator &Operation) override {
    Expr::EvalResult Constant;
    if (!Operation.getRHS()->EvaluateAsInt(Constant, Context))
      return true;
    const llvm::APSInt Number = Constant.Val.getInt();
    switch (Operation.getOpcode()) {
    case BO_And:
    case BO_AndAssign:
      return Number.isNegative() || Number.getActiveBits() > PageBits;
    case BO_Rem:
    case BO_RemAssign:
      return !Number.isPowerOf2() || Number.logBase2() > PageBits;
    default:
      return true;
    }
  }

private:
  static constexpr unsigned PageBits = 12;

  /// `(void *)1`, MAP_FAILED and their like.
  static bool isNumberInPointer(const Expr &Pointer) {
    const auto *Cast = dyn_cast<CastExpr>(Pointer.IgnoreParens());
    return Cast && Cast->getCastKind() == CK_IntegralToPointer;
  }

  const ASTContext &Context;
};

void check(Unit &Whole, const FunctionDecl &Function) {
  AddressNumbers Numbers(Whole.context());
  findCrossings(Whole, Function, Numbers);
  reportCrossings(
      Whole, Numbers,
      [](const Crossing &Each) {
        return "'" + Each.Where.name() +
               "' is computed from an address and used after the thread may have moved, when the object lies "
               "elsewhere; "
               "keep the pointer itself, and compute the number again";
      },
      "the address becomes a number here");
}

} // namespace

const Rule PointerAsIntegerRule{
    Warning::PointerAsInteger,
    true,
    check,
    "A move changes the addresses of a thread's own objects. The compiler corrects pointers; a number that was "
    "computed "
    "from one (a hash, a tag, an XOR, an address in a uintptr_t) it can correct only where it can prove what the "
    "number "
    "is, and a thread that lives with one it cannot prove stays where it is. Numbers that no move changes (the low "
    "bits, the difference of two addresses of one object) are quiet, and so is a number that is used up before the "
    "thread may move.",
    R"(#include <skein/skein.h>

int probe(const int *table, int mask) {
  uintptr_t hash = (uintptr_t)table >> 4;
  skein_yield();
  return table[hash & mask];
}
)",
    R"(#include <skein/skein.h>

int probe(const int *table, int mask) {
  skein_yield();
  uintptr_t hash = (uintptr_t)table >> 4;
  return table[hash & mask];
}
)"};

} // namespace skein
