//===- main.cpp - skeincc and skein++: clang that knows Skein --------------===//
//
// skeincc takes clang's command line, adds what makes a program's threads able to move, and becomes clang:
//
//     skeincc -O2 a.c -o a   =>   clang <ours, weak> -O2 a.c -o a <ours, strong>
//
// *Weak* additions come first, so that the user's own option of the same kind wins (the linker, remarks); *strong* ones
// come last, so that they win (no stack protector, since its canary is per process; the build-id; wrapping main; the
// runtime). Everything else passes through untouched, so skeincc is a drop-in for CC= and skein++ for CXX=.
//
// Rejected: clang's driver library in this process (it would have to be the same build as clang-22, and a bug there
// would be ours); a shell script (slower, and cannot tell `-o -flto` from `-flto`); a config file for clang (--config
// cannot translate our options).
//
//===----------------------------------------------------------------------===//
#include "ClangCommand.h"
#include "CommandLine.h"
#include "Help.h"
#include "Installation.h"
#include "Process.h"

using namespace skein;

int main(int Argc, char **Argv) {
  Installation Home = Installation::find();
  CommandLine Line = CommandLine::parse(Argc, Argv);

  if (Line.failed())
    return 1;
  if (Line.wantsSkeinHelp())
    return printHelp();
  if (Line.wantsClangd())
    return printClangd(Home);
  if (Line.wantsVersion())
    printVersion(Line);

  return becomeClang(Home, clangCommand(Line, Home));
}
