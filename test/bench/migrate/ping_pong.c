/* A thread that pushes itself to and fro between nodes 0 and 1: the measured half of `skein bench migrate`.
 *
 *   skein run -n 2 ping_pong COUNT SIZE...
 *
 * prints, for each size, a line "SIZE IMAGE_BYTES", then COUNT lines "WHOLE", half a way to and fro in ns, and then
 * COUNT lines "CAPTURE TRANSFER RELOCATION RESUME", one per migration of another series, whose parts are noted. SIZE is
 * the KiB of an array in the frame that moves, filled before and checked after: 0, 1, 2, 4, 16, 64 or 256; or frames:N,
 * so many small frames, each with pointers to itself and to the next. What runs before (the thread's first functions)
 * adds some 200 bytes; IMAGE_BYTES is everything that travels.
 *
 * Each node notes its times in memory of its own, so that nobody waits for the other's cache in the next migration;
 * `captured` of one migration is read when the thread is back on that node. */
#include <skein/shared.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "abi/move_times.h"

struct stamp {
  uint64_t called, captured, arrived, restored, returned;
};

SKEIN_NOMIGRATE static uint64_t now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* What is known of migration i, on the node that knows it. */
enum { MOST = 100000, WARM = 4 };
static struct stamp notes[MOST + WARM];

static void note_arrival(int i) {
  uint64_t returned = now_ns();
  struct skein_move_times times;
  __skein_move_times(&times);
  if (i > 0)
    notes[i - 1].captured = times.captured_ns; /* the last thread that left this node is this one, one migration ago */
  notes[i].arrived = times.arrived_ns;
  notes[i].restored = times.restored_ns;
  notes[i].returned = returned;
}

/* Makes migration i. */
static int hop(int i) {
  int to = 1 - skein_node();
  notes[i].called = now_ns();
  int error = skein_push_self(to);
  if (!error)
    note_arrival(i);
  return error;
}

/* Hands over what this node has noted. It may wait for the other node, but does not move. */
SKEIN_ASSUME_NOMIGRATE static void hand_over(skein_shared struct stamp *stamps, int count) {
  for (int i = 0; i < count; i++) {
    if (notes[i].called)
      stamps[i].called = notes[i].called;
    if (notes[i].captured)
      stamps[i].captured = notes[i].captured;
    if (notes[i].returned) {
      stamps[i].arrived = notes[i].arrived;
      stamps[i].restored = notes[i].restored;
      stamps[i].returned = notes[i].returned;
    }
  }
  memset(notes, 0, sizeof notes);
}

/* Goes to the other node and back. */
static int round_trip(skein_shared struct stamp *stamp) {
  uint64_t called = now_ns();
  int error = skein_push_self(1);
  if (!error)
    error = skein_push_self(0);
  stamp->called = called;
  stamp->returned = now_ns();
  return error;
}

/* Makes WARM and `count` hops or round trips, from node 0. The nodes note times from the second hop on. */
__attribute__((noinline)) static int hops(skein_shared struct stamp *stamps, int count, int parts) {
  int error = 0;
  for (int i = 0; i < count + WARM && !error; i++)
    error = parts ? hop(i) : round_trip(stamps + i);
  for (int i = 0; i < 2 && parts && !error; i++) {
    hand_over(stamps, count + WARM);
    error = skein_push_self(1 - skein_node());
  }
  if (error)
    fprintf(stderr, "ping_pong: %s\n", skein_error_text());
  return error;
}

/* Calls hops() below a frame that holds KIB KiB of live integers. */
#define BALLAST(KIB)                                                                                                   \
  __attribute__((noinline)) static int hops_##KIB(skein_shared struct stamp *stamps, int count, int parts) {           \
    volatile uint64_t ballast[KIB * 128];                                                                              \
    for (int i = 0; i < KIB * 128; i++)                                                                                \
      ballast[i] = (uint64_t)i * 0x9E3779B97F4A7C15u;                                                                  \
    int error = hops(stamps, count, parts);                                                                            \
    for (int i = 0; i < KIB * 128; i++)                                                                                \
      if (ballast[i] != (uint64_t)i * 0x9E3779B97F4A7C15u) {                                                           \
        fprintf(stderr, "ping_pong: word %d of the stack is damaged\n", i);                                            \
        exit(1);                                                                                                       \
      }                                                                                                                \
    return error;                                                                                                      \
  }
BALLAST(1)
BALLAST(2)
BALLAST(4)
BALLAST(16)
BALLAST(64)
BALLAST(256)

/* Calls hops() below so many frames, each in a list with all before it. */
struct link {
  struct link *before;
  struct link *self;
};
__attribute__((noinline)) static int hops_below(int frames, skein_shared struct stamp *stamps, int count, int parts,
                                                struct link *before) {
  struct link here = {before, &here};
  int error = frames > 1 ? hops_below(frames - 1, stamps, count, parts, &here) : hops(stamps, count, parts);
  if (here.before != before || here.self != &here) {
    fprintf(stderr, "ping_pong: the frame %d from below is damaged\n", frames);
    exit(1);
  }
  return error;
}

enum { FRAMES = 1 << 16 }; /* in a player's size: not KiB, but FRAMES and so many frames */
static int size_of(const char *text) { return strncmp(text, "frames:", 7) ? atoi(text) : FRAMES + atoi(text + 7); }

static void player(skein_shared struct stamp *stamps, int count, int size, int parts, skein_shared int *error) {
  *error = size == 0       ? hops(stamps, count, parts)
           : size == 1     ? hops_1(stamps, count, parts)
           : size == 2     ? hops_2(stamps, count, parts)
           : size == 4     ? hops_4(stamps, count, parts)
           : size == 16    ? hops_16(stamps, count, parts)
           : size == 64    ? hops_64(stamps, count, parts)
           : size == 256   ? hops_256(stamps, count, parts)
           : size > FRAMES ? hops_below(size - FRAMES, stamps, count, parts, NULL)
                           : -1;
}

static uint64_t sent(uint64_t *threads) {
  uint64_t bytes = 0;
  *threads = 0;
  for (int node = 0; node < 2; node++) {
    struct skein_statistics statistics;
    if (skein_statistics_get(node, &statistics))
      continue;
    bytes += statistics.bytes_sent;
    *threads += statistics.threads_sent;
  }
  return bytes;
}

int main(int argc, char **argv) {
  int count = argc > 2 ? atoi(argv[1]) : 0, sizes = argc - 2;
  if (count < 1 || count > MOST || skein_nodes() != 2) {
    fprintf(stderr, "usage: skein run -n 2 ping_pong COUNT SIZE..., SIZE one of 0 1 2 4 16 64 256 (KiB) or frames:N\n");
    return 2;
  }
  skein_stealing_set(0);
  const size_t each = (size_t)count + WARM;
  skein_shared struct stamp *whole = skein_shared_alloc(0, sizeof *whole * each * (size_t)sizes);
  skein_shared struct stamp *stamps = skein_shared_alloc(0, sizeof *stamps * each);
  skein_shared int *error = skein_shared_alloc(0, sizeof *error);
  uint64_t *image = calloc((size_t)sizes, sizeof *image);
  if (!whole || !stamps || !error || !image) {
    fprintf(stderr, "ping_pong: %s\n", skein_error_text());
    return 1;
  }
  /* The series that the clock does not disturb comes first, since the nodes note times from the first hop() on. */
  for (int i = 0; i < sizes; i++) {
    uint64_t threads_before, threads, before = sent(&threads_before);
    if (skein_join(skein_spawn(player, whole + each * (size_t)i, count, size_of(argv[i + 2]), 0, error)) || *error)
      return 1;
    uint64_t bytes = sent(&threads) - before;
    image[i] = bytes / (threads - threads_before);
  }
  for (int i = 0; i < sizes; i++) {
    if (skein_join(skein_spawn(player, stamps, count, size_of(argv[i + 2]), 1, error)) || *error)
      return 1;
    printf("%s %lu\n", argv[i + 2], image[i]);
    for (int k = 0; k < count; k++) {
      skein_shared struct stamp *round = whole + each * (size_t)i + WARM + k;
      printf("%lu\n", (round->returned - round->called) / 2);
    }
    for (int k = WARM - 2; k < count + WARM - 2; k++) /* of the last one nobody has come back to ask */
      printf("%lu %lu %lu %lu\n", stamps[k].captured - stamps[k].called, stamps[k].arrived - stamps[k].captured,
             stamps[k].restored - stamps[k].arrived, stamps[k].returned - stamps[k].restored);
  }
  return 0;
}
