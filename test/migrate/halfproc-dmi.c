/* The program of Figure 11 of *Half-process*: threads that go round until they have converged, and yield at the head of
 * each iteration, which is where they move. Its threads are half-processes, so that each may use global variables, and
 * the C library's functions that have some (section 5.1): here a count and a residual. */

// RUN: %skeincc -O2 -fskein-globals=private -fskein-heap=private %s -o %t
// RUN: %t | FileCheck %s
// RUN: %run -n 2 --timeout 60 %t | FileCheck %s
// RUN: %run -n 3 --timeout 60 %t | FileCheck %s
// CHECK: 24 threads, 4800 iterations, 0 are wrong

#include <skein/halfproc.h>
#include <stdio.h>
#include <stdlib.h>

/* DMI's names, as the figure has them. */
typedef halfproc_t DMI_thread_t;
static skein_shared void *DMI_thread(skein_shared void *arg_addr);
#define DMI_create(handle, arg_addr) halfproc_create(handle, NULL, DMI_thread, arg_addr)
#define DMI_join(handle) halfproc_join(handle, NULL)

/* On one node a yield lets the others run; on several, every fifth one moves, as DMI does if a node joins. */
static void DMI_yield(int iter) {
  skein_yield();
  if (iter % 5 == 0)
    skein_push_self((skein_node() + 1) % skein_nodes());
}

typedef struct {
  int thread_num, rank, iterations, wrong;
} arg_t;

static int iterations; /* global, but of each thread */
static double *residual;

static skein_shared void *DMI_thread(skein_shared void *arg_addr) {
  skein_shared arg_t *arg = arg_addr;
  const int until = 180 + arg->rank % 2 * 40;
  residual = malloc(sizeof *residual);
  *residual = 1;
  double expected = 1;
  for (int iter = 0; *residual > 0.5; iter++) {
    DMI_yield(iter);
    iterations++;
    *residual -= 0.5 / until;
    expected -= 0.5 / until;
    if (iterations >= until)
      *residual = 0;
    else
      arg->wrong += *residual != expected;
  }
  arg->wrong += iterations != until;
  arg->iterations = iterations;
  free(residual);
  return NULL;
}

int main(void) {
  enum { thread_num = 24 };
  DMI_thread_t handle[thread_num];
  skein_shared arg_t *args = halfproc_malloc(thread_num * sizeof *args);
  for (int i = 0; i < thread_num; i++) {
    args[i] = (arg_t){.thread_num = thread_num, .rank = i};
    if (DMI_create(&handle[i], args + i))
      return 1;
  }
  int sum = 0, wrong = 0;
  for (int i = 0; i < thread_num; i++) {
    wrong += DMI_join(handle[i]) != SKEIN_OK;
    sum += args[i].iterations;
    wrong += args[i].wrong;
  }
  printf("%d threads, %d iterations, %d are wrong\n", thread_num, sum, wrong);
  return wrong != 0;
}
