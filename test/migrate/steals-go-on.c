/* A node whose worker has nothing to do goes on asking others for threads, also after threads have come and left again
   before they could run: for three seconds threads of a ring are stolen back and forth, and in the last half of a
   second every node has still stolen some. */
// RUN: %skeincc -O2 %s -o %t
// RUN: %run -n 3 %t | FileCheck %s
// CHECK: every node steals
#include <skein/channel.h>
#include <skein/sync.h>
#include <stdio.h>
#include <stdlib.h>

enum { members = 7, ms = 1000000 };
struct ring {
  skein_channel_t up[members], down[members];
};

static void member(skein_channel_t table, int self) {
  struct ring ring;
  skein_channel_receive(table, &ring, sizeof ring, 0);
  const int above = (self + 1) % members, below = (self + members - 1) % members;
  volatile long work = 0;
  int out = self, in[2] = {0, 0};
  for (;;) {
    struct skein_alternative cases[] = {SKEIN_SENDS(ring.up[above], out), SKEIN_SENDS(ring.down[below], out),
                                        SKEIN_RECEIVES(ring.up[self], in[0]), SKEIN_RECEIVES(ring.down[self], in[1])};
    for (int left = 4; left; left--)
      cases[skein_alt(cases, 4)].kind = SKEIN_ALT_NEVER;
    for (int i = 0; i < 30000; i++)
      work++;
  }
}

int main(void) {
  struct ring ring;
  for (int i = 0; i < members; i++) {
    ring.up[i] = skein_channel_create_on(i % skein_nodes(), 0);
    ring.down[i] = skein_channel_create_on(i % skein_nodes(), 0);
  }
  const skein_channel_t table = skein_channel_create(0);
  for (int i = 0; i < members; i++)
    skein_spawn(member, table, i);
  for (int i = 0; i < members; i++)
    skein_channel_send(table, &ring, sizeof ring);
  struct skein_statistics before[3], after;
  skein_sleep_ns(2500ull * ms);
  for (int node = 0; node < 3; node++)
    skein_statistics_get(node, before + node);
  skein_sleep_ns(500ull * ms);
  for (int node = 0; node < 3; node++) {
    skein_statistics_get(node, &after);
    if (after.threads_stolen == before[node].threads_stolen) {
      printf("node %d has stolen %llu threads, and none any more\n", node, (unsigned long long)after.threads_stolen);
      exit(1);
    }
  }
  puts("every node steals");
  exit(0); // the ring would go on
}
