//===- Diagnostics.h - How passes talk to the user -------------------------===//
//
// Warnings and errors of the passes are clang diagnostics: they carry file, line and column, show the source line,
// count for the exit status and obey -W flags and pragmas (frontend/Pragmas.h). Every warning has a name, such as
// `skein-unproved`, and its text ends with `[-Wskein-unproved]`, which this file appends.
//
// skeincc reads -Wskein-X, -Wno-skein-X, -Werror=skein-X, -Wno-error=skein-X (and the same for all of them, without
// -X). Since a clang plugin cannot add warning flags of its own, skeincc hands the final levels to the plugin as
// `-skein-warnings=unproved=error,global=off`. Plain -Werror makes errors of the warnings that depend on the source
// alone (the rules of compiler/rules). The others, `unproved` and `pinned`, depend on the optimiser, and stay warnings
// unless they are named, so that drop-in code always compiles.
//
// The Clang half installs a sink (setDiagnosticSink). Without one (in opt and llc, or for IR inputs) reports go to
// LLVMContext::diagnose.
//
//===----------------------------------------------------------------------===//
#ifndef SKEIN_PASSES_DIAGNOSTICS_H
#define SKEIN_PASSES_DIAGNOSTICS_H

#include "rules/Warnings.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include <functional>
#include <optional>
#include <string>

namespace llvm {
class DebugLoc;
class DiagnosticLocation;
class Function;
class GlobalVariable;
class Instruction;
} // namespace llvm

namespace skein {

enum class Level { Off, Warning, Error };

/// The name without the `skein-`, as in -Wskein-<name>.
llvm::StringRef nameOf(Warning Kind);

/// The level that the command line has set.
Level levelOf(Warning Kind);
/// The level for reports about `F`, which may come from another command line (link-time optimisation).
Level levelOf(Warning Kind, const llvm::Function &F);
/// The level of a pedantic finding of a rule, which -Wskein-pedantic asks for (rules/Rule.h).
Level levelOfPedantic(Warning Kind);
/// All levels as the driver wrote them; empty if it set none.
std::string warningSettings();

/// The text with its flag: " [-Wskein-unproved]", " [-Werror,-Wskein-unproved]", " [-Wskein-pedantic,-Wskein-global]".
std::string withFlag(Warning Kind, Level Severity, const llvm::Twine &Text, bool Pedantic = false);

/// Reports at `Where`, or at the function's line if that is unknown.
void warn(const llvm::Function &F, const llvm::DebugLoc &Where, Warning Kind, const llvm::Twine &Text);
void error(const llvm::Function &F, const llvm::DebugLoc &Where, const llvm::Twine &Text);
/// The same about a variable, at its line if that is known.
void warn(const llvm::GlobalVariable &G, Warning Kind, const llvm::Twine &Text);
void error(const llvm::GlobalVariable &G, const llvm::Twine &Text);

/// A text like " in `f` (file.c:12)", for messages of the runtime about a place in the program.
std::string placeInFunction(const llvm::Instruction &I);

/// Takes a report, and which warning it is (none: an error), whose flag is not in the text. Returns false if it cannot,
/// and the report then goes to LLVMContext::diagnose. An empty function removes the sink. The sink of the Clang half
/// can be called only as long as its diagnostics engine lives.
using DiagnosticSink =
    std::function<bool(std::optional<Warning>, Level, const llvm::DiagnosticLocation &, llvm::StringRef Text)>;
void setDiagnosticSink(DiagnosticSink Sink);

} // namespace skein

#endif
