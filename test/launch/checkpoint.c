/* Real nodes are restored from checkpoints: by hand after the launcher was killed, with as many nodes and with more, and by
 * deaths=recover while nodes are killed at random. The output is that of a run which nothing has happened to. What the launcher
 * does otherwise is tested in checkpoints.test and recovery.test. */

// RUN: %skeincc -O2 %s -o %t
// RUN: rm -rf %t.folder && mkdir %t.folder
// RUN: %python %S/Inputs/checkpoint.py %skein %t %t.folder by_hand recovers hosts | FileCheck %s
// UNSUPPORTED: sanitized

// CHECK-LABEL: -- by_hand
// CHECK: no checkpoint yet in DIR
// CHECK-NEXT: checkpoint 1: {{[0-9]+}} bytes
// CHECK-NEXT: checkpoint 1 in DIR, {{[0-9.]+}} s ago: {{[0-9]+}} bytes, a pause of {{[0-9]+}} ms
// CHECK-NEXT: {"checkpoint":1,"folder":"{{[^"]*}}","age_s":{{[0-9.]+}},"bytes":{{[0-9]+}},"pause_ms":{{[0-9]+}}}
// CHECK-NEXT: goes on from checkpoint 1 in DIR, of {{[-0-9T:]+}}Z
// CHECK-NEXT: nodes: 4
// CHECK-NEXT: status 0, output whole and once
// CHECK-LABEL: -- recovers
// CHECK: status 0, output whole and once
// CHECK-LABEL: -- hosts
// CHECK-NEXT: status 0, output whole and once

#include <skein/skein.h>
#include <skein/sync.h>
#include <stdio.h>
#include <stdlib.h>

static int64_t squares(int last) {
  int64_t sum = 0;
  for (int i = 1; i <= last; i++) {
    sum += (int64_t)i * i;
    skein_yield();
  }
  return sum;
}

int main(int count, char **arguments) {
  const int numbers = count > 1 ? atoi(arguments[1]) : 10;
  int64_t total = 0;
  for (int i = 1; i <= numbers; i++) {
    int64_t one = 0, other = 0;
    const skein_thread_t first = skein_spawn(squares, i), second = skein_spawn(squares, 2 * i);
    skein_join_result(first, &one);
    skein_join_result(second, &other);
    total += one + other;
    printf("%d %lld\n", i, (long long)total);
    if (i % 7 == 0) /* the rest is in the memory of stdio */
      fflush(stdout);
    skein_sleep_ns(50000000);
  }
  return 0;
}
