//===- ClangCommand.cpp - What Skein adds, each with its reason ------------===//
#include "ClangCommand.h"

using namespace llvm;

namespace skein {

using Words = std::vector<std::string>;

static void append(Words &To, const Words &More) { To.insert(To.end(), More.begin(), More.end()); }

/// Clang does not use everything that we add (such as linker options with -c), and must not warn about it.
static void appendQuietly(Words &To, const Words &More) {
  To.push_back("--start-no-unused-arguments");
  append(To, More);
  To.push_back("--end-no-unused-arguments");
}

/// Options that the user may overrule.
static Words weakOptions(const CommandLine &Line) {
  Words Options{
      // lld honours -z nostart-stop-gc and is fast; any linker that keeps skein_maps will do.
      "-fuse-ld=lld",
      // A remark that never fires makes clang track source lines without -g, so that reports of the passes and frame
      // maps have them. No debug information is emitted for it.
      "-Rpass-missed=^skein-none$",
      // A frame larger than the guard zone must not reach over it into another thread's stack.
      "-fstack-clash-protection",
  };
  // A call that is bound when it is made for the first time runs the dynamic linker on the thread's stack. It leaves
  // addresses of its own tables below, where the words of a later frame may be that nothing has written yet, and they
  // refuse a move: memory that the linker has from mmap stays behind.
  if (Line.links())
    Options.push_back("-Wl,-z,now");
  return Options;
}

static Words compileOptions(const CommandLine &Line, const Installation &Home) {
  Words Options{
      // The frontend library brings the passes with it, early enough for their options to be known below.
      "-fplugin=" + Home.Frontend,
      "-fpass-plugin=" + Home.Plugin,
      // Not -isystem: bodiless functions of system headers count as not migrating, and skein_yield must not.
      "-I" + Home.Include,
      "-D__SKEIN__=1",
      // The canary belongs to the process, and a thread that moves takes the old one along.
      "-fno-stack-protector",
  };
  auto TellPlugin = [&](const std::string &Option) { append(Options, {"-Xclang", "-mllvm", "-Xclang", Option}); };
  TellPlugin("-skein-warnings=" + Line.warnings().settings());
  if (Line.stressesCalls())
    TellPlugin("-skein-stress=calls");
  if (!Line.explained().empty())
    TellPlugin("-skein-explain=" + Line.explained());
  if (Line.pollsLoops())
    TellPlugin("-skein-polls=loops");
  if (Line.movesToSame())
    TellPlugin("-skein-moves=same");
  if (Line.hasPrivateHeap())
    TellPlugin("-skein-heap=private");
  if (Line.stacks() != "fixed")
    TellPlugin("-skein-stacks=" + Line.stacks());
  if (Line.makesGlobalsPrivate())
    TellPlugin("-skein-globals=private");
  return Options;
}

/// Objects may be bitcode (-flto, when they were compiled): then the linker runs our passes.
static Words codeGenerationOptions(const CommandLine &Line, const Installation &Home) {
  return Line.usesLld() ? Words{"-Wl,--load-pass-plugin=" + Home.Plugin} : Words{};
}

/// The functions that the runtime defines between the program with its libraries and libc (runtime/sync/interpose).
static constexpr const char *LockFunctions[] = {
#define SKEIN_LOCK_FUNCTION(Name) #Name,
#include "abi/lock_functions.def"
};

static Words linkOptions(const CommandLine &Line, const Installation &Home) {
  Words Options{
      // Nodes compare build-ids before they accept a thread.
      "-Wl,--build-id=sha1",
      // Frame maps are reached by __start_skein_maps only.
      "-Wl,-z,nostart-stop-gc",
  };
  append(Options, codeGenerationOptions(Line, Home));
  // Private variables go into the template of a program, and must not be in a shared object.
  if (Line.makesProgram() || Line.makesSharedObject())
    append(Options, {"-Xlinker", "-T", "-Xlinker", Line.makesProgram() ? Home.Template : Home.NoTemplate});
  if (!Line.makesProgram())
    return Options; // a shared object uses the runtime of the program that loads it
  append(Options, {
                      // The runtime's main makes the program's main its first thread.
                      "-Wl,--wrap=main",
                      // A thread that starts a kernel thread stays where it is.
                      "-Wl,--wrap=pthread_create",
                      // Destructors of thread_local and private variables run at the end of the Skein thread.
                      "-Wl,--wrap=__cxa_thread_atexit",
                      "-Wl,--wrap=__cxa_atexit",
                      // A thread that initialises a static variable of a function holds its guard.
                      "-Wl,--wrap=__cxa_guard_acquire",
                      "-Wl,--wrap=__cxa_guard_release",
                      "-Wl,--wrap=__cxa_guard_abort",
                      // A handler of SIGSEGV that the program sets is called after the runtime's.
                      "-Wl,--wrap=sigaction",
                      "-Wl,--wrap=signal",
                      // Nobody may block the faults by which the runtime makes copies of private variables.
                      "-Wl,--wrap=pthread_sigmask",
                      "-Wl,--wrap=sigprocmask",
                      // The runtime makes its reports even if the program skips its exit handlers.
                      "-Wl,--wrap=_exit",
                      "-Wl,--wrap=_Exit",
                      // A program that asks for floating-point exceptions gets those of the x87 for its thread.
                      "-Wl,--wrap=fetestexcept",
                      "-Wl,--wrap=fegetexceptflag",
                      "-Wl,--wrap=fegetenv",
                      "-Wl,--wrap=feholdexcept",
                      "-Wl,--wrap=feupdateenv",
                      // Shared objects compiled with skeincc, whether linked or loaded, use these.
                      "-Wl,--export-dynamic-symbol=skein_*",
                      "-Wl,--export-dynamic-symbol=__skein_*",
                      // A library may jump with a buffer that the program's setjmp filled.
                      "-Wl,--export-dynamic-symbol=longjmp",
                      "-Wl,--export-dynamic-symbol=_longjmp",
                      "-Wl,--export-dynamic-symbol=siglongjmp",
                      "-Wl,--export-dynamic-symbol=__longjmp_chk",
                  });
  // Libraries start kernel threads and take locks as well, which the runtime must notice; its own calls go to libc.
  // This object comes before the runtime, which has what static programs need instead. All files are given by -Xlinker,
  // because after -x c a bare name would be compiled.
  if (!Line.isStatic()) {
    append(Options, {"-Xlinker", Home.Interpose, "-Wl,--export-dynamic-symbol=pthread_create"});
    for (const char *Lock : LockFunctions)
      Options.push_back("-Wl,--export-dynamic-symbol=" + std::string(Lock));
  }
  append(Options, {"-Xlinker", Home.Library, "-Xlinker", Home.Runtime, "-lpthread", "-ldl"});
  return Options;
}

Words clangCommand(const CommandLine &Line, const Installation &Home) {
  Words Command{Home.Clang};
  if (Line.isCxxDriver())
    Command.push_back("--driver-mode=g++");
  appendQuietly(Command, weakOptions(Line));
  append(Command, Line.arguments());
  if (Line.isIncomplete())
    return Command;
#ifdef SKEIN_RUNTIME_SANITIZERS
  // The runtime of this build needs the sanitizers' library. Programs themselves are not instrumented: a sanitizer
  // would keep records by address of a stack that moves, which is why the user may not ask for one. The ignore list
  // does not remove the thread sanitizer's calls at begin and end of functions, with landing pads that have no frame
  // map, nor those for atomic operations, in which a private variable must not be touched first. So these are turned
  // off.
  appendQuietly(Command, {"-fsanitize=" SKEIN_RUNTIME_SANITIZERS, "-fsanitize-ignorelist=" + Home.Uninstrumented,
                          "-mllvm", "-tsan-instrument-func-entry-exit=0", "-mllvm", "-tsan-instrument-atomics=0"});
#endif
  appendQuietly(Command, compileOptions(Line, Home));
  if (Line.links()) {
    if (Line.hasCxxSources() && !Line.isCxxDriver())
      append(Command, {"-l" + Line.cxxLibrary().str(), "-lm"});
    appendQuietly(Command, linkOptions(Line, Home));
  } else if (Line.linksObject()) {
    appendQuietly(Command, codeGenerationOptions(Line, Home));
  }
  return Command;
}

} // namespace skein
