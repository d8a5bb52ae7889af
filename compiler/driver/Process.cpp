//===- Process.cpp - Becoming clang ----------------------------------------===//
//
// A command line that no longer fits the system's limit, since response files were expanded, goes to clang as a
// response file of our own: an unnamed file in memory, which leaves nothing behind.
//
//===----------------------------------------------------------------------===//
#include "Process.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include <cerrno>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

using namespace llvm;

namespace skein {

/// One word as GNU response files quote it.
static void writeQuoted(raw_ostream &To, StringRef Word) {
  To << '"';
  for (char C : Word) {
    if (C == '"' || C == '\\')
      To << '\\';
    To << C;
  }
  To << "\"\n";
}

/// The command with all arguments in a file in memory, which stays open across exec.
static std::vector<std::string> inMemoryFile(const std::vector<std::string> &Command) {
  int File = memfd_create("skeincc arguments", 0);
  if (File < 0)
    return Command;
  raw_fd_ostream To(File, /*shouldClose=*/false);
  for (size_t I = 1; I < Command.size(); ++I)
    writeQuoted(To, Command[I]);
  To.flush();
  return {Command.front(), "@/proc/self/fd/" + std::to_string(File)};
}

int becomeClang(const Installation &Home, const std::vector<std::string> &Command) {
  for (const std::string &Part : {Home.Clang, Home.Plugin, Home.Frontend})
    if (!sys::fs::exists(Part)) {
      errs() << "skeincc: error: '" << Part << "' is missing; build Skein with ./bootstrap build\n";
      return 1;
    }
  std::vector<StringRef> Words(Command.begin() + 1, Command.end());
  bool Fits = sys::commandLineFitsWithinSystemLimits(Command.front(), Words);
  std::vector<std::string> Final = Fits ? Command : inMemoryFile(Command);

  std::vector<char *> Pointers;
  for (std::string &Word : Final)
    Pointers.push_back(Word.data());
  Pointers.push_back(nullptr);
  outs().flush();
  errs().flush();
  execv(Final.front().c_str(), Pointers.data());
  errs() << "skeincc: error: cannot run '" << Final.front() << "': " << std::strerror(errno) << '\n';
  return 1;
}

} // namespace skein
