/* Gets of 8 bytes from another node's shared memory by messages, as between hosts: run with shared=remote, one worker a
 * node. Prints "GET_NS RATE": the median time of one get, and gets in a second by 64 threads of one worker.
 *
 * The owner has nothing else to do, and its progress thread stays awake between two requests; the bare UCX program's
 * target spins. Without shared=remote the owner's memory is mapped here, and a get is a load. */
#include <skein/shared.h>
#include <skein/skein.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { threads = 64, warm_up = 2000 };

static double now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double latency(volatile shared long *there, int count) {
  double *times = malloc((size_t)count * sizeof *times);
  long sum = 0;
  for (int i = -warm_up; i < count; i++) {
    const double begin = now_ns();
    sum += *there;
    if (i >= 0)
      times[i] = now_ns() - begin;
  }
  if (sum != 7L * (count + warm_up))
    abort();
  qsort(times, (size_t)count, sizeof *times, ascending);
  const double median = times[count / 2];
  free(times);
  return median;
}

static void gets(volatile shared long *there, int count) {
  long sum = 0;
  for (int i = 0; i < count; i++)
    sum += *there;
  if (sum != 7L * count)
    abort();
}

static double rate(volatile shared long *there, int count) {
  skein_thread_t all[threads];
  const double begin = now_ns();
  for (int i = 0; i < threads; i++)
    all[i] = skein_spawn(gets, there + i, count);
  for (int i = 0; i < threads; i++)
    skein_join(all[i]);
  return 1e9 * threads * count / (now_ns() - begin);
}

int main(int argc, char **argv) {
  const int count = argc > 1 ? atoi(argv[1]) : 20000;
  skein_stealing_set(0);
  volatile shared long *there = skein_shared_alloc(1, threads * sizeof *there);
  for (int i = 0; i < threads; i++)
    there[i] = 7;
  const double one = latency(there, count);
  rate(there, count / 64);
  printf("%.0f %.0f\n", one, rate(there, count / 4));
  return 0;
}
