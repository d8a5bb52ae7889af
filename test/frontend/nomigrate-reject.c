// SKEIN_NOMIGRATE is checked, with the chain of calls, the same at every level of optimisation.
// RUN: not %skeincc -O0 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %skeincc -O2 -fskein-polls=loops -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %skeincc -O1 -flto -c %s -o %t.o 2>&1 | FileCheck %s
#include <skein/skein.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void outside(void);

static int deep(int n) {
  skein_yield(); // line 13
  return n;
}
static int middle(int n) { return n > 0 ? deep(n) : middle(n + 1); }

// CHECK: nomigrate-reject.c:[[#@LINE+1]]:39: error: 'f' is SKEIN_NOMIGRATE but may reach a migration point: f (nomigrate-reject.c:[[#@LINE+1]]) calls middle (nomigrate-reject.c:[[#@LINE+1]]) calls deep (nomigrate-reject.c:16) calls skein_yield (nomigrate-reject.c:13){{$}}
SKEIN_NOMIGRATE int f(int n) { return middle(n) + 1; }

// CHECK: error: 'unknown' is SKEIN_NOMIGRATE but may reach a migration point: unknown (nomigrate-reject.c:[[#@LINE+1]]) calls outside (nomigrate-reject.c:[[#@LINE+1]]), of which nothing is known; if it never migrates, declare it SKEIN_NOMIGRATE
SKEIN_NOMIGRATE void unknown(void) { outside(); }

// CHECK: error: 'pointer' is SKEIN_NOMIGRATE but may reach a migration point: pointer (nomigrate-reject.c:[[#@LINE+1]]) calls through a pointer (nomigrate-reject.c:[[#@LINE+1]]), which could be any function; if it never migrates, put the call in a function marked SKEIN_ASSUME_NOMIGRATE
SKEIN_NOMIGRATE int pointer(int (*p)(void)) { return p(); }

// CHECK: 3 errors generated.

// All of this is right: library functions, calls by constant tables, recursion, loops, what is only assumed or claimed elsewhere.
static int one(void) { return 1; }
static int two(void) { return 2; }
static int (*const table[])(void) = {one, two};
SKEIN_NOMIGRATE int tables(int i) { return table[i](); }

SKEIN_ASSUME_NOMIGRATE static int trusted(int (*p)(void)) { return p(); }
SKEIN_NOMIGRATE int library(int (*p)(void), char *b) {
  memset(b, 1, 100);
  qsort(b, 100, 1, (int (*)(const void *, const void *))strcmp);
  printf("%d %d\n", b[3], skein_node());
  return trusted(p);
}

SKEIN_NOMIGRATE int even(int n);
SKEIN_NOMIGRATE int odd(int n) { return n ? even(n - 1) : 0; }
int even(int n) { return n ? odd(n - 1) : 1; }

static int helper(const int *a, int n) {
  int sum = 0;
  for (int i = 0; i < n; i++)
    sum += a[i];
  return sum;
}
SKEIN_NOMIGRATE int loops(const int *a, int n) { return helper(a, n); }
