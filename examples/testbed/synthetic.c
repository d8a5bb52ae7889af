/* `synthetic`: threads that only compute, pairs that only communicate, and pairs that do both, all of them begun on
 * node 0, or each on a random node. What balances them is the policy of the run. (The Testbed, sections 4.3.1, A.6.)
 *
 *     skein run -n 2 synthetic computing=20 work=500
 *     SKEIN_OPTIONS=policy=testbed skein run -n 2 synthetic pairs=20 work=5000
 *
 * Arguments, as name=number: computing, pairs, mixed: how many threads or pairs of each kind; work: how many times each
 * of them goes round (100; computing 1 ms each time, mixed 100 us); bytes: of a message (5000); random: 1, if each
 * begins on a random node; seed. Prints how long all of it took. */
#include "testbed.h"

#include <limits.h>

enum { message_most = 5000, threads_most = 2000 };

struct settings {
  long computing, pairs, mixed, work, bytes, random, seed;
};

static void computes(int node, long work, uint64_t rounds) {
  begin_on(node);
  volatile uint64_t sink;
  for (long i = 0; i < work; i++)
    sink = compute(rounds);
  (void)sink;
}

static void sends(int node, skein_channel_t to, long work, long bytes, uint64_t rounds) {
  begin_on(node);
  char buffer[message_most] = {0};
  volatile uint64_t sink;
  for (long i = 0; i < work; i++) {
    sink = compute(rounds);
    must(skein_channel_send(to, buffer, (size_t)bytes), "skein_channel_send");
  }
  (void)sink;
}

static void receives(int node, skein_channel_t from, long work, uint64_t rounds) {
  begin_on(node);
  char buffer[message_most];
  volatile uint64_t sink;
  for (long i = 0; i < work; i++) {
    sink = compute(rounds);
    must(skein_channel_receive(from, buffer, sizeof buffer, NULL), "skein_channel_receive");
  }
  (void)sink;
}

int main(int argc, char **argv) {
  struct settings settings = {.work = 100, .bytes = message_most, .seed = 1};
  const struct named known[] = {{"computing", &settings.computing, 0, threads_most},
                                {"pairs", &settings.pairs, 0, threads_most},
                                {"mixed", &settings.mixed, 0, threads_most},
                                {"work", &settings.work, 0, LONG_MAX},
                                {"bytes", &settings.bytes, 0, message_most},
                                {"random", &settings.random, 0, LONG_MAX},
                                {"seed", &settings.seed, 0, LONG_MAX}};
  for (int i = 1; i < argc; i++)
    if (!read_named(known, sizeof known / sizeof *known, argv[i])) {
      fprintf(stderr,
              "synthetic: what is '%s'? computing=, pairs=, mixed=, work=, bytes=, random=, seed= a number; at most %d "
              "bytes\n",
              argv[i], message_most);
      return 2;
    }
  if (settings.computing + 2 * (settings.pairs + settings.mixed) > threads_most) {
    fprintf(stderr, "synthetic: at most %d threads\n", threads_most);
    return 2;
  }
  skein_main_stays(1);
  srandom((unsigned)settings.seed);
  const uint64_t us = rounds_a_microsecond();
  skein_thread_t threads[threads_most];
  int count = 0;
#define SOME_NODE (settings.random ? (int)(random() % skein_nodes()) : skein_node())
  const uint64_t begin = now_ns();
  for (long i = 0; i < settings.pairs + settings.mixed; i++) {
    const uint64_t rounds = i < settings.pairs ? 0 : 100 * us;
    const int first = SOME_NODE, second = SOME_NODE;
    const skein_channel_t channel = skein_channel_create_on(second, 0);
    threads[count++] = skein_spawn(sends, first, channel, settings.work, settings.bytes, rounds);
    threads[count++] = skein_spawn(receives, second, channel, settings.work, rounds);
  }
  for (long i = 0; i < settings.computing; i++)
    threads[count++] = skein_spawn(computes, SOME_NODE, settings.work, 1000 * us);
  for (int i = 0; i < count; i++)
    must(skein_join(threads[i]), "skein_join");
  printf("%d threads: %llu us\n", count, (unsigned long long)(now_ns() - begin) / 1000);
  return 0;
}
