/* Quicksort by threads: the first example of Ariadne (Figure 2 of its paper), over nodes.
 *
 * A thread divides its part of the array, starts another thread for the smaller numbers, and goes on with the larger
 * ones itself. Each works on a part of its own, so nothing is locked. Nobody counts the threads either: main waits
 * until the run is at rest. There are two ways to spread them over nodes:
 *
 *     steal   The array lies on node 0, where the first thread begins. Idle nodes steal threads that are ready.
 *     place   The array lies on all nodes. A sample says which range of numbers each node gets; a thread on each node
 *             sends every node its numbers, and then sorts those of its own, by threads that stay there.
 *
 * Parts of at most `leaf` numbers are fetched, sorted, and put back, as Ariadne's authors did with 200 of them, since a
 * thread costs about as much as that. Priorities are theirs, too: main has 7, which lets it begin its wait before any
 * thread of priority 6 runs.
 *
 *     quicksort [numbers] [leaf] [steal or place]        (several nodes: skein run -n N quicksort ...) */
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <skein/bundle.h>
#include <skein/global.h>
#include <skein/heap.h>
#include <skein/messages.h>
#include <skein/shared_array.h>

enum { LEAF_MOST = 2000, SAMPLES_OF_A_NODE = 64 };

/* Numbers of `place`: where they are at first, and the sorted ones, of which each node has a part. */
struct job {
  skein_array_t numbers;
  long leaf;
  skein_global_barrier_t barrier;
  skein_shared int *ran, *least; /* least[i]: the least number that node i gets (but for node 0) */
  skein_shared long *counts;     /* counts[from * nodes + to] */
  struct part {
    skein_shared int *begin;
    long count;
  } parts[];
};

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

static void stop(void) {
  fprintf(stderr, "quicksort: %s\n", skein_error_text());
  exit(1);
}

static void quicksort(skein_shared int *array, long count, long leaf, skein_shared int *ran) {
  while (count > leaf) {
    long smaller = divide(array, count);
    struct skein_attributes attributes = {.bundle = sorters(), .priority = 6};
    if (!skein_spawn_with(&attributes, quicksort, array, smaller, leaf, ran))
      stop();
    array += smaller;
    count -= smaller;
  }
  sort_here(array, count);
  __atomic_fetch_add(&ran[skein_node()], 1, __ATOMIC_RELAXED);
}

static void *or_stop(void *block) {
  if (!block)
    stop();
  return block;
}

/* The node that gets this number. */
static int node_of(const int *least, int nodes, int number) {
  int node = nodes - 1;
  while (node > 0 && number < least[node])
    node--;
  return node;
}

/* Sends all numbers of this node to where they belong, and sorts what this node gets. */
static void sort_part(skein_shared struct job *job, int node) {
  const int nodes = skein_nodes();
  const skein_array_t numbers = job->numbers;
  const size_t first = skein_array_next(&numbers, 0, node);
  const long have = first < numbers.count ? (long)skein_array_run(&numbers, first) : 0;
  int *own = or_stop(skein_malloc((size_t)have * sizeof *own + 1));
  int *grouped = or_stop(skein_malloc((size_t)have * sizeof *grouped + 1));
  if (have)
    memcpy(own, (skein_shared int *)skein_array_at(&numbers, first), (size_t)have * sizeof *own);
  int least[nodes];
  memcpy(least, job->least, sizeof least);
  long counts[nodes], begin[nodes], at[nodes];
  memset(counts, 0, sizeof counts);
  for (long i = 0; i < have; i++)
    counts[node_of(least, nodes, own[i])]++;
  for (int to = 0; to < nodes; to++)
    at[to] = begin[to] = to ? begin[to - 1] + counts[to - 1] : 0;
  for (long i = 0; i < have; i++)
    grouped[at[node_of(least, nodes, own[i])]++] = own[i];
  memcpy(job->counts + (long)node * nodes, counts, sizeof counts);
  skein_global_barrier_wait(job->barrier); /* all counts are there */

  long gets = 0;
  for (int from = 0; from < nodes; from++)
    gets += job->counts[(long)from * nodes + node];
  skein_shared int *part = skein_shared_alloc(node, (size_t)gets * sizeof *part + 1);
  if (!part)
    stop();
  job->parts[node].begin = part;
  job->parts[node].count = gets;
  skein_global_barrier_wait(job->barrier); /* all parts are there */

  for (int to = 0; to < nodes; to++) {
    long before = 0;
    for (int from = 0; from < node; from++)
      before += job->counts[(long)from * nodes + to];
    if (counts[to])
      memcpy(job->parts[to].begin + before, grouped + begin[to], (size_t)counts[to] * sizeof *grouped);
  }
  skein_free(grouped);
  skein_free(own);
  skein_global_barrier_wait(job->barrier); /* all numbers are there */
  quicksort(part, gets, job->leaf, job->ran);
}

/* The bounds between the nodes' ranges, from numbers that lie as far apart as can be. */
static void choose_bounds(const skein_array_t *numbers, skein_shared int *least) {
  const int nodes = skein_nodes(), samples = nodes * SAMPLES_OF_A_NODE;
  int *sample = or_stop(skein_malloc((size_t)samples * sizeof *sample));
  for (int i = 0; i < samples; i++)
    sample[i] = *(skein_shared int *)skein_array_at(numbers, (size_t)i * numbers->count / (size_t)samples);
  qsort(sample, (size_t)samples, sizeof *sample, before);
  for (int node = 0; node < nodes; node++)
    least[node] = sample[node * SAMPLES_OF_A_NODE];
  skein_free(sample);
}

static skein_shared void *allocate(size_t bytes) {
  skein_shared void *block = skein_shared_alloc(0, bytes);
  if (!block)
    stop();
  return block;
}

static void sort_placed(skein_shared struct job *job) {
  const int nodes = skein_nodes();
  const skein_array_t numbers = job->numbers;
  job->least = allocate((size_t)nodes * sizeof(int));
  job->counts = allocate((size_t)nodes * (size_t)nodes * sizeof(long));
  choose_bounds(&numbers, job->least);
  job->barrier = skein_global_barrier_create(0, (unsigned)nodes);
  if (!job->barrier)
    stop();
  skein_stealing_set(0);
  for (int node = 0; node < nodes; node++) {
    const struct skein_attributes there = {.bundle = sorters(), .priority = 6, .node = SKEIN_ON(node)};
    if (!skein_spawn_with(&there, sort_part, job, node))
      stop();
  }
}

static void sort_stolen(skein_shared struct job *job) {
  const skein_array_t numbers = job->numbers;
  skein_shared int *all = skein_array_at(&numbers, 0);
  const struct skein_attributes attributes = {.bundle = sorters(), .priority = 6};
  if (!skein_spawn_with(&attributes, quicksort, all, (long)numbers.count, job->leaf, job->ran))
    stop();
  job->parts[0].begin = all;
  job->parts[0].count = (long)numbers.count;
}

int main(int argc, char **argv) {
  long count = argc > 1 ? atol(argv[1]) : 1000000, leaf = argc > 2 ? atol(argv[2]) : 200;
  const int place = argc > 3 && !strcmp(argv[3], "place");
  if (count < 1 || leaf < 3 || leaf > LEAF_MOST || (argc > 3 && !place && strcmp(argv[3], "steal"))) {
    fprintf(stderr,
            "usage: quicksort [numbers] [numbers that a thread sorts alone: 3 to %d]\n"
            "                 [how threads spread: steal (default) or place]\n",
            LEAF_MOST);
    return 2;
  }
  const int nodes = skein_nodes();
  skein_shared struct job *job = allocate(sizeof *job + (size_t)nodes * sizeof job->parts[0]);
  skein_array_t numbers; /* one block, of node 0, or one of each node */
  if (skein_array_create(&numbers, (size_t)count, sizeof(int), place ? SKEIN_BLOCKED : (size_t)count))
    stop();
  job->numbers = numbers;
  job->leaf = leaf;
  job->ran = allocate((size_t)nodes * sizeof(int));
  unsigned seed = 12345;
  uint64_t sum = 0, product = 1; /* of the numbers, in whatever order they are */
  for (long i = 0; i < count; i++) {
    seed = seed * 1103515245u + 12345u;
    const int number = (int)(seed >> 1);
    *(skein_shared int *)skein_array_at(&numbers, (size_t)i) = number;
    sum += (uint64_t)number;
    product *= (uint64_t)number | 1;
  }
  struct timespec from, to;
  clock_gettime(CLOCK_MONOTONIC, &from);
  if (place)
    sort_placed(job);
  else
    sort_stolen(job);
  if (skein_quiesce())
    stop();
  clock_gettime(CLOCK_MONOTONIC, &to);
  long threads = 0, wrong = 0, found = 0;
  uint64_t check = 1;
  int last = INT_MIN;
  for (int node = 0; node < nodes; node++) {
    skein_shared int *part = job->parts[node].begin;
    for (long i = 0; i < job->parts[node].count; i++) {
      const int number = part[i];
      wrong += last > number;
      last = number;
      sum -= (uint64_t)number;
      check *= (uint64_t)number | 1;
      found++;
    }
    printf("node %d: %d threads ended here\n", node, job->ran[node]);
    threads += job->ran[node];
  }
  wrong += found != count || sum || check != product;
  printf("%ld numbers, %ld threads, %.3f s: %s\n", count, threads,
         (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec),
         wrong ? "NOT SORTED" : "sorted");
  return wrong != 0;
}
