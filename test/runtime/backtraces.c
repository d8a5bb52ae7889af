// Reports say where a thread is, with function, file and line, from the frame maps alone: no -g, after moves, past foreign frames.
// RUN: %skeincc -O1 -fno-optimize-sibling-calls -fskein-stress=calls %s -o %t
// RUN: env SKEIN_OPTIONS=workers=1 not %t deadlock 2>&1 | FileCheck --check-prefix=DEADLOCK %s
// RUN: env SKEIN_OPTIONS=workers=1,stress_every=7 not --crash %t overflow 2>&1 | FileCheck --check-prefix=OVERFLOW %s
// RUN: env SKEIN_OPTIONS=stress_refused=abort not %t foreign 2>&1 | FileCheck --check-prefix=FOREIGN %s
// UNSUPPORTED: sanitized

// DEADLOCK: skein: deadlock:
// DEADLOCK:   thread 1 waits in skein_join for thread 2
// DEADLOCK-NEXT:     #0  `main` ({{.*}}backtraces.c:[[#@LINE+52]])
// DEADLOCK:   thread 2 waits in skein_join for thread 1
// DEADLOCK-NEXT:     #0  `wait_for` ({{.*}}backtraces.c:[[#@LINE+22]])
// DEADLOCK-NEXT:     #1  `waiter` ({{.*}}backtraces.c:[[#@LINE+25]])

// OVERFLOW: skein: thread 2 in function deep overflowed its
// OVERFLOW: #0  `{{deep|skein_switch}}`
// OVERFLOW: #{{[12]}}  `deep` ({{.*}}backtraces.c:[[#@LINE+27]])
// OVERFLOW:      ... {{[0-9]+}} more ...
// OVERFLOW:      `run_deep` ({{.*}}backtraces.c:[[#@LINE+29]])

// FOREIGN: skein: stress: a move was refused: a foreign frame is on its stack: {{.*}} libc.so.6, called by `begin`
// FOREIGN: #0  `once` ({{.*}}backtraces.c
// FOREIGN-NEXT: libc.so.6
// FOREIGN-NEXT: `begin` ({{.*}}backtraces.c
// FOREIGN: #{{[0-9]+}} `main` ({{.*}}backtraces.c
#include <pthread.h>
#include <skein/skein.h>
#include <string.h>

static int entered;

__attribute__((noinline)) static void wait_for(skein_thread_t other) {
  entered++;
  skein_join(other);
  entered--;
}
static void waiter(skein_thread_t other) {
  wait_for(other);
  entered--;
}

__attribute__((noinline)) static int deep(int *n) {
  int next = *n + 1;
  return next < 0 ? 0 : deep(&next) + *n;
}
static void run_deep(void) {
  int n = 0;
  entered = deep(&n);
}

static void once(void) { entered++; }

__attribute__((noinline)) static void begin(void) {
  static pthread_once_t done = PTHREAD_ONCE_INIT;
  pthread_once(&done, once);
  entered--;
}

int main(int count, char **argument) {
  const char *what = count > 1 ? argument[1] : "";
  if (!strcmp(what, "deadlock"))
    return skein_join(skein_spawn(waiter, (skein_thread_t){1}));
  if (!strcmp(what, "overflow"))
    return skein_join(skein_spawn(run_deep));
  begin();
  return 0;
}
