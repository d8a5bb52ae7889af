/* deaths=survive: who waits for a channel of a node that dies is told; who waited there is gone from other channels,
 * and these go on. */

// RUN: %skeincc -O2 -I%S/Inputs %s -o %t
// RUN: env SKEIN_OPTIONS=steal=off,deaths=survive %python %S/Inputs/death.py --survive \
// RUN:   %run -n 3 --timeout 30 %t 2>&1 | FileCheck %s
// CHECK-DAG: send: 4: skein_channel_send: node 1, where the channel lives, died
// CHECK-DAG: alternative: case 1, 4: skein_alt: case 1: the node of the channel died
// CHECK-DAG: after it: 4: skein_channel_receive: the node of the channel died
// CHECK-DAG: the others: 42
// CHECK: status 0, nothing left

#include "check.h"
#include <skein/channel.h>
#include <skein/migration.h>
#include <skein/sync.h>

enum { MS = 1000000 };

static void say(const char *what, int code) { printf("%s: %d: %s\n", what, code, skein_error_text()); }

static void sends_there(skein_channel_t there) { say("send", skein_channel_send(there, "x", 1)); }

static void chooses(skein_channel_t here, skein_channel_t there) {
  int value;
  struct skein_alternative cases[] = {SKEIN_RECEIVES(here, value), SKEIN_RECEIVES(there, value)};
  const int happened = skein_alt(cases, 2);
  printf("alternative: case %d, %d: %s\n", happened, cases[happened].code, skein_error_text());
}

/* They stand in a channel of node 0, and die with their node. */
static void receives_here(skein_channel_t here) {
  int value;
  skein_push_self(1);
  skein_channel_receive(here, &value, sizeof value, 0);
}
static void chooses_here(skein_channel_t here) {
  int value;
  skein_push_self(1);
  struct skein_alternative cases[] = {SKEIN_RECEIVES(here, value), SKEIN_AFTER(UINT64_MAX / 2)};
  skein_alt(cases, 2);
}

static int from_node_2(skein_channel_t here) {
  int value = 42;
  skein_push_self(2);
  return skein_channel_send(here, &value, sizeof value);
}

int main(void) {
  skein_channel_t here = skein_channel_create(0), there = skein_channel_create_on(1, 0),
                  empty = skein_channel_create(0);
  skein_thread_t waits[] = {skein_spawn(sends_there, there),
                            skein_spawn(chooses, empty, skein_channel_create_on(1, 0))};
  skein_spawn(receives_here, here);
  skein_spawn(chooses_here, here);
  skein_sleep_ns(100 * MS);
  puts("kill node 1 now");
  fflush(stdout);
  for (int i = 0; i < 2; i++)
    skein_join(waits[i]);
  int value = 0;
  say("after it", skein_channel_receive(there, &value, sizeof value, 0));
  skein_thread_t sender = skein_spawn(from_node_2, here);
  skein_channel_receive(here, &value, sizeof value, 0);
  printf("the others: %d\n", value);
  return skein_join(sender);
}
