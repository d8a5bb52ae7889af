/* A damaged image, one of another version, and one of another program are refused by name, and the thread lives on at
 * its source. */

// RUN: %skeincc -O2 -I%S/Inputs %s -o %t
// RUN: env SKEIN_OPTIONS=steal=off,fault=build_id %run -n 2 --timeout 30 %t \
// RUN:   | FileCheck %s --check-prefixes=CHECK,BUILD
// RUN: env SKEIN_OPTIONS=steal=off,fault=version %run -n 2 --timeout 30 %t \
// RUN:   | FileCheck %s --check-prefixes=CHECK,VERSION
// RUN: env SKEIN_OPTIONS=steal=off,fault=checksum %run -n 2 --timeout 30 %t \
// RUN:   | FileCheck %s --check-prefixes=CHECK,CHECKSUM
// RUN: env SKEIN_OPTIONS=steal=off,fault=checksum,stacks=reserve %run -n 2 --timeout 30 %t \
// RUN:   | FileCheck %s --check-prefixes=CHECK,CHECKSUM
// CHECK: code 5 on node 0: skein_push_self: node 1 refused the thread
// BUILD-SAME: build-id
// VERSION-SAME: version
// CHECKSUM-SAME: checksum
// CHECK: then on node 1, sum 45

#include "check.h"

static void traveller(void) {
  int numbers[10], *last = numbers + 9;
  for (int i = 0; i < 10; i++)
    numbers[i] = i;
  int code = skein_push_self(1);
  printf("code %d on node %d: %s\n", code, skein_node(), skein_error_text());
  code = skein_push_self(1); /* the fault is injected once */
  int sum = 0;
  for (int *at = numbers; at <= last; at++)
    sum += *at;
  CHECK(code == SKEIN_OK);
  printf("then on node %d, sum %d\n", skein_node(), sum);
}

int main(void) {
  CHECK(skein_join(skein_spawn(traveller)) == SKEIN_OK);
  struct skein_statistics here;
  CHECK(skein_statistics_get(0, &here) == SKEIN_OK);
  CHECK(here.moves_refused == 1 && here.threads_sent == 1);
  return 0;
}
