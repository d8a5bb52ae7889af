/* A thread that pushes itself to and fro between nodes 0 and 1: the measured half of `skein bench migrate`.
 *
 *   skein run -n 2 ping_pong COUNT KIB...
 *
 * prints, for each size, a line "KIB IMAGE_BYTES" and then COUNT lines "CAPTURE TRANSFER RELOCATION RESUME WHOLE" in
 * ns, one per migration. KIB is the size of an array in the frame that moves, filled before and checked after: 0, 1, 2,
 * 4 or 16. What runs before the array's frame (the thread's first functions) adds some 200 bytes; IMAGE_BYTES is
 * everything that travels.
 *
 * Time stamps go to shared memory, written outside the measured stretch. `captured` of one migration is read when the
 * thread is back on that node, two migrations later. */
#include <skein/shared.h>
#include <stdio.h>
#include <stdlib.h>
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

/* One migration to the other node; its stamps go to stamps[1], and what is known only now about the one before to
 * stamps[0]. */
static int hop(skein_shared struct stamp *stamps) {
  uint64_t called = now_ns();
  int error = skein_push_self(1 - skein_node());
  uint64_t returned = now_ns();
  if (error)
    return error;
  struct skein_move_times times;
  __skein_move_times(&times);
  stamps[0].captured = times.captured_ns; /* the last thread that left the node where we are now is we, one hop ago */
  stamps[1].called = called;
  stamps[1].arrived = times.arrived_ns;
  stamps[1].restored = times.restored_ns;
  stamps[1].returned = returned;
  return 0;
}

/* count + 2 hops; stamps[0] is a place for the first one's leftovers. */
__attribute__((noinline)) static int hops(skein_shared struct stamp *stamps, int count) {
  for (int i = 0; i < count + 2; i++) {
    int error = hop(stamps + i);
    if (error) {
      fprintf(stderr, "ping_pong: %s\n", skein_error_text());
      return error;
    }
  }
  return 0;
}

/* hops() below a frame that holds KIB KiB of live integers. */
#define BALLAST(KIB)                                                                                                   \
  __attribute__((noinline)) static int hops_##KIB(skein_shared struct stamp *stamps, int count) {                      \
    volatile uint64_t ballast[KIB * 128];                                                                              \
    for (int i = 0; i < KIB * 128; i++)                                                                                \
      ballast[i] = (uint64_t)i * 0x9E3779B97F4A7C15u;                                                                  \
    int error = hops(stamps, count);                                                                                   \
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

static void player(skein_shared struct stamp *stamps, int count, int kib, skein_shared int *error) {
  *error = kib == 0    ? hops(stamps, count)
           : kib == 1  ? hops_1(stamps, count)
           : kib == 2  ? hops_2(stamps, count)
           : kib == 4  ? hops_4(stamps, count)
           : kib == 16 ? hops_16(stamps, count)
                       : -1;
}

static uint64_t bytes_sent(void) {
  uint64_t bytes = 0;
  for (int node = 0; node < 2; node++) {
    struct skein_statistics statistics;
    if (!skein_statistics_get(node, &statistics))
      bytes += statistics.bytes_sent;
  }
  return bytes;
}

static int play(int count, int kib) {
  skein_shared struct stamp *stamps = skein_shared_alloc(0, sizeof *stamps * ((size_t)count + 3));
  skein_shared int *error = skein_shared_alloc(0, sizeof *error);
  if (!stamps || !error) {
    fprintf(stderr, "ping_pong: %s\n", skein_error_text());
    return 1;
  }
  uint64_t before = bytes_sent();
  if (skein_join(skein_spawn(player, stamps, count, kib, error)) || *error)
    return 1;
  printf("%d %lu\n", kib, (bytes_sent() - before) / ((uint64_t)count + 2));
  for (int i = 1; i <= count; i++)
    printf("%lu %lu %lu %lu %lu\n", stamps[i].captured - stamps[i].called, stamps[i].arrived - stamps[i].captured,
           stamps[i].restored - stamps[i].arrived, stamps[i].returned - stamps[i].restored,
           stamps[i].returned - stamps[i].called);
  skein_shared_free(error);
  skein_shared_free(stamps);
  return 0;
}

int main(int argc, char **argv) {
  int count = argc > 2 ? atoi(argv[1]) : 0;
  if (count < 1 || skein_nodes() != 2) {
    fprintf(stderr, "usage: skein run -n 2 ping_pong COUNT KIB..., KIB one of 0 1 2 4 16\n");
    return 2;
  }
  skein_stealing_set(0);
  for (int i = 2; i < argc; i++)
    if (play(count, atoi(argv[i])))
      return 1;
  return 0;
}
