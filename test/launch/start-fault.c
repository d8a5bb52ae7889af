/* A process is killed or stopped in the middle of the start. The run begins without it, or ends and says why, and
 * nothing is left. Processes that only help (the keeper of files, the process that starts it, and the one that forks
 * the nodes, once it has) are not waited for. */

// UNSUPPORTED: sanitized
// RUN: %skeincc -O2 %s -o %t
// RUN: %python %S/Inputs/at_fork.py %build/bin/skein %t | FileCheck %s --implicit-check-not=LEFT --implicit-check-not="NOT HIT"

// CHECK: launcher at fork 1 SIGKILL: status -9
// CHECK: launcher at fork 2 SIGKILL: status -9
// CHECK: between at its start SIGKILL: status 0: main is here on 3
// CHECK: between at its start SIGSTOP: status 0: main is here on 3
// CHECK: between at fork 1 SIGKILL: status 0: main is here on 3
// CHECK: between at fork 1 SIGSTOP: status 0: main is here on 3
// CHECK: keeper at its start SIGKILL: status 0: main is here on 3
// CHECK: keeper at its start SIGSTOP: status 0: main is here on 3
// CHECK: nursery at its start SIGKILL: status 0: main is here on 3
// CHECK: nursery at its start SIGSTOP: status 70: {{.*}}node 0 (process {{[0-9]+}}) has not been forked: it is stopped
// CHECK: nursery at fork 1 SIGKILL: status 137: skein run: the process that forks the nodes was killed by signal 9
// CHECK: nursery at fork 1 SIGSTOP: status 70: {{.*}}and ends: node 1 (process {{[0-9]+}}) has not been forked: it is stopped
// CHECK: nursery at fork 2 SIGKILL: status 137: skein run: the process that forks the nodes was killed by signal 9
// CHECK: nursery at fork 2 SIGSTOP: status 70: {{.*}}and ends: node 2 (process {{[0-9]+}}) has not been forked: it is stopped
// CHECK: nursery at fork 3 SIGKILL: status 0: main is here on 3
// CHECK: nursery at fork 3 SIGSTOP: status 0: main is here on 3
// CHECK: node 0 at its start SIGKILL: status 137: skein run: node 0 was killed by signal 9
// CHECK: node 0 at its start SIGSTOP: status 70: {{.*}}node 0 (process {{[0-9]+}}) has not joined: it is stopped
// CHECK: node 1 at its start SIGKILL: status 0: {{.*}}main is here on 3
// CHECK: node 1 at its start SIGSTOP: status 70: {{.*}}node 1 (process {{[0-9]+}}) has not joined: it is stopped
// CHECK: node 2 at its start SIGKILL: status 0: {{.*}}main is here on 3
// CHECK: node 2 at its start SIGSTOP: status 70: {{.*}}node 2 (process {{[0-9]+}}) has not joined: it is stopped

#include <skein/skein.h>
#include <stdio.h>

int main(void) { printf("main is here on %d\n", skein_nodes()); }
