//===- ProcessStateRule.cpp - What a thread changes for its process only ---===//
#include "rules/Calls.h"

using namespace clang;

namespace skein {
namespace {

constexpr llvm::StringLiteral Changes =
    "changes this process only, for all its threads; after a move the thread is in another process, where it is as it "
    "was. Do it in main before the first thread is spawned, or by the name of what is meant (openat, a full path, …)";

constexpr UnwantedCall Unwanted[] = {
    {"chdir", Changes},
    {"fchdir", Changes},
    {"chroot", Changes},
    {"umask", Changes},
    {"setenv", Changes},
    {"putenv", Changes},
    {"unsetenv", Changes},
    {"clearenv", Changes},
    {"setuid", Changes},
    {"seteuid", Changes},
    {"setgid", Changes},
    {"setsid", Changes},
    {"setpgid", Changes},
    {"setrlimit", Changes},
    {"alarm", Changes},
    {"setitimer", Changes},
    {"setpriority", Changes},
    {"nice", Changes},
    {"sched_setaffinity", Changes},
};

void check(Unit &Whole, const FunctionDecl &Function) {
  if (!Whole.usesSkein())
    return; // a program that knows no other process changes its own
  reportCalls(Whole, Function, Warning::ProcessState, Unwanted);
}

} // namespace

const Rule ProcessStateRule{
    Warning::ProcessState,
    true,
    check,
    "The working directory, the environment, the user, limits and timers belong to a process. A thread that sets them "
    "and moves finds those of another process, and the threads that stay find them changed.",
    R"(#include <skein/skein.h>
#include <unistd.h>

void enter(const char *folder) {
  chdir(folder);
  skein_yield();
  access("file", R_OK);
}
)",
    R"(#include <skein/skein.h>
#include <stdio.h>
#include <unistd.h>

void enter(const char *folder) {
  char path[256];
  snprintf(path, sizeof path, "%s/file", folder);
  skein_yield();
  access(path, R_OK);
}
)"};

} // namespace skein
