//===- Report.h - Clang diagnostics under Skein's flags --------------------===//
//
// clang offers a plugin custom diagnostics, but no flags for them. The driver therefore decides the level of each of
// our warnings (passes/Diagnostics.h), and takes -Werror and -w into account. What is reported here is final: clang
// must not apply -Werror to it once more.
//
//===----------------------------------------------------------------------===//
#ifndef SKEIN_FRONTEND_REPORT_H
#define SKEIN_FRONTEND_REPORT_H

#include "passes/Diagnostics.h"
#include "rules/Rule.h"
#include "clang/Basic/Diagnostic.h"

namespace clang {
class CompilerInstance;
} // namespace clang

namespace skein {

/// Reports the findings of the rules at the levels of the command line.
class DiagnosticFindings : public FindingSink {
public:
  explicit DiagnosticFindings(clang::DiagnosticsEngine &Diags) : Diags(Diags) {}
  bool wants(Warning Rule, bool Pedantic) const override;
  void take(const Finding &Found) override;

private:
  clang::DiagnosticsEngine &Diags;
};

/// Reports at the level of `Kind`, and returns false if that is off. A `note` may follow.
bool warn(clang::DiagnosticsEngine &Diags, clang::SourceRange Where, Warning Kind, const llvm::Twine &Text);
void error(clang::DiagnosticsEngine &Diags, clang::SourceRange Where, const llvm::Twine &Text);
void note(clang::DiagnosticsEngine &Diags, clang::SourceRange Where, const llvm::Twine &Text);

/// Lets the passes report through this compilation's diagnostics, until the sink is replaced.
void installDiagnosticSink(clang::CompilerInstance &Compiler);

} // namespace skein

#endif
