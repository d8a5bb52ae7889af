/* A node that does not know the run's token is ignored: nothing it sends is acted on, the log says so, and the run ends
 * instead of waiting for it. */

// RUN: %skeincc -O2 -I%S/Inputs %s -o %t
// RUN: env SKEIN_OPTIONS=fault=token,start_s=4 not %run -n 2 --timeout 20 %t 2>&1 | FileCheck %s
// RUN: env SKEIN_OPTIONS=fault=proof not %run -n 2 --timeout 20 %t 2>&1 | FileCheck %s --check-prefix=PROOF
// CHECK-DAG: skein[1]: dropped a message that claims to come from node 0: it does not know the token
// CHECK-DAG: has not authenticated itself
// CHECK-NOT: arrived
// PROOF-DAG: skein[0]: dropped a message that claims to come from node 1: it is not authenticated
// PROOF-DAG: skein[1]: dropped a message that claims to come from node 0: it is not authenticated
// PROOF-DAG: {{has given no sign of life|hears nobody any more}}
// PROOF-NOT: arrived

#include "check.h"

int main(void) {
  if (skein_push_self(1) == SKEIN_OK)
    printf("arrived\n");
  return 0;
}
