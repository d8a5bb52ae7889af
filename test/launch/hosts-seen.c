/* Nodes on other hosts are seen where the launcher is: status and its exit code, top, and which node is where. */

// RUN: %skeincc -O2 %s -o %t
// RUN: env SKEIN_OPTIONS=heartbeat_ms=0,steal=off %python %S/Inputs/hosts_seen.py %skein %t | FileCheck %s

// CHECK: status 0 [(0, None, 'goes on'), (1, 'one', 'goes on'), (2, 'two', 'goes on'), (3, 'two', 'goes on')]
// CHECK-NEXT: node process host threads ready busy cpu
// CHECK: hosts-seen.c.tmp, 4 nodes
// CHECK: waits_for_input {{.*}} 3 {{ *}}0
// CHECK: at most 4 nodes; at the start 4
// CHECK-NEXT: node process host state
// CHECK-NEXT: 0 {{[0-9]+}} goes on
// CHECK-NEXT: 1 {{[0-9]+}} one goes on
// CHECK-NEXT: 2 {{[0-9]+}} two goes on
// CHECK: stopped 1 does not answer
// CHECK: the run: 0

#include <skein/shared.h>
#include <skein/skein.h>
#include <skein/sync.h>
#include <stdio.h>

static void waits_for_input(skein_shared int *over) {
  while (!*over)
    skein_sleep_ns(10000000);
}

int main(void) {
  skein_shared int *over = skein_shared_alloc(0, sizeof *over);
  skein_thread_t threads[4];
  for (int node = 1; node < skein_nodes(); node++) {
    const struct skein_attributes there = {.node = SKEIN_ON(node), .worker = SKEIN_ON(0)};
    threads[node] = skein_spawn_with(&there, waits_for_input, over);
  }
  puts("the nodes compute");
  fflush(stdout);
  getchar();
  *over = 1;
  for (int node = 1; node < skein_nodes(); node++)
    skein_join(threads[node]);
  return 0;
}
