/* Ranks of mpirun are the nodes of one run, each with its number: threads move between them, output comes from all, and
 * the exit status is that of the run. With pmix=off each is a run of its own. */

// RUN: %skeincc -O2 %s -o %t
// RUN: env PATH=%build/bin:/usr/bin:/bin %mpirun -n 3 sh -c 'RANK=$PMIX_RANK exec %t' | FileCheck %s
// RUN: env PATH=%build/bin:/usr/bin:/bin SKEIN_OPTIONS=pmix=off %mpirun -n 3 sh -c 'RANK=0 exec %t' | \
// RUN:   FileCheck %s --check-prefix=ALONE
// RUN: env PATH=%build/bin:/usr/bin:/bin %mpirun -n 1 sh -c 'RANK=0 exec %t' | FileCheck %s --check-prefix=ONE
// RUN: env PATH=%build/bin:/usr/bin:/bin %python %root/test/migrate/Inputs/status.py 9 \
// RUN:   %mpirun -n 2 sh -c 'RANK=$PMIX_RANK exec %t fails'
// RUN: env PATH=/usr/bin:/bin %python %root/test/migrate/Inputs/status.py 70 %mpirun -n 2 %t 2>&1 | \
// RUN:   FileCheck %s --check-prefix=WHERE
// REQUIRES: mpirun
// UNSUPPORTED: sanitized

// CHECK: 3 nodes, each with its rank
// ALONE-COUNT-3: 1 nodes, each with its rank
// ONE: 1 nodes, each with its rank
// WHERE: becomes a node of a run by the command skein, which cannot be started

#include <skein/skein.h>
#include <stdio.h>
#include <stdlib.h>

static int64_t wrong(void) {
  int there = 0;
  for (int node = 0; node < skein_nodes(); node++) {
    if (node != skein_node() && skein_push_self(node) != SKEIN_OK)
      return 1000;
    there += atoi(getenv("RANK")) != skein_node();
  }
  return there;
}

int main(int count, char **arguments) {
  (void)arguments;
  int64_t result = 0;
  skein_join_result(skein_spawn(wrong), &result);
  if (result == 0)
    printf("%d nodes, each with its rank\n", skein_nodes());
  return count > 1 ? 9 : (int)result;
}
