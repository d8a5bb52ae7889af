/* A node is killed with kill -9. Threads that wait for its reply, for a credit, for a copy or for the run to be at rest
 * are told, the reply's handler is called, and what is sent later fails at once. */

// RUN: %skeincc -O2 -Wno-skein-global -I%S/Inputs %s -o %t
// RUN: env SKEIN_OPTIONS=steal=off,message_credits=4 \
// RUN:   %python %S/Inputs/death.py %run -n 3 --timeout 30 %t 2>&1 | FileCheck %s
// RUN: env SKEIN_OPTIONS=steal=off,message_credits=4 \
// RUN:   %python %S/Inputs/death.py %run -n 2 --timeout 30 %t 2>&1 | FileCheck %s
// CHECK: kill node 1 now
// CHECK-DAG: skein_call: code 4: node 1 died before it answered
// CHECK-DAG: skein_send: code 4: node 1 died before the request could be sent
// CHECK-DAG: skein_get: code 4: node 1 died before it answered
// CHECK-DAG: skein_pending_wait: code 4: node 1 died before it answered
// CHECK-DAG: skein_quiesce: code 4: skein_quiesce: node 1 died
// CHECK-DAG: reply: status 4, argument 55
// CHECK-DAG: late: code 4: skein_call: node 1 is dead
// CHECK: status 137, nothing left

#include "check.h"
#include <skein/messages.h>

static void told(const char *who, int code) { printf("%s: code %d: %s\n", who, code, skein_error_text()); }

/* Keeps its node's transport busy: later requests are not handled, and no credit comes back. */
SKEIN_HANDLER(hang, message) {
  (void)message;
  for (;;)
    usleep(100000);
}
SKEIN_THREADED_HANDLER(never, message) { skein_semaphore_wait(*(const skein_semaphore_t *)message->data); }
SKEIN_HANDLER(nothing, message) { (void)message; }
SKEIN_HANDLER(on_reply, message) { printf("reply: status %d, argument %d\n", message->status, (int)message->argument); }

static void caller(skein_semaphore_t semaphore) {
  told("skein_call", skein_call(1, &never, &semaphore, sizeof semaphore, NULL, 0, NULL));
}
static void sender(void) {
  int code;
  while ((code = skein_send(1, &nothing, NULL, 0)) == SKEIN_OK)
    ;
  told("skein_send", code);
}
static void quiescer(void) { told("skein_quiesce", skein_quiesce()); }

static char memory[100];
SKEIN_HANDLER(open, message) { skein_reply(message, memory, sizeof memory); }
static void getter(skein_window_t window) {
  char byte;
  told("skein_get", skein_get(&byte, window, 0, 1));
}

int main(void) {
  skein_semaphore_t semaphore = skein_semaphore_create(0);
  skein_window_t window = 0;
  CHECK(skein_push_self(1) == SKEIN_OK);
  CHECK((window = skein_window_open(memory, sizeof memory)));
  CHECK(skein_push_self(0) == SKEIN_OK);
  skein_spawn(caller, semaphore);
  CHECK(skein_request(1, &never, &semaphore, sizeof semaphore, &on_reply, 55) == SKEIN_OK);
  usleep(50000);
  skein_yield();
  CHECK(skein_send(1, &hang, NULL, 0) == SKEIN_OK);
  skein_pending_t pending = skein_put_start(window, 0, "x", 1);
  CHECK(pending);
  skein_spawn(getter, window);
  skein_spawn(quiescer);
  skein_yield();
  skein_spawn(sender);
  for (int i = 0; i < 100; i++) {
    usleep(1000);
    skein_yield();
  }
  printf("kill node 1 now\n");
  told("skein_pending_wait", skein_pending_wait(pending));
  told("late", skein_call(1, &nothing, NULL, 0, NULL, 0, NULL));
  for (;;)
    skein_yield();
}
