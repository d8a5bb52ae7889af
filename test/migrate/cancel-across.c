/* A thread is cancelled wherever it is, from any node: while it moves without pause, blocks, waits to be stolen, or
 * before it has begun. Each cancel that returned SKEIN_OK ends its thread. */

// RUN: %skeincc -O2 -I%S/Inputs %s -o %t
// RUN: env SKEIN_OPTIONS=workers=2 %run -n 3 --timeout 60 %t | FileCheck %s
// RUN: env SKEIN_OPTIONS=workers=1,stacks=relocate,image=any,net_delay_us=300 %run -n 3 --timeout 60 %t | FileCheck %s
// RUN: env SKEIN_OPTIONS=workers=2 %run -n 1 %t | FileCheck %s
// CHECK: all 400 threads have ended

#include "check.h"
#include <skein/sync.h>
#include <string.h>

static unsigned next(uint64_t *random, unsigned below) {
  *random ^= *random << 13, *random ^= *random >> 7, *random ^= *random << 17;
  return (unsigned)(*random >> 33) % below;
}

static void endless(uint64_t random) {
  skein_sem_t never = SKEIN_SEM_INITIALIZER(0);
  for (;;)
    switch (random % 4) {
    case 0:
      skein_push_self((int)(random % 7) % skein_nodes());
      random = random / 7 + (uint64_t)1000 * skein_self();
      break;
    case 1:
      skein_yield();
      break;
    case 2:
      skein_sleep_ns(20000);
      break;
    default:
      skein_push_self((skein_node() + 1) % skein_nodes());
      skein_sem_wait(&never); /* it lies on the thread's stack, so no other thread will ever signal it */
    }
}

/* Cancels the thread from the node where it is by then. */
static void canceller(skein_thread_t thread, int node) {
  skein_push_self(node);
  CHECK(skein_cancel(thread) == SKEIN_OK);
}

int main(void) {
  uint64_t random = 4711;
  int ended = 0;
  for (int round = 0; round < 50; round++) {
    skein_thread_t threads[8];
    for (int i = 0; i < 8; i++) {
      struct skein_attributes there = {.node = next(&random, 2) ? SKEIN_ON((int)next(&random, (unsigned)skein_nodes()))
                                                                : 0};
      threads[i] = skein_spawn_with(&there, endless, (uint64_t)round * 8 + (uint64_t)i);
      CHECK(threads[i] != 0);
    }
    if (next(&random, 4))
      skein_sleep_ns(next(&random, 300000));
    for (int i = 0; i < 8; i++)
      if (next(&random, 3))
        CHECK(skein_cancel(threads[i]) == SKEIN_OK);
      else
        CHECK(skein_join(skein_spawn(canceller, threads[i], (int)next(&random, (unsigned)skein_nodes()))) == SKEIN_OK);
    for (int i = 0; i < 8; i++) {
      CHECK(skein_join(threads[i]) == SKEIN_OK);
      ended++;
    }
  }
  CHECK(skein_cancel((skein_thread_t)99 << 40 | 5) == SKEIN_ETHREAD);
  CHECK(strstr(skein_error_text(), "there is and was no thread of that id"));
  printf("all %d threads have ended\n", ended);
}
