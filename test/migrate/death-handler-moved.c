/* deaths=survive: the thread of a handler moves to another node, which dies. Its caller, on a third node or on the one
 * that was asked, is told, although the node that was asked lives. */

// RUN: %skeincc -O2 -I%S/Inputs %s -o %t
// RUN: env SKEIN_OPTIONS=steal=off,deaths=survive %python %S/Inputs/death.py --survive \
// RUN:   %run -n 3 --timeout 30 %t 2>&1 | FileCheck %s
// CHECK-DAG: caller on node 0: code 4: the handler's thread was lost with node 1
// CHECK-DAG: caller on node 2: code 4: the handler's thread was lost with node 1
// CHECK-DAG: one that has answered: code 0
// CHECK: status 0, nothing left

#include "check.h"
#include <skein/messages.h>

static void leave(skein_shared int *there) {
  CHECK(skein_push_self(1) == SKEIN_OK);
  __atomic_fetch_add(there, 1, __ATOMIC_SEQ_CST);
  for (;;)
    usleep(1000), skein_yield();
}

SKEIN_THREADED_HANDLER(leaves, message) { leave(*(skein_shared int *const *)message->data); }
SKEIN_THREADED_HANDLER(answers_and_leaves, message) {
  skein_shared int *there = *(skein_shared int *const *)message->data;
  skein_reply(message, NULL, 0);
  leave(there);
}

static void caller(int node, skein_shared int *there) {
  CHECK(skein_push_self(node) == SKEIN_OK);
  int code = skein_call(0, &leaves, &there, sizeof there, NULL, 0, NULL);
  printf("caller on node %d: code %d: %s\n", node, code, skein_error_text());
  fflush(stdout);
}

int main(void) {
  skein_shared int *there = skein_shared_alloc(0, sizeof *there);
  skein_thread_t callers[2] = {skein_spawn(caller, 0, there), skein_spawn(caller, 2, there)};
  int code = skein_call(0, &answers_and_leaves, &there, sizeof there, NULL, 0, NULL);
  printf("one that has answered: code %d\n", code);
  while (*(volatile skein_shared int *)there < 3)
    skein_yield();
  printf("kill node 1 now\n");
  fflush(stdout);
  for (int i = 0; i < 2; i++)
    CHECK(skein_join(callers[i]) == SKEIN_OK);
  return 0;
}
