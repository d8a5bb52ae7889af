//===- Help.cpp - What skeincc says about itself ---------------------------===//
#include "Help.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <skein/version.h>

using namespace llvm;

namespace skein {

int printHelp() {
  outs()
      << "skeincc " SKEIN_VERSION_TEXT ", a C compiler whose threads move between processes.\n"
         "It takes clang's command line (skeincc --help lists it); skein++ is the same for C++. Its own options:\n\n"
         "  -fskein-stress=calls   move the stack at every call that may migrate (to test programs and the compiler)\n"
         "  -fskein-polls=loops    let threads move in loops without calls, too\n"
         "  -fskein-moves=same     code as clang makes it, without homes and maps: a thread in it keeps the address of "
         "its\n"
         "                         stack, and moves to nodes of the same host; any, the default: to any address\n"
         "  -fskein-heap=private   malloc and its relatives use memory that belongs to the thread and moves with it;\n"
         "                         process (default): memory of the process, which stays where it is\n"
         "  -fskein-stacks=growable  threads start on a small stack that grows (all units of a program)\n"
         "  -fskein-stacks=common  threads that wait for long give their stacks to others;\n"
         "                         fixed, the default: they keep them\n"
         "  -fskein-globals=private  each thread has its own copy of the variables of this unit; process, the "
         "default:\n"
         "                         all threads of a process share them\n"
         "  -fskein-explain=LINE   print which calls on the line, of the source or of FILE (FILE:LINE), may migrate, "
         "why,\n"
         "                         and what is live across them; `skein explain` does it for one file\n"
         "  --skein-clangd         print what makes clangd, and editors that use it, understand a project: put it into "
         "the\n"
         "                         file .clangd in the project's folder\n"
         "  --skein-help           this text\n\n"
         "Warnings, on but for pedantic; -Wno-skein-<name> turns one off, -Werror=skein-<name> makes it an error, and "
         "without\n"
         "-<name> all of them:\n\n";
  for (const WarningLevels::Entry &E : WarningLevels::all())
    outs() << format("  -Wskein-%-19s", E.Name.str().c_str()) << E.Help << '\n';
  outs() << "\nPlain -Werror does not apply to";
  const char *Separator = " ";
  for (const WarningLevels::Entry &E : WarningLevels::all())
    if (!E.FollowsWerror) {
      outs() << Separator << "-Wskein-" << E.Name;
      Separator = " and ";
    }
  outs() << ", which depend on\nthe optimiser: an existing project shall not fail to build because of them. "
            "docs/rules.md explains the others.\n";
  return 0;
}

int printClangd(const Installation &Home) {
  // In YAML a text in single quotes has no escapes but for the quote itself.
  std::string Include;
  for (char C : Home.Include)
    Include += C == '\'' ? std::string("''") : std::string(1, C);
  outs() << "# Skein's headers, and no options that only skeincc knows.\n"
            "CompileFlags:\n"
            "  Add: ['-I"
         << Include
         << "', -D__SKEIN__=1]\n"
            "  Remove: [-fskein-*, -Wskein*, -Wno-skein*, -Werror=skein*]\n";
  return 0;
}

void printVersion(const CommandLine &Line) {
  (Line.isVerbose() ? errs() : outs()) << "clang version " LLVM_VERSION_STRING " with Skein " SKEIN_VERSION_TEXT " ("
                                       << Line.name() << "), on\n";
}

} // namespace skein
