/* A plain handler signals semaphores of its node and sets futures, while threads wait and while they use them quickly.
 * It cannot signal a condition, and gets an error that says so. */

// RUN: %skeincc -O2 -Wno-skein-global -I%S/Inputs %s -o %t
// RUN: %run -n 1 --timeout 30 %t 2>&1 | FileCheck %s
// RUN: %run -n 2 --timeout 30 %t 2>&1 | FileCheck %s
// RUN: env SKEIN_OPTIONS=workers=3,steal=off %run -n 2 --timeout 30 %t 2>&1 | FileCheck %s
// CHECK-DAG: skein_condition_signal: called where no Skein thread runs
// CHECK-DAG: all came

#include "check.h"
#include <skein/messages.h>
#include <skein/sync.h>
#include <stdatomic.h>

enum { rounds = 300 };

static skein_sem_t answers, many, others;
static skein_future_t first;
static skein_condition_t condition;
static skein_mutex_t mutex;
static int waiting;
static _Atomic long wrong;

SKEIN_HANDLER(echo, message) { skein_reply(message, message->data, message->bytes); }

SKEIN_HANDLER(answered, message) {
  if (skein_sem_signal(&answers))
    wrong++;
  if (message->argument == 0)
    wrong += skein_future_set(&first, 42) + skein_sem_signal_n(&many, 5) +
             (skein_condition_signal(&condition) != SKEIN_ETHREAD);
}

/* Signals and waits beside the handler's. */
static void user(void) {
  for (int i = 0; i < rounds; i++) {
    CHECK(skein_sem_signal(&answers) == SKEIN_OK);
    CHECK(skein_sem_wait(&answers) == SKEIN_OK);
    if (i % 16 == 0)
      skein_yield();
  }
}

static void gets(void) {
  uint64_t value = 0;
  CHECK(skein_future_get(&first, &value) == SKEIN_OK && value == 42);
  CHECK(skein_sem_wait(&many) == SKEIN_OK);
  CHECK(skein_sem_signal(&others) == SKEIN_OK);
}

static void waits(void) {
  CHECK(skein_mutex_lock(&mutex) == SKEIN_OK);
  waiting = 1;
  CHECK(skein_condition_wait(&condition, &mutex) == SKEIN_OK);
  CHECK(skein_mutex_unlock(&mutex) == SKEIN_OK);
}

int main(void) {
  skein_stealing_set(0);
  skein_thread_t waiter = skein_spawn(waits);
  for (int seen = 0; !seen; skein_yield()) {
    CHECK(skein_mutex_lock(&mutex) == SKEIN_OK);
    seen = waiting;
    CHECK(skein_mutex_unlock(&mutex) == SKEIN_OK);
  }
  for (int i = 0; i < 5; i++)
    CHECK(skein_spawn(gets));
  skein_thread_t beside[2] = {skein_spawn(user), skein_spawn(user)};
  for (int i = 0; i < rounds; i++)
    CHECK(skein_request(i % skein_nodes(), &echo, &i, sizeof i, &answered, (uint64_t)i) == SKEIN_OK);
  for (int i = 0; i < rounds; i++)
    CHECK(skein_sem_wait(&answers) == SKEIN_OK);
  for (int i = 0; i < 5; i++)
    CHECK(skein_sem_wait(&others) == SKEIN_OK);
  for (int i = 0; i < 2; i++)
    CHECK(skein_join(beside[i]) == SKEIN_OK);
  CHECK(skein_quiesce() == SKEIN_OK);
  CHECK(skein_condition_signal(&condition) == SKEIN_OK && skein_join(waiter) == SKEIN_OK);
  CHECK(skein_sem_count(&answers) == 0 && skein_sem_count(&many) == 0 && skein_sem_count(&others) == 0);
  CHECK(wrong == 0 && skein_cancel(0) == SKEIN_ETHREAD);
  CHECK(skein_push_self(skein_nodes() - 1) == SKEIN_OK && skein_cancel(0) == SKEIN_ETHREAD);
  printf("all came\n");
  return 0;
}
