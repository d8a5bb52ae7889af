/* A run does not survive its terminal: the launcher passes a hangup on, and UCX does not take it for something else.
 * Like any program the run dies of SIGPIPE silently when its reader has closed the pipe. Nothing of it stays in
 * /dev/shm, whichever process is killed. */

// RUN: %skeincc -O2 %s -o %t
// RUN: %python %S/Inputs/terminal.py %build/bin/skein %t
// RUN: %python %S/Inputs/reader_leaves.py %build/bin/skein %t
// RUN: %python %S/Inputs/files.py %build/bin/skein %t

#include <skein/skein.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv) {
  (void)argv;
  do {
    printf("here\n");
    fflush(stdout);
    if (argc == 1)
      sleep(1);
  } while (1);
}
