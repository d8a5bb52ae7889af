/* A function that is compiled as clang does it (-fskein-moves=same) lets a thread move to another node as long as no
 * address changes. Everything that it keeps across the call is right there: in registers, in its frame, and in the
 * arguments that its caller has put on the stack. What leads to memory that stays behind refuses the move, wherever
 * the function keeps it. Where addresses change, the thread stays and says why.
 *
 * Some have homes all the same: functions that use errno, whose address changes with the worker, and those that call
 * setjmp.
 */

// RUN: %plain-skeincc -O0 -fskein-moves=same %s -o %t.0
// RUN: env SKEIN_OPTIONS=steal=off %run -n 2 --timeout 30 %t.0 | FileCheck %s
// RUN: %plain-skeincc -O1 -fskein-moves=same -fomit-frame-pointer %s -o %t.1
// RUN: env SKEIN_OPTIONS=steal=off %run -n 2 --timeout 30 %t.1 | FileCheck %s
// RUN: %plain-skeincc -O2 -fskein-moves=same -fno-omit-frame-pointer %s -o %t.2
// RUN: env SKEIN_OPTIONS=steal=off %run -n 2 --timeout 30 %t.2 | FileCheck %s
// RUN: %plain-skeincc -O3 -fskein-moves=same -flto -fskein-polls=loops %s -o %t.3
// RUN: env SKEIN_OPTIONS=steal=off %run -n 2 --timeout 30 %t.3 | FileCheck %s
// RUN: %plain-skeincc -O2 -fskein-moves=same -flto=thin -fskein-stacks=growable %s -o %t.4
// RUN: env SKEIN_OPTIONS=steal=off %run -n 2 --timeout 30 %t.4 | FileCheck %s
// RUN: env SKEIN_OPTIONS=steal=off,stacks=relocate %run -n 2 --timeout 30 %t.2 | FileCheck --check-prefix=STAYS %s
// RUN: env SKEIN_OPTIONS=steal=off,image=any %run -n 2 --timeout 30 %t.2 | FileCheck --check-prefix=STAYS %s
// RUN: %plain-skeincc -O2 -DMARKED %s -o %t.5
// RUN: env SKEIN_OPTIONS=steal=off %run -n 2 --timeout 30 %t.5 | FileCheck %s
// RUN: %plain-skeincc -O2 -fskein-moves=same -fskein-stress=calls -fskein-heap=private -flto %s -o %t.6
// RUN: env SKEIN_OPTIONS=steal=off %run -n 2 --timeout 30 %t.6 2>&1 | FileCheck --check-prefix=STRESS %s
// STRESS: registers: moved
// STRESS-NOT: WRONG
// STRESS: through a pointer: moved
// CHECK: registers: moved
// CHECK: arguments on the stack: moved
// CHECK: byval: moved
// CHECK: variable: moved
// CHECK: through a pointer: moved
// CHECK: number of a local: moved
// CHECK: errno: {{moved|stays}}
// CHECK: jump: moved
// CHECK: heap in a register: stays: skein_push_self: {{.*}}holds an address of the process heap
// CHECK: heap in an argument: stays: skein_push_self: {{.*}}holds an address of the process heap
// CHECK: heap in a byval argument: stays: skein_push_self: {{.*}}holds an address of the process heap
// CHECK: heap, hidden: stays
// CHECK: heap, far away: stays
// CHECK: heap, packed: stays: skein_push_self: {{.*}}moves=same
// CHECK: {{7|8}} moved
// STAYS: registers: stays: skein_push_self: {{.*}}`there_and_back` ({{.*}}moves-same.c:{{[0-9]+}}) cannot move:
// {{.*}}moves=same STAYS: 0 moved
#include <alloca.h>
#include <errno.h>
#include <setjmp.h>
#include <skein/skein.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OPAQUE(value) __asm__ volatile("" : "+r"(value))
#ifdef MARKED
#define ALONE SKEIN_MOVES_SAME static
#else
#define ALONE static __attribute__((noinline))
#endif

static int moves;
/* Moves to the other node and back; returns whether the thread did. */
ALONE int there_and_back(const char *of) {
  if (skein_push_self(1)) {
    printf("%s: stays: %s\n", of, skein_error_text());
    return 0;
  }
  const int elsewhere = skein_node() == 1;
  if (!elsewhere || skein_push_self(0)) {
    printf("%s: WRONG: %s\n", of, skein_error_text());
    exit(1);
  }
  printf("%s: moved\n", of);
  moves++;
  return 1;
}
static void right(int is, const char *of) {
  if (!is) {
    printf("%s: WRONG\n", of);
    exit(1);
  }
}

/* What calls that have returned left on the stack counts as what a frame holds, since nothing says what it does hold.
 */
ALONE void scrub(void) {
  volatile char space[16384];
  for (size_t i = 0; i < sizeof space; i++)
    space[i] = 0;
}

/* Six addresses and four numbers are live, more than there are registers for. */
static volatile long numbers[] = {1, 3, 76};
ALONE void registers(int *a, int *b, int *c, long x) {
  int own[6] = {1, 2, 3, 4, 5, 6}, *d = own + x, *e = own + 2 * x, *f = own + 5;
  const long y = numbers[1], z = numbers[2];
  OPAQUE(d);
  OPAQUE(e);
  OPAQUE(f);
  there_and_back("registers");
  for (int round = 0; round < 3; round++) {
    (*a)++, (*b) += 2, (*c) += 3;
    right(*d == 2 && *e == 3 && *f == 6 && y == 3 && z == 76, "registers");
    skein_yield();
  }
}

/* The last three lie in the frame of the caller. */
ALONE int stacked(long a, long b, long c, long d, long e, long f, int *g, const char *h, int *i) {
  there_and_back(h);
  return (int)(a + b + c + d + e + f) + *g + *i;
}

struct many {
  int *at[5];
  const char *name;
};
ALONE int by_value(struct many it) {
  there_and_back(it.name);
  return *it.at[0] + *it.at[4];
}

ALONE int variable(int count, int *to) {
  int **all = alloca((size_t)count * sizeof *all);
  int each[count];
  for (int i = 0; i < count; i++)
    all[i] = each + i, each[i] = i;
  there_and_back("variable");
  int sum = 0;
  for (int i = 0; i < count; i++)
    sum += *all[i];
  return *to = sum;
}

struct shape {
  int (*area)(struct shape *);
  int width, height;
};
ALONE int rectangle(struct shape *it) {
  there_and_back("through a pointer");
  return it->width * it->height;
}
ALONE int through(struct shape **it) {
  int sum = 0;
  for (; *it; it++)
    sum += (*it)->area(*it);
  return sum;
}

ALONE void number(int seed) {
  int local = seed;
  const uintptr_t hash = ((uintptr_t)&local >> 3) * UINT64_C(0x9e3779b97f4a7c15);
  there_and_back("number of a local");
  right(hash == ((uintptr_t)&local >> 3) * UINT64_C(0x9e3779b97f4a7c15) && local == seed, "number of a local");
}

ALONE void with_errno(int *local) {
  errno = 4711; // whose address may be left in a register
  there_and_back("errno");
  right(errno == 4711 && *local == 3, "errno");
}

ALONE void jump(int *local) {
  jmp_buf back;
  int *volatile kept = local;
  if (setjmp(back) == 0) {
    there_and_back("jump");
    longjmp(back, 1);
  }
  right(*kept == 3, "jump");
}

ALONE void held(int *block) {
  there_and_back("heap in a register");
  right(*block == 7, "held");
}
ALONE void hidden(int *block, uintptr_t key) {
  uintptr_t secret = (uintptr_t)block ^ key;
  there_and_back("heap, hidden");
  right(*(int *)(secret ^ key) == 7, "hidden");
}
ALONE void far_away(int *block, long far) {
  uintptr_t base = (uintptr_t)block - (uintptr_t)far * 3;
  there_and_back("heap, far away");
  right(*(int *)(base + (uintptr_t)far * 3) == 7, "far away");
}
struct packed {
  char kind;
  int *at;
} __attribute__((packed));
ALONE void keep(struct packed *it, int *block) {
  it->kind = 'x';
  it->at = block;
}
ALONE void odd(int *block) {
  struct packed it;
  keep(&it, block);
  block = NULL;
  there_and_back("heap, packed");
  right(*it.at == 7, "packed");
}

static void run(void) {
  int one = 1, two = 2, three = 3;
  registers(&one, &two, &three, numbers[0]);
  right(one == 4 && two == 8 && three == 12, "registers");
  three = 3;
  scrub();
  right(stacked(1, 2, 3, 4, 5, 6, &three, "arguments on the stack", &one) == 28, "stacked");
  scrub();
  right(by_value((struct many){{&one, NULL, NULL, NULL, &two}, "byval"}) == 12, "byval");
  scrub();
  right(variable(10, &one) == 45, "variable");
  struct shape first = {rectangle, 3, 4}, *shapes[] = {&first, NULL};
  scrub();
  right(through(shapes) == 12, "through");
  scrub();
  number(three);
  scrub();
  with_errno(&three);
  scrub();
  jump(&three);
}
/* Each holds the only address of a block: the frames above do not. */
static int *block(void) {
  int *made = malloc(100);
  *made = 7;
  OPAQUE(made);
  scrub();
  return made;
}
static void refuse_held(void) { held(block()); }
static void refuse_stacked(void) {
  int three = 3;
  right(stacked(1, 2, 3, 4, 5, 6, &three, "heap in an argument", block()) == 31, "stacked");
}
static void refuse_by_value(void) {
  int three = 3;
  right(by_value((struct many){{block(), NULL, NULL, NULL, &three}, "heap in a byval argument"}) == 10, "byval");
}
static void refuse_hidden(void) { hidden(block(), UINT64_C(0x123456789abcdef)); }
static void refuse_far(void) { far_away(block(), INT64_C(1) << 45); }
static void refuse_packed(void) { odd(block()); }

int main(void) {
  void (*const all[])(void) = {run,           refuse_held, refuse_stacked, refuse_by_value,
                               refuse_hidden, refuse_far,  refuse_packed};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    skein_join(skein_spawn(*all[i]));
  printf("%d moved\n", moves);
  return 0;
}
