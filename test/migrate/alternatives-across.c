/* Alternatives of threads that move while they wait, over channels of all nodes, with deadlines: nothing is lost, and
   nothing comes twice, also where both sides of a channel are alternatives. */
// RUN: %skeincc -O2 %s -o %t
// RUN: %run -n 2 %t | FileCheck %s
// RUN: %run -n 4 %t | FileCheck %s
// RUN: env SKEIN_OPTIONS=stacks=relocate,image=any %run -n 3 %t | FileCheck %s
// RUN: env SKEIN_OPTIONS=net_delay_us=300 %run -n 3 %t | FileCheck %s
// CHECK: each came once, and no other
#include <skein/channel.h>
#include <skein/migration.h>
#include <stdio.h>
#include <stdlib.h>

enum { CHANNELS = 5, SENDERS = 8, RECEIVERS = 5, EACH = 800, MS = 1000000 };

struct item {
  int from, number;
  unsigned check;
};
static unsigned check_of(int from, int number) { return (unsigned)(from * 31337 + number * 7 + 1); }

static unsigned next(unsigned *state) { return *state = *state * 1664525 + 1013904223; }

static void wander(unsigned *state) {
  if (next(state) >> 27 == 0)
    skein_push_self((int)((*state >> 8) % (unsigned)skein_nodes()));
}

static void fail(const char *what, int code) {
  printf("%s: %d: %s\n", what, code, skein_error_text());
  exit(1);
}

/* A channel of each node has the same number there, since all were made in the same way. */
static skein_channel_t channel_of(skein_channel_t first, unsigned i) {
  return first + (i % (unsigned)skein_nodes() * (UINT64_C(1) << 40)) + i / (unsigned)skein_nodes();
}

static void sender(skein_channel_t first, int me) {
  unsigned random = (unsigned)me * 77 + 5;
  for (int i = 0; i < EACH;) {
    struct item item = {me, i, check_of(me, i)};
    wander(&random);
    const skein_channel_t one = channel_of(first, next(&random) % CHANNELS);
    if (next(&random) >> 31) {
      struct skein_alternative cases[] = {SKEIN_SENDS(one, item),
                                          SKEIN_SENDS(channel_of(first, next(&random) % CHANNELS), item),
                                          SKEIN_AFTER(1 + next(&random) % (MS / 5))};
      const int happened = skein_alt(cases, 3);
      if (happened < 0 || cases[happened].code)
        fail("alternative that sends", happened);
      i += happened < 2;
    } else {
      const int code = skein_channel_timedsend_ns(one, &item, sizeof item, next(&random) % (MS / 3));
      if (code && code != SKEIN_ETIME)
        fail("send", code);
      i += !code;
    }
  }
}

static void receiver(skein_channel_t first, skein_channel_t to) {
  unsigned random = (unsigned)skein_self();
  for (;;) {
    struct item item = {0, 0, 0};
    wander(&random);
    struct skein_alternative cases[CHANNELS + 1];
    for (unsigned i = 0; i < CHANNELS; i++) {
      cases[i] = (struct skein_alternative)SKEIN_RECEIVES(channel_of(first, i), item);
    }
    cases[CHANNELS] = (struct skein_alternative)SKEIN_AFTER(MS + next(&random) % MS);
    const int happened = next(&random) >> 30 ? skein_alt(cases, CHANNELS + 1) : skein_alt_ordered(cases, CHANNELS + 1);
    if (happened == CHANNELS)
      continue;
    if (happened >= 0 && cases[happened].code == SKEIN_ECLOSED)
      return;
    if (happened < 0 || cases[happened].code || cases[happened].got != sizeof item ||
        item.check != check_of(item.from, item.number))
      fail("alternative that receives", happened);
    if (skein_channel_send(to, &item, sizeof item))
      fail("result", item.number);
  }
}

int main(void) {
  skein_channel_t first = 0, made[CHANNELS];
  for (unsigned i = 0; i < CHANNELS; i++) {
    made[i] = skein_channel_create_on((int)i % skein_nodes(), i % 3 == 2 ? 4 : 0);
    first = i ? first : made[0];
    if (made[i] != channel_of(first, i))
      fail("channel", (int)i);
  }
  skein_channel_t to = skein_channel_create(100);
  skein_thread_t senders[SENDERS], receivers[RECEIVERS];
  for (int i = 0; i < SENDERS; i++)
    senders[i] = skein_spawn(sender, first, i);
  for (int i = 0; i < RECEIVERS; i++)
    receivers[i] = skein_spawn(receiver, first, to);
  static char seen[SENDERS][EACH];
  unsigned random = 9;
  struct item item;
  for (int i = 0; i < SENDERS * EACH; i++) {
    if (skein_channel_timedreceive_ns(to, &item, sizeof item, 0, UINT64_C(30000) * MS))
      fail("missing", i);
    if (seen[item.from][item.number]++)
      fail("twice", item.number);
    if (i % 8 == 0) {
      skein_push(senders[next(&random) % SENDERS], (int)(next(&random) % (unsigned)skein_nodes()));
      skein_push(receivers[next(&random) % RECEIVERS], (int)(next(&random) % (unsigned)skein_nodes()));
    }
  }
  for (int i = 0; i < SENDERS; i++)
    skein_join(senders[i]);
  if (skein_channel_timedreceive_ns(to, &item, sizeof item, 0, 10 * MS) != SKEIN_ETIME)
    fail("one too many", item.number);
  for (int i = 0; i < CHANNELS; i++)
    if (skein_channel_close(made[i]))
      fail("close", i);
  for (int i = 0; i < RECEIVERS; i++)
    skein_join(receivers[i]);
  puts("each came once, and no other");
}
