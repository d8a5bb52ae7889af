/* Loops over shared memory beside the same loops of plain C. Prints a line for each row and round:
 *
 *     ROW NODE-IT-LIES-ON PLAIN-NS SHARED-NS
 *
 * in nanoseconds an element: STREAM's triad and a walk along a list in random order, which fits into the cache or does
 * not. Plain is what clang makes of it without Skein, in malloc's memory. The two are timed in turn, the best of
 * several times each, since other work on the machine only adds. */
#include "kernels.h"

#include <skein/shared.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

LINK(shared_link, shared);
static __attribute__((noinline)) TRIAD(shared_triad, shared);
static __attribute__((noinline)) CHASE(shared_chase, shared, struct shared_link);

/* The compiler sees that the walk only reads, but must not make it once for all. */
static long walk_again(shared struct shared_link *first) {
  __asm__ volatile("" ::: "memory");
  return shared_chase(first);
}

enum { tries = 7 };

static double now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static double least(double a, double b) { return a < b ? a : b; }

static void triad(const char *row, int node, long n, long repeats) {
  shared double *s = skein_shared_alloc(node, (size_t)(3 * n) * sizeof *s);
  double *p = malloc((size_t)(3 * n) * sizeof *p);
  for (long i = 0; i < 3 * n; i++)
    s[i] = p[i] = (double)(i % 7);
  double plain = 1e30, ours = 1e30;
  for (int try = 0; try < tries; try++) {
    double begin = now_ns();
    for (long i = 0; i < repeats; i++)
      plain_triad(p, p + n, p + 2 * n, n, 3.0);
    plain = least(plain, now_ns() - begin);
    begin = now_ns();
    for (long i = 0; i < repeats; i++)
      shared_triad(s, s + n, s + 2 * n, n, 3.0);
    ours = least(ours, now_ns() - begin);
  }
  for (long i = 0; i < n; i++)
    if (s[i] != p[i])
      abort();
  printf("%s %d %.4f %.4f\n", row, node, plain / (double)(n * repeats), ours / (double)(n * repeats));
  free(p);
  skein_shared_free(s);
}

static void chase(const char *row, int node, long n, long repeats) {
  shared struct shared_link *s = skein_shared_alloc(node, (size_t)n * sizeof *s);
  struct plain_link *p = aligned_alloc(64, (size_t)n * sizeof *p);
  long *order = malloc((size_t)n * sizeof *order), sum = 0;
  for (long i = 0; i < n; i++)
    order[i] = i;
  srand(1);
  for (long i = n - 1; i > 0; i--) {
    long j = ((long)rand() << 16 ^ rand()) % (i + 1), k = order[i];
    order[i] = order[j];
    order[j] = k;
  }
  for (long i = 0; i < n; i++) {
    s[order[i]].next = i + 1 < n ? s + order[i + 1] : NULL;
    p[order[i]].next = i + 1 < n ? p + order[i + 1] : NULL;
    s[i].value = p[i].value = i;
  }
  double plain = 1e30, ours = 1e30;
  for (int try = 0; try < tries; try++) {
    double begin = now_ns();
    for (long i = 0; i < repeats; i++)
      sum += plain_chase(p + order[0]);
    plain = least(plain, now_ns() - begin);
    begin = now_ns();
    for (long i = 0; i < repeats; i++)
      sum -= walk_again(s + order[0]);
    ours = least(ours, now_ns() - begin);
  }
  if (sum)
    abort();
  printf("%s %d %.4f %.4f\n", row, node, plain / (double)(n * repeats), ours / (double)(n * repeats));
  free(order);
  free(p);
  skein_shared_free(s);
}

int main(int argc, char **argv) {
  const int rounds = argc > 1 ? atoi(argv[1]) : 5;
  for (int round = 0; round < rounds; round++)
    for (int node = 0; node < skein_nodes(); node++) {
      triad("triad-cache", node, 8000, 2000);
      triad("triad-memory", node, 1 << 21, 4);
      chase("chase-cache", node, 4000, 500);
      chase("chase-memory", node, 1 << 19, 1);
    }
  return 0;
}
