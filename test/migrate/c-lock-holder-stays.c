/* Locks of the C library belong to a node, too: a thread that holds one stays, whatever wants to move it, and the
 * refusal says which lock and where it was taken. A thread that has given it back moves. */

// RUN: %skeincc -O2 -I%S/Inputs %s -o %t
// RUN: env SKEIN_OPTIONS=steal=off,workers=1 %run -n 2 --timeout 30 %t 2>&1 | FileCheck %s
// RUN: %skeincc -O0 -I%S/Inputs %s -o %t-0
// RUN: env SKEIN_OPTIONS=steal=off,workers=2 %run -n 2 --timeout 30 %t-0 2>&1 | FileCheck %s
// RUN: %skeincc -O2 -fskein-stacks=growable -I%S/Inputs %s -o %t-growable
// RUN: env SKEIN_OPTIONS=steal=off %run -n 2 --timeout 30 %t-growable 2>&1 | FileCheck %s --check-prefix=FUNCTION
// RUN: env SKEIN_OPTIONS=walk=on,seed=3 %run -n 2 --timeout 30 %t walk | FileCheck %s --check-prefix=WALK

// CHECK: lock: skein_push_self: it holds the pthread_mutex_t `mutex`, taken in `lock` ({{.*}}.c:[[#]]), which stays
// CHECK: trylock: skein_push_self: it holds the pthread_mutex_t `mutex`, taken in `trylock` ({{.*}}.c:[[#]]), which
// CHECK: timed: skein_push_self: it holds the pthread_mutex_t `mutex`, taken in `timed` ({{.*}}.c:[[#]]), which stays
// CHECK: recursive: skein_push_self: it holds the pthread_mutex_t {{.*}}, taken in `recursive` (
// CHECK: checked: skein_push_self: it holds the pthread_mutex_t {{.*}}, taken in `checked` (
// CHECK: robust: skein_push_self: it holds the pthread_mutex_t {{.*}}, taken in `robust` (
// CHECK: waited: skein_push_self: it holds the pthread_mutex_t `mutex`, taken in `waited` (
// CHECK: read: skein_push_self: it holds the pthread_rwlock_t (to read) `book`, taken in `reads` (
// CHECK: write: skein_push_self: it holds the pthread_rwlock_t (to write) `book`, taken in `writes` (
// CHECK: spin: skein_push_self: it holds the pthread_spinlock_t `spin`, taken in `spins` (
// CHECK: file: skein_push_self: it holds the lock of the FILE {{.*}}, taken in `file` (
// CHECK: place: skein_push_self: it holds the sem_t `places`, taken in `place` (
// CHECK: c11: skein_push_self: it holds the pthread_mutex_t `c11`, taken in `threads_h` (
// CHECK: many: skein_push_self: it holds the pthread_mutex_t
// CHECK: passed on: moved
// CHECK: pushed by another: skein_push: it holds the pthread_mutex_t `mutex`, taken in `is_pushed` (
// CHECK: thread {{[0-9]+}} ended while it held the pthread_mutex_t `never_free`, taken in `ends` (
// CHECK: forked: 0
// CHECK: all well
// FUNCTION: lock: skein_push_self: it holds the pthread_mutex_t `mutex`, taken in `lock` (
// FUNCTION: all well
// WALK: all well

#include "check.h"
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <skein/sync.h>
#include <string.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, never_free = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t book = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static sem_t places, news;
static mtx_t c11;
static int walks;

/* The thread stays now, and leaves when `over` is done. */
static void stays(const char *what) {
  const int node = skein_node();
  if (walks) {
    for (int i = 0; i < 20; i++)
      skein_yield();
    CHECK(skein_node() == node);
    return;
  }
  CHECK(skein_push_self(1 - node) == SKEIN_EPINNED);
  printf("%s: %s\n", what, skein_error_text());
  CHECK(skein_node() == node);
}

static void leaves(void) {
  CHECK(walks || skein_push_self(1) == 0);
  CHECK(walks || skein_push_self(0) == 0);
}

static void lock(void) {
  CHECK(pthread_mutex_lock(&mutex) == 0);
  stays("lock");
  CHECK(pthread_mutex_unlock(&mutex) == 0);
  leaves();
}
static void trylock(void) {
  CHECK(pthread_mutex_trylock(&mutex) == 0);
  CHECK(pthread_mutex_trylock(&mutex) == EBUSY);
  stays("trylock");
  CHECK(pthread_mutex_unlock(&mutex) == 0);
  leaves();
}
static void timed(void) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += 10;
  CHECK(pthread_mutex_timedlock(&mutex, &until) == 0);
  stays("timed");
  CHECK(pthread_mutex_unlock(&mutex) == 0);
  leaves();
}
static void init(pthread_mutex_t *to, int type, int robust) {
  pthread_mutexattr_t attributes;
  CHECK(pthread_mutexattr_init(&attributes) == 0 && pthread_mutexattr_settype(&attributes, type) == 0);
  CHECK(!robust || pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST) == 0);
  CHECK(pthread_mutex_init(to, &attributes) == 0);
}
static void recursive(void) {
  pthread_mutex_t own;
  init(&own, PTHREAD_MUTEX_RECURSIVE, 0);
  CHECK(pthread_mutex_lock(&own) == 0);
  CHECK(pthread_mutex_lock(&own) == 0 && pthread_mutex_unlock(&own) == 0);
  stays("recursive"); /* one of the two locks is still held */
  CHECK(pthread_mutex_unlock(&own) == 0);
  leaves();
}
static void checked(void) {
  pthread_mutex_t own;
  init(&own, PTHREAD_MUTEX_ERRORCHECK, 0);
  CHECK(pthread_mutex_lock(&own) == 0);
  CHECK(pthread_mutex_lock(&own) == EDEADLK);
  stays("checked");
  CHECK(pthread_mutex_unlock(&own) == 0 && pthread_mutex_unlock(&own) == EPERM);
  leaves();
}
static void robust(void) {
  pthread_mutex_t own;
  init(&own, PTHREAD_MUTEX_NORMAL, 1);
  CHECK(pthread_mutex_lock(&own) == 0);
  stays("robust");
  CHECK(pthread_mutex_unlock(&own) == 0);
  CHECK(pthread_mutex_destroy(&own) == 0);
  leaves();
}
static void waited(void) {
  pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec = (until.tv_nsec + 20000000) % 1000000000;
  until.tv_sec += until.tv_nsec < 20000000;
  CHECK(pthread_mutex_lock(&mutex) == 0);
  CHECK(pthread_cond_timedwait(&condition, &mutex, &until) == ETIMEDOUT);
  stays("waited");
  CHECK(pthread_mutex_unlock(&mutex) == 0);
}
static void reads(void) {
  CHECK(pthread_rwlock_rdlock(&book) == 0);
  stays("read");
  CHECK(pthread_rwlock_unlock(&book) == 0);
  leaves();
}
static void writes(void) {
  CHECK(pthread_rwlock_wrlock(&book) == 0);
  CHECK(pthread_rwlock_tryrdlock(&book) == EBUSY);
  stays("write");
  CHECK(pthread_rwlock_unlock(&book) == 0);
  leaves();
}
static void spins(void) {
  CHECK(pthread_spin_lock(&spin) == 0);
  stays("spin");
  CHECK(pthread_spin_unlock(&spin) == 0);
  leaves();
}
static void file(void) {
  flockfile(stderr);
  CHECK(ftrylockfile(stderr) == 0);
  funlockfile(stderr);
  stays("file");
  funlockfile(stderr);
  leaves();
}
static void place(void) {
  CHECK(sem_wait(&places) == 0);
  stays("place");
  CHECK(sem_post(&places) == 0);
  leaves();
}
static void told(void) {
  CHECK(sem_post(&news) == 0 && sem_wait(&news) == 0);
  leaves();
}
static void threads_h(void) {
  CHECK(mtx_lock(&c11) == thrd_success);
  CHECK(mtx_trylock(&c11) == thrd_busy);
  stays("c11");
  CHECK(mtx_unlock(&c11) == thrd_success);
  leaves();
}
static void many(void) {
  static pthread_mutex_t all[50];
  for (int i = 0; i < 50; i++)
    CHECK(pthread_mutex_init(&all[i], NULL) == 0 && pthread_mutex_lock(&all[i]) == 0);
  for (int i = 0; i < 50; i++)
    if (i != 7)
      CHECK(pthread_mutex_unlock(&all[i]) == 0);
  stays("many");
  CHECK(pthread_mutex_unlock(&all[7]) == 0);
  leaves();
}

/* Another thread unlocks it, which POSIX leaves open and programs do. */
static void unlocks(void) { CHECK(pthread_mutex_unlock(&mutex) == 0); }
static void passes_on(void) {
  CHECK(pthread_mutex_lock(&mutex) == 0);
  CHECK(skein_join(skein_spawn(unlocks)) == 0);
  CHECK(pthread_mutex_lock(&mutex) == 0);
  CHECK(walks || skein_push_self(1) == SKEIN_EPINNED);
  CHECK(pthread_mutex_unlock(&mutex) == 0);
  leaves();
  printf("passed on: moved\n");
}

static volatile int locked, let_go;
static void is_pushed(void) {
  CHECK(pthread_mutex_lock(&mutex) == 0);
  locked = 1;
  while (!let_go)
    skein_yield();
  CHECK(skein_node() == 0 && pthread_mutex_unlock(&mutex) == 0);
}
static void ends(void) { CHECK(pthread_mutex_lock(&never_free) == 0); }

static void forks(void) {
  CHECK(pthread_mutex_lock(&mutex) == 0);
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    CHECK(pthread_mutex_trylock(&mutex) == EBUSY && pthread_mutex_unlock(&mutex) == 0);
    CHECK(pthread_mutex_lock(&mutex) == 0 && pthread_mutex_unlock(&mutex) == 0);
    _exit(0);
  }
  int status = 1;
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(pthread_mutex_unlock(&mutex) == 0);
  printf("forked: %d\n", status);
}

static void run(void (*function)(void)) { CHECK(skein_join(skein_spawn(function)) == 0); }

int main(int count, char **words) {
  walks = count > 1 && strcmp(words[1], "walk") == 0;
  setvbuf(stdout, NULL, _IOLBF, 0);
  CHECK(pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE) == 0 && mtx_init(&c11, mtx_plain) == thrd_success);
  CHECK(sem_init(&places, 0, 1) == 0 && sem_init(&news, 0, 0) == 0);
  if (walks) { /* the locks are node 0's and may lie anywhere: the mutexes need no init */
    for (int i = 0; i < 50; i++)
      run(lock), run(recursive), run(writes);
    puts("all well");
    return 0;
  }
  run(lock), run(trylock), run(timed), run(recursive), run(checked), run(robust), run(waited);
  run(reads), run(writes), run(spins), run(file), run(place), run(told), run(threads_h), run(many), run(passes_on);
  skein_thread_t pushed = skein_spawn(is_pushed);
  while (!locked)
    skein_yield();
  int code;
  while ((code = skein_push(pushed, 1)) == SKEIN_ETHREAD) /* it runs at this moment */
    skein_yield();
  CHECK(code == SKEIN_EPINNED);
  printf("pushed by another: %s\n", skein_error_text());
  let_go = 1;
  CHECK(skein_join(pushed) == 0);
  run(ends);
  run(forks);
  puts("all well");
  return 0;
}
