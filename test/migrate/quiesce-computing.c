/* A thread that waits in skein_quiesce must not disturb nodes that work: they are counted when they come to rest, and
 * not again and again before. */

// RUN: %skeincc -O2 -Wno-skein-global -I%S/Inputs %s -o %t
// RUN: env SKEIN_OPTIONS=workers=1 %run -n 2 --timeout 30 %t | FileCheck %s
// RUN: env SKEIN_OPTIONS=workers=1 %run -n 3 --timeout 30 %t | FileCheck %s
// CHECK: all have computed in peace

#include "check.h"
#include <skein/messages.h>
#include <sys/resource.h>
#include <time.h>

enum { milliseconds = 500 };

SKEIN_NOMIGRATE static long now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* How often a kernel thread of this process fell asleep. The progress thread does for each message. */
SKEIN_NOMIGRATE static long sleeps(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_nvcsw;
}

static void computes(int node) {
  CHECK(skein_push_self(node) == SKEIN_OK);
  long until = now_ms() + milliseconds, before = sleeps();
  while (now_ms() < until)
    ;
  /* Heartbeats, and a look at what has come every 20 ms; a round every 5 ms would be 200 and more. */
  CHECK(sleeps() - before < 150);
}

int main(void) {
  skein_thread_t threads[8];
  for (int node = 0; node < skein_nodes(); node++)
    CHECK(threads[node] = skein_spawn(computes, node));
  CHECK(skein_quiesce() == SKEIN_OK);
  for (int node = 0; node < skein_nodes(); node++)
    CHECK(skein_join(threads[node]) == SKEIN_OK);
  printf("all have computed in peace\n");
  return 0;
}
