/* Ranks of srun, under a real Slurm with two hosts, are nodes of one run. Without PMIx each is a run of its own, and rank
 * 0 says so. */

// RUN: %skeincc -O2 %s -o %t
// RUN: env PATH=%build/bin:/usr/sbin:/usr/bin:/sbin:/bin %python %S/Inputs/hosts.py sh %S/Inputs/slurm.sh \
// RUN:   srun -N2 -n4 --mpi=pmix %t | FileCheck %s
// RUN: env PATH=%build/bin:/usr/sbin:/usr/bin:/sbin:/bin %python %S/Inputs/hosts.py sh %S/Inputs/slurm.sh \
// RUN:   srun -N2 -n4 --mpi=none %t 2>&1 | FileCheck %s --check-prefix=NONE
// REQUIRES: hosts, slurmctld
// UNSUPPORTED: sanitized

// CHECK: 4 nodes, the thread has seen 4
// CHECK-NOT: nodes
// NONE-DAG: this is one of 4 tasks of srun, and each is a run of its own; with `srun --mpi=pmix` they are one
// NONE-DAG: 1 nodes, the thread has seen 1

#include <skein/skein.h>
#include <stdio.h>

static int64_t seen(void) {
  int64_t nodes = 0;
  for (int node = 0; node < skein_nodes(); node++)
    nodes += node == skein_node() || skein_push_self(node) == SKEIN_OK;
  return nodes;
}

int main(void) {
  int64_t result = 0;
  skein_join_result(skein_spawn(seen), &result);
  printf("%d nodes, the thread has seen %d\n", skein_nodes(), (int)result);
  return 0;
}
