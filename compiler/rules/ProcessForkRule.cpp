//===- ProcessForkRule.cpp - New processes and kernel threads ------------===//
#include "rules/Calls.h"

using namespace clang;

namespace skein {
namespace {

constexpr llvm::StringLiteral Fork =
    "makes a copy of this process with one kernel thread only: the runtime's workers and connections are missing "
    "there, "
    "and threads of Skein do not go on; use posix_spawn, or fork before the first thread is spawned";
constexpr llvm::StringLiteral SharedStack =
    "lets another process run on this thread's stack, which may move meanwhile; use posix_spawn";
constexpr llvm::StringLiteral KernelThread =
    "starts a kernel thread that Skein does not schedule, and the thread that starts it stays on this node; use "
    "skein_spawn";

constexpr UnwantedCall Unwanted[] = {
    {"fork", Fork},
    {"daemon", Fork},
    {"forkpty", Fork},
    {"vfork", SharedStack},
    {"clone", SharedStack},
    {"pthread_create", KernelThread, true},
    {"thrd_create", KernelThread, true},
};

void check(Unit &Whole, const FunctionDecl &Function) { reportCalls(Whole, Function, Warning::ProcessFork, Unwanted); }

} // namespace

const Rule ProcessForkRule{Warning::ProcessFork,
                           false,
                           check,
                           "fork copies the process with the calling kernel thread only, so that the copy has a "
                           "runtime without workers; vfork "
                           "and clone share a stack that may move. Kernel threads work, but are none of Skein's: they "
                           "are not balanced, and the "
                           "thread that starts one stays where it is.",
                           R"(#include <skein/skein.h>
#include <unistd.h>

int run(void) {
  int child = fork();
  skein_yield();
  return child;
}
)",
                           R"(#include <skein/skein.h>
#include <spawn.h>

extern char **environ;
int run(char **arguments) {
  int child;
  return posix_spawn(&child, arguments[0], 0, 0, arguments, 0);
}
)"};

} // namespace skein
