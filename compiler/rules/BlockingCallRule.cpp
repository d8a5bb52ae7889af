//===- BlockingCallRule.cpp - System calls that stop a worker ------------===//
#include "rules/Calls.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"

using namespace clang;

namespace skein {
namespace {

constexpr llvm::StringLiteral Sleep = "stops the worker and all its other threads; skein_sleep_ns of <skein/sync.h> "
                                      "stops this thread only";
constexpr llvm::StringLiteral Wait = "stops the worker and all its other threads until something happens; ask without "
                                     "waiting (O_NONBLOCK, WNOHANG, a timeout of 0), with skein_yield in between";
constexpr llvm::StringLiteral Lock =
    "may stop the worker and all its other threads; use what <skein/sync.h> has for it";

constexpr UnwantedCall Unwanted[] = {
    {"sleep", Sleep},
    {"usleep", Sleep},
    {"nanosleep", Sleep},
    {"clock_nanosleep", Sleep},
    {"sched_yield", "lets another kernel thread run, and not another thread of Skein; use skein_yield"},
    {"pause", Wait},
    {"sigwait", Wait},
    {"sigsuspend", Wait},
    {"poll", Wait},
    {"ppoll", Wait},
    {"select", Wait},
    {"pselect", Wait},
    {"epoll_wait", Wait},
    {"accept", Wait},
    {"accept4", Wait},
    {"recv", Wait},
    {"recvfrom", Wait},
    {"recvmsg", Wait},
    {"wait", Wait},
    {"waitpid", Wait},
    {"wait3", Wait},
    {"flock", Wait},
    {"msgrcv", Wait},
    {"mq_receive", Wait},
    {"sem_wait", Lock},
    {"pthread_join", Lock},
    {"pthread_cond_wait", Lock},
    {"pthread_cond_timedwait", Lock},
    {"pthread_barrier_wait", Lock},
    {"thrd_join", Lock},
    {"thrd_sleep", Sleep},
    {"cnd_wait", Lock},
};

/// The form of Skein, where it takes the same argument in another unit.
void addFix(Unit &Whole, const CallExpr &Call, Finding &Found) {
  const FunctionDecl *Callee = Call.getDirectCallee();
  if (isNamed(Callee, {"sched_yield"})) {
    Found.Fixes.push_back(FixItHint::CreateReplacement(Call.getSourceRange(), "skein_yield()"));
    return;
  }
  const char *Unit = isNamed(Callee, {"sleep"}) ? "1000000000" : isNamed(Callee, {"usleep"}) ? "1000" : nullptr;
  if (!Unit || Call.getNumArgs() != 1)
    return;
  const SourceManager &Sources = Whole.context().getSourceManager();
  llvm::StringRef Argument = Lexer::getSourceText(CharSourceRange::getTokenRange(Call.getArg(0)->getSourceRange()),
                                                  Sources, Whole.context().getLangOpts());
  if (Argument.empty())
    return;
  Whole.addInclude(Found, "skein_sleep_ns", "skein/sync.h");
  Found.Fixes.push_back(FixItHint::CreateReplacement(
      Call.getSourceRange(), ("skein_sleep_ns(UINT64_C(" + llvm::Twine(Unit) + ") * (" + Argument + "))").str()));
}

void check(Unit &Whole, const FunctionDecl &Function) {
  if (!Whole.usesSkein())
    return; // a program that knows nothing of threads that share a worker has no others
  reportCalls(Whole, Function, Warning::BlockingCall, Unwanted,
              [&](const CallExpr &Call, Finding &Found) { addFix(Whole, Call, Found); });
}

} // namespace

const Rule BlockingCallRule{Warning::BlockingCall,
                            true,
                            check,
                            "A worker is one kernel thread that runs many threads of Skein. A system call that blocks "
                            "stops them all, though not "
                            "those that other workers or nodes steal. A program that has nothing else to do meanwhile "
                            "may ignore the rule, which "
                            "is therefore pedantic.",
                            R"(#include <skein/skein.h>
#include <unistd.h>

void later(void) {
  sleep(1);
}
)",
                            R"(#include <skein/sync.h>

void later(void) {
  skein_sleep_ns(1000000000);
}
)"};

} // namespace skein
