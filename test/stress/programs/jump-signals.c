// sigsetjmp and siglongjmp: the mask, jumps out of handlers on the thread's stack and on one of their own.
// refused: foreign, other-stack
// refused (heap): heap-word
// refused (not heap): heap
#include "hop.h"
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>

static sigjmp_buf out;

static int blocked(int number) {
  sigset_t set;
  sigprocmask(SIG_BLOCK, NULL, &set);
  return sigismember(&set, number);
}

static void leave(int number) { siglongjmp(out, number); }

static NOINLINE int caught(int number, int masks) {
  int word = 5, *p = &word;
  int got = sigsetjmp(out, masks);
  hop();
  if (!got)
    raise(number);
  int was = blocked(number);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  return (got == number) * 100 + *p * 10 + was;
}

static NOINLINE void change_mask(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  sigprocmask(SIG_BLOCK, &set, NULL);
  hop();
  siglongjmp(out, 1);
}

static NOINLINE int mask(int masks) {
  int got = sigsetjmp(out, masks);
  hop();
  if (!got)
    change_mask();
  int was = blocked(SIGUSR2);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  return was;
}

static NOINLINE int fault(volatile int *nowhere) {
  int word = 7, *p = &word;
  if (sigsetjmp(out, 1) == 0) {
    hop();
    return *nowhere;
  }
  hop();
  return *p;
}

int main(void) {
  struct sigaction action = {.sa_handler = leave};
  sigaction(SIGUSR1, &action, NULL);
  printf("%d %d\n", caught(SIGUSR1, 0), caught(SIGUSR1, 1));
  stack_t own = {.ss_sp = malloc(64 << 10), .ss_size = 64 << 10};
  stack_t before;
  sigaltstack(&own, &before);
  action.sa_flags = SA_ONSTACK;
  sigaction(SIGUSR1, &action, NULL);
  sigaction(SIGSEGV, &action, NULL);
  printf("%d %d\n", caught(SIGUSR1, 0), caught(SIGUSR1, 1));
  printf("%d %d\n", mask(0), mask(1));
  printf("%d\n", fault((volatile int *)8));
  sigaltstack(&before, NULL);
}
