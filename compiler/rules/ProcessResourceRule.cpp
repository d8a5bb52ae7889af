//===- ProcessResourceRule.cpp - What only this process knows, and a move ---===//
#include "rules/Crossings.h"
#include "rules/SharedMemory.h"

using namespace clang;

namespace skein {
namespace {

struct Kind {
  llvm::StringRef What;
  llvm::ArrayRef<llvm::StringRef> Functions;
  bool Refused; ///< the runtime sees it, and keeps the thread where it is
};

constexpr llvm::StringRef Descriptors[] = {
    "open",     "openat",       "creat",         "open64",       "socket",        "accept",
    "accept4",  "dup",          "dup2",          "dup3",         "eventfd",       "timerfd_create",
    "signalfd", "epoll_create", "epoll_create1", "inotify_init", "inotify_init1", "memfd_create",
    "shm_open", "mkstemp",      "fileno",        "dirfd"};
constexpr llvm::StringRef Streams[] = {"fopen", "fopen64",  "fdopen",  "freopen",        "tmpfile",
                                       "popen", "fmemopen", "opendir", "open_memstream", "fdopendir"};
constexpr llvm::StringRef Mappings[] = {"mmap", "mmap64", "mremap", "shmat", "sem_open"};
constexpr llvm::StringRef Loaded[] = {"dlopen", "dlsym", "dlvsym"};
constexpr llvm::StringRef Identities[] = {"pthread_self", "gettid", "getpid", "getppid", "sched_getcpu", "fork"};
/// What the C library keeps for the process. (It keeps localtime's and strerror's results for the thread: stdlib/src.)
constexpr llvm::StringRef Kept[] = {"getenv",   "secure_getenv", "getpwnam",   "getpwuid",  "getgrnam",
                                    "getgrgid", "setlocale",     "localeconv", "ttyname",   "gethostbyname",
                                    "getlogin", "nl_langinfo",   "dlerror",    "inet_ntoa", "ptsname",
                                    "readdir",  "getmntent"};
constexpr llvm::StringRef OfKernelThread[] = {"__errno_location"};
constexpr llvm::StringRef Measures[] = {"clock"};
constexpr Kind Kinds[] = {{"a descriptor of this process", Descriptors, false},
                          {"a stream of this process", Streams, true},
                          {"a mapping of this process", Mappings, true},
                          {"a place in a library that this process has loaded", Loaded, true},
                          {"the id of this process or of its kernel thread", Identities, false},
                          {"a result that the C library keeps in this process's memory", Kept, false},
                          {"a place of this kernel thread", OfKernelThread, false},
                          {"a measure of this process", Measures, false}};

const Kind *kindOf(const Expr &E) {
  const auto *Call = dyn_cast<CallExpr>(&E);
  if (!Call)
    return nullptr;
  for (const Kind &Each : Kinds)
    if (isNamed(Call->getDirectCallee(), Each.Functions))
      return &Each;
  return nullptr;
}

class Resources : public CrossingRule {
public:
  Resources() : CrossingRule(Warning::ProcessResource) {}

  bool isSource(const Expr &E) override { return kindOf(E); }
  bool begins(const Expr &E) override { return isSource(E) || pairIn(E); }

  void atCall(const CallExpr &Call, HeldPlaces &Places) override {
    if (const Expr *Pair = pairIn(Call))
      if (Place Both = placeBehind(Pair))
        Places.hold(Both, Held{&Call});
  }

private:
  /// Two descriptors, which come in an array.
  static const Expr *pairIn(const Expr &E) {
    const auto *Call = dyn_cast<CallExpr>(&E);
    if (!Call || Call->getNumArgs() == 0)
      return nullptr;
    if (isNamed(Call->getDirectCallee(), {"pipe", "pipe2"}))
      return Call->getArg(0);
    return isNamed(Call->getDirectCallee(), {"socketpair"}) && Call->getNumArgs() == 4 ? Call->getArg(3) : nullptr;
  }
};

void check(Unit &Whole, const FunctionDecl &Function) {
  Resources Held;
  findCrossings(Whole, Function, Held);
  reportCrossings(
      Whole, Held,
      [](const Crossing &Each) {
        const Kind *Of = kindOf(*Each.What.Source);
        return "'" + Each.Where.name() + "' is " + (Of ? Of->What.str() : "a resource of this process") +
               ", used after the thread may have moved to another one, where it means something else or nothing; use "
               "it "
               "before the move, get it again after it, or keep the thread here meanwhile (SKEIN_PINNED)";
      },
      "it is obtained here",
      [](const Crossing &Each, Finding &Found) {
        if (const Kind *Of = kindOf(*Each.What.Source))
          Found.Pedantic |= Of->Refused;
      });
}

} // namespace

const Rule ProcessResourceRule{
    Warning::ProcessResource,
    false,
    check,
    "Open files, mappings, loaded libraries and the ids of processes and kernel threads belong to the process. On "
    "another node the same number or address means another thing or nothing. The runtime refuses what it can see (a "
    "use "
    "of a descriptor that another node opened fails with EBADF, a pointer to a stream's memory keeps the thread where "
    "it is); an id is silently that of a process the thread has left.",
    R"(#include <fcntl.h>
#include <skein/skein.h>
#include <unistd.h>

void save(const char *text, unsigned long length) {
  int file = open("out", O_WRONLY);
  skein_yield();
  write(file, text, length);
  close(file);
}
)",
    R"(#include <fcntl.h>
#include <skein/skein.h>
#include <unistd.h>

void save(const char *text, unsigned long length) {
  skein_yield();
  int file = open("out", O_WRONLY);
  write(file, text, length);
  close(file);
}
)"};

} // namespace skein
