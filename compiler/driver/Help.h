//===- Help.h - What skeincc says about itself -----------------------------===//
#ifndef SKEIN_DRIVER_HELP_H
#define SKEIN_DRIVER_HELP_H

#include "CommandLine.h"

namespace skein {

/// --skein-help. Returns the exit status.
int printHelp();

/// The line before clang's own: on stdout for --version, on stderr for -v, as clang does. It begins as clang's, since
/// build systems take the first number that they find for the compiler's version.
void printVersion(const CommandLine &Line);

} // namespace skein

#endif
