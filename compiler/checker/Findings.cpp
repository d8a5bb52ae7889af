//===- Findings.cpp - From places in a tree to places in files -----------===//
#include "checker/Findings.h"
#include "clang/Basic/FileManager.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "llvm/Support/Path.h"
#include <algorithm>
#include <tuple>

using namespace clang;

namespace skein {

static auto keyOf(const FileFinding &F) { return std::tie(F.Where.File, F.Where.Line, F.Where.Column, F.Rule, F.Text); }

void sortFindings(std::vector<FileFinding> &Findings) {
  std::sort(Findings.begin(), Findings.end(),
            [](const FileFinding &A, const FileFinding &B) { return keyOf(A) < keyOf(B); });
  Findings.erase(std::unique(Findings.begin(), Findings.end(),
                             [](const FileFinding &A, const FileFinding &B) { return keyOf(A) == keyOf(B); }),
                 Findings.end());
}

/// What is in a macro is reported where the macro is used.
FilePlace CollectingSink::place(SourceRange Where) const {
  const SourceManager &Sources = Context.getSourceManager();
  CharSourceRange Range = Sources.getExpansionRange(CharSourceRange::getTokenRange(Where));
  SourceLocation End = Range.isTokenRange()
                           ? Lexer::getLocForEndOfToken(Range.getEnd(), 0, Sources, Context.getLangOpts())
                           : Range.getEnd();
  const PresumedLoc From = Sources.getPresumedLoc(Range.getBegin());
  const PresumedLoc To = Sources.getPresumedLoc(End.isValid() ? End : Range.getEnd());
  if (From.isInvalid())
    return {};
  // Compile commands have working folders of their own.
  llvm::SmallString<128> File(From.getFilename());
  Sources.getFileManager().makeAbsolutePath(File);
  llvm::sys::path::remove_dots(File);
  FilePlace Place{std::string(File), From.getLine(), From.getColumn(), From.getLine(), From.getColumn()};
  if (To.isValid() && llvm::StringRef(From.getFilename()) == To.getFilename() && To.getLine() >= From.getLine()) {
    Place.EndLine = To.getLine();
    Place.EndColumn = To.getColumn();
  }
  return Place;
}

std::string CollectingSink::line(SourceLocation Where, unsigned Before) const {
  const SourceManager &Sources = Context.getSourceManager();
  const FileIDAndOffset At = Sources.getDecomposedExpansionLoc(Where);
  const unsigned Number = Sources.getLineNumber(At.first, At.second);
  if (Number <= Before)
    return {};
  const unsigned Begin = Sources.getFileOffset(Sources.translateLineCol(At.first, Number - Before, 1));
  const llvm::StringRef Text = Sources.getBufferData(At.first).substr(Begin);
  return Text.take_until([](char C) { return C == '\n'; }).str();
}

/// As of clang-tidy: NOLINT alone means every rule, NOLINT(a, b) those.
static bool silences(llvm::StringRef Line, llvm::StringRef Word, llvm::StringRef Rule) {
  const size_t At = Line.find(Word);
  if (At == llvm::StringRef::npos)
    return false;
  llvm::StringRef Rest = Line.drop_front(At + Word.size());
  if (Rest.starts_with("NEXTLINE"))
    return false;
  if (!Rest.consume_front("("))
    return true;
  llvm::SmallVector<llvm::StringRef, 4> Names;
  Rest.take_until([](char C) { return C == ')'; }).split(Names, ',');
  return llvm::any_of(Names, [&](llvm::StringRef Name) {
    Name = Name.trim();
    return Name == "*" || Name == "skein-*" || (Name.consume_front("skein-") && Name == Rule);
  });
}

void CollectingSink::take(const Finding &Found) {
  const SourceLocation Begin = Context.getSourceManager().getExpansionLoc(Found.Where.getBegin());
  const llvm::StringRef Name = nameOfRule(Found.Rule);
  if (silences(line(Begin), "NOLINT", Name) || silences(line(Begin, 1), "NOLINTNEXTLINE", Name))
    return;
  FileFinding Kept{Found.Rule, Found.Pedantic, place(Found.Where), Found.Text, line(Begin), {}, {}};
  for (const Note &Each : Found.Notes)
    Kept.Notes.push_back({place(Each.Where), Each.Text});
  for (const FixItHint &Fix : Found.Fixes) {
    const CharSourceRange Range = Fix.RemoveRange;
    if (!Range.getBegin().isMacroID() && !Range.getEnd().isMacroID())
      Kept.Fixes.emplace_back(Context.getSourceManager(), Range, Fix.CodeToInsert, Context.getLangOpts());
  }
  if (Kept.Fixes.size() != Found.Fixes.size())
    Kept.Fixes.clear(); // a part of a fix is none
  To.push_back(std::move(Kept));
}

} // namespace skein
