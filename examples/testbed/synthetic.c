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

enum { message_most = 5000, threads_most = 2000 };

struct settings {
  long computing, pairs, mixed, work, bytes, random, seed;
};

static int read_setting(struct settings *settings, const char *text) {
  const struct {
    const char *name;
    long *value;
  } known[] = {{"computing", &settings->computing},
               {"pairs", &settings->pairs},
               {"mixed", &settings->mixed},
               {"work", &settings->work},
               {"bytes", &settings->bytes},
               {"random", &settings->random},
               {"seed", &settings->seed}};
  const char *equals = strchr(text, '=');
  for (size_t i = 0; equals && i < sizeof known / sizeof *known; i++)
    if (strlen(known[i].name) == (size_t)(equals - text) && !strncmp(text, known[i].name, (size_t)(equals - text))) {
      char *end;
      *known[i].value = strtol(equals + 1, &end, 10);
      return end != equals + 1 && !*end && *known[i].value >= 0;
    }
  return 0;
}

/* A thread goes to its node, if it has one, before it begins. */
static void begin_on(int node) {
  if (node >= 0 && node != skein_node())
    must(skein_push_self(node), "skein_push_self");
}

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
  for (int i = 1; i < argc; i++)
    if (!read_setting(&settings, argv[i])) {
      fprintf(stderr, "synthetic: what is '%s'? computing=, pairs=, mixed=, work=, bytes=, random=, seed= a number\n",
              argv[i]);
      return 2;
    }
  if (settings.bytes > message_most || settings.computing + 2 * (settings.pairs + settings.mixed) > threads_most) {
    fprintf(stderr, "synthetic: at most %d bytes, and %d threads\n", message_most, threads_most);
    return 2;
  }
  skein_main_stays(1);
  srandom((unsigned)settings.seed);
  const uint64_t us = rounds_a_microsecond();
  skein_thread_t threads[threads_most];
  int count = 0;
#define SOME_NODE (settings.random ? (int)(random() % skein_nodes()) : -1)
  const uint64_t begin = now_ns();
  for (long i = 0; i < settings.pairs + settings.mixed; i++) {
    const uint64_t rounds = i < settings.pairs ? 0 : 100 * us;
    const int first = SOME_NODE, second = SOME_NODE;
    const skein_channel_t channel = skein_channel_create_on(second < 0 ? skein_node() : second, 0);
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
