//===- LibraryCalls.cpp - Skein's versions of C library functions ------------===//
//
// Calls of some functions of the C library become calls of Skein's own versions in libskein_library.a (stdlib/src),
// `__skein_c_NAME` for NAME:
//
//   * functions that call back (qsort, bsearch, tsearch, ...), since the library's own frames would pin the thread;
//   * functions that keep a state between calls which belongs to the caller (strtok, rand, localtime, ...), since the
//     state of the library stays in the process;
//   * functions that work on descriptors, which mean something else in another process.
//
// Only what a system header declares is redirected (the pass source-facts marks it). So a program that defines a
// `qsort` of its own keeps it, and one that declares the library's by hand gets the library's: its thread is pinned
// during callbacks, as with any foreign function. The pass runs after the optimiser, which knows the functions by their
// names. The new functions are in no library, so they are migration points.
//
// Rejected: defining the names themselves in the archive. Shared libraries would then use our versions too, also for
// the reads of UCX.
//
//===----------------------------------------------------------------------===//
#include "passes/Annotations.h"
#include "passes/Passes.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CommandLine.h"

using namespace llvm;

static cl::opt<bool> Redirecting("skein-library-calls", cl::init(true),
                                 cl::desc("Call Skein's versions of C library functions"));

namespace skein {

static constexpr StringRef CallingBack[] = {
    "qsort", "qsort_r", "bsearch", "lfind", "lsearch", "tsearch", "tfind", "tdelete", "twalk", "twalk_r", "tdestroy",
};

/// Functions that neither call back nor reach a migration point otherwise.
static constexpr StringRef Quick[] = {
    // the thread's own state
    "strtok",
    "rand",
    "srand",
    "random",
    "srandom",
    "initstate",
    "setstate",
    "drand48",
    "lrand48",
    "mrand48",
    "srand48",
    "seed48",
    "lcong48",
    "localtime",
    "gmtime",
    "asctime",
    "ctime",
    "strerror",
    // descriptors
    "accept",
    "accept4",
    "bind",
    "close",
    "connect",
    "creat",
    "creat64",
    "dirfd",
    "dup",
    "dup2",
    "dup3",
    "epoll_create",
    "epoll_create1",
    "epoll_ctl",
    "epoll_wait",
    "eventfd",
    "fchdir",
    "fchmod",
    "fcntl",
    "fcntl64",
    "fdatasync",
    "fdopen",
    "fdopendir",
    "fileno",
    "flock",
    "fstat",
    "fstat64",
    "fsync",
    "ftruncate",
    "ftruncate64",
    "getpeername",
    "getsockname",
    "getsockopt",
    "ioctl",
    "isatty",
    "listen",
    "lockf",
    "lseek",
    "lseek64",
    "memfd_create",
    "mkstemp",
    "mkstemp64",
    "mmap",
    "mmap64",
    "open",
    "open64",
    "openat",
    "openat64",
    "pipe",
    "pipe2",
    "poll",
    "pread",
    "pread64",
    "pwrite",
    "pwrite64",
    "read",
    "readv",
    "recv",
    "recvfrom",
    "recvmsg",
    "select",
    "send",
    "sendfile",
    "sendfile64",
    "sendmsg",
    "sendto",
    "setsockopt",
    "shutdown",
    "socket",
    "socketpair",
    "write",
    "writev",
};

PreservedAnalyses LibraryCallsPass::run(Module &M, ModuleAnalysisManager &) {
  if (!Redirecting)
    return PreservedAnalyses::all();
  bool Changed = false;
  auto Redirect = [&](StringRef Name, bool MayMigrate) {
    Function *Library = M.getFunction(Name);
    if (!Library || !Library->isDeclaration() || Library->use_empty() || !Library->hasFnAttribute(NoMigrateAttribute))
      return;
    auto *Own =
        cast<Function>(M.getOrInsertFunction(("__skein_c_" + Name).str(), Library->getFunctionType()).getCallee());
    if (!MayMigrate)
      Own->addFnAttr(NoMigrateAttribute);
    Library->replaceAllUsesWith(Own);
    Changed = true;
  };
  for (StringRef Name : CallingBack)
    Redirect(Name, true);
  for (StringRef Name : Quick)
    Redirect(Name, false);
  return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace skein
