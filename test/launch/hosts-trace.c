/* A trace has what nodes on other hosts have recorded, whether they share its folder or not; nothing is left behind. */

// RUN: %skeincc -O2 %s -o %t
// RUN: rm -rf %t.folder && mkdir %t.folder
// RUN: env SKEIN_OPTIONS=steal=off %python %S/Inputs/hosts_trace.py %skein %t %t.folder | FileCheck %s
// REQUIRES: hosts
// UNSUPPORTED: sanitized

// CHECK-LABEL: -- shared
// CHECK: status 0
// CHECK-NOT: recorded nothing
// CHECK: events in {{.*}} on 4 of 4 nodes
// CHECK: waits_for_a_moment 8
// CHECK: left behind: ['run.pftrace'] []
// CHECK-LABEL: -- own
// CHECK: status 0
// CHECK-NOT: recorded nothing
// CHECK: events in {{.*}} on 4 of 4 nodes
// CHECK: waits_for_a_moment 8
// CHECK: left behind: ['run.pftrace'] []
// CHECK-LABEL: -- killed
// CHECK: left behind: [{{.*}}] []

#include <skein/skein.h>
#include <skein/sync.h>

static void waits_for_a_moment(int times) {
  for (int i = 0; i < times; i++)
    skein_sleep_ns(1000000);
}

int main(int count, char **arguments) {
  skein_thread_t threads[8];
  for (int i = 0; i < 8; i++) {
    const struct skein_attributes there = {.node = SKEIN_ON(i % skein_nodes())};
    threads[i] = skein_spawn_with(&there, waits_for_a_moment, count > 1 ? 1000000 : 20);
  }
  for (int i = 0; i < 8; i++)
    skein_join(threads[i]);
  (void)arguments;
  return 0;
}
