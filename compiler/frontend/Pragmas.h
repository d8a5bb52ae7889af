//===- Pragmas.h - #pragma clang diagnostic, for Skein's warnings ----------===//
//
//     #pragma clang diagnostic push
//     #pragma clang diagnostic ignored "-Wskein-global"      or warning, error; "-Wskein" for all
//     #pragma clang diagnostic pop
//
// clang keeps levels by its own groups of warnings, to which a plugin cannot add any. So these pragmas are noted as the
// preprocessor meets them, in the order of the translation unit, which is what they mean.
//
//===----------------------------------------------------------------------===//
#ifndef SKEIN_FRONTEND_PRAGMAS_H
#define SKEIN_FRONTEND_PRAGMAS_H

#include "passes/Diagnostics.h"
#include "clang/Basic/SourceLocation.h"

namespace clang {
class CompilerInstance;
class SourceManager;
} // namespace clang

namespace skein {

/// Notes the pragmas of this compilation from here on, and keeps clang from warning of groups that it does not know but
/// Skein does. Those in a precompiled header and those written as _Pragma are not seen.
void observePragmas(clang::CompilerInstance &Compiler);

/// The level that holds at `Where`: what the last pragma before it says, or `Otherwise`.
Level levelAt(const clang::SourceManager &Sources, clang::SourceLocation Where, Warning Kind, Level Otherwise);

/// Whether a pragma turns this warning on anywhere.
bool isTurnedOnSomewhere(Warning Kind);

} // namespace skein

#endif
