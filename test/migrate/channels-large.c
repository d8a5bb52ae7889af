/* Large messages between nodes. They stay with their sender until they are received (net/messages/lent_memory.h), and
 * with shared=remote they are sent: the same arrives, also if the sender is moved away while it waits, and its stack
 * and heap are somebody else's by then. */
// RUN: %skeincc -O2 -Wno-skein-global -fskein-heap=private %s -o %t
// RUN: env SKEIN_OPTIONS=workers=1,steal=off %run -n 3 %t | FileCheck %s
// RUN: env SKEIN_OPTIONS=workers=1,steal=off,shared=remote %run -n 3 %t | FileCheck %s
// RUN: env SKEIN_OPTIONS=workers=1,steal=off %run -n 3 --transport tcp %t | FileCheck %s
// RUN: env SKEIN_OPTIONS=workers=1,steal=off,stacks=relocate,image=any,net_delay_us=300 %run -n 3 %t | FileCheck %s
// RUN: env SKEIN_OPTIONS=workers=1,steal=off,moves=lazy %run -n 3 %t | FileCheck %s
#include <skein/channel.h>
#include <skein/migration.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 12000, ROUNDS = 20 };

static void fail(const char *what, int number) {
  printf("%s, at %d: %s\n", what, number, skein_error_text());
  exit(1);
}

static unsigned word_of(int number, int at) { return (unsigned)number * 2654435761u + (unsigned)at; }
static void fill(unsigned *message, int number) {
  for (int i = 0; i < WORDS; i++)
    message[i] = word_of(number, i);
}
static void check(const unsigned *message, int number) {
  for (int i = 0; i < WORDS; i++)
    if (message[i] != word_of(number, i))
      fail("another message", number);
}

static unsigned of_node[WORDS];
enum { FROM_STACK, FROM_HEAP, FROM_NODE, SOURCES };

/* Sends from its stack, its heap, or memory of the node, after a word on `ready`. */
static void sends(skein_channel_t channel, int from, int number, skein_channel_t ready) {
  const int source = number % SOURCES;
  unsigned on_stack[WORDS];
  if (skein_push_self(from))
    fail("push", number);
  unsigned *message = source == FROM_HEAP ? malloc(sizeof on_stack) : source == FROM_NODE ? of_node : on_stack;
  fill(message, number);
  if (skein_channel_send(ready, &number, sizeof number) || skein_channel_send(channel, message, sizeof on_stack))
    fail("send", number);
  if (source != FROM_NODE)
    check(message, number); /* it is still there, wherever the thread is by now */
  if (source == FROM_HEAP)
    free(message);
}

/* Writes over what threads have left on this node. */
static void scribbles(void) {
  memset(of_node, 0x5a, sizeof of_node);
  unsigned memory[WORDS];
  memset(memory, 0x5a, sizeof memory);
  unsigned *other = malloc(sizeof memory);
  memset(other, 0x5a, sizeof memory);
  __asm__ volatile("" : : "r"(memory), "r"(other) : "memory");
  free(other);
}

static void scribble_on(int node) {
  if (skein_push_self(node))
    fail("push", node);
  for (int i = 0; i < 4; i++)
    skein_join(skein_spawn(scribbles));
}

static void receive(skein_channel_t channel, int number) {
  unsigned *message = malloc(WORDS * sizeof *message);
  size_t got;
  if (skein_channel_receive(channel, message, WORDS * sizeof *message, &got) || got != WORDS * sizeof *message)
    fail("receive", number);
  check(message, number);
  free(message);
}

/* The thread at node 1 waits, is pushed to node 2, and what it has left is written over, before it is received. */
static void pushed_while_it_waits(int number) {
  const skein_channel_t channel = skein_channel_create_on(0, 0), ready = skein_channel_create_on(1, 0);
  const skein_thread_t sender = skein_spawn(sends, channel, 1, number, ready);
  int word;
  if (skein_push_self(1) || skein_channel_receive(ready, &word, sizeof word, NULL))
    fail("ready", number);
  for (int i = 0; i < 4; i++)
    skein_yield(); /* the only worker runs it until it waits */
  if (skein_push(sender, 2))
    fail("push", number);
  scribble_on(1);
  if (skein_push_self(0))
    fail("push", number);
  receive(channel, number);
  skein_join(sender);
  skein_channel_free(channel);
  skein_channel_free(ready);
}

/* As they come: to one that waits, to a channel that holds them, by a third node, to one of two cases, and too long. */
static void in_other_ways(int number) {
  const skein_channel_t channel = skein_channel_create_on(number % 3, (size_t)(number % 2)),
                        other = skein_channel_create(0);
  const skein_thread_t sender = skein_spawn(sends, channel, 1, number, skein_channel_create(1));
  unsigned message[WORDS], few[4];
  size_t got = 0;
  if (number % 4 == 3 &&
      (skein_channel_receive(channel, few, sizeof few, &got) != SKEIN_EMEMORY || got != sizeof message))
    fail("too long", number);
  if (number % 4 > 1) {
    receive(channel, number);
  } else {
    struct skein_alternative cases[] = {SKEIN_RECEIVES(other, few), SKEIN_RECEIVES(channel, message)};
    if (skein_alt(cases, 2) != 1 || cases[1].code || cases[1].got != sizeof message)
      fail("alternative", number);
    check(message, number);
  }
  skein_join(sender);
  skein_channel_free(channel);
  skein_channel_free(other);
}

int main() {
  for (int i = 0; i < ROUNDS; i++) {
    pushed_while_it_waits(i);
    in_other_ways(i);
  }
  printf("all messages came\n"); // CHECK: all messages came
  return 0;
}
