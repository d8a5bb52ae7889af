//===- skein-check.cpp - The rules of Skein over whole projects ----------===//
#include "checker/Output.h"
#include "checker/Run.h"
#include "clang/Tooling/CommonOptionsParser.h"
#include "clang/Tooling/CompilationDatabase.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/WithColor.h"
#include <skein/version.h>

using namespace llvm;
using namespace skein;
using clang::tooling::CompilationDatabase;
using clang::tooling::FixedCompilationDatabase;

static cl::OptionCategory Category("Options of skein-check");
static cl::list<std::string> Files(cl::Positional, cl::desc("<file> ..."), cl::cat(Category));
static cl::opt<std::string>
    Build("p", cl::value_desc("folder"), cl::cat(Category),
          cl::desc("Where compile_commands.json lies (default: above the first file, or here)"));
static cl::opt<bool> Pedantic("pedantic", cl::cat(Category),
                              cl::desc("Also what goes wrong only if more happens than the source shows"));
static cl::list<std::string> Only("rules", cl::CommaSeparated, cl::value_desc("name,..."), cl::cat(Category),
                                  cl::desc("These rules only (default: all)"));
static cl::list<std::string> Without("without", cl::CommaSeparated, cl::value_desc("name,..."), cl::cat(Category),
                                     cl::desc("All rules but these"));
static cl::opt<bool> Fix("fix", cl::cat(Category), cl::desc("Mend in the files what can be mended"));
enum class Format { Text, Sarif };
static cl::opt<Format> As("format", cl::cat(Category), cl::init(Format::Text), cl::desc("How findings are written:"),
                          cl::values(clEnumValN(Format::Text, "text", "for people (the default)"),
                                     clEnumValN(Format::Sarif, "sarif", "SARIF 2.1.0, for code hosts and editors")));
static cl::opt<std::string> Output("o", cl::value_desc("file"), cl::init("-"), cl::cat(Category),
                                   cl::desc("Where findings go (default: standard output)"));
static cl::opt<unsigned> Jobs("j", cl::value_desc("n"), cl::init(0), cl::cat(Category),
                              cl::desc("Files at a time (default: one per core)"));
static cl::opt<bool> Quiet("quiet", cl::cat(Category), cl::desc("No progress line and no summary"));
static cl::opt<bool> ListRules("list-rules", cl::cat(Category), cl::desc("List the rules"));
static cl::opt<std::string> Explain("explain", cl::value_desc("rule"), cl::cat(Category),
                                    cl::desc("Say why a rule exists, with a wrong and a right program"));
static cl::opt<std::string> Example("example", cl::value_desc("wrong:rule|right:rule"), cl::cat(Category), cl::Hidden,
                                    cl::desc("Print one of the programs of --explain, to be compiled"));
static cl::opt<bool> Documentation("documentation", cl::cat(Category), cl::Hidden, cl::desc("Print docs/rules.md"));

static constexpr const char *Overview =
    "Finds what goes wrong in C and C++ when a thread of Skein moves, before it does.\n\n"
    "  skein-check -p build                   all files of build/compile_commands.json\n"
    "  skein-check file.c -- -Iinclude        one file, compiled with these options\n\n"
    "Status: 0 nothing was found, 1 something was, 2 a file could not be read or the command line is wrong.\n";

static int fail(const Twine &Text) {
  WithColor::error(errs(), "skein-check") << Text << "; see skein-check --help\n";
  return 2;
}

static const Rule *ruleOf(StringRef Name) {
  Name.consume_front("skein-");
  for (const Rule *Each : allRules())
    if (nameOfRule(Each->Id) == Name)
      return Each;
  return nullptr;
}

static int explain(const Rule &R) {
  outs() << nameOfRule(R.Id) << ": " << helpOfRule(R.Id) << "\n\n"
         << R.Rationale << "\n\nWrong:\n\n"
         << R.Wrong << "\nRight:\n\n"
         << R.Right;
  return 0;
}

/// The rules that the command line wants, or the name of one that does not exist.
static std::string selectRules(std::vector<bool> &Wanted) {
  Wanted.assign(WarningCount, false);
  for (const Rule *Each : allRules())
    Wanted[unsigned(Each->Id)] = Only.empty();
  for (const std::string &Name : Only)
    if (const Rule *R = ruleOf(Name))
      Wanted[unsigned(R->Id)] = true;
    else
      return Name;
  for (const std::string &Name : Without)
    if (const Rule *R = ruleOf(Name))
      Wanted[unsigned(R->Id)] = false;
    else
      return Name;
  return {};
}

static std::string includeFolder(const char *Program) {
  std::string Own = sys::fs::getMainExecutable(Program, reinterpret_cast<void *>(&includeFolder));
  SmallString<128> Path(sys::path::parent_path(sys::path::parent_path(Own)));
  sys::path::append(Path, "include");
  return std::string(Path);
}

/// After `--`, or from compile_commands.json; null with a message if there is none.
static std::unique_ptr<CompilationDatabase> findCommands(std::unique_ptr<FixedCompilationDatabase> Fixed) {
  if (Fixed)
    return Fixed;
  std::string Message;
  std::unique_ptr<CompilationDatabase> Commands =
      !Build.empty()   ? CompilationDatabase::autoDetectFromDirectory(Build, Message)
      : !Files.empty() ? CompilationDatabase::autoDetectFromSource(Files.front(), Message)
                       : CompilationDatabase::autoDetectFromDirectory(".", Message);
  if (!Commands)
    fail("no compile_commands.json was found; say where by -p <folder>, or give the options after --");
  return Commands;
}

static int report(CheckOutcome &Outcome, size_t Checked) {
  FixOutcome Fixed;
  if (Fix && !applyFixes(Outcome.Findings, Fixed))
    return 2;
  std::error_code Problem;
  raw_fd_ostream To(Output, Problem);
  if (Problem)
    return fail("'" + Output + "' cannot be written: " + Problem.message());
  As == Format::Sarif ? printSarif(To, Outcome.Findings) : printText(To, Outcome.Findings);
  if (!Quiet) {
    errs() << "skein-check: " << Checked << (Checked == 1 ? " file, " : " files, ") << Outcome.Findings.size()
           << (Outcome.Findings.size() == 1 ? " finding" : " findings");
    if (Fix)
      errs() << "; " << Fixed.Findings << " mended in " << Fixed.Files << (Fixed.Files == 1 ? " file" : " files");
    if (Outcome.Failed)
      errs() << "; " << Outcome.Failed << " not checked";
    errs() << '\n';
  }
  return Outcome.Failed ? 2 : Outcome.Findings.empty() ? 0 : 1;
}

int main(int Argc, const char **Argv) {
  std::string Message;
  std::unique_ptr<FixedCompilationDatabase> Fixed = FixedCompilationDatabase::loadFromCommandLine(Argc, Argv, Message);
  cl::HideUnrelatedOptions(Category);
  cl::SetVersionPrinter([](raw_ostream &To) { To << "skein-check " SKEIN_VERSION_TEXT "\n"; });
  cl::ParseCommandLineOptions(Argc, Argv, Overview);

  if (ListRules) {
    for (const Rule *Each : allRules())
      outs() << left_justify(nameOfRule(Each->Id), 20) << helpOfRule(Each->Id) << '\n';
    return 0;
  }
  if (Documentation) {
    printDocumentation(outs());
    return 0;
  }
  if (!Explain.empty()) {
    const Rule *R = ruleOf(Explain);
    return R ? explain(*R) : fail("there is no rule '" + Explain + "'");
  }
  if (!Example.empty()) {
    auto [Which, Name] = StringRef(Example).split(':');
    const Rule *R = ruleOf(Name);
    if (!R)
      return fail("there is no rule '" + Name + "'");
    outs() << (Which == "wrong" ? R->Wrong : R->Right);
    return 0;
  }

  std::vector<bool> Wanted;
  if (std::string Unknown = selectRules(Wanted); !Unknown.empty())
    return fail("there is no rule '" + Unknown + "' (skein-check --list-rules lists them)");
  std::unique_ptr<CompilationDatabase> Commands = findCommands(std::move(Fixed));
  if (!Commands)
    return 2;
  CheckRequest Request{*Commands,
                       Files,
                       Wanted,
                       Pedantic,
                       Jobs,
                       !Quiet && sys::Process::StandardErrIsDisplayed(),
                       includeFolder(Argv[0])};
  if (Request.Files.empty())
    Request.Files = Commands->getAllFiles();
  if (Request.Files.empty())
    return fail("there are no files to check");
  CheckOutcome Outcome = runChecks(Request);
  return report(Outcome, Request.Files.size());
}
