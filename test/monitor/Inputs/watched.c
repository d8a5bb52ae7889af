/* A run to be looked at: threads that compute for ever, and threads that wait for ever, on each node as many. */
#include <skein/channel.h>
#include <skein/migration.h>

static volatile long work;

static void computes(int node) {
  skein_push_self(node);
  for (;;) {
    for (int i = 0; i < 20000; i++)
      work++;
    skein_yield();
  }
}

static void waits(int node, skein_channel_t nothing) {
  skein_push_self(node);
  int never;
  skein_channel_receive(nothing, &never, sizeof never, 0);
}

int main(void) {
  const skein_channel_t nothing = skein_channel_create(0);
  for (int node = 0; node < skein_nodes(); node++) {
    for (int i = 0; i < 4; i++)
      skein_spawn(computes, node);
    for (int i = 0; i < 3; i++)
      skein_spawn(waits, node, nothing);
  }
  int never;
  skein_channel_receive(nothing, &never, sizeof never, 0);
}
