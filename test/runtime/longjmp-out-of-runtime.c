/* A signal handler that interrupts the runtime at work and jumps out of it would leave its locks held. The process ends
 * with a message that says so, also where the worker looks for a thread and has none. */

// RUN: %skeincc -O1 %s -o %t
// RUN: sh -c "%t && echo it ended as if nothing had been" > %t.out 2>&1 || true
// RUN: FileCheck %s < %t.out
// CHECK-NOT: as if nothing
// CHECK: {{longjmp: a signal handler of thread 1 interrupted|by a signal handler that interrupted}} the runtime

#include <setjmp.h>
#include <signal.h>
#include <skein/skein.h>
#include <skein/sync.h>
#include <stdio.h>
#include <sys/time.h>

SKEIN_UNTRACKED static sigjmp_buf again;
static void out(int number) { siglongjmp(again, number); }

int main(void) {
  signal(SIGALRM, out);
  struct itimerval often = {{0, 997}, {0, 997}};
  setitimer(ITIMER_REAL, &often, 0);
  sigsetjmp(again, 1);
  for (long i = 0; i < 2000000000; i++)
    skein_sleep_ns(1); /* mostly on the worker's stack */
  return 0;
}
