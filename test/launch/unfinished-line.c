/* deaths=recover: what a node has written before the cut is covered by the checkpoint, also the first half of a line:
 * the run goes back to it, and writes only the second half again. */

// RUN: %skeincc -O2 %s -o %t
// RUN: rm -rf %t.dir
// RUN: env SKEIN_OPTIONS=deaths=recover,steal=off %skein run -n 2 --checkpoint %t.dir %t 2> %t.words \
// RUN:   | FileCheck --match-full-lines %s
// RUN: FileCheck --check-prefix=WORDS %s < %t.words
// UNSUPPORTED: sanitized

// CHECK: the first half, the second half
// WORDS: the run goes back to checkpoint 1

#include <signal.h>
#include <skein/checkpoint.h>
#include <stdio.h>
#include <unistd.h>

int main(void) {
  fputs("the first half, ", stdout);
  fflush(stdout);
  if (skein_checkpoint() != SKEIN_RESTORED)
    kill(getpid(), SIGKILL);
  puts("the second half");
  return 0;
}
