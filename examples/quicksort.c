/* Quicksort by threads: the first example of Ariadne (Figure 2 of its paper), over nodes.
 *
 * A thread divides its part of the array, starts another thread for the smaller numbers, and goes on with the larger
 * ones itself. Each works on a part of its own, so nothing is locked. Nobody counts the threads either: main waits
 * until the run is at rest. Idle nodes steal threads that are ready; the array lies in shared memory of node 0.
 *
 * Parts of at most `leaf` numbers are fetched, sorted, and put back, as Ariadne's authors did with 200 of them, since a
 * thread costs about as much as that. Priorities are theirs, too: main has 7, which lets it begin its wait before any
 * thread of priority 6 runs.
 *
 *     quicksort [numbers] [leaf]        (several nodes: skein run -n N quicksort ...) */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <skein/bundle.h>
#include <skein/messages.h>
#include <skein/shared.h>

enum { LEAF_MOST = 2000 };

SKEIN_BUNDLE(sorters, &skein_bundle_priority)

static int before(const void *a, const void *b) {
  int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

static void sort_here(skein_shared int *array, long count) {
  int part[LEAF_MOST];
  for (long i = 0; i < count; i++)
    part[i] = array[i];
  qsort(part, (size_t)count, sizeof *part, before); /* Skein's own: it may move between two comparisons */
  for (long i = 0; i < count; i++)
    array[i] = part[i];
}

/* Numbers below the middle one of three go to the front: [0, result) are at most the rest. */
static long divide(skein_shared int *array, long count) {
  int a = array[0], b = array[count / 2], c = array[count - 1];
  int pivot = a < b ? (b < c ? b : a < c ? c : a) : (a < c ? a : b < c ? c : b);
  long low = 0, high = count - 1;
  for (;;) {
    while (array[low] < pivot)
      low++;
    while (array[high] > pivot)
      high--;
    if (low >= high)
      return high + 1;
    int other = array[low];
    array[low++] = array[high];
    array[high--] = other;
  }
}

static void quicksort(skein_shared int *array, long count, long leaf, skein_shared int *ran) {
  while (count > leaf) {
    long smaller = divide(array, count);
    struct skein_attributes attributes = {.bundle = sorters(), .priority = 6};
    if (!skein_spawn_with(&attributes, quicksort, array, smaller, leaf, ran)) {
      fprintf(stderr, "quicksort: %s\n", skein_error_text());
      exit(1);
    }
    array += smaller;
    count -= smaller;
  }
  sort_here(array, count);
  __atomic_fetch_add(&ran[skein_node() % 16], 1, __ATOMIC_RELAXED);
}

int main(int argc, char **argv) {
  long count = argc > 1 ? atol(argv[1]) : 1000000, leaf = argc > 2 ? atol(argv[2]) : 200;
  if (count < 1 || leaf < 3 || leaf > LEAF_MOST) {
    fprintf(stderr, "usage: quicksort [numbers] [numbers that a thread sorts alone: 3 to %d]\n", LEAF_MOST);
    return 2;
  }
  skein_shared int *array = skein_shared_alloc(0, (size_t)count * sizeof *array);
  skein_shared int *ran = skein_shared_alloc(0, 16 * sizeof *ran);
  if (!array || !ran) {
    fprintf(stderr, "quicksort: %s\n", skein_error_text());
    return 1;
  }
  unsigned seed = 12345;
  uint64_t sum = 0, product = 1; /* of the numbers, in whatever order they are */
  for (long i = 0; i < count; i++) {
    seed = seed * 1103515245u + 12345u;
    array[i] = (int)(seed >> 1);
    sum += (uint64_t)array[i];
    product *= (uint64_t)array[i] | 1;
  }
  struct timespec from, to;
  clock_gettime(CLOCK_MONOTONIC, &from);
  struct skein_attributes attributes = {.bundle = sorters(), .priority = 6};
  if (!skein_spawn_with(&attributes, quicksort, array, count, leaf, ran) || skein_quiesce()) {
    fprintf(stderr, "quicksort: %s\n", skein_error_text());
    return 1;
  }
  clock_gettime(CLOCK_MONOTONIC, &to);
  long threads = 0, wrong = 0;
  for (long i = 0; i < count; i++) {
    wrong += i > 0 && array[i - 1] > array[i];
    sum -= (uint64_t)array[i];
  }
  uint64_t check = 1;
  for (long i = 0; i < count; i++)
    check *= (uint64_t)array[i] | 1;
  for (int node = 0; node < 16 && node < skein_nodes(); node++) {
    printf("node %d: %d threads ended here\n", node, ran[node]);
    threads += ran[node];
  }
  printf("%ld numbers, %ld threads, %.3f s: %s\n", count, threads,
         (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec),
         wrong || sum || check != product ? "NOT SORTED" : "sorted");
  return wrong || sum || check != product;
}
