//===- StackPointerRule.cpp - Assembly that uses the stack pointer -------===//
#include "rules/SourceAnnotations.h"
#include "rules/Unit.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "llvm/Support/Regex.h"

using namespace clang;

namespace skein {
namespace {

bool namesStackPointer(llvm::StringRef Text) {
  static const llvm::Regex Register("(^|[^a-zA-Z0-9_])[er]?sp([^a-zA-Z0-9_]|$)");
  return Register.match(Text);
}

class Visitor : public DynamicRecursiveASTVisitor {
public:
  explicit Visitor(Unit &Whole) : Whole(Whole) {}

  bool VisitGCCAsmStmt(GCCAsmStmt *Assembly) override {
    bool Uses = namesStackPointer(Assembly->getAsmString());
    for (unsigned I = 0; I < Assembly->getNumClobbers(); ++I)
      Uses |= namesStackPointer(Assembly->getClobber(I));
    if (Uses)
      report(Assembly->getSourceRange(), "inline assembly uses the stack pointer");
    return true;
  }

  bool VisitVarDecl(VarDecl *V) override {
    if (const auto *Label = V->getAttr<AsmLabelAttr>();
        Label && V->getStorageClass() == SC_Register && namesStackPointer(Label->getLabel()))
      report(V->getSourceRange(), "variable '" + V->getNameAsString() + "' is the stack pointer");
    return true;
  }

private:
  void report(SourceRange Where, const std::string &What) {
    Whole.report({Warning::StackPointer, false, Where,
                  What + ", which is another address after each move: what is read from it goes stale, and what is "
                         "written to it no frame map knows; use a variable's address, or do it in a function that is "
                         "SKEIN_NOMIGRATE"});
  }

  Unit &Whole;
};

void check(Unit &Whole, const FunctionDecl &Function) { Visitor(Whole).TraverseStmt(Function.getBody()); }

} // namespace

const Rule StackPointerRule{
    Warning::StackPointer,
    false,
    check,
    "Frame maps describe the stack as the compiler lays it out. Assembly that reads the stack pointer gets an address "
    "that a move makes stale, in a register that no map names; assembly that changes it makes frames that no map "
    "describes. A function that never reaches a migration point (SKEIN_NOMIGRATE) may do both.",
    R"(#include <skein/skein.h>

unsigned long depth(void) {
  unsigned long here;
  __asm__("mov %%rsp, %0" : "=r"(here));
  skein_yield();
  return here;
}
)",
    R"(#include <skein/skein.h>

SKEIN_NOMIGRATE unsigned long depth(void) {
  unsigned long here;
  __asm__("mov %%rsp, %0" : "=r"(here));
  return here & 15;
}
)"};

} // namespace skein
