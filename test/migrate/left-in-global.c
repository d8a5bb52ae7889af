/* An address of a local that a finished thread left in a global does not keep later threads from moving whose stacks
 * would lie in the same place. An address of a living thread's local does, in the same global at the same depth. */

// RUN: %skeincc -O1 -I%S/Inputs %s -o %t
// RUN: env SKEIN_OPTIONS=steal=off,workers=1 %run -n 2 --timeout 30 %t | FileCheck %s
// RUN: %skeincc -O1 -fskein-stacks=growable -I%S/Inputs %s -o %t.grow
// RUN: env SKEIN_OPTIONS=steal=off,workers=1 %run -n 2 --timeout 30 %t.grow | FileCheck %s
// CHECK: 50 of 50 innocent threads moved
// CHECK: 50 of 50 of those whose address is in a global stayed: skein_push_self: the global `left_early`

#include "check.h"

static int *left_early, *left_late[8];
static int moved, stayed;
static char last_refusal[200];

/* The local has 4 KiB, so that it lies where many depths of later threads do. */
static void leave_address(int which) {
  int room[1024];
  for (int i = 0; i < 1024; i++)
    room[i] = which + i;
  left_early = room;
  left_late[which % 8] = room + 1000;
  __asm__ volatile("" ::"r"(room) : "memory");
}

static void go_deep(int depth) {
  volatile char room[256] = {(char)depth};
  if (depth)
    go_deep(depth - 1);
  else if (skein_push_self(1) == SKEIN_OK && skein_push_self(0) == SKEIN_OK)
    moved++;
  else
    printf("an innocent thread stayed: %s\n", skein_error_text());
  room[1] = room[0];
}

static void keep_address(void) {
  int local = 7;
  left_early = &local;
  if (skein_push_self(1) != SKEIN_OK && local == 7) {
    stayed++;
    snprintf(last_refusal, sizeof last_refusal, "%s", skein_error_text());
  }
  left_early = 0;
}

int main(void) {
  for (int i = 0; i < 50; i++) {
    CHECK(skein_join(skein_spawn(leave_address, i)) == SKEIN_OK);
    CHECK(skein_join(skein_spawn(go_deep, i % 20)) == SKEIN_OK);
  }
  printf("%d of 50 innocent threads moved\n", moved);
  for (int i = 0; i < 50; i++) {
    CHECK(skein_join(skein_spawn(leave_address, i)) == SKEIN_OK);
    CHECK(skein_join(skein_spawn(keep_address)) == SKEIN_OK);
  }
  printf("%d of 50 of those whose address is in a global stayed: %s\n", stayed, last_refusal);
  return 0;
}
