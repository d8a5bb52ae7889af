//===- Diagnostics.cpp - Levels and delivery of the passes' reports --------===//
#include "Diagnostics.h"
#include "Annotations.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ErrorHandling.h"
#include <array>
#include <optional>

using namespace llvm;

namespace skein {

static constexpr std::array<StringLiteral, WarningCount> Names{
#define SKEIN_WARNING(Identifier, Name, FollowsWerror, Help) Name,
#include "rules/Warnings.def"
};

static std::array<Level, WarningCount> Levels = [] {
  std::array<Level, WarningCount> All;
  All.fill(Level::Warning);
  return All;
}();
static Level Pedantic = Level::Off;
static std::string Settings;

static std::optional<Level> parseLevel(StringRef Value) {
  return StringSwitch<std::optional<Level>>(Value)
      .Case("off", Level::Off)
      .Case("warning", Level::Warning)
      .Case("error", Level::Error)
      .Default(std::nullopt);
}

static void setLevel(StringRef Setting) {
  auto [Name, Value] = Setting.split('=');
  std::optional<Level> Parsed = parseLevel(Value);
  if (Name == "pedantic" && Parsed) {
    Pedantic = *Parsed;
    return;
  }
  for (unsigned I = 0; I < WarningCount; ++I)
    if (Names[I] == Name && Parsed) {
      Levels[I] = *Parsed;
      Settings += (Settings.empty() ? "" : ",") + Setting.str();
      return;
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

Level levelOf(Warning Kind, const Function &F) {
  StringRef Own = F.getFnAttribute(WarningsAttribute).getValueAsString();
  for (StringRef Setting : split(Own, ','))
    if (auto [Name, Value] = Setting.split('='); Name == nameOf(Kind))
      return parseLevel(Value).value_or(Level::Warning);
  return levelOf(Kind);
}

Level levelOfPedantic(Warning Kind) {
  return Pedantic == Level::Off || levelOf(Kind) == Level::Off ? Level::Off : std::max(Pedantic, levelOf(Kind));
}

std::string warningSettings() { return Settings; }

std::string withFlag(Warning Kind, Level Severity, const Twine &Text, bool Pedantic) {
  return (Text + " [" + (Severity == Level::Error ? "-Werror," : "") + (Pedantic ? "-Wskein-pedantic," : "") +
          "-Wskein-" + nameOf(Kind) + "]")
      .str();
}

static std::string withItsFlag(std::optional<Warning> Kind, Level Severity, const std::string &Text) {
  return Kind ? withFlag(*Kind, Severity, Text) : Text;
}

static DiagnosticSeverity severityOf(Level L) { return L == Level::Error ? DS_Error : DS_Warning; }

static void report(const Function &F, const DebugLoc &Where, std::optional<Warning> Kind, Level Severity,
                   const std::string &Text) {
  DiagnosticLocation Location = Where ? DiagnosticLocation(Where) : DiagnosticLocation(F.getSubprogram());
  if (sink() && sink()(Kind, Severity, Location, Text))
    return;
  // Of the kinds clang's back end handles, this is the one that keeps text and location as they are.
  const std::string Whole = withItsFlag(Kind, Severity, Text);
  F.getContext().diagnose(DiagnosticInfoUnsupported(F, Whole, Location, severityOf(Severity)));
}

static void report(const GlobalVariable &G, std::optional<Warning> Kind, Level Severity, const std::string &Text) {
  SmallVector<DIGlobalVariableExpression *, 1> Infos;
  G.getDebugInfo(Infos);
  DiagnosticLocation Location;
  if (!Infos.empty())
    Location = DiagnosticLocation(DILocation::get(G.getContext(), Infos.front()->getVariable()->getLine(), 0,
                                                  Infos.front()->getVariable()->getScope()));
  if (sink() && sink()(Kind, Severity, Location, Text))
    return;
  const std::string Whole = withItsFlag(Kind, Severity, Text);
  G.getContext().diagnose(DiagnosticInfoGeneric(Whole, severityOf(Severity)));
}

void warn(const Function &F, const DebugLoc &Where, Warning Kind, const Twine &Text) {
  if (Level Severity = levelOf(Kind, F); Severity != Level::Off)
    report(F, Where, Kind, Severity, Text.str());
}

void error(const Function &F, const DebugLoc &Where, const Twine &Text) {
  report(F, Where, std::nullopt, Level::Error, Text.str());
}

void warn(const GlobalVariable &G, Warning Kind, const Twine &Text) {
  if (levelOf(Kind) != Level::Off)
    report(G, Kind, levelOf(Kind), Text.str());
}

void error(const GlobalVariable &G, const Twine &Text) { report(G, std::nullopt, Level::Error, Text.str()); }

std::string placeInFunction(const Instruction &I) {
  constexpr size_t Most = 80; // leaves room in the message for what follows
  std::string Text = (" in `" + I.getFunction()->getName().take_front(Most) + "`").str();
  if (const DILocation *Location = I.getDebugLoc())
    Text += (" (" + Location->getFilename() + ":" + Twine(Location->getLine()) + ")").str();
  return Text;
}

} // namespace skein
