// This shows the type that is found for each allocation, as the pass that reads it sees it.
// RUN: %plain-skeincc -O0 -fskein-heap=private -w -S -emit-llvm -Xclang -disable-llvm-passes %s -o - | FileCheck %s
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct node {
  int value;
  struct node *next, *previous;
};
struct message {
  struct node *from;
  size_t length;
  char text[];
};
struct table {
  int count;
  struct entry {
    char *name;
    long value;
  } entries[];
};
struct old_table {
  int count;
  struct node *nodes[1];
};
union value {
  struct node *node;
  char *text;
};
union mixed {
  struct node *node;
  uintptr_t number;
};
struct holder {
  union value value;
  union mixed mixed;
  void (*call)(void);
  struct node *grid[3][4];
  struct entry entries[5];
};
struct __attribute__((packed)) tight {
  char tag;
  char *text;
};
void *xmalloc(size_t bytes);
void *keep;
int n;

void table(void) {
  // CHECK-LABEL: define {{.*}}@table(
  // CHECK: @__skein_sized({{.*}} @[[NODE:[.0-9a-z]+]])
  struct node *a = malloc(sizeof(struct node));
  // CHECK: @__skein_sized({{.*}} @[[NODE]])
  struct node *b = malloc(sizeof *b);
  // CHECK: @__skein_sized({{.*}} @[[NODE]])
  keep = malloc(sizeof(struct node));
  // CHECK: @__skein_sized({{.*}} @[[NODE]])
  b = (struct node *)malloc(n * sizeof(*b));
  // CHECK: @__skein_sized({{.*}} @[[NODE]])
  b = calloc(n, sizeof *b);
  // CHECK: @__skein_sized({{.*}} @[[NODE]])
  b = realloc(b, sizeof *b * 10);
  // CHECK: @__skein_typed(ptr noundef %{{.*}}, ptr noundef @[[UNSURE:[.0-9a-z]+]])
  b = xmalloc(n);
  // CHECK: @__skein_sized({{.*}} @[[UNSURE]])
  b = malloc(n);
  // CHECK: @__skein_sized({{.*}} @[[ADDED:[.0-9a-z]+]])
  b = malloc(sizeof *b + n);
  // CHECK: @__skein_sized({{.*}} @[[MESSAGE:[.0-9a-z]+]])
  struct message *m = malloc(sizeof *m + n);
  // CHECK: @__skein_sized({{.*}} @[[TABLE:[.0-9a-z]+]])
  struct table *t = malloc(sizeof *t + n * sizeof t->entries[0]);
  // CHECK: @__skein_sized({{.*}} @[[OLD:[.0-9a-z]+]])
  struct old_table *o = malloc(sizeof *o + n * sizeof(struct node *));
  // CHECK: @__skein_sized({{.*}} @[[POINTERS:[.0-9a-z]+]])
  struct node **p = calloc(n, sizeof *p);
  // CHECK: @__skein_sized({{.*}} @[[HOLDER:[.0-9a-z]+]])
  struct holder *h = malloc(sizeof *h);
  // CHECK: @__skein_sized({{.*}} @[[TIGHT:[.0-9a-z]+]])
  struct tight *i = malloc(sizeof *i);
  // CHECK: @__skein_sized({{.*}} @[[NUMBERS:[.0-9a-z]+]])
  double *d = malloc(n * sizeof *d);
  // CHECK: @__skein_sized({{.*}} @[[NODE]])
  b = malloc((n + 1) * sizeof *b);
  // CHECK: @__skein_sized({{.*}} @[[NODE]])
  b = calloc(n + 1, sizeof *b);
  size_t bytes = sizeof *b << n, changed = sizeof *b;
  // CHECK: @__skein_sized({{.*}} @[[NODE]])
  keep = malloc(bytes);
  changed += 8;
  // CHECK: call {{.*}}@malloc(i64
  keep = malloc(changed);
  // CHECK: @__skein_sized({{.*}} @[[MESSAGE]])
  keep = malloc(offsetof(struct message, text) + n);
  // CHECK: call {{.*}}@malloc(i64 noundef 100)
  char *c = malloc(100);
  // CHECK-NOT: @__skein_
  void *v = malloc(n);
  // CHECK: ret void
}

// These are functions of the program that return void * and are given a sizeof, of whatever type. Those of a system
// header are not treated so.
void *reserve(void *pool, int bytes);
void *many(size_t count, size_t bytes);
void wrappers(void) {
  // CHECK-LABEL: define {{.*}}@wrappers(
  // CHECK: [[SIZE:%.*]] = call i32 @__skein_sized(i32 noundef 24, ptr noundef @[[NODE]])
  // CHECK: @reserve(ptr noundef {{.*}}, i32 noundef [[SIZE]])
  keep = reserve(keep, sizeof(struct node));
  // CHECK: @__skein_sized({{.*}} @[[MESSAGE]])
  struct node *derived = xmalloc(sizeof(struct message) + 10);
  // CHECK-NOT: @__skein_typed
  // CHECK: @__skein_sized(i64 noundef 8, ptr noundef @[[POINTERS]])
  struct node **texts = many(n + 1, sizeof(struct node *));
  // CHECK-NOT: @__skein_
  keep = memcpy(keep, derived, sizeof(struct node));
  // CHECK: ret void
}
// Constants are printed in front of functions.
// RUN: %plain-skeincc -O0 -fskein-heap=private -w -S -emit-llvm -Xclang -disable-llvm-passes %s -o - | FileCheck --check-prefix=TEXT %s
// TEXT-DAG: c"struct node|2|0|24||8.2.8 \00"
// TEXT-DAG: c"struct node|0|0|24||8.2.8 \00"
// TEXT-DAG: c"struct node|0|24|0|8.2.8 |\00"
// TEXT-DAG: c"struct message|0|16|1|0.1.8 |\00"
// TEXT-DAG: c"struct table|0|8|16||0.1.8 \00"
// TEXT-DAG: c"struct old_table|0|8|8||0.1.8 \00"
// TEXT-DAG: c"struct node *|2|0|8||0.1.8 \00"
// TEXT-DAG: c"struct holder|2|0|200||0.1.8 16.1.8 24.12.8 120.5.16 \00"
// TEXT-DAG: c"struct tight|2|0|9||1.1.8 \00"
// TEXT-DAG: c"double|2|0|8||\00"
