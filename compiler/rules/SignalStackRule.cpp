//===- SignalStackRule.cpp - Stacks for signal handlers ------------------===//
#include "rules/Calls.h"

using namespace clang;

namespace skein {
namespace {

constexpr llvm::StringLiteral Mask = "changes the mask of the kernel thread, which the worker's other threads get, and "
                                     "which does not move; set it once, in main";

constexpr UnwantedCall Unwanted[] = {
    {"sigaltstack",
     "replaces the stack of the worker's own signal handlers, by which the runtime tells an overflow and "
     "finds out where a thread crashed, for all threads of the worker; leave it as it is"},
    {"sigstack", "replaces the stack of the worker's own signal handlers; leave it as it is"},
    {"pthread_sigmask", Mask, true},
    {"sigprocmask", Mask, true},
};

void check(Unit &Whole, const FunctionDecl &Function) { reportCalls(Whole, Function, Warning::SignalStack, Unwanted); }

} // namespace

const Rule SignalStackRule{Warning::SignalStack,
                           false,
                           check,
                           "Each worker has an alternate stack for signal handlers, so that an overflow of a thread's "
                           "stack can be told at all. "
                           "A program that sets its own takes that away from every thread of the worker; and signal "
                           "masks belong to the kernel "
                           "thread, not to the Skein thread that sets them.",
                           R"(#include <signal.h>
#include <skein/skein.h>

static char stack[65536];

void prepare(void) {
  stack_t own = {.ss_sp = stack, .ss_size = sizeof stack};
  sigaltstack(&own, 0);
}
)",
                           R"(#include <signal.h>
#include <skein/skein.h>

static void handle(int number) { (void)number; }

void prepare(void) {
  struct sigaction action = {.sa_handler = handle, .sa_flags = SA_ONSTACK};
  sigaction(SIGUSR1, &action, 0);
}
)"};

} // namespace skein
