/* A channel goes to live where its messages are received, while others stand in it, and is found by the handle that
 * everybody knows: nothing is lost or comes twice, in order, whatever way a message goes. When it is freed, it is gone
 * everywhere. */

// RUN: %skeincc -O2 %s -o %t && rm -rf %t.folder
// RUN: env SKEIN_OPTIONS=policy=none,trace_in=%t.folder,trace=channels %run -n 3 %t | FileCheck %s
// CHECK: 2000 by a pair, 2000 on another node, 6000 of three kinds, 300 to whoever is ready: in order
// CHECK-NEXT: closed everywhere, then gone everywhere
// RUN: %skein trace %t.folder --csv | grep rehomed | FileCheck %s --check-prefix=MOVES
// MOVES: ,0,{{.*}},channels,rehomed,0,channel=1;to=1
// MOVES-NEXT: ,1,{{.*}},channels,rehomed,0,channel=1 of node 1;to=2

// Without patience it stays, and all of it is right, too; likewise if it runs after everybody.
// RUN: rm -rf %t.folder
// RUN: env SKEIN_OPTIONS=policy=none,channel_patience=0,trace_in=%t.folder,trace=channels %run -n 3 %t | FileCheck %s
// RUN: %skein trace %t.folder --csv | not grep rehomed
// RUN: env SKEIN_OPTIONS=policy=none,channel_patience=1 %run -n 3 %t | FileCheck %s
// RUN: env SKEIN_OPTIONS=policy=none,channel_patience=2,net_delay_us=200 %run -n 3 --transport tcp %t | FileCheck %s
#include <skein/channel.h>
#include <skein/skein.h>

#include <stdio.h>
#include <stdlib.h>

static void must(int code) {
  if (code) {
    fprintf(stderr, "%s\n", skein_error_text());
    exit(1);
  }
}

static void sends(int node, skein_channel_t to, int first, int count) {
  must(skein_push_self(node));
  for (int i = first; i < first + count; i++)
    must(skein_channel_send(to, &i, sizeof i));
}

static void receives(int node, skein_channel_t from, int first, int count) {
  must(skein_push_self(node));
  for (int i = first; i < first + count; i++) {
    int got = -1;
    must(skein_channel_receive(from, &got, sizeof got, 0));
    if (got != i) {
      fprintf(stderr, "%d instead of %d on node %d\n", got, i, skein_node());
      exit(1);
    }
  }
}

static void pair(int from, int to, skein_channel_t channel, int count) {
  const skein_thread_t one = skein_spawn(sends, from, channel, 0, count);
  const skein_thread_t other = skein_spawn(receives, to, channel, 0, count);
  must(skein_join(one));
  must(skein_join(other));
}

/* Each of several senders is followed for itself: by a number, and what it sends. */
struct item {
  int sender, number;
};

static void sends_items(int node, skein_channel_t to, int self, int count) {
  must(skein_push_self(node));
  for (int i = 0; i < count; i++) {
    const struct item item = {self, i};
    if (self == 2) { /* by an alternative */
      struct skein_alternative cases[] = {{SKEIN_ALT_SEND, to, (void *)&item, sizeof item, 0, 0, 0}};
      if (skein_alt(cases, 1) != 0)
        exit(2);
      must(cases[0].code);
    } else {
      must(skein_channel_send(to, &item, sizeof item));
    }
  }
}

/* Receives from both, by alternatives, with deadlines now and then, which are not over. */
static void receives_items(int node, skein_channel_t from, skein_channel_t other, int count) {
  must(skein_push_self(node));
  int next[3] = {0};
  for (int i = 0; i < count; i++) {
    struct item item;
    struct skein_alternative cases[] = {SKEIN_RECEIVES(from, item), SKEIN_RECEIVES(other, item),
                                        SKEIN_AFTER(60000000000)};
    const int which = skein_alt(cases, i % 3 ? 2 : 3);
    if (which != 0)
      exit(3);
    must(cases[0].code);
    if (item.number != next[item.sender]++)
      exit(4);
  }
}

static void one_more(int node, skein_channel_t from, skein_channel_t count) {
  must(skein_push_self(node));
  int got, all = 0;
  while (skein_channel_receive(from, &got, sizeof got, 0) == SKEIN_OK)
    all++;
  must(skein_channel_send(count, &all, sizeof all));
}

static void gone(int node, skein_channel_t channel, int expected) {
  must(skein_push_self(node));
  int got;
  if (skein_channel_receive(channel, &got, sizeof got, 0) != expected ||
      skein_channel_send(channel, &got, sizeof got) != expected) {
    fprintf(stderr, "node %d: %s\n", node, skein_error_text());
    exit(5);
  }
}

int main(void) {
  const skein_channel_t channel = skein_channel_create(0);
  pair(1, 1, channel, 2000);
  printf("2000 by a pair, ");
  pair(2, 2, channel, 2000);
  printf("2000 on another node, ");

  /* Three senders on three nodes, one receiver. */
  const skein_channel_t other = skein_channel_create(0);
  skein_thread_t threads[6];
  int count = 0;
  for (int i = 0; i < 3; i++)
    threads[count++] = skein_spawn(sends_items, i, channel, i, 2000);
  threads[count++] = skein_spawn(receives_items, 1, channel, other, 6000);
  while (count)
    must(skein_join(threads[--count]));
  printf("6000 of three kinds, ");

  /* Receivers everywhere, a channel with room; closed from the node where it began. */
  const skein_channel_t many = skein_channel_create(4), counts = skein_channel_create(3);
  for (int i = 0; i < 3; i++)
    threads[count++] = skein_spawn(one_more, i, many, counts);
  const skein_thread_t sender = skein_spawn(sends, 2, many, 0, 300);
  must(skein_join(sender));
  must(skein_channel_close(many));
  int all = 0;
  while (count) {
    int part;
    must(skein_channel_receive(counts, &part, sizeof part, 0));
    must(skein_join(threads[--count]));
    all += part;
  }
  printf("%d to whoever is ready: in order\n", all);

  must(skein_channel_close(channel));
  for (int i = 0; i < 3; i++)
    must(skein_join(skein_spawn(gone, i, channel, SKEIN_ECLOSED)));
  must(skein_channel_free(channel));
  for (int i = 0; i < 3; i++)
    must(skein_join(skein_spawn(gone, i, channel, SKEIN_ETHREAD)));
  printf("closed everywhere, then gone everywhere\n");
  return 0;
}
