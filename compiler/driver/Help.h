//===- Help.h - What skeincc says about itself -----------------------------===//
#ifndef SKEIN_DRIVER_HELP_H
#define SKEIN_DRIVER_HELP_H

#include "CommandLine.h"

namespace skein {

/// Prints the text for --skein-help, and returns the exit status.
int printHelp();

/// Prints the line that precedes clang's own: on stdout for --version, on stderr for -v, as clang does. It begins like
/// clang's, since build systems take the first number that they find for the compiler's version.
void printVersion(const CommandLine &Line);

} // namespace skein

#endif
