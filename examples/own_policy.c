/* A balancing policy of one's own, in thirty lines: a node that has nothing to do asks the node that had the most last
 * time, and all nodes tell how much they have. SKEIN_OPTIONS=policy=ask_the_rich skein run -n 3 own_policy */
#include <skein/policy.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static unsigned ready[512]; /* on each node, as they said */
static int asking;

SKEIN_NOMIGRATE static void ask(void) {
  int richest = 0;
  for (int node = 1; node < skein_nodes(); node++)
    if (ready[node] > ready[richest])
      richest = node;
  if (!asking && ready[richest] > 1 && skein_policy_ready() == 0)
    asking = skein_policy_steal(richest, 0);
}

SKEIN_NOMIGRATE static void answered(int node, unsigned threads) {
  (void)threads;
  asking = 0;
  ready[node] = 0; /* until it says more */
}

SKEIN_NOMIGRATE static uint64_t tick(uint64_t now) {
  unsigned mine = skein_policy_ready();
  for (int node = 0; node < skein_nodes() && mine > 1; node++)
    skein_policy_tell(node, &mine, sizeof mine);
  (void)now;
  skein_policy_watch();
  return mine ? 1000000 : 50000000; /* ns */
}

SKEIN_NOMIGRATE static void told(int from, const void *data, size_t bytes) {
  if (bytes == sizeof *ready)
    memcpy(&ready[from], data, bytes);
  if (skein_policy_idle_workers() > 0)
    ask();
}

SKEIN_POLICY(ask_the_rich, .what = "GDGM, receiver", .idle = ask, .answered = answered, .tick = tick, .told = told);

static void work(int number) {
  usleep(3000); /* asleep, its worker is busy all the same */
  printf("%d on node %d\n", number, skein_node());
}

int main(void) {
  for (int i = 0; i < 60; i++)
    skein_spawn(work, i);
  return 0;
}
