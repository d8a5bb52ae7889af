/* Copies between two nodes' processes by Skein, beside those of process_copies.
 *
 *   skein run -n 2 skein_copies ROUNDS BYTES...        prints lines as copies.h says
 *
 *   pointer    the reader sums up the other node's shared memory where it lies (with shared=remote: not measured)
 *   get        memcpy from there to the reader's own memory, and the sum of that
 *   put        the sum of the reader's own memory, and memcpy of it to there
 *   peer-read  skein_peer_read from memory of the other process that is not shared, and the sum of that
 *
 * With SKEIN_OPTIONS=shared=remote, get and put take messages, as between hosts, and lines begin with `message-`. */
#include "copies.h"

#include <skein/halfproc.h>
#include <stdlib.h>
#include <string.h>

enum way { pointer, get, put, peer_read, ways };

static void *or_stop(void *block) {
  if (!block) {
    fprintf(stderr, "skein_copies: %s\n", skein_error_text());
    exit(1);
  }
  return block;
}

/* On node 1, whose memory this is. */
static void writes(shared uint64_t *there, uint64_t own, size_t bytes, uint64_t seed, int shares) {
  fill(shares ? or_stop(skein_local(there)) : (uint64_t *)own, bytes, seed);
}
static uint64_t sums(shared uint64_t *there, size_t bytes) { return sum_of(or_stop(skein_local(there)), bytes); }
static uint64_t allocates(size_t bytes) {
  void *block = or_stop(aligned_alloc(4096, bytes < 4096 ? 4096 : bytes));
  memset(block, 1, bytes);
  return (uint64_t)block; /* a number to all but this node */
}

static const struct skein_attributes on_1 = {.node = SKEIN_ON(1)};

static double once(enum way way, shared uint64_t *there, uint64_t own, uint64_t *target, size_t bytes, uint64_t seed) {
  uint64_t sum = 0;
  if (way == put)
    fill(target, bytes, seed);
  else
    skein_join(skein_spawn_with(&on_1, writes, there, own, bytes, seed, way != peer_read));
  const double begin = now_ns();
  switch (way) {
  case pointer:
    sum = sum_of(or_stop(skein_local(there)), bytes);
    break;
  case get:
    memcpy(target, there, bytes);
    sum = sum_of(target, bytes);
    break;
  case put:
    sum = sum_of(target, bytes);
    memcpy(there, target, bytes);
    break;
  default:
    if (skein_peer_read(1, (void *)own, bytes, target))
      or_stop(NULL);
    sum = sum_of(target, bytes);
  }
  const double took = now_ns() - begin;
  uint64_t arrived = sum;
  if (way == put)
    skein_join_result(skein_spawn_with(&on_1, sums, there, bytes), &arrived);
  if (sum != sum_expected(bytes, seed) || arrived != sum) {
    fprintf(stderr, "skein_copies: %zu bytes are wrong\n", bytes);
    exit(1);
  }
  return took;
}

int main(int argc, char **argv) {
  if (argc < 3 || skein_nodes() < 2) {
    fprintf(stderr, "usage: skein run -n 2 skein_copies ROUNDS BYTES...\n");
    return 2;
  }
  skein_stealing_set(0);
  size_t most = 0;
  for (int i = 2; i < argc; i++)
    most = (size_t)atol(argv[i]) > most ? (size_t)atol(argv[i]) : most;
  shared uint64_t *there = skein_shared_alloc(1, most);
  or_stop(there ? argv : NULL);
  uint64_t own = 0, *target = or_stop(malloc(most));
  skein_join_result(skein_spawn_with(&on_1, allocates, most), &own);
  const int mapped = skein_local(there) != NULL;
  static const char *const by_map[ways] = {"pointer", "get", "put", "peer-read"};
  static const char *const by_message[ways] = {[get] = "message-get", [put] = "message-put"};
  for (int i = 2; i < argc; i++) {
    const size_t bytes = (size_t)atol(argv[i]);
    const int rounds = rounds_of(bytes, atoi(argv[1]));
    double *times = or_stop(malloc((size_t)rounds * sizeof *times));
    for (enum way way = mapped ? pointer : get; way < (mapped ? ways : peer_read); way++) {
      for (int round = -1; round < rounds; round++) {
        const double took = once(way, there, own, target, bytes, (uint64_t)(round + 7));
        if (round >= 0)
          times[round] = took;
      }
      print_decile((mapped ? by_map : by_message)[way], bytes, times, rounds);
    }
    free(times);
  }
  free(target);
  return 0;
}
