// The stack that signal handlers run on.
// RUN: %verify-rule -Wskein-signal-stack %s
#define _GNU_SOURCE
#include <signal.h>
#include <skein/skein.h>
#include <stddef.h>

static char stack[65536];

int own_stack(void) {
  stack_t own = {.ss_sp = stack, .ss_size = sizeof stack};
  return sigaltstack(&own, NULL); // expected-warning {{'sigaltstack' replaces}}
}
int mask(const sigset_t *set) {
  return pthread_sigmask(SIG_BLOCK, set, NULL); // expected-warning {{'pthread_sigmask' changes}}
}
int process_mask(const sigset_t *set) {
  return sigprocmask(SIG_BLOCK, set, NULL); // expected-warning {{'sigprocmask' changes}}
}

// Near misses.
static void handle(int number) { (void)number; }
int handler(void) {
  struct sigaction action = {.sa_handler = handle, .sa_flags = SA_ONSTACK};
  return sigaction(SIGUSR1, &action, NULL);
}
int raised(void) { return raise(SIGUSR1); }
int set(sigset_t *set) { return sigemptyset(set) + sigaddset(set, SIGUSR1); }
SKEIN_UNTRACKED int meant(const sigset_t *set) { return sigprocmask(SIG_BLOCK, set, NULL); }
