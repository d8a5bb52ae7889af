/* A refused move names the variable, with its member, type and, if it was inlined, its function, for a program compiled
 * with -g. `strip` takes the names away and nothing else. With check=pointers every word that is to blame is named,
 * once, with the rule of skein-check that finds its like. */

// RUN: %skeincc -g -O0 -I%S/Inputs %s -o %t-O0
// RUN: env SKEIN_OPTIONS=stacks=relocate %run -n 2 --timeout 30 %t-O0 | FileCheck %s --check-prefixes=ALL,PLAIN
// RUN: %skeincc -g -O2 -I%S/Inputs %s -o %t-O2
// RUN: env SKEIN_OPTIONS=stacks=relocate %run -n 2 --timeout 30 %t-O2 | FileCheck %s --check-prefixes=ALL,INLINED
// RUN: %skeincc -g -O2 -flto -I%S/Inputs %s -o %t-lto
// RUN: env SKEIN_OPTIONS=stacks=relocate %run -n 2 --timeout 30 %t-lto | FileCheck %s --check-prefixes=ALL,INLINED
// RUN: env SKEIN_OPTIONS=stacks=relocate,check=pointers %run -n 2 --timeout 30 %t-O2 2>&1 >%t.out \
// RUN:   | FileCheck %s --check-prefix=EACH

// RUN: llvm-strip --strip-debug %t-O2 -o %t-stripped
// RUN: env SKEIN_OPTIONS=stacks=relocate %run -n 2 --timeout 30 %t-stripped | FileCheck %s --check-prefix=NAMELESS
// RUN: %skeincc -O2 -I%S/Inputs %s -o %t-no-g
// RUN: env SKEIN_OPTIONS=stacks=relocate %run -n 2 --timeout 30 %t-no-g | FileCheck %s --check-prefix=NAMELESS
// RUN: llvm-readelf -S %t-no-g | FileCheck %s --check-prefix=NO-SECTION
// RUN: %skein maps --sites %t-O2 | FileCheck %s --check-prefix=MAPS

// ALL: `block` (struct node *) in `hold` ({{.*}}.c:[[#]]) holds a pointer to the process heap
// PLAIN: `item` (struct node *) in `push` ({{.*}}.c:[[#]]) holds a pointer to the process heap
// INLINED: `list.ends[1]` (struct node *) in `push_one` ({{.*}}.c:[[#]]) holds a pointer to the process heap
// ALL: {{`value.word` \(long\)|a value of line [0-9]+}} in `hide` ({{.*}}) h{{.*}} the process heap
// EACH-COUNT-1: check: `block` (struct node *) in `hold` {{.*}}, which stays behind (rule process-heap of skein-check)
// EACH-COUNT-1: check: `list.ends[1]` (struct node *) in `push_one` {{.*}} (rule process-heap of skein-check)
// EACH-COUNT-1: check: `item` (struct node *) in `push_one` {{.*}} (rule process-heap of skein-check)
// EACH: check: `value.word` (long) in `hide` {{.*}} (rule pointer-as-integer of skein-check)

// NAMELESS: skein_push_self: `hold` ({{.*}}) holds a pointer to the process heap
// NO-SECTION-NOT: .debug_skein
// MAPS: hold: frame
// MAPS-NEXT: `block` (struct node *)

#include "check.h"

struct node {
  struct node *next;
  long value;
};
struct list {
  struct node *head;
  struct node *ends[2];
};

__attribute__((noinline)) void fill(volatile long *number) { CHECK(*number); }

static void push(struct list *list, struct node *item) {
  list->ends[1] = item;
  CHECK(skein_push_self(1) == SKEIN_EPOINTER);
  fill(&item->value);
}

__attribute__((noinline)) void hold(void) {
  struct node *block = calloc(1, sizeof *block);
  block->value = 1;
  for (int i = 0; i < 3; i++)
    CHECK(skein_push_self(1) == SKEIN_EPOINTER);
  printf("%s\n", skein_error_text());
  fill(&block->value);
  free(block);
}

__attribute__((noinline)) void look(volatile struct list *list) { CHECK(list->ends[1]->value); }

__attribute__((noinline)) void push_one(void) {
  struct list list = {0};
  struct node *item = calloc(1, sizeof *item);
  item->value = 1;
  push(&list, item);
  printf("%s\n", skein_error_text());
  look(&list);
  free(item);
}

__attribute__((noinline)) void hide(void) {
  struct {
    int kind;
    long word;
  } value = {0};
  value.word = (long)malloc(8);
  fill(&value.word);
  CHECK(skein_push_self(1) != SKEIN_OK);
  printf("%s\n", skein_error_text());
  fill(&value.word);
  free((void *)value.word);
}

int main(void) {
  hold();
  push_one();
  hide();
}
