// Reports name inlined functions, if there is debug information, and never call code that skeincc has compiled foreign:
// a function that reaches no migration point has no map, but a name.
// RUN: %skeincc -O2 -gline-tables-only %s -o %t
// RUN: env SKEIN_OPTIONS=workers=1 not --crash %t overflow 2>&1 | FileCheck --check-prefix=OVERFLOW %s
// RUN: env SKEIN_OPTIONS=workers=1 not --crash %t quit 2>&1 | FileCheck --check-prefix=QUIT %s
// RUN: env SKEIN_OPTIONS=workers=1 not --crash %t wait 2>&1 | FileCheck --check-prefix=WAIT %s
// RUN: env SKEIN_OPTIONS=workers=1 not --crash %t forbidden 2>&1 | FileCheck --check-prefix=FORBIDDEN %s
// RUN: %skeincc -O2 %s -o %t.plain
// RUN: env SKEIN_OPTIONS=workers=1 not --crash %t.plain quit 2>&1 | FileCheck --check-prefix=PLAIN %s
// RUN: env SKEIN_OPTIONS=workers=1 not --crash %t.plain wait 2>&1 | FileCheck --check-prefix=PLAIN-WAIT %s
// UNSUPPORTED: sanitized

// OVERFLOW-NOT: compile
// OVERFLOW: thread 2 in function deep overflowed its 64 KiB stack
// OVERFLOW-NEXT: #0  `deep` ({{.*}}backtraces-inlined.c:5{{[0-3]}})
// OVERFLOW-NOT: compile

// QUIT-NOT: compile
// QUIT: thread 2 runs on worker 0
// QUIT: `asks` ({{.*}}backtraces-inlined.c:[[#@LINE+40]])
// QUIT-NEXT: inlined in `asks_twice` ({{.*}}backtraces-inlined.c:[[#@LINE+43]])
// QUIT: `begins` ({{.*}}backtraces-inlined.c:[[#@LINE+47]])

// WAIT: waits in skein_sem_wait
// WAIT-NEXT: #0  `waits` ({{.*}}backtraces-inlined.c:[[#@LINE+49]])
// WAIT-NEXT: inlined in `waits_inside` ({{.*}}backtraces-inlined.c:[[#@LINE+50]])

// FORBIDDEN: SIGQUIT: what the threads do cannot be told: a snapshot of the process could not be made: Cannot allocate memory
// FORBIDDEN-NOT: changing

// PLAIN: thread 2 runs on worker 0
// PLAIN-NOT: compile
// PLAIN: `asks_twice`

// Without debug information the line is the one in the function that has the frame.
// PLAIN-WAIT: waits in skein_sem_wait
// PLAIN-WAIT-NEXT: #0  `waits_inside` ({{.*}}backtraces-inlined.c:[[#@LINE+39]])
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <skein/skein.h>
#include <skein/sync.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

static int deep(volatile int *n) {
  volatile int next[64] = {*n + 1};
  return next[0] < 0 ? 0 : deep(next) + *n;
}
static void overflows(void) {
  volatile int n = 0;
  n = deep(&n);
}

static inline __attribute__((always_inline)) void asks(void) {
  raise(SIGQUIT);
}
__attribute__((noinline)) static void asks_twice(void) {
  __asm__ volatile("");
  asks();
  skein_yield(); /* so it has a map */
  __asm__ volatile("");
}
static void begins(void) {
  asks_twice();
  __asm__ volatile("");
}

static skein_sem_t never;
static inline __attribute__((always_inline)) void waits(void) { skein_sem_wait(&never); }
__attribute__((noinline)) static void waits_inside(void) {
  waits();
  __asm__ volatile("");
}

/* Memory runs out, so to speak: no process can be made any more. */
static void forbid(void) {
  struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOMEM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof code / sizeof *code, code};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
    abort();
}

int main(int count, char **argument) {
  const char *what = count > 1 ? argument[1] : "";
  if (!strcmp(what, "overflow"))
    return skein_join(skein_spawn(overflows));
  if (!strcmp(what, "quit"))
    return skein_join(skein_spawn(begins));
  if (!strcmp(what, "forbidden"))
    forbid();
  if (!strcmp(what, "wait"))
    skein_spawn(waits_inside);
  skein_yield();
  raise(SIGQUIT);
  return 0;
}
