//===- Output.cpp - Findings as text, as SARIF, and as changed files -----===//
#include "checker/Output.h"
#include "clang/Basic/DiagnosticIDs.h"
#include "clang/Basic/DiagnosticOptions.h"
#include "clang/Basic/FileManager.h"
#include "clang/Basic/Sarif.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <map>
#include <optional>
#include <set>
#include <skein/version.h>

using namespace clang;

namespace skein {

static void printPlace(llvm::raw_ostream &To, const FilePlace &Where) {
  if (!Where.File.empty())
    To << Where.File << ':' << Where.Line << ':' << Where.Column << ": ";
}

void printText(llvm::raw_ostream &To, const std::vector<FileFinding> &Findings) {
  for (const FileFinding &Each : Findings) {
    printPlace(To, Each.Where);
    To << "warning: " << Each.Text << " [skein-" << nameOfRule(Each.Rule) << (Each.Pedantic ? ", pedantic" : "")
       << "]\n";
    To << "    " << Each.SourceLine << '\n';
    std::string Marker(Each.Where.Column ? Each.Where.Column - 1 : 0, ' ');
    for (size_t I = 0; I < Marker.size() && I < Each.SourceLine.size(); ++I)
      if (Each.SourceLine[I] == '\t')
        Marker[I] = '\t';
    const unsigned Width = Each.Where.EndLine == Each.Where.Line && Each.Where.EndColumn > Each.Where.Column
                               ? Each.Where.EndColumn - Each.Where.Column
                               : 1;
    To << "    " << Marker << '^' << std::string(Width - 1, '~') << '\n';
    for (const FileNote &Note : Each.Notes) {
      printPlace(To, Note.Where);
      To << "note: " << Note.Text << '\n';
    }
    if (!Each.Fixes.empty())
      To << "note: --fix mends this\n";
  }
}

namespace {

/// Places of SARIF belong to a SourceManager: one of the files as they are now.
class Places {
public:
  Places() : Options(), Diags(DiagnosticIDs::create(), Options), Files(FileSystemOptions()), Sources(Diags, Files) {}

  /// Nothing if the file is gone.
  std::optional<CharSourceRange> range(const FilePlace &Where) {
    auto File = Files.getOptionalFileRef(Where.File);
    if (!File)
      return std::nullopt;
    const FileID Id = Sources.getOrCreateFileID(*File, SrcMgr::C_User);
    SourceLocation Begin = Sources.translateLineCol(Id, Where.Line, Where.Column);
    SourceLocation End = Sources.translateLineCol(Id, Where.EndLine, Where.EndColumn);
    return CharSourceRange::getCharRange(Begin, End);
  }

private:
  DiagnosticOptions Options;
  DiagnosticsEngine Diags;
  FileManager Files;

public:
  SourceManager Sources;
};

} // namespace

void printSarif(llvm::raw_ostream &To, const std::vector<FileFinding> &Findings) {
  Places Where;
  SarifDocumentWriter Writer(Where.Sources);
  Writer.createRun("skein-check", "skein-check, the rules of Skein", SKEIN_VERSION_TEXT);
  std::map<Warning, size_t> Numbers;
  for (const Rule *Each : allRules())
    Numbers[Each->Id] = Writer.createRule(SarifRule::create()
                                              .setRuleId(("skein-" + nameOfRule(Each->Id)).str())
                                              .setName(nameOfRule(Each->Id).str())
                                              .setDescription(Each->Rationale.str()));
  for (const FileFinding &Each : Findings) {
    SarifResult Result = SarifResult::create(uint32_t(Numbers[Each.Rule]))
                             .setRuleId(("skein-" + nameOfRule(Each.Rule)).str())
                             .setDiagnosticMessage(Each.Text)
                             .setDiagnosticLevel(Each.Pedantic ? SarifResultLevel::Note : SarifResultLevel::Warning);
    if (auto Range = Where.range(Each.Where))
      Result = Result.addLocations({*Range});
    std::vector<CharSourceRange> Related;
    for (const FileNote &Note : Each.Notes)
      if (auto Range = Where.range(Note.Where))
        Related.push_back(*Range);
    if (!Related.empty())
      Result = Result.addRelatedLocations(Related);
    Writer.appendResult(Result);
  }
  To << llvm::formatv("{0:2}\n", llvm::json::Value(Writer.createDocument()));
}

/// A paragraph in lines of at most 120 columns.
static void printWrapped(llvm::raw_ostream &To, llvm::StringRef Text) {
  constexpr size_t Width = 120;
  size_t Column = 0;
  llvm::SmallVector<llvm::StringRef, 64> Words;
  Text.split(Words, ' ');
  for (llvm::StringRef Word : Words) {
    if (Column && Column + 1 + Word.size() > Width) {
      To << '\n';
      Column = 0;
    }
    To << (Column ? " " : "") << Word;
    Column += (Column ? 1 : 0) + Word.size();
  }
  To << '\n';
}

void printDocumentation(llvm::raw_ostream &To) {
  To << "# The rules of annotated C\n\n"
        "<!-- Written by `skein-check --documentation`; change compiler/rules, not this page. -->\n\n";
  printWrapped(To,
               "A program of Skein is C, and what C programs do by habit may be wrong once a thread moves. These rules "
               "find it when compiling. `skeincc` applies them to every file that includes `<skein/skein.h>`, as "
               "warnings `-Wskein-<rule>`; `skein-check` applies them to whole projects (`skein-check --help`); and "
               "clang-tidy applies them as checks `skein-<rule>`, with `-load=<prefix>/lib/skein/SkeinTidy.so`.");
  To << '\n';
  printWrapped(To,
               "A finding is *certain* where the program itself asks for the move (`skein_yield`, a lock, a join, a "
               "function seen to call one) and goes wrong after it. It is *pedantic* where only a function of another "
               "file might move, and where nothing goes wrong but the thread stays where it is: pedantic findings are "
               "reported with `-Wskein-pedantic`, `skein-check --pedantic`, or clang-tidy's option "
               "`Pedantic`. In a file that does not include `<skein/skein.h>` all findings are pedantic.");
  To << '\n';
  printWrapped(To, "To silence a finding that is wrong or meant: `SKEIN_UNTRACKED` on the variable or function, "
                   "`-Wno-skein-<rule>`, or for `skein-check` and clang-tidy a comment `NOLINT(skein-<rule>)` on the "
                   "line.");
  To << "\n| rule | what it finds | |\n|---|---|---|\n";
  for (const Rule *Each : allRules())
    To << "| [" << nameOfRule(Each->Id) << "](#" << nameOfRule(Each->Id) << ") | " << helpOfRule(Each->Id) << " | "
       << (Each->Pedantic ? "pedantic" : "") << " |\n";
  for (const Rule *Each : allRules()) {
    To << "\n## " << nameOfRule(Each->Id) << "\n\n";
    printWrapped(To, Each->Rationale);
    To << "\nWrong:\n\n```c\n" << Each->Wrong << "```\n\nRight:\n\n```c\n" << Each->Right << "```\n";
  }
  To << "\n## On programs that nobody here chose\n\n";
  printWrapped(
      To, "`test/real/rules.py` checks source packages of Debian as if they had been ported, with "
          "`<skein/skein.h>` in each file. In 493,000 lines of SQLite, PCRE2 and libxml2 the certain findings are "
          "301, all of the rule `global`. For 284 a person who ports the program has to decide something: settings, "
          "caches, lists, random numbers, tables that the first call fills, of which each node would have its own. "
          "17 are false, 0.34 in 10,000 lines: a variable that nobody changes is lent through a pointer that could "
          "write (10 in SQLite, of which `sqlite3StdType` is found in 6 functions, and `pso_list` in PCRE2). "
          "Declaring it `const` ends the finding. The check takes 1.4 times as long as `clang -fsyntax-only`.");
}

static bool isInclude(const tooling::Replacement &Fix) {
  return Fix.getOffset() == 0 && Fix.getLength() == 0 && Fix.getReplacementText().starts_with("#include");
}

bool applyFixes(std::vector<FileFinding> &Findings, FixOutcome &Outcome) {
  std::map<std::string, tooling::Replacements> Changes;
  std::map<std::string, std::set<std::string>> Includes; // all go to the same place, where replacements would collide
  std::vector<FileFinding> Left;
  for (FileFinding &Each : Findings) {
    // All of a finding's fixes, or none.
    std::map<std::string, tooling::Replacements> Tried = Changes;
    bool Fits = !Each.Fixes.empty();
    for (const tooling::Replacement &Fix : Each.Fixes) {
      if (isInclude(Fix))
        continue;
      tooling::Replacements &OfFile = Tried[Fix.getFilePath().str()];
      if (llvm::Error Problem = OfFile.add(Fix)) {
        llvm::consumeError(std::move(Problem));
        Fits = false;
      }
    }
    if (Fits) {
      Changes = std::move(Tried);
      for (const tooling::Replacement &Fix : Each.Fixes)
        if (isInclude(Fix))
          Includes[Fix.getFilePath().str()].insert(Fix.getReplacementText().str());
      ++Outcome.Findings;
    } else {
      Left.push_back(std::move(Each));
    }
  }
  for (const auto &[File, Lines] : Includes)
    llvm::cantFail(Changes[File].add(tooling::Replacement(File, 0, 0, llvm::join(Lines, ""))));
  for (const auto &[File, OfFile] : Changes) {
    auto Text = llvm::MemoryBuffer::getFile(File);
    llvm::Expected<std::string> Changed = Text ? tooling::applyAllReplacements((*Text)->getBuffer(), OfFile)
                                               : llvm::Expected<std::string>(llvm::errorCodeToError(Text.getError()));
    llvm::Error Problem = Changed ? llvm::writeToOutput(File,
                                                        [&](llvm::raw_ostream &To) {
                                                          To << *Changed;
                                                          return llvm::Error::success();
                                                        })
                                  : Changed.takeError();
    if (Problem) {
      llvm::errs() << "skein-check: " << File << " cannot be changed: " << llvm::toString(std::move(Problem)) << '\n';
      return false;
    }
    ++Outcome.Files;
  }
  Findings = std::move(Left);
  return true;
}

} // namespace skein
