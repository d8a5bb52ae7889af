//===- Calls.cpp - Calls of functions by name ----------------------------===//
#include "rules/Calls.h"

using namespace clang;

namespace skein {

void reportCalls(Unit &Whole, const FunctionDecl &Function, Warning Kind, llvm::ArrayRef<UnwantedCall> Unwanted,
                 llvm::function_ref<void(const CallExpr &, Finding &)> Complete) {
  for (const Stmt *S : Whole.points().calls(Function)) {
    const auto *Call = dyn_cast<CallExpr>(S);
    // A program's own function of that name, with a body, is another one.
    if (!Call || !Call->getDirectCallee() || Call->getDirectCallee()->hasBody())
      continue;
    for (const UnwantedCall &Each : Unwanted) {
      if (!isNamed(Call->getDirectCallee(), {Each.Name}))
        continue;
      Finding Found{Kind, Each.Pedantic, Call->getSourceRange(), ("'" + Each.Name + "' " + Each.Text).str()};
      Complete(*Call, Found);
      Whole.report(std::move(Found));
    }
  }
}

} // namespace skein
