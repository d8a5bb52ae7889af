// A word in bytes of unknown type that is an address of the stack but for its two high bytes: the message says so.
// RUN: %skeincc -fskein-stress=calls -fskein-heap=private -g -O1 %s -o %t
// RUN: env SKEIN_OPTIONS=stress_report=on %t 2>&1 | FileCheck %s
// CHECK: (byte 3) holds an address of its own stack (0x..., under a tag)
#include <stdlib.h>
#include <string.h>

static void count(char *bytes) { bytes[0]++; }
static void (*volatile call)(char *) = count;

int main(void) {
  char *bytes = calloc(4096, 1);
  unsigned long word;
  __asm__("lea 8(%%rsp), %0" : "=r"(word)); // as a number, which nobody takes for an address
  word |= 0x5aul << 56;
  memcpy(bytes + 3, &word, sizeof word);
  call(bytes);
  free(bytes);
}
