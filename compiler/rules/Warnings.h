//===- Warnings.h - The warnings of Skein by name ------------------------===//
//
// Needs neither clang nor LLVM: the driver, the passes and the rules all speak of warnings by these names.
//
//===----------------------------------------------------------------------===//
#ifndef SKEIN_RULES_WARNINGS_H
#define SKEIN_RULES_WARNINGS_H

namespace skein {

/// What Skein warns about. docs/rules.md explains those that the source decides, docs/pitfalls.md the others.
enum class Warning {
#define SKEIN_WARNING(Identifier, Name, FollowsWerror, Help) Identifier,
#include "rules/Warnings.def"
};

inline constexpr unsigned WarningCount = 0
#define SKEIN_WARNING(Identifier, Name, FollowsWerror, Help) +1
#include "rules/Warnings.def"
    ;

} // namespace skein

#endif
