//===- Output.h - Findings as text, as SARIF, and as changed files -------===//
#ifndef SKEIN_CHECKER_OUTPUT_H
#define SKEIN_CHECKER_OUTPUT_H

#include "checker/Findings.h"
#include "llvm/Support/raw_ostream.h"

namespace skein {

/// file:line:column: warning: text [skein-rule], the line, notes.
void printText(llvm::raw_ostream &To, const std::vector<FileFinding> &Findings);

/// SARIF 2.1.0: what code hosts and editors read. All rules, with their rationale, are in it.
void printSarif(llvm::raw_ostream &To, const std::vector<FileFinding> &Findings);

/// docs/rules.md.
void printDocumentation(llvm::raw_ostream &To);

struct FixOutcome {
  unsigned Findings = 0, Files = 0;
};
/// Applies the fixes of the findings that have any, and removes those findings from the list. Of two that overlap, the
/// first is applied. False with a message on stderr if a file cannot be written.
bool applyFixes(std::vector<FileFinding> &Findings, FixOutcome &Outcome);

} // namespace skein

#endif
