/* What a thread prints comes in the order in which it printed it, wherever it was: parts of lines, written by stdio and
 * by write, to a file and through a pipe. */

// RUN: %plain-skeincc -O1 -I%S/Inputs %s -o %t
// RUN: %run -n 3 --timeout 30 %t > %t.file
// RUN: FileCheck %s < %t.file
// RUN: %run -n 3 --timeout 30 %t | cat | FileCheck %s
// CHECK: {{^}}0-1-2-0-1-2-0-1-2-0-1-2-0-1-2-0-1-2-0-1-2-0-1-2-0-1-2-0-1-2-end 30{{$}}

#include "check.h"
#include <unistd.h>

int main(void) {
  int hops = 0;
  for (int i = 0; i < 30; i++, hops++) {
    CHECK(skein_push_self(i % 3) == SKEIN_OK);
    if (i % 5 == 4) {
      fflush(stdout);
      char text[2] = {(char)('0' + skein_node()), '-'};
      CHECK(write(1, text, 2) == 2);
    } else {
      printf("%d-", skein_node());
    }
  }
  CHECK(skein_push_self(1) == SKEIN_OK);
  printf("end %d\n", hops);
}
