/* Nodes that have nothing to do use hardly any processor time, neither for progress nor for heartbeats or attempts to
 * steal. */

// RUN: %skeincc -O2 -I%S/Inputs %s -o %t
// RUN: %run -n 3 --timeout 20 %t

#include "check.h"

#include <sys/resource.h>

static double processor_time(void) {
  struct rusage usage;
  CHECK(getrusage(RUSAGE_SELF, &usage) == 0);
  return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static void measure(int node, skein_shared double *to) {
  CHECK(skein_push_self(node) == SKEIN_OK);
  *to = processor_time();
}

int main(void) {
  skein_shared double *used = skein_shared_alloc(0, 6 * sizeof(double));
  for (int node = 0; node < 3; node++)
    CHECK(skein_join(skein_spawn(measure, node, used + node)) == SKEIN_OK);
  sleep(2); /* on node 0's worker; the others' are idle */
  for (int node = 0; node < 3; node++)
    CHECK(skein_join(skein_spawn(measure, node, used + 3 + node)) == SKEIN_OK);
  for (int node = 0; node < 3; node++) {
    double share = (used[3 + node] - used[node]) / 2;
    printf("node %d used %.2f %% of a core\n", node, 100 * share);
    CHECK(share < 0.01);
  }
  return 0;
}
