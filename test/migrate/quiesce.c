/* skein_quiesce returns when nothing goes on any more, and not sooner. The test has a tree of requests whose handlers
 * spawn threads, which send further requests, over nodes that delay and reorder all messages. The end of a run waits
 * for messages as well: the last one spawns a thread when no other lives. */

// RUN: %skeincc -O2 -Wno-skein-global -I%S/Inputs %s -o %t
// RUN: %run -n 3 --timeout 30 %t | FileCheck %s
// RUN: env SKEIN_OPTIONS=net_delay_us=2000,seed=1,message_credits=2 %run -n 3 --timeout 30 %t | FileCheck %s
// RUN: env SKEIN_OPTIONS=net_delay_us=2000,seed=2,stacks=relocate,image=any %run -n 2 --timeout 30 %t | FileCheck %s
// RUN: env SKEIN_OPTIONS=net_delay_us=500,workers=3 %run -n 4 --timeout 30 %t | FileCheck %s
// RUN: env SKEIN_OPTIONS=workers=2 %t | FileCheck %s
// CHECK: round 5 of main saw all 511 leaves and branches, and those who wait
// CHECK: the last request arrived

#include "check.h"
#include <skein/messages.h>
#include <stdatomic.h>

enum { depth_most = 8 };

static _Atomic long seen; /* on each node */

SKEIN_HANDLER_DECLARE(branch);

static void grow(int depth, unsigned random) {
  if (random % 5 == 0)
    skein_yield();
  for (unsigned i = 0; i < 2 && depth < depth_most; i++) {
    unsigned next[2] = {(unsigned)depth + 1, random * 1103515245 + 12345 + i};
    if (next[1] >> 16 & 1)
      CHECK(skein_send((int)(next[1] >> 17) % skein_nodes(), &branch, next, sizeof next) == SKEIN_OK);
    else
      CHECK(skein_call((int)(next[1] >> 17) % skein_nodes(), &branch, next, sizeof next, NULL, 0, NULL) == SKEIN_OK);
  }
}

SKEIN_HANDLER(branch, message) {
  const unsigned *what = message->data;
  atomic_fetch_add(&seen, 1);
  CHECK(skein_spawn(grow, (int)what[0], what[1]));
}

SKEIN_HANDLER(count, message) {
  long value = atomic_exchange(&seen, 0);
  skein_reply(message, &value, sizeof value);
}

static long count_all(void) {
  long sum = 0;
  for (int node = 0; node < skein_nodes(); node++) {
    long value;
    CHECK(skein_call(node, &count, NULL, 0, &value, sizeof value, NULL) == SKEIN_OK);
    sum += value;
  }
  return sum;
}

/* Others may ask at the same time, from any node, and some threads wait for ever. */
static _Atomic int answered; /* of node 0 */
SKEIN_HANDLER(answer, message) {
  (void)message;
  atomic_fetch_add(&answered, 1);
}

static void other_asker(int node) {
  CHECK(skein_push_self(node) == SKEIN_OK);
  CHECK(skein_quiesce() == SKEIN_OK);
  CHECK(skein_send(0, &answer, NULL, 0) == SKEIN_OK);
}

static void waits(skein_semaphore_t never) { skein_semaphore_wait(never); }

SKEIN_THREADED_HANDLER(last, message) {
  (void)message;
  usleep(2000);
  printf("the last request arrived\n");
}

int main(void) {
  skein_semaphore_t never = skein_semaphore_create(0);
  skein_thread_t waiting = skein_spawn(waits, never);
  for (int round = 1; round <= 5; round++) {
    unsigned root[2] = {0, (unsigned)round};
    for (int node = 0; node < skein_nodes(); node++)
      CHECK(skein_spawn(other_asker, node));
    CHECK(skein_send(round % skein_nodes(), &branch, root, sizeof root) == SKEIN_OK);
    CHECK(skein_quiesce() == SKEIN_OK);
    long all = count_all();
    CHECK(all == (2 << depth_most) - 1);
    CHECK(skein_quiesce() == SKEIN_OK); /* now the other askers have ended */
    if (skein_node() == 0)
      CHECK(atomic_load(&answered) == skein_nodes() * round);
    if (round == 5)
      printf("round %d of main saw all %ld leaves and branches, and those who wait\n", round, all);
  }
  CHECK(skein_semaphore_signal(never) == SKEIN_OK && skein_join(waiting) == SKEIN_OK);
  CHECK(skein_send(skein_nodes() - 1, &last, NULL, 0) == SKEIN_OK);
  return 0; /* returns before it has arrived */
}
