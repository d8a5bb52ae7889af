//===- Findings.h - What was found, without the tree it was found in -----===//
//
// Units are checked in parallel, and each one's tree is gone when its check ends; a header's findings come from every
// unit that includes it. So findings are kept as files, lines and text, and sorted into one list without duplicates.
//
//===----------------------------------------------------------------------===//
#ifndef SKEIN_CHECKER_FINDINGS_H
#define SKEIN_CHECKER_FINDINGS_H

#include "rules/Rule.h"
#include "clang/Tooling/Core/Replacement.h"
#include <string>
#include <vector>

namespace skein {

/// A place in a file as people count: lines and columns from 1. The end is behind the last character.
struct FilePlace {
  std::string File;
  unsigned Line = 0, Column = 0, EndLine = 0, EndColumn = 0;
};

struct FileNote {
  FilePlace Where;
  std::string Text;
};

struct FileFinding {
  Warning Rule;
  bool Pedantic;
  FilePlace Where;
  std::string Text;
  std::string SourceLine; ///< as it stands in the file
  std::vector<FileNote> Notes;
  std::vector<clang::tooling::Replacement> Fixes;
};

/// By file and place, each once.
void sortFindings(std::vector<FileFinding> &Findings);

/// Takes findings of a unit while its tree lives; those that a comment NOLINT on their line, or NOLINTNEXTLINE on the
/// one before, names (or names none) are left out.
class CollectingSink : public FindingSink {
public:
  CollectingSink(clang::ASTContext &Context, const std::vector<bool> &Rules, bool Pedantic,
                 std::vector<FileFinding> &To)
      : Context(Context), Rules(Rules), Pedantic(Pedantic), To(To) {}

  bool wants(Warning Rule, bool IsPedantic) const override {
    return Rules[unsigned(Rule)] && (Pedantic || !IsPedantic);
  }
  void take(const Finding &Found) override;

private:
  FilePlace place(clang::SourceRange Where) const;
  std::string line(clang::SourceLocation Where, unsigned Before = 0) const;

  clang::ASTContext &Context;
  const std::vector<bool> &Rules; ///< by Warning: whether it is wanted
  const bool Pedantic;
  std::vector<FileFinding> &To;
};

} // namespace skein

#endif
