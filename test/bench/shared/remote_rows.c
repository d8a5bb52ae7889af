/* Gets and puts of 8 bytes from and to another node's shared memory by messages, as between hosts: run with
 * shared=remote, one worker a node. Prints "GET_NS GETS PUT_NS PUTS": the median time of one get, gets in a second by
 * 64 threads of one worker, and the same of puts, each of which is at its owner when the thread goes on. Then "GETS
 * PUTS" of one thread that starts 64 and waits for all of them, as the bare UCX program and MPI's do.
 *
 * The owner has nothing else to do, and its progress thread stays awake between two requests; the bare UCX program's
 * target spins. Without shared=remote the owner's memory is mapped here, and a get is a load. */
#include <skein/shared.h>
#include <skein/shared_copy.h>
#include <skein/skein.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

static double median(double *times, int count) {
  qsort(times, (size_t)count, sizeof *times, ascending);
  return times[count / 2];
}

static double get_latency(volatile shared long *there, int count) {
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
  const double one = median(times, count);
  free(times);
  return one;
}

static double put_latency(volatile shared long *there, int count) {
  double *times = malloc((size_t)count * sizeof *times);
  for (int i = -warm_up; i < count; i++) {
    const double begin = now_ns();
    *there = i;
    if (i >= 0)
      times[i] = now_ns() - begin;
  }
  if (*there != count - 1)
    abort();
  const double one = median(times, count);
  free(times);
  return one;
}

static void gets(volatile shared long *there, int count) {
  long sum = 0;
  for (int i = 0; i < count; i++)
    sum += *there;
  if (sum != 7L * count)
    abort();
}

static void puts_to(volatile shared long *there, int count) {
  for (int i = 0; i < count; i++)
    *there = i;
  if (*there != count - 1)
    abort();
}

static double rate(void (*operate)(volatile shared long *, int), volatile shared long *there, int count) {
  skein_thread_t all[threads];
  const double begin = now_ns();
  for (int i = 0; i < threads; i++)
    all[i] = skein_spawn(operate, there + i, count);
  for (int i = 0; i < threads; i++)
    skein_join(all[i]);
  return 1e9 * threads * count / (now_ns() - begin);
}

static double started(int put, shared long *there, int rounds) {
  long *here = malloc(threads * sizeof *here);
  const double begin = now_ns();
  for (int i = 0; i < rounds; i++) {
    for (int j = 0; j < threads; j++) {
      here[j] = put ? i + j : -1;
      skein_pending_forget(put ? skein_shared_put_start(there + j, here + j, sizeof *here)
                               : skein_shared_get_start(here + j, there + j, sizeof *here));
    }
    if (skein_shared_flush())
      abort();
    for (int j = 0; j < threads && !put; j++)
      if (here[j] < 0)
        abort();
  }
  const double one = (now_ns() - begin) / rounds / threads;
  for (int j = 0; j < threads && put; j++)
    if (there[j] != rounds - 1 + j)
      abort();
  free(here);
  return 1e9 / one;
}

int main(int argc, char **argv) {
  const int count = argc > 1 ? atoi(argv[1]) : 20000;
  skein_stealing_set(0);
  volatile shared long *there = skein_shared_alloc(1, threads * sizeof *there);
  for (int i = 0; i < threads; i++)
    there[i] = 7;
  const double get = get_latency(there, count);
  rate(gets, there, count / 64);
  printf("%.0f %.0f ", get, rate(gets, there, count / 4));
  const double put = put_latency(there, count);
  printf("%.0f %.0f\n", put, rate(puts_to, there, count / 4));
  const double started_gets = started(0, (shared long *)there, count / 4);
  printf("%.0f %.0f\n", started_gets, started(1, (shared long *)there, count / 4));
  return 0;
}
