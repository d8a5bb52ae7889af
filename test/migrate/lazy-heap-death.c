// The node dies at which most of a thread's heap is still: the thread is lost, which is said, and the run ends.
//
// RUN: %skeincc -O2 -fskein-heap=private -Wno-skein-process-resource %s -o %t
// RUN: env SKEIN_OPTIONS=steal=off,moves=lazy,net_delay_us=20000 not %run -n 2 --timeout 60 %t 2>&1 | FileCheck %s
//
// CHECK: runs on node 0
// CHECK: skein[0]: thread 2 is lost, too: {{[1-9][0-9]*}} KiB of its memory were still on node 1
// CHECK-NOT: all of it is there
#include <signal.h>
#include <skein/skein.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static long wander(void) {
  enum { count = 1 << 24 };
  if (skein_push_self(1))
    return 1;
  const pid_t other = getpid();
  long *numbers = malloc(count * sizeof *numbers), sum = 0;
  for (long i = 0; i < count; i++)
    numbers[i] = i;
  if (skein_push_self(0))
    return 2;
  /* The number of a process means the same here, on one host. */
  printf("runs on node %d\n", skein_node());
  fflush(stdout);
  kill(other, SIGKILL);
  for (long i = 0; i < count; i += 512)
    sum += numbers[i];
  printf("all of it is there: %ld\n", sum);
  return 0;
}

int main(void) {
  long result = 3;
  skein_join_result(skein_spawn(wander), &result);
  return (int)result;
}
