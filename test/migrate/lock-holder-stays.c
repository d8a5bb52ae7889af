/* A lock belongs to its node: a thread that holds one stays there, and the refusal says which lock and where it was
 * taken. A thread that holds none moves, and finds the other node's locks free. Waiting and sleeping threads stay until
 * they are woken. */

// RUN: %skeincc -O2 -I%S/Inputs %s -o %t
// RUN: env SKEIN_OPTIONS=steal=off %run -n 2 --timeout 30 %t | FileCheck %s

// CHECK: mutex: skein_push_self: it holds the mutex `lock`, taken in `holds_mutex` ({{.*}}:[[#]]), which stays
// CHECK: read: skein_push_self: it holds the reader/writer lock (to read) `book`, taken in `holds_book` (
// CHECK: write: skein_push_self: it holds the reader/writer lock (to write) `book`, taken in `holds_book` (
// CHECK: spin: skein_push_self: it holds the spin lock `spin`, taken in `holds_spin`
// CHECK: once: skein_push_self: it holds the once `once`, taken in `runs_once` (
// CHECK: own: skein_push_self: it holds the mutex at 0x{{.*}} on the stack of thread {{.*}}, taken in `holds_own` (
// CHECK: handed over: skein_push_self: it holds the mutex `lock`, taken in `waits` (
// CHECK: blocked: skein_push: thread {{[0-9]+}} is blocked
// CHECK: all well

#include "check.h"
#include <skein/sync.h>

static skein_mutex_t lock;
static skein_rwlock_t book;
static skein_spin_t spin;
static skein_once_t once;
static skein_sem_t sem;

static void tell(const char *what) {
  printf("%s: %s\n", what, skein_error_text());
  CHECK(skein_node() == 0);
}

static void holds_mutex(void) {
  CHECK(skein_mutex_lock(&lock) == 0);
  CHECK(skein_push_self(1) == SKEIN_EPINNED);
  tell("mutex");
  CHECK(skein_mutex_unlock(&lock) == 0);
  CHECK(skein_push_self(1) == 0 && skein_node() == 1);
  CHECK(skein_mutex_lock(&lock) == 0); /* this node's */
  CHECK(skein_push_self(0) == SKEIN_EPINNED);
  CHECK(skein_mutex_unlock(&lock) == 0);
  CHECK(skein_push_self(0) == 0);
}

static void holds_book(void) {
  CHECK(skein_rwlock_read(&book) == 0);
  CHECK(skein_push_self(1) == SKEIN_EPINNED);
  tell("read");
  CHECK(skein_rwlock_unlock(&book) == 0);
  CHECK(skein_rwlock_write(&book) == 0);
  CHECK(skein_push_self(1) == SKEIN_EPINNED);
  tell("write");
  CHECK(skein_rwlock_unlock(&book) == 0);
}

static void holds_spin(void) {
  CHECK(skein_spin_lock(&spin) == 0);
  CHECK(skein_push_self(1) == SKEIN_EPINNED);
  tell("spin");
  CHECK(skein_spin_unlock(&spin) == 0);
}

static void in_once(void) {
  CHECK(skein_push_self(1) == SKEIN_EPINNED);
  tell("once");
}
static void runs_once(void) { CHECK(skein_once(&once, in_once) == 0); }

static void holds_own(void) {
  skein_mutex_t own = SKEIN_MUTEX_INITIALIZER;
  CHECK(skein_mutex_lock(&own) == 0);
  CHECK(skein_push_self(1) == SKEIN_EPINNED);
  tell("own");
  CHECK(skein_mutex_unlock(&own) == 0);
  CHECK(skein_push_self(1) == 0);
  CHECK(skein_mutex_lock(&own) == 0 && skein_mutex_unlock(&own) == 0);
}

static void waits(void) {
  CHECK(skein_mutex_lock(&lock) == 0);
  CHECK(skein_push_self(1) == SKEIN_EPINNED);
  tell("handed over");
  CHECK(skein_mutex_unlock(&lock) == 0);
}

static void blocked(void) { CHECK(skein_sem_wait(&sem) == 0 && skein_node() == 0); }

static void run(void (*function)(void)) { CHECK(skein_join(skein_spawn(function)) == 0); }

int main(void) {
  run(holds_mutex);
  run(holds_book);
  run(holds_spin);
  run(runs_once);
  run(holds_own);
  CHECK(skein_mutex_lock(&lock) == 0);
  skein_thread_t waiter = skein_spawn(waits);
  for (int i = 0; i < 10; i++)
    skein_yield();
  CHECK(skein_mutex_unlock(&lock) == 0);
  CHECK(skein_join(waiter) == 0);
  waiter = skein_spawn(blocked);
  while (skein_sem_count(&sem) == 0)
    skein_yield();
  CHECK(skein_push(waiter, 1) == SKEIN_ETHREAD);
  tell("blocked");
  CHECK(skein_sem_signal(&sem) == 0);
  CHECK(skein_join(waiter) == 0);
  puts("all well");
  return 0;
}
