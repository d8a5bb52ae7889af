// This static program defines malloc, and nothing else of what libc has in the same object. It must link, and its heap
// serves libc, too, which has taken blocks from it before there are private variables.

// RUN: %skeincc -O1 -static -fskein-stress=calls %s -o %t && %t | FileCheck %s
// RUN: not %run -n 2 --timeout 20 %t 2>&1 | FileCheck --check-prefix=NODES %s
// NODES: a static program runs on one node only, {{.*}} link it without -static
// RUN: %skeincc -O2 -static -fskein-stress=calls -fskein-globals=private -fskein-heap=private %s -o %t
// RUN: env SKEIN_OPTIONS=stress_report=1,report=%t.report %t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REPORT < %t.report
// CHECK: sum 10, 5 blocks or more
// REPORT: stress: {{[1-9][0-9]*}} moves

#include <stddef.h>
#include <stdio.h>
#include <string.h>

static _Alignas(16) char room[1 << 20];
static size_t taken;
static int blocks;

void *malloc(size_t bytes) {
  size_t step = (bytes + 31) & ~(size_t)15;
  if (step > sizeof room - taken)
    return NULL;
  char *block = room + taken;
  taken += step;
  blocks++;
  memcpy(block, &bytes, sizeof bytes);
  return block + 16;
}

void free(void *block) { (void)block; }

void *calloc(size_t count, size_t size) {
  void *block = malloc(count * size);
  return block ? memset(block, 0, count * size) : NULL;
}

void *realloc(void *block, size_t bytes) {
  void *larger = malloc(bytes);
  size_t before = 0;
  if (block)
    memcpy(&before, (char *)block - 16, sizeof before);
  return larger && before ? memcpy(larger, block, before < bytes ? before : bytes) : larger;
}

struct node {
  struct node *next;
  int value;
};

__attribute__((noinline)) static struct node *push(struct node *next, int value) {
  struct node *pushed = malloc(sizeof *pushed);
  pushed->next = next;
  pushed->value = value;
  return pushed;
}

int main(void) {
  struct node *list = NULL;
  int sum = 0;
  for (int i = 0; i < 5; i++)
    list = push(list, i);
  for (; list; list = list->next)
    sum += list->value;
  printf("sum %d, %s\n", sum, blocks >= 5 ? "5 blocks or more" : "too few blocks");
  return 0;
}
