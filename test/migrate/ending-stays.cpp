// A thread that is about to end does not move any more: what it still runs belongs to where it ends. And if main cannot
// come home to end, it says what is left out.

// RUN: %skein++ -O1 -I%S/Inputs %s -o %t
// RUN: %run -n 2 --timeout 30 %t > %t.out 2>&1
// RUN: FileCheck %s < %t.out
// CHECK-DAG: cancelled: skein_push_self: it is about to end (skein_exit, skein_cancel)
// CHECK-DAG: main ended on another node, which it could not leave: destructors of its private variables do not run

#include "check.h"
#include <skein/private.h>
#include <skein/sync.h>

struct Counts {
  int number = 1;
  ~Counts() { printf("destroyed with %d\n", number); }
};
SKEIN_PRIVATE static Counts counts;

SKEIN_NODE_LOCAL static skein_mutex_t held;

struct Tries {
  const char *where;
  ~Tries() {
    if (skein_push_self(1))
      printf("%s: %s\n", where, skein_error_text());
  }
};

static void cancelled() {
  Tries last{"cancelled"};
  skein_cancel(skein_self());
  skein_yield();
}

int main() {
  counts.number++;
  CHECK(skein_join(skein_spawn(cancelled)) == SKEIN_OK);
  CHECK(skein_push_self(1) == SKEIN_OK);
  fflush(stdout);
  return skein_mutex_lock(&held); // never unlocked
}
