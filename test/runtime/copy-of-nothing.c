// A pointer that loses its type on the way to a function that is not seen may be null, or lead behind the end of an
// array: nothing is read there before the call.
// RUN: %skeincc -O0 %s -o %t && %t | FileCheck %s
// RUN: %skeincc -O2 %s -o %t && %t | FileCheck %s
// RUN: %skeincc -O0 -fskein-stress=calls %s -o %t && %t | FileCheck %s
// CHECK: 42 0 0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct pair {
  int *pointer;
  long number;
};

static void put(void *to, const void *from, size_t bytes) {
  if (bytes)
    memcpy(to, from, bytes);
}
static void (*volatile copy)(void *to, const void *from, size_t bytes) = put;

int main(int argc, char **argv) {
  (void)argv;
  int answer = 42;
  struct pair one = {&answer, 1}, room = {0};
  copy(&room, &one, sizeof one);

  struct pair *none = argc > 1 ? &one : NULL, nothing = {0};
  copy(&nothing, none, 0);

  // The page behind the array cannot be read.
  char *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED || mprotect(pages + 4096, 4096, PROT_NONE) != 0)
    return 1;
  struct pair *end = (struct pair *)(pages + 4096), behind = {0};
  copy(&behind, end, 0);

  printf("%d %ld %ld\n", *room.pointer, nothing.number, behind.number);
  return 0;
}
