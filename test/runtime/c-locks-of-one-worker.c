/* Skein threads of one worker take locks of the C library of all kinds. A thread that finds one taken lets the others
 * run, and the thread that gives it back lets the waiter go on. As many workers do the same. */

// RUN: %skeincc -O2 %s -o %t
// RUN: env SKEIN_OPTIONS=workers=1 %t | FileCheck %s
// RUN: env SKEIN_OPTIONS=workers=3 %t | FileCheck %s
// Not in every run does the holder of a lock go on on another worker.
// RUN: env SKEIN_OPTIONS=workers=3 %t | FileCheck %s
// RUN: env SKEIN_OPTIONS=workers=3 %t | FileCheck %s
// RUN: env SKEIN_OPTIONS=workers=3 %t | FileCheck %s
// RUN: env SKEIN_OPTIONS=workers=3 %t | FileCheck %s
// RUN: %skeincc -O1 -fskein-stacks=growable %s -o %t-growable
// RUN: env SKEIN_OPTIONS=workers=1 %t-growable | FileCheck %s
// CHECK: mutex: 1000 of 1000, never two inside
// CHECK: recursive: 1000 of 1000, never two inside
// CHECK: checked: 1000 of 1000, never two inside
// CHECK: inheriting: 1000 of 1000, never two inside
// CHECK: rwlock: 1000 of 1000, never two inside
// CHECK: spin: 1000 of 1000, never two inside
// CHECK: semaphore: 1000 of 1000, never two inside
// CHECK: file: 1000 of 1000, never two inside
// CHECK: timed: timed out after 0.[[#]] s
// CHECK: queue: 1000 through 3 places
// CHECK: once: 1 time, all waited
// CHECK: kernel thread: served 100

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <skein/skein.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define CHECK(c) ((c) ? (void)0 : (fprintf(stderr, "%d: %s\n", __LINE__, #c), exit(1)))

static pthread_mutex_t mutex;
static pthread_rwlock_t book = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static sem_t semaphore;
static FILE *file;

static void mutex_in(void) { CHECK(pthread_mutex_lock(&mutex) == 0); }
static void mutex_out(void) { CHECK(pthread_mutex_unlock(&mutex) == 0); }
static void book_in(void) { CHECK(pthread_rwlock_wrlock(&book) == 0); }
static void book_out(void) { CHECK(pthread_rwlock_unlock(&book) == 0); }
static void spin_in(void) { CHECK(pthread_spin_lock(&spin) == 0); }
static void spin_out(void) { CHECK(pthread_spin_unlock(&spin) == 0); }
static void semaphore_in(void) { CHECK(sem_wait(&semaphore) == 0); }
static void semaphore_out(void) { CHECK(sem_post(&semaphore) == 0); }
static void file_in(void) { flockfile(file); }
static void file_out(void) { funlockfile(file); }

struct kind {
  void (*in)(void), (*out)(void);
  volatile int inside, most, passed;
};

static void work(struct kind *kind) {
  for (int i = 0; i < 100; i++) {
    kind->in();
    kind->inside++;
    kind->most = kind->inside > kind->most ? kind->inside : kind->most;
    skein_yield(); /* another thread finds it taken */
    kind->passed++;
    kind->inside--;
    kind->out();
  }
}

static void all(const char *name, void (*in)(void), void (*out)(void)) {
  struct kind *kind = calloc(1, sizeof *kind);
  kind->in = in, kind->out = out;
  skein_thread_t ten[10];
  for (int i = 0; i < 10; i++)
    ten[i] = skein_spawn(work, kind);
  for (int i = 0; i < 10; i++)
    CHECK(skein_join(ten[i]) == 0);
  printf("%s: %d of 1000, %s two inside\n", name, kind->passed, kind->most == 1 ? "never" : "at times");
}

static void mutex_of(int type, int protocol) {
  pthread_mutexattr_t attributes;
  CHECK(pthread_mutexattr_init(&attributes) == 0 && pthread_mutexattr_settype(&attributes, type) == 0);
  CHECK(pthread_mutexattr_setprotocol(&attributes, protocol) == 0);
  CHECK(pthread_mutex_init(&mutex, &attributes) == 0);
}

static void too_long(void) {
  struct timespec begun, now, until;
  clock_gettime(CLOCK_REALTIME, &begun);
  until = begun;
  until.tv_nsec += 100000000;
  if (until.tv_nsec >= 1000000000)
    until.tv_sec++, until.tv_nsec -= 1000000000;
  CHECK(pthread_mutex_timedlock(&mutex, &until) == ETIMEDOUT);
  clock_gettime(CLOCK_REALTIME, &now);
  const double s = (double)(now.tv_sec - begun.tv_sec) + 1e-9 * (double)(now.tv_nsec - begun.tv_nsec);
  CHECK(s >= 0.1);
  printf("timed: timed out after %.1f s\n", s);
}

/* This is the textbook's bounded queue. */
static pthread_mutex_t queue = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER, not_full = PTHREAD_COND_INITIALIZER;
static volatile int used, taken, most_used;

static void produce(void) {
  for (int i = 0; i < 500; i++) {
    CHECK(pthread_mutex_lock(&queue) == 0);
    while (used == 3)
      CHECK(pthread_cond_wait(&not_full, &queue) == 0);
    used++;
    most_used = used > most_used ? used : most_used;
    CHECK(pthread_cond_signal(&not_empty) == 0);
    CHECK(pthread_mutex_unlock(&queue) == 0);
  }
}
static void consume(void) {
  for (int i = 0; i < 250; i++) {
    CHECK(pthread_mutex_lock(&queue) == 0);
    while (used == 0)
      CHECK(pthread_cond_wait(&not_empty, &queue) == 0);
    used--, taken++;
    CHECK(pthread_cond_broadcast(&not_full) == 0);
    CHECK(pthread_mutex_unlock(&queue) == 0);
  }
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static volatile int times;
static void slowly(void) {
  for (int i = 0; i < 10; i++)
    skein_yield();
  times++;
}
static void calls_once(void) {
  CHECK(pthread_once(&once, slowly) == 0);
  CHECK(times == 1);
}

/* A kernel thread answers through a condition, and may hold the mutex at any time. */
static volatile int asked, answered;
static void *serve(void *nothing) {
  CHECK(pthread_mutex_lock(&queue) == 0);
  while (answered < 100) {
    while (asked == answered)
      CHECK(pthread_cond_wait(&not_empty, &queue) == 0);
    usleep(100);
    answered++;
    CHECK(pthread_cond_broadcast(&not_full) == 0);
  }
  CHECK(pthread_mutex_unlock(&queue) == 0);
  return nothing;
}
static void ask(void) {
  for (int i = 0; i < 25; i++) {
    CHECK(pthread_mutex_lock(&queue) == 0);
    const int mine = ++asked;
    CHECK(pthread_cond_signal(&not_empty) == 0);
    while (answered < mine)
      CHECK(pthread_cond_wait(&not_full, &queue) == 0);
    CHECK(pthread_mutex_unlock(&queue) == 0);
  }
}

static void several(int n, void (*function)(void)) {
  skein_thread_t them[10];
  for (int i = 0; i < n; i++)
    them[i] = skein_spawn(function);
  for (int i = 0; i < n; i++)
    CHECK(skein_join(them[i]) == 0);
}

int main(void) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  CHECK(pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE) == 0 && sem_init(&semaphore, 0, 1) == 0);
  CHECK((file = tmpfile()) != NULL);
  mutex_of(PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_NONE), all("mutex", mutex_in, mutex_out);
  mutex_of(PTHREAD_MUTEX_RECURSIVE, PTHREAD_PRIO_NONE), all("recursive", mutex_in, mutex_out);
  mutex_of(PTHREAD_MUTEX_ERRORCHECK, PTHREAD_PRIO_NONE), all("checked", mutex_in, mutex_out);
  mutex_of(PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_INHERIT), all("inheriting", mutex_in, mutex_out);
  all("rwlock", book_in, book_out);
  all("spin", spin_in, spin_out);
  all("semaphore", semaphore_in, semaphore_out);
  all("file", file_in, file_out);
  mutex_of(PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_NONE);
  mutex_in();
  CHECK(skein_join(skein_spawn(too_long)) == 0);
  mutex_out();
  skein_thread_t two[] = {skein_spawn(produce), skein_spawn(produce)};
  several(4, consume);
  CHECK(skein_join(two[0]) == 0 && skein_join(two[1]) == 0);
  printf("queue: %d through %d places\n", taken, most_used);
  several(5, calls_once);
  printf("once: %d time, all waited\n", times);
  pthread_t server;
  CHECK(pthread_create(&server, NULL, serve, NULL) == 0);
  several(4, ask);
  CHECK(pthread_join(server, NULL) == 0);
  printf("kernel thread: served %d\n", answered);
  return 0;
}
