/* When no thread of any node can go on, the run says so, and which threads wait on each node for what, and ends with
 * status 70: after a mistake, after a death, and when main has returned. Threads that can still go on are not taken for
 * standing. */

// RUN: %skeincc -O2 -I%S/Inputs %s -o %t
// RUN: not %run -n 3 --timeout 30 %t locks 2>&1 | FileCheck %s --check-prefixes=STANDS,LOCKS
// RUN: not %run -n 2 --timeout 30 %t main 2>&1 | FileCheck %s --check-prefixes=STANDS,MAIN
// RUN: not %run -n 3 --timeout 30 %t agree 2>&1 | \
// RUN:   FileCheck %s --check-prefixes=STANDS,AGREE --implicit-check-not='thread of node {{[01]}}' \
// RUN:     --implicit-check-not='(nil)'
// RUN: env SKEIN_OPTIONS=deaths=survive,steal=off %python %S/Inputs/death.py --stands \
// RUN:   %run -n 3 --timeout 30 %t starter 2>&1 | FileCheck %s --check-prefix=STARTER
// RUN: env SKEIN_OPTIONS=deaths=survive,steal=off %python %S/Inputs/death.py --stands \
// RUN:   %run -n 3 --timeout 30 %t lost 2>&1 | FileCheck %s --check-prefix=LOST
// RUN: %run -n 2 --timeout 30 %t sleeps | FileCheck %s --check-prefix=SLEEPS
// RUN: %run -n 2 --timeout 30 %t kernel | FileCheck %s --check-prefix=KERNEL

// STANDS: skein[0]: deadlock: every thread on every node waits, and nobody is left to wake one
// LOCKS-DAG: skein[1]: {{.*}}thread 2 waits in skein_global_mutex_lock
// LOCKS-DAG: skein[2]: {{.*}}thread 3 waits in skein_global_mutex_lock
// LOCKS-DAG: thread 2, on node 1, waits in skein_global_mutex_lock for object 2 of node 0, which thread 3 holds
// LOCKS-DAG: thread 3, on node 2, waits in skein_global_mutex_lock for object 1 of node 0, which thread 2 holds
// LOCKS-DAG: skein[0]: {{.*}}thread 1 waits in skein_join for thread 2
// MAIN-DAG: thread 2, on node 1, waits in skein_global_barrier_wait for object 1 of node 0, to which 1 of 2 have come
// AGREE-DAG: skein[0]: {{.*}}thread 1 waits in skein_agree
// AGREE-DAG: skein[1]: {{.*}}thread 2 waits in skein_agree
// AGREE-DAG: skein[0]: {{.*}}skein_agree waits for a thread of node 2 to call it
// STARTER: kill node 1 now
// STARTER: skein[0]: deadlock: every thread on every node waits
// STARTER: waits for skein_start
// STARTER: status 70, nothing left
// LOST: skein[0]: deadlock: every thread on every node waits
// LOST: waits in skein_semaphore_wait for object
// LOST: status 70, nothing left
// SLEEPS: slept 4 s
// KERNEL: signalled

#include "check.h"
#include <pthread.h>
#include <skein/deaths.h>
#include <skein/global.h>
#include <skein/sync.h>
#include <string.h>

static void crosses(int home, skein_global_mutex_t first, skein_global_mutex_t second, skein_global_barrier_t both) {
  CHECK(skein_push_self(home) == SKEIN_OK);
  CHECK(skein_global_mutex_lock(first) == SKEIN_OK);
  CHECK(skein_global_barrier_wait(both) == SKEIN_OK);
  CHECK(skein_global_mutex_lock(second) == SKEIN_OK);
}

static void alone(skein_global_barrier_t barrier) {
  CHECK(skein_push_self(1) == SKEIN_OK);
  skein_global_barrier_wait(barrier);
}

static void agrees(void) {
  CHECK(skein_push_self(1) == SKEIN_OK);
  struct skein_agreement all = {.value = 1};
  skein_agree(&all);
}

/* This one should have gone to node 2 first. */
static void second_of_node_0(void) {
  struct skein_agreement all = {.value = 1};
  CHECK(skein_agree(&all) == SKEIN_ELOCK);
}

static void nothing(void) {}

static void starts_later(skein_thread_t created, skein_semaphore_t ready) {
  CHECK(skein_push_self(1) == SKEIN_OK);
  CHECK(skein_semaphore_signal(ready) == SKEIN_OK);
  for (;;)
    skein_sleep_ns(1000000);
  skein_start(created);
}

static void signals_later(skein_semaphore_t wanted, skein_semaphore_t ready) {
  CHECK(skein_push_self(1) == SKEIN_OK);
  CHECK(skein_semaphore_signal(ready) == SKEIN_OK);
  for (;;)
    skein_sleep_ns(1000000);
  skein_semaphore_signal(wanted);
}

static void kill_me(void) {
  printf("kill node 1 now\n");
  fflush(stdout);
}

static void sleeps(void) {
  CHECK(skein_push_self(1) == SKEIN_OK);
  CHECK(skein_sleep_ns(UINT64_C(4000000000)) == SKEIN_OK);
}

static skein_sem_t sem;
static void *signals(void *unused) {
  sleep(4);
  CHECK(skein_sem_signal(&sem) == 0);
  return unused;
}

int main(int count, char **words) {
  const char *what = count > 1 ? words[1] : "";
  skein_stealing_set(0);
  skein_semaphore_t ready = 0;
  if (strcmp(what, "locks") == 0) {
    skein_global_mutex_t one = skein_global_mutex_create(0), two = skein_global_mutex_create(0);
    skein_global_barrier_t both = skein_global_barrier_create(0, 2);
    skein_thread_t first = skein_spawn(crosses, 1, one, two, both);
    skein_spawn(crosses, 2, two, one, both);
    return skein_join(first);
  }
  if (strcmp(what, "main") == 0) {
    skein_spawn(alone, skein_global_barrier_create(0, 2));
    return 0;
  }
  if (strcmp(what, "agree") == 0) {
    skein_spawn(agrees);
    skein_spawn(second_of_node_0); /* runs when main waits */
    struct skein_agreement all = {.value = 1};
    return skein_agree(&all);
  }
  if (strcmp(what, "starter") == 0) {
    ready = skein_semaphore_create(0);
    struct skein_attributes plain = {.name = "created"};
    skein_thread_t created = skein_create(&plain, nothing);
    skein_thread_t starter = skein_spawn(starts_later, created, ready);
    CHECK(skein_semaphore_wait(ready) == SKEIN_OK);
    kill_me();
    CHECK(skein_join(starter) == SKEIN_EDEAD);
    return skein_join(created);
  }
  if (strcmp(what, "lost") == 0) {
    ready = skein_semaphore_create(0);
    skein_semaphore_t wanted = skein_semaphore_create(0);
    skein_spawn(signals_later, wanted, ready);
    CHECK(skein_semaphore_wait(ready) == SKEIN_OK);
    kill_me();
    return skein_semaphore_wait(wanted);
  }
  if (strcmp(what, "sleeps") == 0) {
    CHECK(skein_join(skein_spawn(sleeps)) == SKEIN_OK);
    puts("slept 4 s");
    return 0;
  }
  pthread_t kernel;
  CHECK(pthread_create(&kernel, NULL, signals, NULL) == 0);
  CHECK(skein_sem_wait(&sem) == SKEIN_OK);
  puts("signalled");
  return pthread_join(kernel, NULL);
}
