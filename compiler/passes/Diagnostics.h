//===- Diagnostics.h - How passes talk to the user -------------------------===//
//
// Warnings and errors of the passes are clang diagnostics: they carry file, line and column, show the source line,
// count for the exit status and obey -W flags. Every warning has a name, `skein-unproved` and so on; its text ends with
// `[-Wskein-unproved]`, which this file appends, not the caller.
//
// skeincc reads -Wskein-X, -Wno-skein-X, -Werror=skein-X, -Wno-error=skein-X (and the same for all of them, without
// -X) and hands the final levels to the plugin as `-skein-warnings=unproved=error,global=off`, since a clang plugin
// cannot add warning flags of its own. Plain -Werror turns those into errors that the user's source decides (global,
// local-address); `unproved` and `pinned` depend on the optimiser and stay warnings unless they are named, so that a
// drop-in build never fails.
//
// The Clang half installs a sink (setDiagnosticSink); without one (opt, llc, IR inputs) reports go to
// LLVMContext::diagnose.
//
//===----------------------------------------------------------------------===//
#ifndef SKEIN_PASSES_DIAGNOSTICS_H
#define SKEIN_PASSES_DIAGNOSTICS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include <functional>
#include <string>

namespace llvm {
class DebugLoc;
class DiagnosticLocation;
class Function;
class GlobalVariable;
class Instruction;
} // namespace llvm

namespace skein {

/// What we warn about. docs/pitfalls.md explains each.
enum class Warning {
  Unproved,     ///< the proof failed at a call: the thread is pinned there
  Pinned,       ///< the thread is pinned at a call for another reason (setjmp, a catch handler, ...)
  Global,       ///< a migratable function uses a mutable global of the process
  LocalAddress, ///< skein_spawn is given the address of a local
};
inline constexpr unsigned WarningCount = 4;

enum class Level { Off, Warning, Error };

/// The name without the `skein-`, as in -Wskein-<name>.
llvm::StringRef nameOf(Warning Kind);

/// What the command line made of a warning.
Level levelOf(Warning Kind);
/// The same for reports about `F`, which may come from another command line (link-time optimisation).
Level levelOf(Warning Kind, const llvm::Function &F);
/// All levels as the driver wrote them; empty if it said nothing.
std::string warningSettings();

/// The text with its flag: " [-Wskein-unproved]", " [-Werror,-Wskein-unproved]".
std::string withFlag(Warning Kind, Level Severity, const llvm::Twine &Text);

/// Reports at `Where`, or at the function's line if that is unknown.
void warn(const llvm::Function &F, const llvm::DebugLoc &Where, Warning Kind, const llvm::Twine &Text);
void error(const llvm::Function &F, const llvm::DebugLoc &Where, const llvm::Twine &Text);
/// The same about a variable, at its line if that is known.
void warn(const llvm::GlobalVariable &G, Warning Kind, const llvm::Twine &Text);
void error(const llvm::GlobalVariable &G, const llvm::Twine &Text);

/// " in `f` (file.c:12)", for what the runtime says of a place in the program.
std::string placeInFunction(const llvm::Instruction &I);

/// Takes the final text, or says by false that it cannot (the report then goes to LLVMContext::diagnose). An empty
/// function removes the sink. The Clang half owns it for as long as its diagnostics engine lives.
using DiagnosticSink = std::function<bool(Level, const llvm::DiagnosticLocation &, llvm::StringRef Text)>;
void setDiagnosticSink(DiagnosticSink Sink);

} // namespace skein

#endif
