//===- CommandLine.h - What the user asked for -----------------------------===//
//
// Reads the command line with clang's own option table, so that `-o -flto` is a file name and `-Xlinker -shared` the
// linker's business. Skein's own options are taken out; all others are kept as they were written, in order.
//
//===----------------------------------------------------------------------===//
#ifndef SKEIN_DRIVER_COMMANDLINE_H
#define SKEIN_DRIVER_COMMANDLINE_H

#include "WarningLevels.h"
#include "llvm/Option/ArgList.h"
#include <string>
#include <vector>

namespace skein {

class CommandLine {
public:
  /// Parses the arguments, with response files expanded. If they are wrong, this says so on stderr, and failed() is
  /// true.
  static CommandLine parse(int Argc, char **Argv);

  bool failed() const { return Failed; }
  /// The last option lacks its argument. Nothing is added behind it, so that clang reports it.
  bool isIncomplete() const { return Incomplete; }
  bool wantsSkeinHelp() const { return SkeinHelp; }
  bool wantsClangd() const { return Clangd; }
  /// --version, or -v, after which clang goes on.
  bool wantsVersion() const { return Version || Verbose; }
  bool isVerbose() const { return Verbose; }

  /// The program was called as skein++, and has to behave like clang++.
  bool isCxxDriver() const { return CxxDriver; }
  /// The command has inputs and ends in a link of a program or a shared object.
  bool links() const { return Links; }
  /// It ends in a link of one object (-r).
  bool linksObject() const { return LinksObject; }
  /// The linker is lld, which can load our passes and generate code (-flto).
  bool usesLld() const { return Lld; }
  /// The link makes a program that starts in main, with the standard libraries.
  bool makesProgram() const { return Links && Program; }
  /// The program uses no shared libraries.
  bool isStatic() const { return Static; }
  bool makesSharedObject() const { return Links && Shared; }
  /// C++ sources are linked, so that even skeincc has to add the C++ library.
  bool hasCxxSources() const { return CxxSources; }
  llvm::StringRef cxxLibrary() const { return CxxLibrary; }

  const std::string &name() const { return Name; }
  /// The user's arguments without Skein's.
  const std::vector<std::string> &arguments() const { return Arguments; }
  const WarningLevels &warnings() const { return Warnings; }
  bool stressesCalls() const { return StressCalls; }
  /// The line that is to be explained, as LINE or FILE:LINE; empty: none.
  const std::string &explained() const { return Explained; }
  bool pollsLoops() const { return PollLoops; }
  /// Functions are compiled as clang does it, and threads in them keep the address of their stack.
  bool movesToSame() const { return MovesToSame; }
  bool hasPrivateHeap() const { return PrivateHeap; }
  /// fixed, growable or common.
  const std::string &stacks() const { return Stacks; }
  bool makesGlobalsPrivate() const { return PrivateGlobals; }

private:
  void read(const llvm::opt::InputArgList &Parsed);
  bool takeOwn(const llvm::opt::Arg &A, llvm::StringRef Text);
  void takeLink(const llvm::opt::InputArgList &Parsed);
  void refuse(const llvm::opt::InputArgList &Parsed);
  void fail(const llvm::Twine &Text);

  std::string Name;
  std::vector<std::string> Arguments;
  WarningLevels Warnings;
  std::string CxxLibrary = "stdc++";
  bool Failed = false, Incomplete = false, SkeinHelp = false, Clangd = false, Version = false, Verbose = false,
       CxxDriver = false, Links = false, LinksObject = false, Lld = true, Program = false, CxxSources = false,
       StressCalls = false, PollLoops = false, MovesToSame = false, PrivateHeap = false, PrivateGlobals = false,
       Shared = false, Static = false;
  std::string Explained;
  std::string Stacks = "fixed";
};

} // namespace skein

#endif
