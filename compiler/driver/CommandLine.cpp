//===- CommandLine.cpp - Clang's option table, and what Skein refuses ------===//
#include "CommandLine.h"
#include "clang/Options/Options.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Option/OptTable.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/StringSaver.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;
using namespace llvm::opt;
namespace options = clang::options;

namespace skein {

void CommandLine::fail(const Twine &Text) {
  errs() << Name << ": error: " << Text << '\n';
  Failed = true;
}

CommandLine CommandLine::parse(int Argc, char **Argv) {
  CommandLine Line;
  Line.Name = std::string(sys::path::filename(Argv[0]));
  Line.CxxDriver = StringRef(Line.Name).contains("skein++");

  BumpPtrAllocator Memory;
  StringSaver Saver(Memory);
  SmallVector<const char *, 64> Expanded(Argv + 1, Argv + Argc);
  cl::ExpansionContext Context(Memory, cl::TokenizeGNUCommandLine);
  if (Error E = Context.expandResponseFiles(Expanded)) {
    Line.fail(toString(std::move(E)));
    return Line;
  }

  unsigned MissingIndex, MissingCount;
  InputArgList Parsed =
      clang::getDriverOptTable().ParseArgs(Expanded, MissingIndex, MissingCount, Visibility(options::ClangOption));
  if (MissingCount) {
    Line.Incomplete = true;
    Line.Arguments.assign(Expanded.begin(), Expanded.end());
  } else {
    Line.read(Parsed);
  }
  return Line;
}

void CommandLine::read(const InputArgList &Parsed) {
  // The user's spelling is kept: an argument owns the words from its index to that of the next argument.
  const ArgList::arglist_type &Args = Parsed.getArgs();
  for (size_t I = 0; I < Args.size(); ++I) {
    unsigned Begin = Args[I]->getIndex();
    unsigned End = I + 1 < Args.size() ? Args[I + 1]->getIndex() : Parsed.getNumInputArgStrings();
    if (takeOwn(*Args[I], Parsed.getArgString(Begin)))
      continue;
    for (unsigned Word = Begin; Word < End; ++Word)
      Arguments.push_back(Parsed.getArgString(Word));
  }
  if (Parsed.hasArg(options::OPT_w))
    Warnings.silence();
  Version |= Parsed.hasArg(options::OPT__version);
  Verbose |= Parsed.hasArg(options::OPT_v);
  takeLink(Parsed);
  refuse(Parsed);
}

/// Takes Skein's options, which clang must not see. False: the option is clang's.
bool CommandLine::takeOwn(const Arg &A, StringRef Text) {
  if (A.getOption().matches(options::OPT_INPUT))
    return false;
  if (Text == "--skein-help")
    return SkeinHelp = true;
  if (Text == "--skein-clangd")
    return Clangd = true;

  StringRef Flag = Text;
  if (Flag.consume_front("-W")) {
    switch (Warnings.apply(Flag)) {
    case WarningLevels::Outcome::NotOurs:
      return false;
    case WarningLevels::Outcome::Unknown:
      errs() << Name << ": warning: unknown warning option '" << Text << "'; ";
      if (const std::string Meant = WarningLevels::nearest(Text); !Meant.empty())
        errs() << "did you mean '" << Meant << "'?\n";
      else
        errs() << "see " << Name << " --skein-help\n";
      [[fallthrough]];
    case WarningLevels::Outcome::Applied:
      return true;
    }
  }
  if (!Text.starts_with("-fskein-") && !Text.starts_with("-fno-skein-"))
    return false;
  if (Text == "-fskein-stress=calls" || Text == "-fno-skein-stress")
    StressCalls = Text == "-fskein-stress=calls";
  else if (Text == "-fskein-stacks=growable" || Text == "-fskein-stacks=common" || Text == "-fskein-stacks=fixed")
    Stacks = Text.split('=').second.str();
  else if (Text == "-fskein-polls=loops" || Text == "-fno-skein-polls")
    PollLoops = Text == "-fskein-polls=loops";
  else if (Text == "-fskein-moves=same" || Text == "-fskein-moves=any")
    MovesToSame = Text == "-fskein-moves=same";
  else if (Text == "-fskein-heap=private" || Text == "-fskein-heap=process")
    PrivateHeap = Text == "-fskein-heap=private";
  else if (Text == "-fskein-globals=private" || Text == "-fskein-globals=process")
    PrivateGlobals = Text == "-fskein-globals=private";
  else if (StringRef At = Text; At.consume_front("-fskein-explain=")) {
    unsigned Number;
    if (At.rsplit(':').second.empty() ? At.getAsInteger(10, Number) : At.rsplit(':').second.getAsInteger(10, Number))
      fail("'" + Text + "' names no line: -fskein-explain=LINE or -fskein-explain=FILE:LINE");
    Explained = At.str();
  } else
    fail("unknown option '" + Text + "'; see " + Name + " --skein-help");
  return true;
}

static bool isCxxSource(StringRef File) {
  return StringSwitch<bool>(sys::path::extension(File))
      .Cases({".cc", ".cp", ".cxx", ".cpp", ".CPP", ".c++", ".C", ".ii"}, true)
      .Default(false);
}

/// A header alone is precompiled, not linked.
static bool isHeader(StringRef File) {
  return StringSwitch<bool>(sys::path::extension(File))
      .Cases({".h", ".H", ".hh", ".hp", ".hpp", ".hxx", ".h++"}, true)
      .Default(false);
}

void CommandLine::takeLink(const InputArgList &Parsed) {
  bool Inputs = false;
  StringRef Language = "none";
  for (const Arg *A : Parsed) {
    if (A->getOption().matches(options::OPT_x))
      Language = A->getValue();
    if (!A->getOption().matches(options::OPT_INPUT))
      continue;
    Inputs |= Language == "none" ? !isHeader(A->getValue()) : !Language.ends_with("-header");
    CxxSources |= Language == "none" ? isCxxSource(A->getValue()) : Language.starts_with("c++");
  }
  bool Whole = Inputs && !Parsed.hasArg(options::OPT_E, options::OPT_M, options::OPT_MM, options::OPT_S, options::OPT_c,
                                        options::OPT_fsyntax_only, options::OPT__analyze, options::OPT__precompile);
  LinksObject = Whole && Parsed.hasArg(options::OPT_r);
  Links = Whole && !LinksObject;
  if (const Arg *A = Parsed.getLastArg(options::OPT_fuse_ld_EQ, options::OPT_ld_path_EQ))
    Lld = sys::path::filename(A->getValue()).contains("lld");
  Shared = Parsed.hasArg(options::OPT_shared);
  Static = Parsed.hasArg(options::OPT_static, options::OPT_static_pie);
  Program =
      !Parsed.hasArg(options::OPT_shared, options::OPT_nostdlib, options::OPT_nodefaultlibs, options::OPT_nostartfiles);
  if (Parsed.hasArg(options::OPT_nostdlibxx))
    CxxSources = false;
  if (const Arg *A = Parsed.getLastArg(options::OPT_stdlib_EQ))
    CxxLibrary = StringRef(A->getValue()) == "libc++" ? "c++" : "stdc++";
}

/// Refuses what would break the invariant, or crash, without anybody noticing why.
void CommandLine::refuse(const InputArgList &Parsed) {
  const Arg *Lto = Parsed.getLastArg(options::OPT_flto, options::OPT_flto_EQ, options::OPT_flto_EQ_jobserver,
                                     options::OPT_flto_EQ_auto, options::OPT_fno_lto);
  if (Lto && !Lto->getOption().matches(options::OPT_fno_lto) && (Links || LinksObject) && !Lld)
    fail("'" + Lto->getAsString(Parsed) +
         "' needs lld, which generates code with Skein's passes; leave out -fuse-ld= and --ld-path=");

  static constexpr StringRef FollowAddresses[] = {
      "address", "hwaddress",         "memory",   "thread", "safe-stack", "kernel-address",
      "memtag",  "shadow-call-stack", "dataflow",
  };
  SmallVector<StringRef, 2> Sanitizers;
  for (const Arg *A : Parsed.filtered(options::OPT_fsanitize_EQ, options::OPT_fno_sanitize_EQ))
    for (StringRef Name : A->getValues())
      if (A->getOption().matches(options::OPT_fno_sanitize_EQ))
        erase_if(Sanitizers, [&](StringRef Other) { return Other == Name || Name == "all"; });
      else if (is_contained(FollowAddresses, Name))
        Sanitizers.push_back(Name);
  for (StringRef Name : Sanitizers)
    fail("'-fsanitize=" + Name +
         "' is not supported: it keeps records by address of a stack that moves (undefined is fine)");
  if (Parsed.hasFlag(options::OPT_fsplit_stack, options::OPT_fno_split_stack, false))
    fail("'-fsplit-stack' is not supported: Skein lays out the stacks");

  if (const Arg *A = Parsed.getLastArg(options::OPT_m16, options::OPT_m32, options::OPT_mx32, options::OPT_m64))
    if (!A->getOption().matches(options::OPT_m64))
      fail("'" + A->getAsString(Parsed) + "' is not supported: Skein compiles for 64-bit x86 only");
  if (const Arg *A = Parsed.getLastArg(options::OPT_target)) {
    Triple Target(Triple::normalize(A->getValue()));
    if (Target.getArch() != Triple::x86_64 || !Target.isOSLinux())
      fail("target '" + StringRef(A->getValue()) + "' is not supported: Skein compiles for x86-64 Linux only");
  }
}

} // namespace skein
