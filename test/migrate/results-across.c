/* Results of threads that are born, end and are joined on any of three nodes, kept or waited for. Pointers to functions
 * are right where they arrive, and a thread may be detached from any node. */

// RUN: %skeincc -O2 -I%S/Inputs %s -o %t
// RUN: env SKEIN_OPTIONS=steal=off %run -n 3 --timeout 30 %t
// RUN: env SKEIN_OPTIONS=net_delay_us=2000 %run -n 3 --timeout 30 %t
// RUN: %skeincc -O1 -fskein-stress=calls -I%S/Inputs %s -o %t.stress
// RUN: %run -n 3 --timeout 30 %t.stress

#include "check.h"

#include <skein/sync.h>

static long go(int node, int hops, long value) {
  CHECK(skein_push_self(node) == SKEIN_OK);
  for (int i = 0; i < hops; i++)
    CHECK(skein_push_self((skein_node() + 1) % skein_nodes()) == SKEIN_OK);
  return value;
}
static double quarter(int node, double of) {
  CHECK(skein_push_self(node) == SKEIN_OK);
  return of / 4;
}
typedef long (*function)(int, int, long);
static function which(int node) {
  CHECK(skein_push_self(node) == SKEIN_OK);
  return go;
}

static long joiner(int from, skein_thread_t thread) {
  CHECK(skein_push_self(from) == SKEIN_OK);
  long value = -1;
  CHECK(skein_join_result(thread, &value) == SKEIN_OK);
  return value;
}

/* Another thread has joined it. */
static long late_joiner(int from, skein_thread_t thread, long expected) {
  CHECK(skein_push_self(from) == SKEIN_OK);
  long value = -1;
  int code = skein_join_result(thread, &value);
  CHECK(code == SKEIN_OK ? value == expected : code == SKEIN_ETHREAD && value == -1);
  return 7;
}

static void every_way(int birth) {
  CHECK(skein_push_self(birth) == SKEIN_OK);
  long value;
  for (int end = 0; end < 3; end++)
    for (int from = 0; from < 3; from++) {
      const long expected = 100 * birth + 10 * end + from;
      /* soon, perhaps before it ends */
      skein_thread_t thread = skein_spawn(go, end, from, expected);
      CHECK(skein_join_result(skein_spawn(joiner, from, thread), &value) == SKEIN_OK && value == expected);
      /* long after it has ended */
      thread = skein_spawn(go, end, 0, expected);
      usleep(3000);
      skein_yield();
      CHECK(skein_join_result(skein_spawn(joiner, from, thread), &value) == SKEIN_OK && value == expected);
      CHECK(skein_join_result(skein_spawn(late_joiner, from, thread, expected), &value) == SKEIN_OK && value == 7);
      double d = 0;
      CHECK(skein_join_result(skein_spawn(quarter, end, 3), &d) == SKEIN_OK && d == 0.75);
      function f = NULL;
      CHECK(skein_join_result(skein_spawn(which, end), &f) == SKEIN_OK && f == go && f(birth, 0, 5) == 5);
    }
}

static void detacher(int from, skein_thread_t thread) {
  CHECK(skein_push_self(from) == SKEIN_OK);
  CHECK(skein_detach(thread) == SKEIN_OK);
}

static int wanders(skein_shared _Atomic int *over) {
  for (int i = 0; i < 30; i++)
    CHECK(skein_push_self((skein_node() + 1) % 3) == SKEIN_OK);
  *over = 1;
  return 1;
}

int main(void) {
  for (int birth = 0; birth < 3; birth++)
    CHECK(skein_join(skein_spawn(every_way, birth)) == SKEIN_OK);
  /* The thread is detached while it is at home, away, on its way or over. Its result is forgotten when all nodes know.
   */
  skein_shared _Atomic int *over = skein_shared_alloc(0, sizeof *over);
  for (int from = 0; from < 3; from++)
    for (int round = 0; round < 5; round++) {
      *over = 0;
      skein_thread_t thread = skein_spawn(wanders, over);
      CHECK(skein_join(skein_spawn(detacher, from, thread)) == SKEIN_OK);
      while (!*over)
        skein_sleep_ns(100000);
      skein_sleep_ns(20000000);
      int value;
      CHECK(skein_join_result(thread, &value) == SKEIN_ETHREAD && strstr(skein_error_text(), "was detached"));
    }
  skein_shared_free(over);
  CHECK(skein_detach((skein_thread_t)77 << 40 | 1) == SKEIN_ETHREAD);
  return 0;
}
