//===- Run.cpp - Checks many files at once -------------------------------===//
//
// Each file has a ClangTool of its own with a file system of its own, so that the working directories of compile
// commands do not disturb each other; rules keep no state between units.
//
//===----------------------------------------------------------------------===//
#include "checker/Run.h"
#include "clang/AST/ASTConsumer.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Tooling/ArgumentsAdjusters.h"
#include "clang/Tooling/Tooling.h"
#include "llvm/Support/ThreadPool.h"
#include "llvm/Support/VirtualFileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include <mutex>

using namespace clang;
using namespace clang::tooling;

namespace skein {
namespace {

/// Errors of clang in one line each; warnings are the compiler's business.
class ErrorPrinter : public DiagnosticConsumer {
public:
  explicit ErrorPrinter(std::string &To) : To(To) {}

  void HandleDiagnostic(DiagnosticsEngine::Level Severity, const Diagnostic &Info) override {
    DiagnosticConsumer::HandleDiagnostic(Severity, Info);
    if (Severity < DiagnosticsEngine::Error)
      return;
    llvm::SmallString<128> Text;
    Info.FormatDiagnostic(Text);
    if (Info.hasSourceManager() && Info.getLocation().isValid())
      To += Info.getLocation().printToString(Info.getSourceManager()) + ": ";
    To += ("error: " + Text + "\n").str();
  }

private:
  std::string &To;
};

class RuleConsumer : public ASTConsumer {
public:
  RuleConsumer(const CheckRequest &Request, const RuleOptions &Options, std::vector<FileFinding> &To)
      : Request(Request), Options(Options), To(To) {}

  void HandleTranslationUnit(ASTContext &Context) override {
    if (Context.getDiagnostics().hasErrorOccurred())
      return;
    CollectingSink Sink(Context, Request.Rules, Request.Pedantic, To);
    checkUnit(Context, Options, Sink);
  }

private:
  const CheckRequest &Request;
  const RuleOptions &Options;
  std::vector<FileFinding> &To;
};

/// What ClangTool makes an action of.
struct RuleConsumers {
  const CheckRequest &Request;
  const RuleOptions &Options;
  std::vector<FileFinding> &To;
  std::unique_ptr<ASTConsumer> newASTConsumer() const { return std::make_unique<RuleConsumer>(Request, Options, To); }
};

bool isOwnOption(llvm::StringRef Word) {
  return Word.starts_with("-fskein-") || Word.starts_with("-fno-skein-") || Word.starts_with("-Wskein") ||
         Word.starts_with("-Wno-skein") || Word.starts_with("-Werror=skein") || Word.starts_with("-Wno-error=skein") ||
         Word.starts_with("-fplugin=") || Word.starts_with("-fpass-plugin=");
}

/// What skeincc would have made of its own options.
RuleOptions optionsOf(const CompilationDatabase &Commands, const std::string &File) {
  RuleOptions Options;
  for (const CompileCommand &Command : Commands.getCompileCommands(File))
    for (llvm::StringRef Word : Command.CommandLine) {
      if (Word.consume_front("-fskein-globals="))
        Options.PrivateGlobals = Word == "private";
      else if (Word.consume_front("-fskein-heap="))
        Options.PrivateHeap = Word == "private";
      else if (Word.consume_front("-fskein-stacks="))
        Options.GrowableStacks = Word == "growable";
      else if (Word == "-fskein-polls=loops" || Word == "-fno-skein-polls")
        Options.LoopPolls = Word == "-fskein-polls=loops";
    }
  return Options;
}

/// The compile command as clang would get it from skeincc, for reading only.
CommandLineArguments adjust(const CommandLineArguments &Words, const std::string &Include) {
  const bool Cxx = !Words.empty() && llvm::StringRef(Words.front()).ends_with("++");
  CommandLineArguments Adjusted{Cxx ? SKEIN_CLANG "++" : SKEIN_CLANG};
  for (const std::string &Word : llvm::drop_begin(Words))
    if (!isOwnOption(Word))
      Adjusted.push_back(Word);
  // A file name may follow `--`; nothing of ours may.
  const std::vector<std::string> Own{"-resource-dir=" SKEIN_CLANG_RESOURCES, "-I" + Include, "-D__SKEIN__=1", "-w",
                                     "-fno-stack-protector"};
  Adjusted.insert(llvm::find(Adjusted, "--"), Own.begin(), Own.end());
  return Adjusted;
}

} // namespace

CheckOutcome runChecks(const CheckRequest &Request) {
  CheckOutcome Outcome;
  std::mutex Mutex; // of the outcome and of stderr
  size_t Done = 0;
  llvm::DefaultThreadPool Pool(llvm::hardware_concurrency(Request.Jobs));
  for (const std::string &File : Request.Files)
    Pool.async([&, File] {
      std::vector<FileFinding> Found;
      std::string Errors;
      const RuleOptions Options = optionsOf(Request.Commands, File);
      ClangTool Tool(Request.Commands, {File}, std::make_shared<PCHContainerOperations>(),
                     llvm::vfs::createPhysicalFileSystem());
      ErrorPrinter Printer(Errors);
      Tool.setDiagnosticConsumer(&Printer);
      Tool.setPrintErrorMessage(false);
      Tool.appendArgumentsAdjuster(
          [&](const CommandLineArguments &Words, llvm::StringRef) { return adjust(Words, Request.Include); });
      RuleConsumers Consumers{Request, Options, Found};
      const int Status = Tool.run(newFrontendActionFactory(&Consumers).get());

      std::lock_guard<std::mutex> Lock(Mutex);
      if (Request.Progress)
        llvm::errs() << "\r\033[K[" << ++Done << '/' << Request.Files.size() << "] " << File
                     << (Done == Request.Files.size() ? "\r\033[K" : "");
      if (Status) {
        ++Outcome.Failed;
        llvm::errs() << Errors << "skein-check: " << File
                     << (Errors.empty() ? " has no compile command; give one after --, or -p <build folder>\n"
                                        : " cannot be read, and is not checked\n");
      }
      for (FileFinding &Each : Found)
        Outcome.Findings.push_back(std::move(Each));
    });
  Pool.wait();
  sortFindings(Outcome.Findings);
  return Outcome;
}

} // namespace skein
