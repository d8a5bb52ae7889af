/* `skein run --hosts`: nodes on several hosts, which are network namespaces here, each with an sshd. Results are those
 * of one host; output, variables, signals, exit statuses, deaths and cuts of the network are what the help promises. */

// RUN: %skeincc -O2 %s -o %t-waits
// RUN: rm -rf %t.folder && mkdir %t.folder && cd %t.folder
// RUN: %python %S/Inputs/hosts.py %python %S/Inputs/hosts_run.py %build %t-waits \
// RUN:   same_results files_and_output mistakes deaths grows shrinks
// REQUIRES: hosts
// UNSUPPORTED: sanitized

#include <skein/deaths.h>
#include <skein/skein.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int64_t spin(int busy) {
  for (;; skein_yield())
    if (!busy)
      usleep(2000);
}

int main(int count, char **arguments) {
  const int busy = count > 1 && !strcmp(arguments[1], "busy"), alone = count > 1 && !busy;
  skein_main_stays(1);
  for (int i = 0; i < 3 * skein_nodes() && !alone; i++)
    skein_spawn(spin, busy);
  printf("begun\n");
  fflush(stdout);
  return (int)spin(busy);
}
