/* Two threads on two nodes that talk over channels: the measured half of `skein bench channels`.
 *
 *   skein run -n 2 channel_pair COUNT BYTES...                  (SKEIN_OPTIONS=steal=off,workers=1)
 *
 * One thread sends a message on one channel, the other answers with as many bytes on another one, as bare UCX's two
 * processes do (migrate/pair.h). Each channel lives where it is received, as it would after some messages. A line
 * "BYTES NS MB_A_SECOND" for each size: the median time of one message one way, half of a round trip, and what a stream
 * of messages carries, of which each one is confirmed before the next is sent. */
#include <skein/channel.h>
#include <skein/migration.h>
#include <skein/skein.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../now_ns.h"

enum { ROUNDS_MOST = 100000, TURNS = 3 };

static int by_value(const void *a, const void *b) {
  const double left = *(const double *)a, right = *(const double *)b;
  return (left > right) - (left < right);
}
static double median(double *values, size_t count) {
  qsort(values, count, sizeof *values, by_value);
  return values[count / 2];
}

static void must(int code, const char *what) {
  if (!code)
    return;
  fprintf(stderr, "channel_pair: %s: %s\n", what, skein_error_text());
  exit(1);
}

/* How many messages a stream has. */
static long stream_of(size_t bytes, long count) {
  const size_t fit = (8u << 20) / bytes;
  return fit < 4 ? 4 : fit > 4 * (size_t)count ? 4 * count : (long)fit;
}

static int warm_up(long count) { return (int)(count / 10) + 1; }

/* Answers, and then takes the streams. */
static int second(skein_channel_t to, skein_channel_t from, long count, size_t bytes) {
  must(skein_push_self(1), "push");
  char *message = malloc(bytes);
  if (!message)
    exit(1);
  for (long i = -warm_up(count); i < count; i++) {
    must(skein_channel_receive(from, message, bytes, NULL), "receive");
    must(skein_channel_send(to, message, bytes), "send");
  }
  const long all = stream_of(bytes, count);
  for (int turn = 0; turn < TURNS; turn++) {
    for (long i = 0; i < all; i++)
      must(skein_channel_receive(from, message, bytes, NULL), "receive");
    must(skein_channel_send(to, message, 1), "send");
  }
  free(message);
  return 0;
}

static int first(skein_channel_t to, skein_channel_t from, long count, size_t bytes) {
  static double times[ROUNDS_MOST];
  double rates[TURNS];
  char *message = malloc(bytes);
  if (!message)
    exit(1);
  memset(message, 1, bytes);
  for (long i = -warm_up(count); i < count; i++) {
    const double begin = now_ns();
    must(skein_channel_send(to, message, bytes), "send");
    must(skein_channel_receive(from, message, bytes, NULL), "receive");
    if (i >= 0)
      times[i] = (now_ns() - begin) / 2;
  }
  const long all = stream_of(bytes, count);
  for (int turn = 0; turn < TURNS; turn++) {
    const double begin = now_ns();
    for (long i = 0; i < all; i++)
      must(skein_channel_send(to, message, bytes), "send");
    must(skein_channel_receive(from, message, bytes, NULL), "receive");
    rates[turn] = (double)all * (double)bytes * 1000 / (now_ns() - begin);
  }
  printf("%zu %.0f %.0f\n", bytes, median(times, (size_t)count), median(rates, TURNS));
  free(message);
  return 0;
}

int main(int argc, char **argv) {
  const long count = argc > 2 ? atol(argv[1]) : 0;
  if (count < 1 || count > ROUNDS_MOST || skein_nodes() != 2) {
    fprintf(stderr, "usage: skein run -n 2 channel_pair COUNT BYTES...\n");
    return 2;
  }
  const skein_channel_t there = skein_channel_create_on(1, 0), back = skein_channel_create_on(0, 0);
  for (int i = 2; i < argc; i++) {
    const size_t bytes = strtoul(argv[i], NULL, 10);
    const skein_thread_t other = skein_spawn(second, back, there, count, bytes);
    first(there, back, count, bytes);
    must(skein_join(other), "the other thread");
  }
  return 0;
}
