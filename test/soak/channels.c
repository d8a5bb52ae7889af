/* A thousand threads on channels of all nodes: sends, receives and alternatives with and without deadlines, cancels,
 * and moves of both ends while they run and while they wait. Every message arrives once, whole, and in the order of its
 * sender.
 *
 *     producers   send numbered messages to three channels each, by all ways there are
 *     consumers   have two channels each, of which nobody else receives, and check sender, number and bytes
 *     neighbours  form a ring; each sends to both sides and receives from both in one alternative, step by step, with
 *                 just as much room as the message of the step needs
 *     victims     send and receive on channels of their own until they are cancelled; their messages are whole, too
 *     pushers     push any of them anywhere, one on each node
 *
 * A round ends when the producers have sent everything; then the channels are closed, and what was sent has come.
 *
 * It goes on after its time until so many nodes have come to the run, and so many have left it, as it is told.
 *
 *     channels SECONDS [SEED [COME LEAVE]]
 */

// RUN: %python %S/run.py --build %build --program channels --seconds 1 relocate lent delayed workers single growing \
// RUN:   changing lazy

#include "now.h"

#include <skein/channel.h>
#include <skein/deaths.h>
#include <skein/heap.h>
#include <skein/migration.h>
#include <skein/nodes.h>
#include <skein/shared.h>
#include <skein/sync.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  consumers = 300,
  producers = 600,
  neighbours = 60,
  victims = 100,
  all_threads = consumers + producers + neighbours + victims,
  noise = 20, /* channels of the victims */
  each = 20,  /* messages of a producer */
  steps = 12, /* of the neighbours */
  most_bytes = 70000,
  usual_bytes = 200,
};

struct world {
  skein_channel_t channels[2 * consumers], noise[noise], up[neighbours], down[neighbours];
  skein_thread_t threads[all_threads];
  long sent, received, whole_noise, pushed;
  int over, wrong;
};
SKEIN_PRIVATE skein_shared struct world *world;

struct message {
  uint32_t bytes, sender, number, sum; /* of the bytes that follow */
};

static uint32_t next(uint32_t *state) { return *state = *state * 1664525 + 1013904223; }
static uint32_t below(uint32_t *state, uint32_t limit) { return (next(state) >> 8) % limit; }

static void wrong(const char *what, int code) {
  printf("channels: thread %llu on node %d: %s: %d: %s\n", (unsigned long long)skein_self(), skein_node(), what, code,
         skein_error_text());
  fflush(stdout);
  __atomic_fetch_add(&world->wrong, 1, __ATOMIC_SEQ_CST);
}

static uint32_t sum_of(const unsigned char *bytes, size_t count) {
  uint32_t sum = 1;
  for (size_t i = 0; i < count; i++)
    sum = sum * 31 + bytes[i];
  return sum;
}

static void fill(unsigned char *to, uint32_t sender, uint32_t number, uint32_t bytes) {
  unsigned char *data = to + sizeof(struct message);
  for (uint32_t i = 0; i < bytes; i++)
    data[i] = (unsigned char)(sender + number * 7 + i * 13);
  struct message message = {bytes, sender, number, sum_of(data, bytes)};
  memcpy(to, &message, sizeof message);
}

/* Whether the message is whole. */
static int check(const unsigned char *from, size_t got, struct message *message) {
  memset(message, 0, sizeof *message);
  if (got < sizeof *message)
    return 0;
  memcpy(message, from, sizeof *message);
  return got == sizeof *message + message->bytes && message->sum == sum_of(from + sizeof *message, message->bytes);
}

static void wander(uint32_t *random) {
  if (below(random, 16) == 0)
    skein_push_self((int)below(random, (uint32_t)skein_nodes()));
  else if (below(random, 16) == 0)
    skein_yield();
}

/* Sends one message to one of three channels; returns to which, or -1 if the time was over. */
static int send_one(const skein_channel_t *three, uint32_t *numbers, unsigned char *buffer, uint32_t me,
                    uint32_t *random) {
  const uint32_t way = below(random, 4), at = below(random, 3), other = (at + 1 + below(random, 2)) % 3;
  const uint32_t bytes = below(random, 50) == 0 ? below(random, most_bytes - 64) : below(random, usual_bytes);
  fill(buffer, me, numbers[at], bytes);
  if (way < 2) {
    const int code =
        way == 0 ? skein_channel_send(three[at], buffer, sizeof(struct message) + bytes)
                 : skein_channel_timedsend_ns(three[at], buffer, sizeof(struct message) + bytes, below(random, 300000));
    if (code && (way == 0 || code != SKEIN_ETIME))
      wrong("send", code);
    return code ? -1 : (int)at;
  }
  unsigned char second[sizeof(struct message) + usual_bytes];
  const uint32_t little = below(random, usual_bytes);
  fill(second, me, numbers[other], little);
  struct skein_alternative cases[] = {
      {SKEIN_ALT_SEND, three[at], buffer, sizeof(struct message) + bytes, 0, 0, 0},
      {SKEIN_ALT_SEND, three[other], second, sizeof(struct message) + little, 0, 0, 0},
      SKEIN_AFTER(way == 2 ? UINT64_MAX : below(random, 300000)),
  };
  const int happened = way == 3 ? skein_alt(cases, 3) : skein_alt_ordered(cases, 3);
  if (happened < 0 || cases[happened].code)
    wrong("alternative that sends", happened);
  return happened == 0 ? (int)at : happened == 1 ? (int)other : -1;
}

static void producer(skein_shared struct world *all, int me, uint32_t seed) {
  world = all;
  uint32_t random = seed + (uint32_t)me * 7919, numbers[3] = {0, 0, 0};
  unsigned char *buffer = skein_malloc(most_bytes);
  skein_channel_t three[3];
  const uint32_t first = below(&random, 2 * consumers);
  for (uint32_t i = 0; i < 3; i++)
    three[i] = world->channels[(first + i * 97) % (2 * consumers)];
  for (int sent = 0; sent < each && !world->wrong;) {
    wander(&random);
    const int to = send_one(three, numbers, buffer, (uint32_t)me, &random);
    if (to >= 0) {
      numbers[to]++;
      sent++;
    }
  }
  __atomic_fetch_add(&world->sent, numbers[0] + numbers[1] + numbers[2], __ATOMIC_SEQ_CST);
  skein_free(buffer);
}

static void consumer(skein_shared struct world *all, int me, uint32_t seed) {
  world = all;
  uint32_t random = seed + (uint32_t)me * 104729;
  unsigned char *buffer = skein_malloc(most_bytes);
  uint8_t *numbers = skein_malloc(2 * producers);
  memset(numbers, 0, 2 * producers);
  skein_channel_t two[2] = {world->channels[2 * me], world->channels[2 * me + 1]};
  int closed[2] = {0, 0};
  long received = 0;
  while (!(closed[0] && closed[1])) {
    wander(&random);
    int at = (int)below(&random, 2), code;
    size_t got = 0;
    if (below(&random, 3) == 0) {
      code = skein_channel_timedreceive_ns(two[at], buffer, most_bytes, &got, below(&random, 300000));
    } else {
      struct skein_alternative cases[] = {
          {closed[0] ? SKEIN_ALT_NEVER : SKEIN_ALT_RECEIVE, two[0], buffer, most_bytes, 0, 0, 0},
          {closed[1] ? SKEIN_ALT_NEVER : SKEIN_ALT_RECEIVE, two[1], buffer, most_bytes, 0, 0, 0},
          SKEIN_AFTER(below(&random, 2) ? UINT64_MAX : below(&random, 300000)),
      };
      at = skein_alt(cases, 3);
      code = at == 2 ? SKEIN_ETIME : at < 0 ? -at : cases[at].code;
      got = at == 2 || at < 0 ? 0 : cases[at].got;
    }
    if (code == SKEIN_ECLOSED)
      closed[at] = 1;
    else if (code && code != SKEIN_ETIME)
      wrong("receive", code);
    if (code && code != SKEIN_ECLOSED && code != SKEIN_ETIME)
      break;
    if (code)
      continue;
    struct message message;
    if (!check(buffer, got, &message) || message.sender >= producers) {
      wrong("a damaged message", (int)got);
    } else if (message.number != numbers[at * producers + (int)message.sender]++) {
      wrong("a message out of order, lost or doubled", (int)message.number);
    }
    received++;
  }
  __atomic_fetch_add(&world->received, received, __ATOMIC_SEQ_CST);
  skein_free(numbers);
  skein_free(buffer);
}

/* One step: gives both sides a message, and gets one from each. */
static void exchange(int me, uint32_t step, unsigned char (*out)[sizeof(struct message) + usual_bytes],
                     unsigned char (*in)[sizeof(struct message) + usual_bytes]) {
  const int above = (me + neighbours - 1) % neighbours, below_me = (me + 1) % neighbours;
  const uint32_t length = step * 61 % usual_bytes, bytes = (uint32_t)sizeof(struct message) + length;
  fill(out[0], (uint32_t)me, 2 * step, length);
  fill(out[1], (uint32_t)me, 2 * step + 1, length);
  struct skein_alternative cases[] = {
      {SKEIN_ALT_SEND, world->up[above], out[0], bytes, 0, 0, 0},
      {SKEIN_ALT_SEND, world->down[below_me], out[1], bytes, 0, 0, 0},
      {SKEIN_ALT_RECEIVE, world->up[me], in[0], bytes, 0, 0, 0},
      {SKEIN_ALT_RECEIVE, world->down[me], in[1], bytes, 0, 0, 0},
      SKEIN_AFTER(500000000), /* then perhaps another one has seen something wrong */
  };
  for (int left = 4; left && !world->wrong;) {
    const int happened = skein_alt(cases, 5);
    if (happened == 4)
      continue;
    left--;
    if (happened < 0 || cases[happened].code)
      return wrong("a neighbour's alternative", happened < 0 ? happened : cases[happened].code);
    cases[happened].kind = SKEIN_ALT_NEVER;
  }
  for (int side = 0; side < 2 && !world->wrong; side++) {
    struct message message;
    if (!check(in[side], cases[2 + side].got, &message) || message.bytes != length)
      wrong("a neighbour's message is damaged", (int)cases[2 + side].got);
    else if (message.sender != (uint32_t)(side ? above : below_me) || message.number != 2 * step + (uint32_t)side)
      wrong("a neighbour's message is out of order, lost or doubled", (int)message.number);
  }
}

static void neighbour(skein_shared struct world *all, int me, uint32_t seed) {
  world = all;
  uint32_t random = seed + (uint32_t)me * 611953;
  unsigned char out[2][sizeof(struct message) + usual_bytes], in[2][sizeof(struct message) + usual_bytes];
  memset(in, 0, sizeof in);
  for (uint32_t step = 0; step < steps && !world->wrong; step++) {
    wander(&random);
    exchange(me, step, out, in);
  }
}

static void victim(skein_shared struct world *all, int me, uint32_t seed) {
  world = all;
  uint32_t random = seed + (uint32_t)me * 15485863;
  unsigned char out[sizeof(struct message) + usual_bytes], in[sizeof(struct message) + usual_bytes];
  memset(in, 0, sizeof in);
  for (uint32_t number = 0;; number++) {
    wander(&random);
    const uint32_t bytes = below(&random, usual_bytes);
    fill(out, (uint32_t)me, number, bytes);
    struct skein_alternative cases[] = {
        {SKEIN_ALT_SEND, world->noise[below(&random, noise)], out, sizeof(struct message) + bytes, 0, 0, 0},
        SKEIN_RECEIVES(world->noise[below(&random, noise)], in),
        SKEIN_AFTER(1000000 + below(&random, 1000000)),
    };
    const int happened = skein_alt(cases, 3);
    struct message message;
    if (happened < 0 || cases[happened].code)
      wrong("noise", happened);
    else if (happened == 1 && !check(in, cases[1].got, &message))
      wrong("damaged noise", (int)cases[1].got);
    else if (happened == 1)
      __atomic_fetch_add(&world->whole_noise, 1, __ATOMIC_SEQ_CST);
  }
}

static void pusher(skein_shared struct world *all, int on, uint32_t seed) {
  world = all;
  uint32_t random = seed + (uint32_t)on;
  long pushed = 0;
  skein_push_self(on);
  while (!world->over) {
    for (int i = 0; i < 20; i++)
      pushed += skein_push(world->threads[below(&random, all_threads)], (int)below(&random, (uint32_t)skein_nodes())) ==
                SKEIN_OK;
    skein_sleep_ns(100000);
  }
  __atomic_fetch_add(&world->pushed, pushed, __ATOMIC_SEQ_CST);
}

/* On any node that is there. */
static skein_channel_t make_channel(uint32_t *random, size_t capacity) {
  for (;;) {
    const int node = (int)below(random, (uint32_t)skein_nodes());
    skein_channel_t made = skein_node_is_there(node) ? skein_channel_create_on(node, capacity) : 0;
    if (made)
      return made;
  }
}

static void round_of(uint32_t seed) {
  uint32_t random = seed;
  world->over = 0;
  for (int i = 0; i < 2 * consumers; i++)
    world->channels[i] = make_channel(&random, below(&random, 3) * 2);
  for (int i = 0; i < noise; i++)
    world->noise[i] = make_channel(&random, below(&random, 2));
  for (int i = 0; i < neighbours; i++) {
    world->up[i] = make_channel(&random, 0);
    world->down[i] = make_channel(&random, below(&random, 2));
  }
  int made = 0;
  for (int i = 0; i < consumers; i++)
    world->threads[made++] = skein_spawn(consumer, world, i, seed);
  for (int i = 0; i < producers; i++)
    world->threads[made++] = skein_spawn(producer, world, i, seed);
  for (int i = 0; i < neighbours; i++)
    world->threads[made++] = skein_spawn(neighbour, world, i, seed);
  const int first_victim = made;
  for (int i = 0; i < victims; i++)
    world->threads[made++] = skein_spawn(victim, world, i, seed);
  skein_thread_t pushers[64];
  for (int i = 0; i < skein_nodes_at_start() && i < 64; i++)
    pushers[i] = skein_spawn(pusher, world, i, seed);
  for (int i = consumers; i < first_victim; i++)
    skein_join(world->threads[i]);
  for (int i = 0; i < 2 * consumers; i++)
    if (skein_channel_close(world->channels[i]))
      wrong("close", i);
  for (int i = 0; i < consumers; i++)
    skein_join(world->threads[i]);
  for (int i = 0; i < victims; i++)
    skein_cancel(world->threads[first_victim + i]);
  for (int i = 0; i < victims; i++)
    skein_join(world->threads[first_victim + i]);
  world->over = 1;
  for (int i = 0; i < skein_nodes_at_start() && i < 64; i++)
    skein_join(pushers[i]);
  for (int i = 0; i < 2 * consumers; i++)
    skein_channel_free(world->channels[i]);
  for (int i = 0; i < noise; i++)
    skein_channel_free(world->noise[i]);
  for (int i = 0; i < neighbours; i++) {
    skein_channel_free(world->up[i]);
    skein_channel_free(world->down[i]);
  }
  if (world->sent != world->received)
    wrong("messages lost or doubled", (int)(world->sent - world->received));
}

static int have_changed(int come, int leave) {
  int left = 0;
  for (int node = 0; node < skein_nodes(); node++)
    left += skein_node_has_left(node);
  return skein_nodes() - skein_nodes_at_start() >= come && left >= leave;
}

int main(int argc, char **argv) {
  if (argc < 2 || atof(argv[1]) <= 0) {
    fprintf(stderr, "usage: %s SECONDS [SEED [COME LEAVE]]\n", argv[0]);
    return 2;
  }
  const double seconds = atof(argv[1]);
  const uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
  const int come = argc > 3 ? atoi(argv[3]) : 0, leave = argc > 4 ? atoi(argv[4]) : 0;
  skein_main_stays(1); // its variables are those of this node, and other nodes may leave
  world = skein_shared_alloc(0, sizeof *world);
  const double start = now();
  uint32_t rounds = 0;
  do
    round_of((uint32_t)seed * 7919 + 13 + 65537 * rounds++);
  while ((now() - start < seconds || !have_changed(come, leave)) && !world->wrong);
  printf("channels: seed %llu, %d nodes: %u rounds, %ld messages, %ld of victims, %ld pushes, %d wrong\n",
         (unsigned long long)seed, skein_nodes(), rounds, world->received, world->whole_noise, world->pushed,
         world->wrong);
  return world->wrong != 0;
}
