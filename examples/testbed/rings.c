/* `rings`: threads that talk to their two neighbours in a ring, several rings at once, and threads that talk to nobody.
 * Which rings there are is not written anywhere: a policy that knows who talks to whom finds out, and then every ring
 * can be on one node.
 *
 *     SKEIN_OPTIONS=policy=affinity skein run -n 4 rings rings=8 size=6 spread=1
 *
 * Arguments, as name=number: rings, size: so many rings of so many threads (8 of 6); computing: so many threads that
 * only compute, 1 ms at a time (0), for ms (1000); laps: how many messages each thread of a ring sends (20000); bytes:
 * of a message (64); work: microseconds that it computes before each of them (0); spread: 1, if the threads of a ring
 * begin on one node after the other, 0, if all begin on this one.
 *
 * Prints how long all of it took, and which part of the messages of the last quarter went between nodes. A message says
 * whose it was at first and how often it was passed on, so a lost or doubled one is noticed. */
#include "testbed.h"

#include <limits.h>

enum { bytes_most = 4096, threads_most = 4000 };

struct settings {
  long rings, size, computing, ms, laps, bytes, work, spread;
};

struct token {
  long owner, passed;
};

/* A place in a ring. */
struct member {
  skein_channel_t to, from, arrived, go;
  long node, at, size, laps, bytes;
  uint64_t rounds;
};

static void pass(const struct member *self, long laps, struct token *token) {
  char buffer[bytes_most] = {0};
  volatile uint64_t sink;
  for (long i = 0; i < laps; i++) {
    sink = compute(self->rounds);
    token->passed++;
    memcpy(buffer, token, sizeof *token);
    must(skein_channel_send(self->to, buffer, (size_t)self->bytes), "skein_channel_send");
    must(skein_channel_receive(self->from, buffer, sizeof buffer, NULL), "skein_channel_receive");
    memcpy(token, buffer, sizeof *token);
  }
  (void)sink;
}

/* Any thread takes any place that main has to give. */
static void talks(skein_channel_t places) {
  struct member self;
  must(skein_channel_receive(places, &self, sizeof self, NULL), "skein_channel_receive");
  begin_on((int)self.node);
  struct token token = {self.at, 0};
  const long last = self.laps / 4;
  pass(&self, self.laps - last, &token);
  const char here = 1;
  char gone;
  must(skein_channel_send(self.arrived, &here, 1), "skein_channel_send");
  must(skein_channel_receive(self.go, &gone, 1, NULL), "skein_channel_receive");
  pass(&self, last, &token);
  const long owner = ((self.at - self.laps) % self.size + self.size) % self.size;
  if (token.owner != owner || token.passed != self.laps) {
    fprintf(stderr, "rings: thread %ld has got message %ld, passed on %ld times; it should be message %ld, %ld times\n",
            self.at, token.owner, token.passed, owner, self.laps);
    exit(1);
  }
}

static void computes(int node, long ms, uint64_t rounds) {
  begin_on(node);
  volatile uint64_t sink;
  for (long i = 0; i < ms; i++)
    sink = compute(rounds);
  (void)sink;
}

/* Messages over channels that went between nodes, so far. */
static uint64_t sent_between_nodes(void) {
  uint64_t sum = 0;
  for (int node = 0; node < skein_nodes(); node++) {
    struct skein_statistics of;
    if (skein_statistics_get(node, &of) == 0)
      sum += of.channels_sent;
  }
  return sum;
}

int main(int argc, char **argv) {
  struct settings settings = {.rings = 8, .size = 6, .ms = 1000, .laps = 20000, .bytes = 64};
  const struct named known[] = {{"rings", &settings.rings, 0, threads_most},
                                {"size", &settings.size, 2, threads_most},
                                {"computing", &settings.computing, 0, threads_most},
                                {"ms", &settings.ms, 0, LONG_MAX},
                                {"laps", &settings.laps, 4, LONG_MAX},
                                {"bytes", &settings.bytes, sizeof(struct token), bytes_most},
                                {"work", &settings.work, 0, 1000000},
                                {"spread", &settings.spread, 0, 1}};
  for (int i = 1; i < argc; i++)
    if (!read_named(known, sizeof known / sizeof *known, argv[i])) {
      fprintf(stderr,
              "rings: what is '%s'? rings=, size=, computing=, ms=, laps=, bytes=, work=, spread= a number; a message "
              "has %zu "
              "to %d bytes\n",
              argv[i], sizeof(struct token), bytes_most);
      return 2;
    }
  const long members = settings.rings * settings.size;
  if (members + settings.computing > threads_most) {
    fprintf(stderr, "rings: at most %d threads\n", threads_most);
    return 2;
  }
  skein_main_stays(1);
  const uint64_t us = rounds_a_microsecond();
  skein_channel_t channels[threads_most];
  skein_thread_t threads[threads_most];
  const skein_channel_t places = skein_channel_create(16), arrived = skein_channel_create(16),
                        go = skein_channel_create(16);
  for (long i = 0; i < members; i++)
    channels[i] = skein_channel_create(1);
  const uint64_t begin = now_ns();
  long count = 0;
  for (long ring = 0; ring < settings.rings; ring++)
    for (long at = 0; at < settings.size; at++) {
      const skein_channel_t *of = channels + ring * settings.size;
      const struct member place = {.to = of[at],
                                   .from = of[(at + settings.size - 1) % settings.size],
                                   .arrived = arrived,
                                   .go = go,
                                   .node = settings.spread ? at % skein_nodes() : 0,
                                   .at = at,
                                   .size = settings.size,
                                   .laps = settings.laps,
                                   .bytes = settings.bytes,
                                   .rounds = (uint64_t)settings.work * us};
      threads[count++] = skein_spawn(talks, places);
      must(skein_channel_send(places, &place, sizeof place), "skein_channel_send");
    }
  for (long i = 0; i < settings.computing; i++)
    threads[count++] = skein_spawn(computes, 0, settings.ms, 1000 * us);
  char word = 1;
  for (long i = 0; i < members; i++)
    must(skein_channel_receive(arrived, &word, 1, NULL), "skein_channel_receive");
  const uint64_t before = sent_between_nodes();
  for (long i = 0; i < members; i++)
    must(skein_channel_send(go, &word, 1), "skein_channel_send");
  for (long i = 0; i < count; i++)
    must(skein_join(threads[i]), "skein_join");
  const uint64_t took = now_ns() - begin;
  printf("%ld threads: %llu us\n", count, (unsigned long long)took / 1000);
  if (members)
    printf("in the end %.1f %% of the messages go between nodes\n",
           100.0 * (double)(sent_between_nodes() - before) / (double)(members * (settings.laps / 4)));
  return 0;
}
