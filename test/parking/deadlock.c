/* Parked threads that wait for ever are named with the others, and so are their frames. */

// RUN: %skeincc -O2 -Wno-skein-global -fskein-stacks=common %s -o %t
// RUN: not env SKEIN_OPTIONS=workers=1,park_after=1 %t 2>&1 | FileCheck %s
// CHECK: deadlock: every thread waits
// CHECK: thread 1 waits in skein_sem_wait for the semaphore `gate`
// CHECK: thread {{[2-5]}} waits in skein_sem_wait for the semaphore `gate`
// CHECK-NEXT: #0  `waits`
// CHECK: thread {{[2-5]}} waits in skein_sem_wait for the semaphore `gate`
// CHECK-NEXT: #0  `waits`
// CHECK: thread {{[2-5]}} waits in skein_sem_wait for the semaphore `gate`
// CHECK-NEXT: #0  `waits`
// CHECK: thread {{[2-5]}} waits in skein_sem_wait for the semaphore `gate`
// CHECK-NEXT: #0  `waits`
#include <skein/skein.h>
#include <skein/sync.h>

static skein_sem_t gate = SKEIN_SEM_INITIALIZER(0);

static volatile int woken;

static void waits(void) {
  skein_sem_wait(&gate);
  woken++;
}

int main(void) {
  for (int i = 0; i < 4; i++)
    skein_spawn(waits);
  skein_sem_wait(&gate);
  return 0;
}
