/* skein_join_result gives what a thread's function returns: of every type, also after skein_exit and a cancel, to all
 * that wait, and kept once for a thread that comes late. */

// RUN: %skeincc -I%S/../migrate/Inputs -O2 -Wno-skein-global %s -o %t
// RUN: env SKEIN_OPTIONS=workers=1 timeout 20 %t
// RUN: env SKEIN_OPTIONS=workers=4 timeout 20 %t
// RUN: %skeincc -I%S/../migrate/Inputs -x c++ -O1 -Wno-skein-global %s -o %t.cxx && env SKEIN_OPTIONS=workers=2 timeout 20 %t.cxx
// RUN: %skeincc -I%S/../migrate/Inputs -O1 -fskein-stress=calls -fskein-globals=private -fskein-heap=private %s -o %t.stress
// RUN: env SKEIN_OPTIONS=workers=2 timeout 20 %t.stress

#include "check.h"

#include <math.h>
#include <skein/messages.h>
#include <skein/skein.h>
#include <skein/sync.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum colour { RED,
              GREEN = 7 };

static int negative(void) { return -5; }
static unsigned char byte(int value) { return (unsigned char)value; }
static short narrow(void) { return -300; }
static unsigned positive(void) { return 4000000000u; }
static long wide(long value) { return value; }
static bool truth(int value) { return value > 3; }
static enum colour colour(void) { return GREEN; }
static double half(double of) { return of / 2; }
static float third(float of) { return of / 3; }
static const char *word(const char *text) { return text + 1; }
static void nothing(void) {}

static void of_every_type(void) {
  int i = 0;
  CHECK(skein_join_result(skein_spawn(negative), &i) == SKEIN_OK && i == -5);
  long l = 0;
  /* It is extended, whatever the register has. */
  CHECK(skein_join_result(skein_spawn(negative), &l) == SKEIN_OK && l == -5);
  CHECK(skein_join_result(skein_spawn(byte, 0x1ff), &l) == SKEIN_OK && l == 0xff);
  CHECK(skein_join_result(skein_spawn(narrow), &l) == SKEIN_OK && l == -300);
  CHECK(skein_join_result(skein_spawn(positive), &l) == SKEIN_OK && l == 4000000000);
  CHECK(skein_join_result(skein_spawn(wide, INT64_MIN), &l) == SKEIN_OK && l == INT64_MIN);
  bool b = false;
  CHECK(skein_join_result(skein_spawn(truth, 4), &b) == SKEIN_OK && b);
  enum colour c = RED;
  CHECK(skein_join_result(skein_spawn(colour), &c) == SKEIN_OK && c == GREEN);
  double d = 0;
  CHECK(skein_join_result(skein_spawn(half, 5), &d) == SKEIN_OK && d == 2.5);
  float f = 0;
  CHECK(skein_join_result(skein_spawn(half, 5), &f) == SKEIN_OK && f == 2.5f);
  CHECK(skein_join_result(skein_spawn(third, 1), &f) == SKEIN_OK && f == 1.0f / 3);
  CHECK(skein_join_result(skein_spawn(third, 1), &d) == SKEIN_OK && d == 1.0f / 3);
  const char *p = NULL;
  CHECK(skein_join_result(skein_spawn(word, "xyz"), &p) == SKEIN_OK && strcmp(p, "yz") == 0);
  /* through a pointer, too */
  long (*variable)(long) = wide;
  CHECK(skein_join_result(skein_spawn(variable, 42), &l) == SKEIN_OK && l == 42);
  struct skein_attributes attributes = {.name = "named"};
  CHECK(skein_join_result(skein_spawn_with(&attributes, variable, 43), &l) == SKEIN_OK && l == 43);
}

static void what_does_not_fit(void) {
  int i = 77;
  double d = 77;
  CHECK(skein_join_result(skein_spawn(half, 5), &i) == SKEIN_ETHREAD && i == 77);
  CHECK(strstr(skein_error_text(), "returns a floating-point value"));
  CHECK(skein_join_result(skein_spawn(negative), &d) == SKEIN_ETHREAD && d == 77);
  CHECK(strstr(skein_error_text(), "returns an integer"));
  CHECK(skein_join_result(skein_spawn(word, "x"), &i) == SKEIN_ETHREAD && i == 77);
  CHECK(skein_join_result(skein_spawn(nothing), &i) == SKEIN_ETHREAD && i == 77);
  CHECK(strstr(skein_error_text(), "has no result"));
  CHECK(skein_join_result(0, &i) == SKEIN_ETHREAD && i == 77);
}

static long deeper(int depth) {
  if (depth == 0)
    skein_exit(99);
  return deeper(depth - 1) + 1;
}
static int sleeper(void) {
  skein_sleep_ns(UINT64_C(60) * 1000000000);
  return 1;
}
static double dreamer(void) { return sleeper(); }

static void other_ends(void) {
  long l = 0;
  CHECK(skein_join_result(skein_spawn(deeper, 3), &l) == SKEIN_OK && l == 99);
  skein_thread_t thread = skein_spawn(sleeper);
  skein_yield();
  CHECK(skein_cancel(thread) == SKEIN_OK);
  CHECK(skein_join_result(thread, &l) == SKEIN_OK && l == -1);
  thread = skein_spawn(dreamer);
  skein_cancel(thread);
  double d = 0;
  CHECK(skein_join_result(thread, &d) == SKEIN_OK && isnan(d));
}

static long waiter(skein_thread_t thread) {
  long result = 0;
  return skein_join_result(thread, &result) == SKEIN_OK ? result : -1;
}

static void for_many(void) {
  struct skein_attributes attributes = {.priority = 1};
  skein_thread_t late = skein_create(&attributes, wide, 1234), waiters[20];
  CHECK(late != 0);
  for (int i = 0; i < 20; i++)
    waiters[i] = skein_spawn(waiter, late);
  CHECK(skein_quiesce() == SKEIN_OK); /* all of them wait */
  CHECK(skein_start(late) == SKEIN_OK);
  long l;
  for (int i = 0; i < 20; i++)
    CHECK(skein_join_result(waiters[i], &l) == SKEIN_OK && l == 1234);
  CHECK(skein_join_result(late, &l) == SKEIN_ETHREAD); /* the waiters have had it */
  CHECK(skein_join(late) == SKEIN_OK);
}

static void kept(void) {
  enum { many = 2000 };
  static skein_thread_t threads[many];
  for (int i = 0; i < many; i++)
    threads[i] = skein_spawn(wide, i);
  for (int i = 0; i < 100; i++)
    skein_yield();
  long sum = 0, l;
  for (int i = many; i-- > 0;) {
    CHECK(skein_join_result(threads[i], &l) == SKEIN_OK && l == i);
    sum += l;
  }
  CHECK(sum == many * (many - 1L) / 2);
  CHECK(skein_join_result(threads[0], &l) == SKEIN_ETHREAD);
  skein_thread_t thread = skein_spawn(wide, 1);
  CHECK(skein_join(thread) == SKEIN_OK); /* this counts as having joined it */
  CHECK(skein_join_result(thread, &l) == SKEIN_ETHREAD);
}

static void detached(void) {
  long l;
  skein_thread_t before = skein_spawn(wide, 1), after = skein_spawn(wide, 2);
  CHECK(skein_detach(before) == SKEIN_OK);
  CHECK(skein_quiesce() == SKEIN_OK); /* `after` has ended */
  CHECK(skein_detach(after) == SKEIN_OK);
  CHECK(skein_join(before) == SKEIN_OK && skein_join_result(before, &l) == SKEIN_ETHREAD);
  CHECK(strstr(skein_error_text(), "was detached"));
  CHECK(skein_join_result(after, &l) == SKEIN_ETHREAD);
  CHECK(skein_detach(0) == SKEIN_ETHREAD && skein_detach(1000000) == SKEIN_ETHREAD);
  before = skein_spawn(wide, 3);
  skein_thread_t waiting = skein_spawn(waiter, before);
  CHECK(skein_detach(before) == SKEIN_OK); /* a thread that waits when it ends gets the result all the same */
  CHECK(skein_join(waiting) == SKEIN_OK);
}

int main(void) {
  of_every_type();
  what_does_not_fit();
  other_ends();
  for_many();
  kept();
  detached();
  return 0;
}
