//===- Report.cpp - Clang diagnostics under Skein's flags ------------------===//
#include "Report.h"
#include "Pragmas.h"
#include "clang/Basic/FileManager.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Frontend/CompilerInstance.h"
#include "llvm/IR/DiagnosticInfo.h"

using namespace clang;
using llvm::StringRef;
using llvm::Twine;

namespace skein {

/// An argument of a macro is reported where it was written, without a trail through skein_spawn's definition.
static SourceLocation asWritten(const DiagnosticsEngine &Diags, SourceLocation Where) {
  const SourceManager &Sources = Diags.getSourceManager();
  while (Where.isMacroID() && Sources.isMacroArgExpansion(Where))
    Where = Sources.getImmediateSpellingLoc(Where);
  return Where;
}

static void report(DiagnosticsEngine &Diags, DiagnosticsEngine::Level Severity, SourceLocation Where,
                   SourceRange Underlined, const Twine &Text, llvm::ArrayRef<FixItHint> Fixes = {}) {
  bool Promote = Diags.getWarningsAsErrors();
  Diags.setWarningsAsErrors(false);
  unsigned Id = Diags.getDiagnosticIDs()->getCustomDiagID(DiagnosticIDs::Level(Severity), "%0");
  {
    DiagnosticBuilder Builder = Diags.Report(Where, Id);
    Builder << Text.str();
    if (Underlined.isValid())
      Builder << Underlined;
    for (const FixItHint &Fix : Fixes)
      Builder << Fix;
  }
  Diags.setWarningsAsErrors(Promote);
}

static void reportAt(DiagnosticsEngine &Diags, DiagnosticsEngine::Level Severity, SourceRange Where, const Twine &Text,
                     llvm::ArrayRef<FixItHint> Fixes = {}) {
  SourceRange Written(asWritten(Diags, Where.getBegin()), asWritten(Diags, Where.getEnd()));
  report(Diags, Severity, Written.getBegin(), Written, Text, Fixes);
}

static DiagnosticsEngine::Level severityOf(Level L) {
  return L == Level::Error ? DiagnosticsEngine::Error : DiagnosticsEngine::Warning;
}

static Level levelOf(const Finding &Found) {
  return Found.Pedantic ? levelOfPedantic(Found.Rule) : levelOf(Found.Rule);
}

bool DiagnosticFindings::wants(Warning Rule, bool Pedantic) const {
  return (Pedantic ? levelOfPedantic(Rule) : levelOf(Rule)) != Level::Off || (!Pedantic && isTurnedOnSomewhere(Rule));
}

void DiagnosticFindings::take(const Finding &Found) {
  const Level Severity =
      levelAt(Diags.getSourceManager(), asWritten(Diags, Found.Where.getBegin()), Found.Rule, levelOf(Found));
  if (Severity == Level::Off)
    return;
  reportAt(Diags, severityOf(Severity), Found.Where, withFlag(Found.Rule, Severity, Found.Text, Found.Pedantic),
           Found.Fixes);
  for (const Note &Each : Found.Notes)
    note(Diags, Each.Where, Each.Text);
}

bool warn(DiagnosticsEngine &Diags, SourceRange Where, Warning Kind, const Twine &Text) {
  const Level Severity = levelAt(Diags.getSourceManager(), asWritten(Diags, Where.getBegin()), Kind, levelOf(Kind));
  if (Severity == Level::Off)
    return false;
  reportAt(Diags, severityOf(Severity), Where, withFlag(Kind, Severity, Text));
  return true;
}

void error(DiagnosticsEngine &Diags, SourceRange Where, const Twine &Text) {
  reportAt(Diags, DiagnosticsEngine::Error, Where, Text);
}

void note(DiagnosticsEngine &Diags, SourceRange Where, const Twine &Text) {
  reportAt(Diags, DiagnosticsEngine::Note, Where, Text);
}

/// The place of a pass's report in this compilation's files. Invalid if #line or the like hides it.
static SourceLocation translate(SourceManager &Sources, const llvm::DiagnosticLocation &Where) {
  if (!Where.isValid() || Where.getLine() == 0)
    return {};
  auto File = Sources.getFileManager().getOptionalFileRef(Where.getRelativePath());
  if (!File)
    File = Sources.getFileManager().getOptionalFileRef(Where.getAbsolutePath());
  if (!File)
    return {};
  return Sources.translateFileLineCol(*File, Where.getLine(), Where.getColumn() ? Where.getColumn() : 1);
}

void installDiagnosticSink(CompilerInstance &Compiler) {
  setDiagnosticSink(
      [&Compiler](std::optional<Warning> Kind, Level Severity, const llvm::DiagnosticLocation &Where, StringRef Text) {
        if (!Compiler.hasSourceManager())
          return false;
        SourceLocation Place = translate(Compiler.getSourceManager(), Where);
        if (Kind)
          Severity = levelAt(Compiler.getSourceManager(), Place, *Kind, Severity);
        if (Severity == Level::Off)
          return true;
        std::string Prefix;
        if (Place.isInvalid() && Where.isValid())
          Prefix = (Where.getRelativePath() + ":" + Twine(Where.getLine()) + ": ").str();
        report(Compiler.getDiagnostics(), severityOf(Severity), Place, {},
               Kind ? withFlag(*Kind, Severity, Prefix + Text) : (Prefix + Text).str());
        return true;
      });
}

} // namespace skein
