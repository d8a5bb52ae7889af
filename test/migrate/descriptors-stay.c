/* A thread that moves leaves its open files: their numbers mean nothing on the other node, or another file. It is told
 * so. */

// RUN: %plain-skeincc -O1 -I%S/Inputs %s -o %t
// RUN: %run -n 2 --timeout 30 %t %s < %s 2>&1 | FileCheck %s
// CHECK: skein: read: descriptor [[FD:[0-9]+]] is not open on node 1 for thread 1, which moved here and did not
// CHECK-NOT: descriptor [[FD]]
// CHECK: skein: read: descriptor 0 is not open on node 1 for thread 1, which moved here: standard input is read on node
// CHECK: standard input was read on node 1: only node 0 has it.
// CHECK: done

#include "check.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv) {
  CHECK(argc == 2);
  char path[400], bytes[16];
  snprintf(path, sizeof path, "%s", argv[1]);
  argv = NULL;

  int here = open(path, O_RDONLY);
  CHECK(here >= 0 && read(here, bytes, sizeof bytes) == sizeof bytes && memcmp(bytes, "/* A thread that", 16) == 0);
  CHECK(skein_push_self(1) == SKEIN_OK);
  errno = 0;
  CHECK(read(here, bytes, sizeof bytes) == -1 && errno == EBADF);
  errno = 0;
  CHECK(lseek(here, 0, SEEK_SET) == -1 && errno == EBADF); /* reported once */
  errno = 0;
  CHECK(read(0, bytes, 1) == -1 && errno == EBADF);
  FILE *in = stdin;
  errno = 0;
  CHECK(getc(in) == EOF && errno == EBADF);

  int there = open(path, O_RDONLY);
  CHECK(there >= 0 && read(there, bytes, sizeof bytes) == sizeof bytes && memcmp(bytes, "/* A thread that", 16) == 0);
  int two[2];
  CHECK(pipe(two) == 0 && write(two[1], "x", 1) == 1 && read(two[0], bytes, 1) == 1);
  CHECK(close(two[0]) == 0 && close(two[1]) == 0);
  CHECK(skein_push_self(0) == SKEIN_OK);
  CHECK(read(here, bytes, sizeof bytes) == sizeof bytes && memcmp(bytes, " moves leaves it", 16) == 0);
  CHECK(close(here) == 0);
  CHECK(getc(in) == '/');
  printf("done\n");
}
