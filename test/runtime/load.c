/* A program asks each node for its load: threads that live there and are ready, processor time, messages over channels
 * that went to other nodes. */

// RUN: %skeincc -O2 %s -o %t && env SKEIN_OPTIONS=policy=none,channel_patience=0,workers=1 %run -n 2 %t | FileCheck %s
// CHECK: node 1: 3 threads, of which 2 are ready and 1 has a worker
// CHECK-NEXT: node 1 has computed; node 0 has sent 5 messages, node 1 none
#include <skein/channel.h>
#include <skein/skein.h>

#include <stdio.h>

static void spins(skein_channel_t over) {
  skein_push_self(1);
  while (skein_yield(), skein_channel_timedreceive_ns(over, 0, 0, 0, 0) == SKEIN_ETIME)
    for (volatile int i = 0; i < 10000; i++)
      ;
}

static void receives(skein_channel_t from, int count) {
  skein_push_self(1);
  for (int number; count; count--)
    skein_channel_receive(from, &number, sizeof number, 0);
}

int main(void) {
  const skein_channel_t over = skein_channel_create_on(1, 0), numbers = skein_channel_create_on(1, 0);
  skein_thread_t threads[3];
  for (int i = 0; i < 3; i++)
    threads[i] = skein_spawn(spins, over);
  struct skein_statistics load, own;
  do
    if (skein_statistics_get(1, &load))
      return 1;
  while (load.threads_living != 3 || load.threads_ready != 2 || load.workers_busy != 1 || load.cpu_us < 1000);
  printf("node 1: %d threads, of which %d are ready and %d has a worker\n", (int)load.threads_living,
         (int)load.threads_ready, (int)load.workers_busy);
  const skein_thread_t receiver = skein_spawn(receives, numbers, 5);
  for (int i = 0; i < 5; i++)
    if (skein_channel_send(numbers, &i, sizeof i))
      return 2;
  if (skein_join(receiver) || skein_channel_close(over) || skein_statistics_get(0, &own) ||
      skein_statistics_get(1, &load))
    return 3;
  for (int i = 0; i < 3; i++)
    skein_join(threads[i]);
  printf("node 1 has computed; node 0 has sent %d messages, node 1 %s\n", (int)own.channels_sent,
         load.channels_sent ? "some" : "none");
  return 0;
}
