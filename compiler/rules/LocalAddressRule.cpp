//===- LocalAddressRule.cpp - A local's address, given away --------------===//
//
// Looks at the argument or value as written: &local, an array's name, &a[i], &s.f, a + i, either branch of ?:, compound
// literals. What a pointer variable holds is another question.
//
//===----------------------------------------------------------------------===//
#include "rules/SharedMemory.h"
#include "rules/SourceAnnotations.h"
#include "rules/Spawn.h"
#include "rules/Unit.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"

using namespace clang;

namespace skein {

static const VarDecl *localBehindAddress(const Expr *Pointer, const Expr *&Literal);

/// The local in whose storage the object lies that this lvalue names.
static const VarDecl *localOfObject(const Expr *Object, const Expr *&Literal) {
  Object = Object->IgnoreParens();
  if (const auto *Name = dyn_cast<DeclRefExpr>(Object)) {
    const auto *V = dyn_cast<VarDecl>(Name->getDecl());
    return V && V->hasLocalStorage() && !V->getType()->isReferenceType() ? V : nullptr;
  }
  if (const auto *Member = dyn_cast<MemberExpr>(Object))
    return Member->isArrow() ? localBehindAddress(Member->getBase(), Literal)
                             : localOfObject(Member->getBase(), Literal);
  if (const auto *Element = dyn_cast<ArraySubscriptExpr>(Object))
    return localBehindAddress(Element->getBase(), Literal);
  if (const auto *Inner = dyn_cast<UnaryOperator>(Object); Inner && Inner->getOpcode() == UO_Deref)
    return localBehindAddress(Inner->getSubExpr(), Literal);
  if (const auto *Compound = dyn_cast<CompoundLiteralExpr>(Object); Compound && !Compound->isFileScope())
    Literal = Compound;
  return nullptr;
}

/// The local whose address, or an address near it, this pointer expression is.
static const VarDecl *localBehindAddress(const Expr *Pointer, const Expr *&Literal) {
  Pointer = Pointer->IgnoreParens();
  if (const auto *Cast = dyn_cast<CastExpr>(Pointer)) {
    if (Cast->getCastKind() == CK_ArrayToPointerDecay)
      return localOfObject(Cast->getSubExpr(), Literal);
    if (Cast->getCastKind() == CK_LValueToRValue)
      return nullptr; // what a variable holds is another question
    return localBehindAddress(Cast->getSubExpr(), Literal);
  }
  if (const auto *Unary = dyn_cast<UnaryOperator>(Pointer))
    return Unary->getOpcode() == UO_AddrOf ? localOfObject(Unary->getSubExpr(), Literal) : nullptr;
  if (const auto *Sum = dyn_cast<BinaryOperator>(Pointer);
      Sum && Sum->isAdditiveOp() && Sum->getType()->isPointerType()) {
    const Expr *Base = Sum->getLHS()->getType()->isPointerType() ? Sum->getLHS() : Sum->getRHS();
    return localBehindAddress(Base, Literal);
  }
  if (const auto *Choice = dyn_cast<ConditionalOperator>(Pointer)) {
    const VarDecl *V = localBehindAddress(Choice->getTrueExpr(), Literal);
    return V || Literal ? V : localBehindAddress(Choice->getFalseExpr(), Literal);
  }
  return nullptr;
}

namespace {

class Visitor : public DynamicRecursiveASTVisitor {
public:
  explicit Visitor(Unit &Whole) : Whole(Whole) {}

  bool VisitCallExpr(CallExpr *Call) override {
    if (isNamed(Call->getDirectCallee(), {"skein_window_open", "pthread_create"}))
      for (const Expr *Argument : Call->arguments())
        if (Argument->getType()->isVoidPointerType())
          check(*Argument, "'" + Call->getDirectCallee()->getName() + "' gets the address of ",
                ", which others use while this thread may move; pass memory that stays");
    if (isNamed(Call->getDirectCallee(), {"skein_future_set_pointer"}) && Call->getNumArgs() == 2)
      check(*Call->getArg(1), "the future gets the address of ",
            ", which other threads cannot use; set a value, or a pointer to skein_shared memory");
    if (isSpawn(*Call))
      for (const Expr *Argument : spawnArguments(*Call))
        check(*Argument, ToThread, StaysOnStack);
    if (startsClosure(*Call))
      for (const Expr *Argument : Call->arguments())
        checkClosure(*Argument);
    return true;
  }

  bool VisitCXXConstructExpr(CXXConstructExpr *New) override {
    if (startsClosure(*New))
      for (const Expr *Argument : New->arguments())
        checkClosure(*Argument);
    return true;
  }

  bool VisitBinaryOperator(BinaryOperator *Assignment) override {
    if (Assignment->getOpcode() != BO_Assign || !Assignment->getRHS()->getType()->isPointerType())
      return true;
    if (isShared(Whole.context(), Assignment->getLHS()->getType()))
      check(*Assignment->getRHS(), "shared memory gets the address of ",
            ", which means nothing on other nodes, and nothing here once the thread has moved; keep the object itself "
            "in skein_shared memory");
    else if (const VarDecl *Global = globalOf(*Assignment->getLHS()))
      check(*Assignment->getRHS(), "variable '" + Global->getNameAsString() + "' of the process gets the address of ",
            ", with which another thread may not work; and this one cannot move while it is there");
    return true;
  }

  bool TraverseLambdaExpr(LambdaExpr *) override { return true; } // a function of its own

private:
  static constexpr const char *ToThread = "the new thread gets the address of ";
  static constexpr const char *StaysOnStack =
      ", which stays on this thread's stack: neither can move while it is used; pass a value or skein_shared memory";

  /// What a closure captures by reference, or an argument that it gets.
  void checkClosure(const Expr &Argument) {
    const Expr &Written = *Argument.IgnoreImplicit()->IgnoreParens();
    const auto *Lambda = dyn_cast<LambdaExpr>(&Written);
    if (!Lambda)
      return check(Written, ToThread, StaysOnStack);
    for (const LambdaCapture &Capture : Lambda->captures())
      if (Capture.capturesVariable() && Capture.getCaptureKind() == LCK_ByRef)
        if (const auto *V = dyn_cast<VarDecl>(Capture.getCapturedVar());
            V && V->hasLocalStorage() && !V->getType()->isReferenceType())
          report(Capture.getLocation(), ToThread, V, StaysOnStack);
  }

  void check(const Expr &Value, const llvm::Twine &Begin, const char *End) {
    const Expr *Literal = nullptr;
    const VarDecl *V = localBehindAddress(&Value, Literal);
    if (V || Literal)
      report(Value.getSourceRange(), Begin, V, End);
  }

  /// `V` is null for a compound literal.
  void report(SourceRange Where, const llvm::Twine &Begin, const VarDecl *V, const char *End) {
    if (V && hasAnnotation(*V, UntrackedAnnotation))
      return;
    const std::string What = V ? "local variable '" + V->getNameAsString() + "'" : "a local compound literal";
    Whole.report({Warning::LocalAddress, false, Where, (Begin + What + End).str()});
  }

  /// The variable of the process that is assigned to, or in which the member or element lies that is.
  const VarDecl *globalOf(const Expr &Lvalue) const {
    const Expr *E = Lvalue.IgnoreParenCasts();
    if (const auto *Access = dyn_cast<MemberExpr>(E))
      return Access->isArrow() ? nullptr : globalOf(*Access->getBase());
    if (const auto *Element = dyn_cast<ArraySubscriptExpr>(E))
      return Element->getBase()->IgnoreParenCasts()->getType()->isArrayType() ? globalOf(*Element->getBase()) : nullptr;
    const auto *Name = dyn_cast<DeclRefExpr>(E);
    const auto *V = Name ? dyn_cast<VarDecl>(Name->getDecl()) : nullptr;
    return V && V->hasGlobalStorage() && !Whole.isOfThread(*V) && !hasAnnotation(*V, UntrackedAnnotation) ? V : nullptr;
  }

  Unit &Whole;
};

void check(Unit &Whole, const FunctionDecl &Function) { Visitor(Whole).TraverseStmt(Function.getBody()); }

} // namespace

const Rule LocalAddressRule{
    Warning::LocalAddress,
    false,
    check,
    "The stack of the thread that gives the address away may be on another node, or gone, when somebody follows the "
    "pointer; and neither thread can leave while it holds one. The rule looks at the arguments of skein_spawn and its "
    "kin, at what the closure of a skein::thread captures by reference, at what is stored to shared memory, and at "
    "what is stored to variables of the process.",
    R"(#include <skein/skein.h>

void work(int *where);

void start(void) {
  int result;
  skein_spawn(work, &result);
}
)",
    R"(#include <skein/shared.h>

void work(skein_shared int *where);

void start(void) {
  skein_shared int *result = (skein_shared int *)skein_shared_alloc(skein_node(), sizeof *result);
  skein_spawn(work, result);
}
)"};

} // namespace skein
