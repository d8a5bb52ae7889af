/* skein_push moves a ready thread, whether it has started or not, and for all others says why it does not. */

// RUN: %skeincc -O2 -I%S/Inputs %s -o %t
// RUN: env SKEIN_OPTIONS=steal=off,workers=1 %run -n 2 --timeout 30 %t | FileCheck %s
// RUN: env SKEIN_OPTIONS=steal=off,workers=1,stacks=relocate,image=any %run -n 2 --timeout 30 %t | FileCheck %s
// CHECK: fresh on node 1
// CHECK-NEXT: started on node 1
// CHECK-NEXT: blocked: skein_push: thread {{[0-9]+}} is blocked
// CHECK-NEXT: ended: skein_push: thread {{[0-9]+}} is not on this node
// CHECK-NEXT: no node: skein_push: there is no node 7, only 0 to 1

#include "check.h"
#include <skein/migration.h>
#include <skein/sync.h>

static void where(skein_shared int *to) { *to = skein_node(); }

static void started_then_where(skein_shared int *to) {
  int here = skein_node();
  int *pointer = &here;
  skein_yield(); /* it is pushed while it waits for its turn */
  *to = skein_node();
  CHECK(*pointer == 0);
}

static skein_sem_t here = SKEIN_SEM_INITIALIZER(0);
static void wait_for(void) { CHECK(skein_sem_wait(&here) == SKEIN_OK); }

int main(void) {
  skein_shared int *to = skein_shared_alloc(0, sizeof(int));
  skein_thread_t fresh = skein_spawn(where, to);
  CHECK(skein_push(fresh, 1) == SKEIN_OK);
  CHECK(skein_join(fresh) == SKEIN_OK);
  printf("fresh on node %d\n", *to);

  skein_thread_t started = skein_spawn(started_then_where, to);
  skein_yield();
  CHECK(skein_push(started, 1) == SKEIN_OK);
  CHECK(skein_join(started) == SKEIN_OK);
  printf("started on node %d\n", *to);

  skein_thread_t blocked = skein_spawn(wait_for);
  skein_yield();
  CHECK(skein_push(blocked, 1) == SKEIN_ETHREAD);
  printf("blocked: %s\n", skein_error_text());
  CHECK(skein_push(blocked, 0) == SKEIN_OK); /* it is there already */
  CHECK(skein_pending_wait(skein_push_start(blocked, 0)) == SKEIN_OK);
  CHECK(skein_sem_signal(&here) == SKEIN_OK);
  CHECK(skein_join(blocked) == SKEIN_OK);

  CHECK(skein_push(fresh, 1) == SKEIN_ETHREAD);
  printf("ended: %s\n", skein_error_text());
  CHECK(skein_push(skein_self(), 7) == SKEIN_ENODE);
  CHECK(skein_push(fresh, 7) == SKEIN_ENODE);
  printf("no node: %s\n", skein_error_text());
  return 0;
}
