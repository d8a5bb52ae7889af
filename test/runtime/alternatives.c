/* Alternatives on one node: all messages come once, the order of PRI ALT, guards, time, else, and ends of channels. */
// RUN: %skeincc -O2 %s -o %t
// RUN: %t | FileCheck %s
// RUN: env SKEIN_OPTIONS=workers=1 %t | FileCheck %s
// RUN: env SKEIN_OPTIONS=check=stress %t | FileCheck %s
// RUN: env SKEIN_OPTIONS=workers=4 %t | FileCheck %s
#include <assert.h>
#include <skein/channel.h>
#include <skein/sync.h>
#include <stdio.h>

enum { CHANNELS = 5,
       SENDERS = 6,
       EACH = 3000,
       MS = 1000000 };

struct item {
  int from, number;
};

/* Sends numbered items, every other one by an alternative that offers it to two channels. */
static void sender(skein_channel_t first, int me) {
  unsigned random = (unsigned)me;
  for (int i = 0; i < EACH; i++) {
    struct item item = {me, i};
    random = random * 1664525 + 1013904223;
    const skein_channel_t one = first + (random >> 8) % CHANNELS, other = first + (random >> 16) % CHANNELS;
    if (random >> 31) {
      assert(skein_channel_send(one, &item, sizeof item) == SKEIN_OK);
      continue;
    }
    struct skein_alternative cases[] = {SKEIN_SENDS(one, item), SKEIN_SENDS(other, item)};
    const int happened = skein_alt(cases, 2);
    assert(happened >= 0 && cases[happened].code == SKEIN_OK);
  }
}

/* Receives by alternatives until it gets what stops it. */
static void receiver(skein_channel_t first, skein_channel_t to) {
  struct item item = {0, 0};
  do {
    struct skein_alternative cases[CHANNELS];
    for (int i = 0; i < CHANNELS; i++)
      cases[i] = (struct skein_alternative)SKEIN_RECEIVES(first + (unsigned)i, item);
    const int happened = skein_alt(cases, CHANNELS);
    assert(happened >= 0 && cases[happened].code == SKEIN_OK && cases[happened].got == sizeof item);
    assert(skein_channel_send(to, &item, sizeof item) == SKEIN_OK);
  } while (item.from >= 0);
}

int main(void) {
  /* The channels that are made one after the other have numbers that follow each other. */
  skein_channel_t to = skein_channel_create(10), first = skein_channel_create(0);
  for (int i = 1; i < CHANNELS; i++)
    assert(skein_channel_create(i == 3 ? 2 : 0) == first + (unsigned)i);
  skein_thread_t senders[SENDERS], receivers[3];
  for (int i = 0; i < SENDERS; i++)
    senders[i] = skein_spawn(sender, first, i);
  for (int i = 0; i < 3; i++)
    receivers[i] = skein_spawn(receiver, first, to);
  static char seen[SENDERS][EACH];
  for (int i = 0; i < SENDERS * EACH; i++) {
    struct item item;
    assert(skein_channel_receive(to, &item, sizeof item, 0) == SKEIN_OK);
    assert(!seen[item.from][item.number]++);
  }
  for (int i = 0; i < SENDERS; i++)
    skein_join(senders[i]);
  struct item stop = {-1, 0};
  for (int i = 0; i < 3; i++) {
    skein_channel_send(first, &stop, sizeof stop);
    skein_channel_receive(to, &stop, sizeof stop, 0);
  }
  for (int i = 0; i < 3; i++)
    skein_join(receivers[i]);
  puts("each came once");
  // CHECK: each came once

  skein_channel_t a = skein_channel_create(4), b = skein_channel_create(4);
  int value = 0, counts[2] = {0, 0};
  struct skein_alternative both[] = {SKEIN_RECEIVES(a, value), SKEIN_RECEIVES(b, value)};
  for (int round = 0; round < 400; round++) {
    skein_channel_send(a, &round, sizeof round);
    skein_channel_send(b, &round, sizeof round);
    const int happened = round < 200 ? skein_alt(both, 2) : skein_alt_ordered(both, 2);
    if (round < 200)
      counts[happened]++;
    else
      assert(happened == 0);
    skein_channel_receive(happened == 0 ? b : a, &value, sizeof value, 0);
  }
  printf("fair: %d; ordered: the first\n", counts[0] > 50 && counts[1] > 50);
  // CHECK: fair: 1; ordered: the first

  struct skein_alternative guarded[] = {SKEIN_RECEIVES(a, value), SKEIN_RECEIVES(b, value), SKEIN_AFTER(2 * MS),
                                        SKEIN_AFTER(900 * MS)};
  skein_channel_send(a, &value, sizeof value);
  guarded[0].kind = SKEIN_ALT_NEVER;
  printf("guard: case %d\n", skein_alt(guarded, 4));
  guarded[0].kind = SKEIN_ALT_RECEIVE;
  printf("no guard: case %d\n", skein_alt(guarded, 4));
  // CHECK: guard: case 2
  // CHECK: no guard: case 0

  struct skein_alternative otherwise[] = {SKEIN_ELSE, SKEIN_RECEIVES(a, value), SKEIN_SENDS(b, value)};
  printf("sends: case %d\n", skein_alt(otherwise, 3));
  otherwise[2].kind = SKEIN_ALT_NEVER;
  printf("else: case %d\n", skein_alt(otherwise, 3));
  // CHECK: sends: case 2
  // CHECK: else: case 0

  char little;
  struct skein_alternative bad[] = {SKEIN_RECEIVES(b, little), SKEIN_RECEIVES(a, value)};
  int happened = skein_alt(bad, 2);
  printf("too long: case %d, %s, %zu bytes\n", happened, skein_error_name(bad[0].code), bad[0].got);
  skein_channel_close(b);
  bad[0] = (struct skein_alternative)SKEIN_RECEIVES(b, value);
  assert(skein_alt(bad, 2) == 0 && bad[0].code == SKEIN_OK);
  happened = skein_alt(bad, 2);
  printf("closed: case %d, %s: %s\n", happened, skein_error_name(bad[0].code), skein_error_text());
  skein_channel_free(b);
  happened = skein_alt(bad, 2);
  printf("freed: case %d, %s\n", happened, skein_error_name(bad[0].code));
  // CHECK: too long: case 0, SKEIN_EMEMORY, 4 bytes
  // CHECK: closed: case 0, SKEIN_ECLOSED: skein_alt: case 0: the channel is closed
  // CHECK: freed: case 0, SKEIN_ETHREAD
}
