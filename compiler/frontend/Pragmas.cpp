//===- Pragmas.cpp ----------------------------------------------------------===//
#include "Pragmas.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Lex/LexDiagnostic.h"
#include "clang/Lex/Preprocessor.h"
#include <bitset>
#include <vector>

using namespace clang;
using llvm::StringRef;

namespace skein {
namespace {

using Warnings = std::bitset<WarningCount>;

struct Pragma {
  enum { Push, Pop, Set } What;
  SourceLocation Where;
  Warnings Of = {};
  Level To = Level::Off;
};

std::vector<Pragma> &pragmas() {
  static std::vector<Pragma> All; // of the one compilation of this process
  return All;
}

/// The warnings that an option such as -Wskein-global names.
Warnings named(StringRef Option) {
  Warnings Found;
  if (!Option.consume_front("-Wskein"))
    return Found;
  if (Option.empty())
    return Found.set();
  if (Option.consume_front("-"))
    for (unsigned I = 0; I < WarningCount; ++I)
      Found[I] = Option == nameOf(Warning(I));
  return Found;
}

bool consumeWord(StringRef &Text, StringRef Word) {
  Text = Text.ltrim();
  return Text.consume_front(Word);
}

std::optional<Pragma> read(StringRef Text, SourceLocation Where) {
  if (!consumeWord(Text, "#") || !consumeWord(Text, "pragma") ||
      (!consumeWord(Text, "clang") && !consumeWord(Text, "GCC")) || !consumeWord(Text, "diagnostic"))
    return std::nullopt;
  if (consumeWord(Text, "push"))
    return Pragma{Pragma::Push, Where};
  if (consumeWord(Text, "pop"))
    return Pragma{Pragma::Pop, Where};
  Pragma Found{Pragma::Set, Where};
  if (consumeWord(Text, "ignored"))
    Found.To = Level::Off;
  else if (consumeWord(Text, "warning"))
    Found.To = Level::Warning;
  else if (consumeWord(Text, "error") || consumeWord(Text, "fatal"))
    Found.To = Level::Error;
  else
    return std::nullopt;
  Found.Of = named(Text.split('"').second.split('"').first);
  return Found;
}

class Observer : public PPCallbacks {
public:
  explicit Observer(Preprocessor &Source) : Source(Source) {}

  void PragmaDirective(SourceLocation Where, PragmaIntroducerKind Introducer) override {
    DiagnosticsEngine &Diags = Source.getDiagnostics();
    if (Silenced) {
      Diags.setSeverity(Unknown, Before, Where);
      Silenced = false;
    }
    if (Introducer != PIK_HashPragma || Where.isMacroID())
      return;
    const char *Begin = Source.getSourceManager().getCharacterData(Where);
    std::optional<Pragma> Found = read(StringRef(Begin, strcspn(Begin, "\r\n")), Where);
    if (!Found || (Found->What == Pragma::Set && Found->Of.none()))
      return;
    if (Found->What == Pragma::Set && !Diags.isIgnored(Unknown, Where)) {
      Before = Diags.getDiagnosticLevel(Unknown, Where) == DiagnosticsEngine::Warning ? diag::Severity::Warning
                                                                                      : diag::Severity::Error;
      Silenced = true;
      Diags.setSeverity(Unknown, diag::Severity::Ignored, Where);
    }
    pragmas().push_back(*Found);
  }

private:
  /// What clang says of a group that it does not know, right after this pragma.
  static constexpr diag::kind Unknown = diag::warn_pragma_diagnostic_unknown_warning;

  Preprocessor &Source;
  bool Silenced = false;
  diag::Severity Before = diag::Severity::Warning;
};

} // namespace

void observePragmas(CompilerInstance &Compiler) {
  pragmas().clear();
  Preprocessor &Source = Compiler.getPreprocessor();
  Source.addPPCallbacks(std::make_unique<Observer>(Source));
}

Level levelAt(const SourceManager &Sources, SourceLocation Where, Warning Kind, Level Otherwise) {
  if (pragmas().empty() || Where.isInvalid())
    return Otherwise;
  const SourceLocation Written = Sources.getFileLoc(Where);
  std::vector<Level> Outer;
  Level Now = Otherwise;
  for (const Pragma &Each : pragmas()) {
    if (!Sources.isBeforeInTranslationUnit(Each.Where, Written))
      break;
    if (Each.What == Pragma::Push) {
      Outer.push_back(Now);
    } else if (Each.What == Pragma::Set) {
      if (Each.Of[unsigned(Kind)])
        Now = Each.To;
    } else if (!Outer.empty()) {
      Now = Outer.back();
      Outer.pop_back();
    }
  }
  return Now;
}

bool isTurnedOnSomewhere(Warning Kind) {
  return llvm::any_of(pragmas(), [&](const Pragma &Each) {
    return Each.What == Pragma::Set && Each.To != Level::Off && Each.Of[unsigned(Kind)];
  });
}

} // namespace skein
