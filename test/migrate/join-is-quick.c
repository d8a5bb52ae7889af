/* News of ends wait for company, but not those that somebody waits for: from the birth node, from a third node, for
 * a thread that moves on after the wait began, and for one whose birth node is not where it is waited for.
 *
 * RUN: %skeincc -O2 %s -o %t
 * RUN: env SKEIN_OPTIONS=workers=1 %run -n 3 --timeout 60 %t | FileCheck %s
 */
#include <skein/shared.h>
#include <skein/skein.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e3 + t.tv_nsec * 1e-6;
}

static void nothing(void) {}

/* A node that has nothing to do sends its news in any case. */
static void keep_busy(int node, skein_shared int *over) {
  skein_push_self(node);
  while (!*(volatile skein_shared int *)over)
    skein_yield();
}

static void go_twice(int first, int second) {
  skein_push_self(first);
  skein_push_self(second);
}

/* Runs on `here`, a thread of node 0 on node `there`. */
static double once(int here, int there) {
  skein_push_self(0);
  skein_thread_t thread = skein_spawn(nothing);
  skein_push(thread, there);
  skein_push_self(here);
  double begin = now();
  skein_join(thread);
  return now() - begin;
}

static double once_moving(void) {
  double begin = now();
  skein_join(skein_spawn(go_twice, 1, 2));
  return now() - begin;
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

enum { ROUNDS = 101 };

/* Without the hint nearly every round waits 10 ms. With it a busy machine may delay most of them, but never all. */
static void say(const char *what, double *ms) {
  qsort(ms, ROUNDS, sizeof *ms, by_value);
  printf("%s: %s\n", what, ms[ROUNDS / 20] < 5 ? "quick" : "slow");
  fprintf(stderr, "%s: %.3f ms, median %.3f ms, longest %.3f ms\n", what, ms[ROUNDS / 20], ms[ROUNDS / 2],
          ms[ROUNDS - 1]);
}

int main(void) {
  skein_stealing_set(0);
  skein_shared int *over = skein_shared_alloc(0, sizeof *over);
  *over = 0;
  skein_thread_t busy[2];
  for (int i = 0; i < 2; i++)
    busy[i] = skein_spawn(keep_busy, i + 1, over);
  double ms[ROUNDS];
  for (int i = 0; i < ROUNDS; i++)
    ms[i] = once(0, 1);
  say("from its birth node", ms); // CHECK: from its birth node: quick
  for (int i = 0; i < ROUNDS; i++)
    ms[i] = once(2, 1);
  skein_push_self(0);
  say("from a third node", ms); // CHECK: from a third node: quick
  for (int i = 0; i < ROUNDS; i++)
    ms[i] = once_moving();
  say("moving on", ms); // CHECK: moving on: quick
  *over = 1;
  for (int i = 0; i < 2; i++)
    skein_join(busy[i]);
}
