/* main can be kept where it is: thieves take all other threads, and main moves only by itself or when it is pushed. */

// RUN: %skeincc -O2 -I%S/Inputs %s -o %t
// RUN: env SKEIN_OPTIONS=workers=1 %run -n 3 --timeout 30 %t stays | FileCheck %s
// RUN: env SKEIN_OPTIONS=workers=1 %run -n 3 --timeout 30 %t moves | FileCheck %s --check-prefix=MOVES
// CHECK: main was stolen 0 times, others were
// CHECK: main went to 1 and back
// MOVES: main was stolen {{[1-9][0-9]*}} times

#include "check.h"
#include <skein/deaths.h>
#include <skein/global.h>
#include <string.h>
#include <time.h>

static void busy(skein_shared int *elsewhere) {
  for (int i = 0; i < 200; i++) {
    for (volatile int k = 0; k < 20000; k++)
      ;
    if (skein_node() != 0)
      __atomic_store_n(elsewhere, 1, __ATOMIC_RELAXED);
    skein_yield();
  }
}

int main(int count, char **words) {
  const char *what = count > 1 ? words[1] : "";
  if (strcmp(what, "stays") == 0)
    skein_main_stays(1);
  skein_shared int *elsewhere = skein_shared_alloc(0, sizeof *elsewhere);
  __atomic_store_n(elsewhere, 0, __ATOMIC_RELAXED);
  int stolen = 0;
  const time_t begun = time(NULL);
  while (strcmp(what, "moves") == 0 ? !stolen && time(NULL) < begun + 20
                                    : !__atomic_load_n(elsewhere, __ATOMIC_RELAXED) || time(NULL) < begun + 2) {
    skein_thread_t ten[10];
    for (int i = 0; i < 10; i++)
      ten[i] = skein_spawn(busy, elsewhere);
    for (int i = 0; i < 300; i++) {
      const int before = skein_node();
      skein_yield();
      stolen += skein_node() != before;
    }
    for (int i = 0; i < 10; i++)
      CHECK(skein_join(ten[i]) == SKEIN_OK);
  }
  printf("main was stolen %d times, others were\n", stolen);
  if (strcmp(what, "moves") == 0)
    return 0;
  CHECK(skein_push_self(1) == SKEIN_OK && skein_node() == 1);
  CHECK(skein_push_self(0) == SKEIN_OK && skein_node() == 0);
  puts("main went to 1 and back");
  return 0;
}
