//===- EscapingPointerRule.cpp - Pointers in messages and shared memory ---===//
#include "rules/PointersInTypes.h"
#include "rules/Unit.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"

using namespace clang;

namespace skein {
namespace {

/// Functions of <skein/messages.h> that send bytes to another node, and the argument that leads to them.
constexpr struct {
  llvm::StringLiteral Name;
  unsigned Data;
} Senders[] = {{"skein_send", 2},  {"skein_call", 2}, {"skein_request", 2},
               {"skein_reply", 1}, {"skein_put", 2},  {"skein_put_start", 2}};

class Visitor : public DynamicRecursiveASTVisitor {
public:
  explicit Visitor(Unit &Whole) : Whole(Whole) {}

  bool VisitCallExpr(CallExpr *Call) override {
    const FunctionDecl *Callee = Call->getDirectCallee();
    for (const auto &Each : Senders)
      if (isNamed(Callee, {Each.Name}) && Call->getNumArgs() > Each.Data)
        checkMessage(*Callee, *Call->getArg(Each.Data));
    return true;
  }

  bool VisitBinaryOperator(BinaryOperator *Assignment) override {
    ASTContext &Context = Whole.context();
    const Expr *Value = Assignment->getRHS();
    if (Assignment->getOpcode() != BO_Assign || !isShared(Context, Assignment->getLHS()->getType()) ||
        !holdsPointer(Context, Value->getType()) ||
        Value->isNullPointerConstant(Context, Expr::NPC_ValueDependentIsNull))
      return true;
    if (!Value->getType()->isFunctionPointerType())
      report(*Value, true, "shared memory gets a plain pointer, which means something on this node only");
    return true;
  }

  bool TraverseLambdaExpr(LambdaExpr *) override { return true; } // a function of its own

private:
  void checkMessage(const FunctionDecl &Callee, const Expr &Data) {
    const QualType Type = Data.IgnoreParenCasts()->getType();
    QualType Object = Type->isPointerType() ? Type->getPointeeType() : Type->isArrayType() ? Type : QualType();
    if (!Object.isNull() && !isShared(Whole.context(), Object) && holdsPointer(Whole.context(), Object))
      report(Data, false,
             "'" + Callee.getNameAsString() + "' sends '" + Object.getUnqualifiedType().getAsString() +
                 "', which holds a pointer: its bytes mean nothing on another node");
  }

  void report(const Expr &Where, bool Pedantic, const std::string &What) {
    Whole.report({Warning::EscapingPointer, Pedantic, Where.getSourceRange(),
                  What + "; send or store what it leads to, an index, or a pointer to skein_shared memory"});
  }

  Unit &Whole;
};

void check(Unit &Whole, const FunctionDecl &Function) { Visitor(Whole).TraverseStmt(Function.getBody()); }

} // namespace

const Rule EscapingPointerRule{
    Warning::EscapingPointer,
    false,
    check,
    "A message and an object in shared memory are bytes: nobody corrects pointers in them. Each node has its program, "
    "its heap and its stacks elsewhere, so a plain pointer that arrives there is wild. Pointers to shared memory are "
    "the "
    "same on all nodes. (A plain pointer that is kept in shared memory for this node's own use is right, so that is "
    "reported only if asked for.)",
    R"(#include <skein/messages.h>

struct request {
  const char *name;
  int number;
};

SKEIN_HANDLER(serve, message) { (void)message; }

void ask(int node, const char *name) {
  struct request request = {name, 1};
  skein_send(node, &serve, &request, sizeof request);
}
)",
    R"(#include <skein/messages.h>
#include <string.h>

struct request {
  char name[32];
  int number;
};

SKEIN_HANDLER(serve, message) { (void)message; }

void ask(int node, const char *name) {
  struct request request = {"", 1};
  strncpy(request.name, name, sizeof request.name - 1);
  skein_send(node, &serve, &request, sizeof request);
}
)"};

} // namespace skein
