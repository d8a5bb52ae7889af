/* Relocation stress with more workers than cores: stacks move on several kernel threads at once, while others allocate
 * and free, so that the heap that is searched before each move changes under the search.
 *
 * RUN: %skeincc -O2 -fskein-stress=calls %s -o %t
 * RUN: env SKEIN_OPTIONS=workers=4,stress_report=on %t 2>&1 | FileCheck %s
 * RUN: env SKEIN_OPTIONS=workers=4,stress_report=on,stress_via=image %t 2>&1 | FileCheck %s
 */
#include <skein/skein.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 16, DEPTH = 40, ROUNDS = 6 };

struct node {
  struct node *next;
  long value;
};

static long results[THREADS];

static long descend(struct node *above, long depth) {
  struct node mine = {above, depth};
  if (depth > 0) {
    size_t bytes = (size_t)(64 + 512 * (depth % 7));
    unsigned char *block = malloc(bytes);
    memset(block, (int)depth, bytes);
    long below = descend(&mine, depth - 1);
    below += block[bytes - 1] != depth;
    free(block);
    return below;
  }
  long sum = 0;
  for (struct node *n = &mine; n; n = n->next) {
    sum += n->value;
    skein_yield();
  }
  return sum;
}

static void worker(int index) {
  long sum = 0;
  for (int round = 0; round < ROUNDS; round++)
    sum += descend(NULL, DEPTH);
  results[index] = sum;
}

int main(void) {
  skein_thread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++)
    threads[i] = skein_spawn(worker, i);
  long sum = 0;
  for (int i = 0; i < THREADS; i++) {
    skein_join(threads[i]);
    sum += results[i];
  }
  printf("sum %ld\n", sum);
  return 0;
}

// CHECK-DAG: sum 78720
// CHECK-DAG: stress: {{[0-9][0-9][0-9][0-9]+}} moves, {{.*}}, 0 moves refused
