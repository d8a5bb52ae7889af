/* Channels between nodes whose ends move while they run and while they wait: every message once, and in order. */
// RUN: %skeincc -O2 %s -o %t
// RUN: %run -n 2 %t | FileCheck %s
// RUN: %run -n 3 --transport tcp %t | FileCheck %s
// RUN: env SKEIN_OPTIONS=stacks=relocate,image=any %run -n 4 --report %t 2>&1 | \
// RUN:   FileCheck %s --check-prefixes=CHECK,RELOCATED
// RUN: env SKEIN_OPTIONS=net_delay_us=300 %run -n 3 %t | FileCheck %s
// RUN: %run -n 2 %t late | FileCheck %s --check-prefix=LATE
// RUN: not %run -n 2 %t stuck 2>&1 | FileCheck %s --check-prefix=STUCK
#include <skein/channel.h>
#include <skein/migration.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHANNELS = 8, EACH = 3000, PUSHES = 3000 };

static int random_node(unsigned *state) {
  *state = *state * 1664525 + 1013904223;
  return (int)((*state >> 8) % (unsigned)skein_nodes());
}

static void fail(const char *what, int number) {
  printf("%s, at %d: %s\n", what, number, skein_error_text());
  exit(1);
}

/* Messages of 4 to 259 bytes: the number, and bytes that follow from it. */
static size_t write_message(unsigned char *to, int number) {
  const size_t more = (unsigned)number * 7 % 256;
  memcpy(to, &number, sizeof number);
  memset(to + sizeof number, number, more);
  return sizeof number + more;
}

static void producer(skein_channel_t channel, unsigned seed) {
  unsigned char message[260] = {0};
  for (int i = 0; i < EACH; i++) {
    if (i % 32 == 0)
      skein_push_self(random_node(&seed));
    if (skein_channel_send(channel, message, write_message(message, i)))
      fail("send", i);
  }
  if (skein_channel_close(channel))
    fail("close", EACH);
}

static void consumer(skein_channel_t channel, unsigned seed) {
  unsigned char message[260] = {0}, expected[260] = {0};
  int number = 0, code;
  size_t got;
  while (!(code = skein_channel_receive(channel, message, sizeof message, &got))) {
    if (got != write_message(expected, number) || memcmp(message, expected, got))
      fail("another message", number);
    if (number++ % 32 == 0)
      skein_push_self(random_node(&seed));
  }
  if (code != SKEIN_ECLOSED || number != EACH)
    fail("receive", number);
}

/* Nobody sends: the wait ends after its time, and is not taken for one without end, which a run notices after a second.
 */
static void waits_elsewhere(skein_channel_t channel, uint64_t most_ns) {
  char to;
  skein_push_self(1);
  const int code = skein_channel_timedreceive_ns(channel, &to, 1, 0, most_ns);
  printf("late: %s\n", skein_error_name(code));
}
// LATE: late: SKEIN_ETIME
// STUCK: deadlock: every thread on every node waits
// STUCK: waits in skein_channel_receive

int main(int argc, char **argv) {
  if (argc > 1) {
    const uint64_t most_ns = argv[1][0] == 'l' ? UINT64_C(2500000000) : UINT64_MAX;
    return skein_join(skein_spawn(waits_elsewhere, skein_channel_create(0), most_ns));
  }
  skein_thread_t threads[2 * CHANNELS];
  skein_channel_t channels[CHANNELS];
  for (unsigned i = 0; i < CHANNELS; i++) {
    channels[i] = skein_channel_create_on((int)i % skein_nodes(), i % 3);
    if (!channels[i])
      fail("create", (int)i);
    threads[2 * i] = skein_spawn(producer, channels[i], i + 1);
    threads[2 * i + 1] = skein_spawn(consumer, channels[i], i + 100);
  }
  unsigned seed = 5, pushed = 0;
  for (int i = 0; i < PUSHES; i++) { /* most of them wait */
    pushed += skein_push(threads[(seed >> 4) % (2 * CHANNELS)], random_node(&seed)) == SKEIN_OK;
    skein_yield();
  }
  for (int i = 0; i < 2 * CHANNELS; i++)
    if (skein_join(threads[i]))
      fail("join", i);
  for (int i = 0; i < CHANNELS; i++)
    if (skein_channel_free(channels[i]) || skein_channel_send(channels[i], "x", 1) != SKEIN_ETHREAD)
      fail("free", i);
  if (!skein_channel_create_on(skein_nodes(), 0))
    printf("all came once and in order, some threads were pushed: %d; %s\n", pushed > 0, skein_error_text());
  return 0;
}
// CHECK: all came once and in order, some threads were pushed: 1; skein_channel_create_on: there is no node
// RELOCATED: (0 at the same address, {{[1-9][0-9]*}} relocated), 0 moves refused
