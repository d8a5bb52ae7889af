/* A thread stays on its stack while something leads to it: a variable of the program holds an address of its locals, it
 * holds a lock, it has private memory, it is inside of a function of the C library. The report says why; all threads go
 * on with the right values. */

// RUN: %skeincc -O2 -g -Wno-skein-global -fskein-stacks=common %s -o %t
// RUN: env SKEIN_OPTIONS=workers=2,park_after=1,park_report=on %t 2>&1 | FileCheck %s
// CHECK-DAG: skein: parking: {{[0-9]+}} threads were parked
// CHECK-DAG: skein: parking: refused {{9[0-9]|100}} times: the global `board` holds an address of its stack
// CHECK-DAG: skein: parking: refused {{9[0-9]|100}} times: it holds a lock
// CHECK-DAG: skein: parking: refused {{9[0-9]|100}} times: it has private memory
// CHECK-DAG: skein: parking: refused {{[0-9]+}} times: {{.*}}ftw
// CHECK-DAG: 400 threads went on with their own locals
#include <skein/private.h>
#include <skein/skein.h>
#include <skein/sync.h>

#include <ftw.h>
#include <stdio.h>

enum { kinds = 4, each = 100 };
static skein_sem_t gate = SKEIN_SEM_INITIALIZER(0), arrived = SKEIN_SEM_INITIALIZER(0), done = SKEIN_SEM_INITIALIZER(0);
static long *board[each];
static skein_mutex_t locks[each];
static SKEIN_PRIVATE long own;
static long right;

static int called_by_library(const char *path, const struct stat *about, int type) {
  skein_sem_wait(&gate);
  return path != NULL && about != NULL && type == FTW_F;
}

static void waits(int kind, int n) {
  long local = 1000 * kind + n;
  skein_sem_signal(&arrived);
  switch (kind) {
  case 0: // others may write through the board
    board[n] = &local;
    skein_sem_wait(&gate);
    local -= 5;
    board[n] = NULL;
    break;
  case 1:
    skein_mutex_lock(&locks[n]);
    skein_sem_wait(&gate);
    skein_mutex_unlock(&locks[n]);
    break;
  case 2:
    own = local;
    skein_sem_wait(&gate);
    local = own;
    break;
  default:
    local += ftw("/dev/null", called_by_library, 1) - 1;
  }
  if (local == 1000 * kind + n)
    __atomic_fetch_add(&right, 1, __ATOMIC_RELAXED);
  skein_sem_signal(&done);
}

int main(void) {
  for (int n = 0; n < each; n++) {
    skein_mutex_init(&locks[n]);
    for (int kind = 0; kind < kinds; kind++) {
      if (!skein_spawn(waits, kind, n))
        return printf("%s\n", skein_error_text()), 1;
      skein_sem_wait(&arrived);
    }
  }
  while (skein_sem_count(&gate) > -kinds * each)
    skein_yield();
  for (int n = 0; n < each; n++)
    *board[n] += 5;
  skein_sem_signal_n(&gate, kinds * each);
  for (int i = 0; i < kinds * each; i++)
    skein_sem_wait(&done);
  printf("%ld threads went on with their own locals\n", right);
  return right != kinds * each;
}
