/* A deadlock report says which thread waits for what, which thread holds it, and where it was taken. */

// RUN: %skeincc -O2 %s -o %t
// RUN: env SKEIN_OPTIONS=workers=2 not %t 2>&1 | FileCheck %s --check-prefixes=CHECK,LOCKS
// RUN: env SKEIN_OPTIONS=workers=1 not %t others 2>&1 | FileCheck %s --check-prefixes=CHECK,OTHERS

// CHECK: skein: deadlock: every thread waits
// LOCKS-DAG: thread 2 waits in skein_mutex_lock for the mutex `fork_right`, which thread 3 took in `eat` ({{.*}}sync-deadlock-names.c:[[#TAKEN:]])
// LOCKS-DAG: thread 3 waits in skein_mutex_lock for the mutex `fork_left`, which thread 2 took in `eat` ({{.*}}sync-deadlock-names.c:[[#]])
// LOCKS-DAG: thread 1 waits in skein_join for thread 2
// OTHERS-DAG: waits in skein_sem_wait for the semaphore `table+16`
// OTHERS-DAG: waits in skein_condition_wait for the condition `bell`, with the mutex `fork_left`
// OTHERS-DAG: waits in skein_barrier_wait for the barrier `door`, where 1 of 2 have come
// OTHERS-DAG: waits in skein_future_get for the future `dessert`, which nobody has set
// OTHERS-DAG: waits in skein_rwlock_write for the reader/writer lock `menu`, which 1 threads read

#include <skein/sync.h>

static skein_mutex_t fork_left, fork_right;
static skein_sem_t table[3];
static skein_condition_t bell;
static skein_barrier_t door = SKEIN_BARRIER_INITIALIZER(2);
static skein_future_t dessert;
static skein_rwlock_t menu;
static skein_sem_t both;

static void eat(skein_mutex_t *first, skein_mutex_t *second) {
  skein_mutex_lock(first);
  skein_sem_signal(&both);
  while (skein_sem_count(&both) < 2)
    skein_yield();
  skein_mutex_lock(second);
}

static void wait_for_table(void) { skein_sem_wait(&table[1]); }
static void wait_for_bell(void) {
  skein_mutex_lock(&fork_left);
  skein_condition_wait(&bell, &fork_left);
}
static void wait_at_door(void) { skein_barrier_wait(&door); }
static void wait_for_dessert(void) { skein_future_get(&dessert, 0); }
static void read_menu(void) {
  skein_rwlock_read(&menu);
  skein_sem_wait(&table[1]);
}
static void write_menu(void) { skein_rwlock_write(&menu); }

int main(int argc, char **argv) {
  (void)argv;
  skein_thread_t last;
  if (argc == 1) {
    last = skein_spawn(eat, &fork_left, &fork_right);
    skein_spawn(eat, &fork_right, &fork_left);
  } else {
    last = skein_spawn(wait_for_table);
    skein_spawn(wait_for_bell);
    skein_spawn(wait_at_door);
    skein_spawn(wait_for_dessert);
    skein_spawn(read_menu);
    skein_yield();
    skein_spawn(write_menu);
  }
  return skein_join(last);
}
