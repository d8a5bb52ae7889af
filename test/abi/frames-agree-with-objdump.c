// The map of each frame is compared with the frame that the code builds, at every level, with and without frame
// pointers.
//
// RUN: %skeincc -O0 -fskein-stress=calls %s -o %t.0 && %python %S/check_frames.py %t.0
// RUN: %skeincc -O1 -fskein-stress=calls %s -o %t.1 && %python %S/check_frames.py %t.1
// RUN: %skeincc -O2 -fskein-stress=calls %s -o %t.2 && %python %S/check_frames.py %t.2 | FileCheck %s
// RUN: %skeincc -O3 -fskein-stress=calls %s -o %t.3 && %python %S/check_frames.py %t.3
// RUN: %skeincc -Os -fskein-stress=calls %s -o %t.s && %python %S/check_frames.py %t.s
// RUN: %skeincc -O2 -fno-omit-frame-pointer -fskein-stress=calls %s -o %t.fp && %python %S/check_frames.py %t.fp
// RUN: %skeincc -O2 -g -ffunction-sections -Wl,--gc-sections -fskein-stress=calls %s -o %t.g && %python
// %S/check_frames.py %t.g CHECK: [[#]] functions, [[#]] sites, 0 differences
//
// Maps that are wrong in one field are found out.
// RUN: not %python %S/check_frames.py %t.2 --corrupt=frame
// RUN: not %python %S/check_frames.py %t.2 --corrupt=local
// RUN: not %python %S/check_frames.py %t.2 --corrupt=saved
// RUN: not %python %S/check_frames.py %t.2 --corrupt=site
//
// RUN: %python %S/frame_maps.py %t.2 --sizes | FileCheck %s --check-prefix=SIZE
// SIZE: bytes per site
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define NOINLINE __attribute__((noinline))

struct node {
  int value;
  struct node *next;
};
struct large {
  long words[9];
  char *text;
};

NOINLINE static int visit(struct node *n) { return n ? n->value + visit(n->next) : 0; }

NOINLINE static int pushed(struct node *rest, int depth) {
  struct node here = {depth, rest};
  return depth ? pushed(&here, depth - 1) + here.value : visit(&here);
}

NOINLINE static struct large make(const char *text, long n) {
  struct large l = {{n, n + 1}, strdup(text)};
  visit(NULL);
  return l;
}

NOINLINE static long take(struct large l, int a, int b, int c, int d, int e, long *out, const char *more) {
  visit(NULL);
  *out += a + b + c + d + e;
  visit(NULL);
  return l.words[0] + (long)strlen(l.text) + (long)strlen(more);
}

NOINLINE static long sum(int n, ...) {
  va_list list;
  va_start(list, n);
  long total = 0;
  while (n--) {
    visit(NULL);
    total += *va_arg(list, long *);
  }
  va_end(list);
  return total;
}

NOINLINE static long variable(int n) {
  long block[n], *p = block;
  for (int i = 0; i < n; i++) {
    block[i] = i;
    visit(NULL);
  }
  return *p + block[n - 1];
}

NOINLINE static long aligned(int n) {
  _Alignas(64) long block[8] = {n};
  long *p = block;
  visit(NULL);
  return *p;
}

NOINLINE static long aligned_and_variable(int n) {
  _Alignas(128) long block[8] = {n};
  char *texts[n];
  for (int i = 0; i < n; i++) {
    texts[i] = (char *)block;
    visit(NULL);
  }
  return block[0] + (texts[0] == (char *)block);
}

NOINLINE static long big(void) {
  struct node nodes[3000];
  memset(nodes, 0, sizeof nodes);
  struct node *p = nodes + 7;
  visit(p);
  p->value = 1;
  return visit(nodes + 7);
}

int main(void) {
  long a = 1, b = 2, out = 0;
  struct large l = make("text", 5);
  printf("%d\n", pushed(NULL, 5));
  printf("%ld %ld\n", take(l, 1, 2, 3, 4, 5, &out, "more"), out);
  printf("%ld\n", sum(8, &a, &b, &a, &b, &a, &b, &a, &b));
  printf("%ld %ld %ld %ld\n", variable(5), aligned(3), aligned_and_variable(3), big());
}
