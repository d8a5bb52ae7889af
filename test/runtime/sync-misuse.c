/* Misuse of a lock is an error that says what happened where, to the caller and on standard error. */

// RUN: %skeincc -O2 %s -o %t
// RUN: env SKEIN_OPTIONS=workers=2 %t 2>&1 | FileCheck %s

// CHECK: skein: skein_mutex_unlock: the mutex `gate`, unlocked by thread 1 in `main` ({{.*}}sync-misuse.c), is not locked
// CHECK: skein: skein_mutex_lock: thread 1 holds the mutex `gate` already, since `main` ({{.*}}sync-misuse.c:[[#]])
// CHECK: skein: skein_mutex_unlock: thread 2, which unlocks the mutex `gate` in `stranger`, does not hold it: thread 1 took it in `main` (
// CHECK: skein: skein_mutex_destroy: the mutex `gate` is held by thread 1
// CHECK: skein: thread {{[0-9]+}} ended while it held the mutex `left_behind`, taken in `forgetful` (
// CHECK: skein: skein_mutex_lock: thread 3 took the mutex `left_behind` in `forgetful` ({{.*}}) and has ended without unlocking it
// CHECK: codes 11 11 11 9 4

#include <skein/sync.h>
#include <stdio.h>

static skein_mutex_t gate, left_behind;
static int stranger_code;

static void stranger(void) { stranger_code = skein_mutex_unlock(&gate); }
static void forgetful(void) {
  if (skein_mutex_lock(&left_behind)) /* no tail call, which would leave no trace of this function */
    puts(skein_error_text());
}

int main(void) {
  int unlocked = skein_mutex_unlock(&gate);
  skein_mutex_lock(&gate);
  int again = skein_mutex_lock(&gate);
  skein_join(skein_spawn(stranger));
  int destroyed = skein_mutex_destroy(&gate);
  skein_mutex_unlock(&gate);
  skein_join(skein_spawn(forgetful));
  int dead = skein_mutex_lock(&left_behind);
  fprintf(stderr, "codes %d %d %d %d %d\n", unlocked, again, stranger_code, destroyed, dead);
  return 0;
}
