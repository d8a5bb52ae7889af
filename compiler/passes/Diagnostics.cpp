//===- Diagnostics.cpp - Levels and delivery of the passes' reports --------===//
#include "Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ErrorHandling.h"
#include <array>

using namespace llvm;

namespace skein {

static constexpr std::array<StringLiteral, WarningCount> Names{"unproved", "pinned", "global", "local-address"};

static std::array<Level, WarningCount> Levels{Level::Warning, Level::Warning, Level::Warning, Level::Warning};

static void setLevel(StringRef Setting) {
  auto [Name, Value] = Setting.split('=');
  for (unsigned I = 0; I < WarningCount; ++I)
    if (Names[I] == Name) {
      if (Value == "off" || Value == "warning" || Value == "error") {
        Levels[I] = Value == "off" ? Level::Off : Value == "error" ? Level::Error : Level::Warning;
        return;
      }
    }
  reportFatalUsageError("-skein-warnings: expected <name>=off|warning|error, got '" + Setting + "'");
}

static cl::list<std::string> WarningsOption("skein-warnings", cl::CommaSeparated, cl::Hidden,
                                            cl::desc("Levels of Skein's warnings: <name>=off|warning|error,..."),
                                            cl::callback([](const std::string &Setting) { setLevel(Setting); }));

static DiagnosticSink &sink() {
  static DiagnosticSink Sink;
  return Sink;
}

void setDiagnosticSink(DiagnosticSink Sink) { sink() = std::move(Sink); }

StringRef nameOf(Warning Kind) { return Names[unsigned(Kind)]; }

Level levelOf(Warning Kind) { return Levels[unsigned(Kind)]; }

std::string withFlag(Warning Kind, const Twine &Text) {
  return (Text + (levelOf(Kind) == Level::Error ? " [-Werror,-Wskein-" : " [-Wskein-") + nameOf(Kind) + "]").str();
}

static void report(const Function &F, const DebugLoc &Where, Level Severity, const std::string &Text) {
  DiagnosticLocation Location = Where ? DiagnosticLocation(Where) : DiagnosticLocation(F.getSubprogram());
  if (sink() && sink()(Severity, Location, Text))
    return;
  // Of the kinds clang's back end handles, this is the one that keeps text and location as they are.
  F.getContext().diagnose(
      DiagnosticInfoUnsupported(F, Text, Location, Severity == Level::Error ? DS_Error : DS_Warning));
}

void warn(const Function &F, const DebugLoc &Where, Warning Kind, const Twine &Text) {
  if (levelOf(Kind) != Level::Off)
    report(F, Where, levelOf(Kind), withFlag(Kind, Text));
}

void error(const Function &F, const DebugLoc &Where, const Twine &Text) { report(F, Where, Level::Error, Text.str()); }

} // namespace skein
