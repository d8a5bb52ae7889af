// The run ends though daemons live, blocked or on their way, on any node; and it waits for all other threads.
// RUN: %skeincc -Wno-skein-global -O2 %s -o %t && %run -n 1 --timeout 20 %t | FileCheck %s
// RUN: env SKEIN_OPTIONS=steal=off %run -n 3 --timeout 20 %t | FileCheck %s
// RUN: env SKEIN_OPTIONS=workers=2 %run -n 2 --timeout 20 %t | FileCheck %s
#include <skein/channel.h>
#include <skein/skein.h>
#include <skein/sync.h>
#include <stdio.h>

static void serve(skein_channel_t requests) {
  skein_daemon();
  skein_daemon(); // once more is once
  for (long number;;) {
    if (skein_channel_receive(requests, &number, sizeof number, NULL) != SKEIN_OK)
      return;
    printf("served %ld\n", number);
    fflush(stdout);
    skein_push_self((int)(number % skein_nodes()));
  }
}

static void ends(int node) { // a daemon that ends is counted once
  skein_daemon();
  skein_push_self(node);
}

static void late(skein_channel_t requests) {
  skein_sleep_ns(50000000);
  for (long number = 1; number <= 4; number++) // when the last one has been received, the third has been printed
    skein_channel_send(requests, &number, sizeof number);
  puts("the last one");
}

int main(void) {
  skein_daemon(); // of no effect for main
  skein_channel_t requests = skein_channel_create(0);
  for (int i = 0; i < 3; i++)
    skein_join(skein_spawn(ends, i % skein_nodes()));
  skein_spawn(serve, requests);
  skein_spawn(late, requests);
  return 0;
}
// CHECK-DAG: served 1
// CHECK-DAG: served 2
// CHECK-DAG: served 3
// CHECK-DAG: the last one
