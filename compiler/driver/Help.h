//===- Help.h - What skeincc says about itself -----------------------------===//
#ifndef SKEIN_DRIVER_HELP_H
#define SKEIN_DRIVER_HELP_H

#include "CommandLine.h"
#include "Installation.h"

namespace skein {

/// Prints the text for --skein-help, and returns the exit status.
int printHelp();

/// Prints a configuration file for clangd, and returns the exit status.
int printClangd(const Installation &Home);

/// Prints the line that precedes clang's own: on stdout for --version, on stderr for -v, as clang does. It begins like
/// clang's, since build systems take the first number that they find for the compiler's version.
void printVersion(const CommandLine &Line);

} // namespace skein

#endif
