//===- ClangCommand.h - The command line that clang gets -------------------===//
#ifndef SKEIN_DRIVER_CLANGCOMMAND_H
#define SKEIN_DRIVER_CLANGCOMMAND_H

#include "CommandLine.h"
#include "Installation.h"

namespace skein {

/// All arguments, the program's name first.
std::vector<std::string> clangCommand(const CommandLine &Line, const Installation &Home);

} // namespace skein

#endif
