/* A thread that has a file open is not taken away, neither by a thief nor by a random walk. It may move itself. */

// RUN: %plain-skeincc -O1 -fskein-stress=calls %s -I%S/Inputs -o %t
// RUN: env SKEIN_OPTIONS=walk=on,walk_every=3 %run -n 2 --timeout 60 %t %s 2>&1 | FileCheck %s
// CHECK: read all
// CHECK-DAG: walk: node {{[01]}}: {{[1-9][0-9]*}} walks, {{[1-9][0-9]*}} of them refused
// CHECK-DAG: walk: refused {{[0-9]+}} times: it has 2 open descriptors of this node
// CHECK-NOT: is not open on node

#include "check.h"
#include <fcntl.h>

__attribute__((noinline)) static int byte(int from) {
  char one;
  return read(from, &one, 1) == 1 ? one : -1;
}

__attribute__((noinline)) static long nothing(long n) {
  volatile long kept = n;
  return kept;
}

int main(int argc, char **argv) {
  CHECK(argc == 2);
  char path[400];
  snprintf(path, sizeof path, "%s", argv[1]);
  argv = NULL;
  for (int round = 0; round < 3; round++) {
    int file = open(path, O_RDONLY), again = dup(file);
    CHECK(file >= 0 && again >= 0);
    long bytes = 0;
    while (byte(file) != -1)
      bytes++;
    CHECK(bytes == lseek(again, 0, SEEK_END));
    CHECK(close(again) == 0 && close(file) == 0);
    for (long i = 0; i < 300; i++)
      CHECK(nothing(i) == i);
  }
  printf("read all\n");
}
