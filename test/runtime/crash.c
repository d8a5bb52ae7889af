/* A program that crashes reports in which thread, and where that is, and then dies of the signal as it would have. If
 * it handles the signal, only its handler reacts. */

// RUN: %skeincc -O1 -g -fno-optimize-sibling-calls %s -o %t
// RUN: not --crash %t segv > %t.segv 2>&1
// RUN: FileCheck --check-prefixes=SEGV,FRAMES %s < %t.segv
// RUN: not --crash %t wild > %t.wild 2>&1
// RUN: FileCheck --check-prefixes=WILD,FRAMES %s < %t.wild
// RUN: not --crash %t fpe > %t.fpe 2>&1
// RUN: FileCheck --check-prefixes=FPE,FRAMES %s < %t.fpe
// RUN: not --crash %t ill > %t.ill 2>&1
// RUN: FileCheck --check-prefixes=ILL,FRAMES %s < %t.ill
// RUN: not --crash %t abort > %t.abort 2>&1
// RUN: FileCheck --check-prefixes=ABORT,FRAMES %s < %t.abort
// RUN: not --crash %t library > %t.library 2>&1
// RUN: FileCheck --check-prefixes=LIBRARY,FRAMES %s < %t.library
// RUN: not --crash %t main > %t.main 2>&1
// RUN: FileCheck --check-prefix=MAIN %s < %t.main
// RUN: not --crash %t sent > %t.sent 2>&1
// RUN: FileCheck --check-prefix=SENT %s < %t.sent
// RUN: not --crash %t pthread > %t.pthread 2>&1
// RUN: FileCheck --check-prefix=PTHREAD %s < %t.pthread
// RUN: env SKEIN_OPTIONS=workers=2 not --crash %t two > %t.two 2>&1
// RUN: FileCheck --check-prefix=TWO %s < %t.two
// RUN: %t handled > %t.handled 2>&1
// RUN: FileCheck --check-prefix=HANDLED %s < %t.handled
// RUN: env SKEIN_OPTIONS=crash_report=off not --crash %t segv > %t.off 2>&1
// RUN: FileCheck --allow-empty --check-prefix=OFF %s < %t.off
// RUN: env SKEIN_OPTIONS=steal=off not %run -n 2 --timeout 30 %t moved > %t.moved 2>&1
// RUN: FileCheck --check-prefixes=MOVED,FRAMES %s < %t.moved
// UNSUPPORTED: sanitized

// SEGV: skein: thread 2 dies of SIGSEGV at address 0x10; it began with `begin` on node 0 and has moved 0 times
// WILD: skein: thread 2 dies of SIGSEGV: an address that no process can have; it began with `begin`
// FPE: skein: thread 2 dies of SIGFPE: an integer was divided by zero; it began with `begin`
// ILL: skein: thread 2 dies of SIGILL: an instruction that this processor does not have, or a trap of the compiler's;
// ABORT: skein: thread 2 dies of SIGABRT; it began with `begin`
// LIBRARY: skein: thread 2 dies of SIGSEGV at address 0x10; it began with `begin`
// LIBRARY: of libc.so.6
// MAIN: skein: thread 1 dies of SIGABRT; it began with `main` on node 0
// MAIN: `main` ({{.*}}crash.c:{{[0-9]+}})
// SENT: skein: thread 1 dies of SIGBUS; it began with `main`
// PTHREAD: skein: a kernel thread that runs none of the program's threads dies in `{{.*}}` of SIGABRT
// TWO-COUNT-1: skein: thread {{[23]}} dies of SIGSEGV
// TWO-NOT: dies of
// HANDLED-NOT: skein
// HANDLED: handled SIGFPE
// OFF-NOT: skein
// MOVED: skein[1]: thread 2 dies of SIGSEGV at address 0x10; it began with `travel` on node 0 and has moved 3 times
// FRAMES: `die` ({{.*}}crash.c:
// FRAMES-NEXT: `{{begin|travel}}` ({{.*}}crash.c:
#include <pthread.h>
#include <signal.h>
#include <skein/skein.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile intptr_t zero, sixteen = 16, nowhere = 0x7000000000000000;

__attribute__((noinline)) static void die(const char *how) {
  skein_yield();
  if (strcmp(how, "segv") == 0)
    *(volatile char *)sixteen = 1;
  else if (strcmp(how, "wild") == 0)
    *(volatile char *)nowhere = 1;
  else if (strcmp(how, "fpe") == 0)
    zero = sixteen / zero;
  else if (strcmp(how, "ill") == 0)
    __builtin_trap();
  else if (strcmp(how, "library") == 0)
    zero = (intptr_t)strlen((char *)sixteen);
  else
    abort();
  skein_yield();
}

static void begin(const char *how) { die(how); }

static void travel(void) {
  for (int i = 1; i <= 3; i++)
    if (skein_push_self(i % 2) != SKEIN_OK)
      exit(1);
  die("segv");
}

static volatile int arrived;

static void meet(void) {
  __atomic_fetch_add((int *)&arrived, 1, __ATOMIC_SEQ_CST);
  while (arrived < 2)
    ;
  die("segv");
}

static void handled(int signal) {
  static const char text[] = "handled SIGFPE\n";
  _exit(signal != SIGFPE || write(2, text, sizeof text - 1) < 0);
}

static void *outside(void *how) {
  abort();
  return how;
}

int main(int argc, char **argv) {
  const char *how = argc > 1 ? argv[1] : "";
  if (strcmp(how, "main") == 0)
    abort();
  if (strcmp(how, "sent") == 0)
    return kill(getpid(), SIGBUS) + pause();
  if (strcmp(how, "moved") == 0)
    return skein_join(skein_spawn(travel));
  if (strcmp(how, "two") == 0) {
    skein_thread_t one = skein_spawn(meet), other = skein_spawn(meet);
    return skein_join(one) + skein_join(other);
  }
  if (strcmp(how, "pthread") == 0) {
    pthread_t thread;
    return pthread_create(&thread, NULL, outside, NULL) || pthread_join(thread, NULL);
  }
  if (strcmp(how, "handled") == 0) {
    signal(SIGFPE, handled);
    how = "fpe";
  }
  return skein_join(skein_spawn(begin, how));
}
