// A word that nobody can prove to be an address, or to be none, moves between nodes all the same, since by default a
// stack keeps its address, and so does the program (stacks=auto, image=same). With stacks=relocate and image=any the
// threads stay and say why. With only one of these, those stay that depend on the addresses which change.
//
// RUN: %plain-skeincc -O0 -Wno-skein-unproved %s -o %t.0
// RUN: env SKEIN_OPTIONS=steal=off %run -n 2 --timeout 30 %t.0 | FileCheck %s
// RUN: %plain-skeincc -O2 -Wno-skein-unproved %s -o %t.2
// RUN: env SKEIN_OPTIONS=steal=off %run -n 2 --timeout 30 %t.2 | FileCheck %s
// RUN: %plain-skeincc -O3 -flto -fskein-polls=loops -fskein-heap=private -Wno-skein-unproved %s -o %t.3
// RUN: env SKEIN_OPTIONS=steal=off %run -n 2 --timeout 30 %t.3 | FileCheck %s
// RUN: env SKEIN_OPTIONS=steal=off,stacks=reserve %run -n 2 --timeout 30 %t.2 | FileCheck %s
// RUN: env SKEIN_OPTIONS=steal=off,stacks=relocate,image=any %run -n 2 --timeout 30 %t.0 \
// RUN:   | FileCheck --check-prefix=STAYS %s
// RUN: env SKEIN_OPTIONS=steal=off,stacks=relocate,image=any %run -n 2 --timeout 30 %t.2 \
// RUN:   | FileCheck --check-prefix=STAYS2 %s
// RUN: env SKEIN_OPTIONS=steal=off,stacks=relocate %run -n 2 --timeout 30 %t.0 | FileCheck --check-prefix=STACK %s
// RUN: env SKEIN_OPTIONS=steal=off,image=any %run -n 2 --timeout 30 %t.0 | FileCheck --check-prefix=PROGRAM %s
// CHECK-COUNT-15: : moved
// CHECK: 15 moved, 0 stay, 30 at the same address, 0 elsewhere
// STAYS-DAG: hash: stays
// STAYS-DAG: exclusive or: stays
// STAYS-DAG: high tag: stays
// STAYS-DAG: boxed: stays
// STAYS-DAG: bytes: stays
// STAYS-DAG: halves: stays
// STAYS-DAG: negated: stays
// STAYS-DAG: product: stays
// STAYS-DAG: bytes of a function: stays
// STAYS-DAG: sum of two: stays
// STAYS-DAG: rounded: stays
// STAYS2-DAG: union: stays
// STACK-DAG: hash: stays
// STACK-DAG: bytes: stays
// STACK-DAG: bytes of a function: moved
// PROGRAM-DAG: hash: moved
// PROGRAM-DAG: bytes: moved
// PROGRAM-DAG: bytes of a function: stays
#include <skein/skein.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Moves to the other node and back; returns 1 if the thread moved both times, 0 if it stays. */
static __attribute__((noinline)) int there_and_back(const char *of) {
  if (skein_push_self(1)) {
    printf("%s: stays: %s\n", of, skein_error_text());
    return 0;
  }
  if (skein_push_self(0)) {
    printf("%s: does not come back: %s\n", of, skein_error_text());
    exit(1);
  }
  printf("%s: moved\n", of);
  return 1;
}

/* The compiler does not see through this. */
static __attribute__((noinline)) uintptr_t opaque(uintptr_t number) {
  __asm__ volatile("" : "+r"(number));
  return number;
}
static void right(int is, const char *of) {
  if (!is) {
    printf("%s: WRONG\n", of);
    exit(1);
  }
}

static int hash(int seed) {
  int local = seed;
  const uintptr_t before = ((uintptr_t)&local >> 4) * UINT64_C(0x9e3779b97f4a7c15);
  const int moved = there_and_back("hash");
  right(before == ((uintptr_t)&local >> 4) * UINT64_C(0x9e3779b97f4a7c15) && local == seed, "hash");
  return moved;
}

static int exclusive_or(int seed) {
  int one = seed, two = seed + 1;
  const uintptr_t both = (uintptr_t)&one ^ (uintptr_t)&two ^ (uintptr_t)seed;
  const int moved = there_and_back("exclusive or");
  int *first = (int *)(both ^ (uintptr_t)&two ^ (uintptr_t)seed);
  right(*first == seed && first == &one, "exclusive or");
  return moved;
}

union either {
  int *pointer;
  uintptr_t number;
  double real;
};
static __attribute__((noinline)) void fill(union either *to, int *with, int how) {
  if (how)
    to->pointer = with;
  else
    to->number = 7;
}
static int in_a_union(int seed) {
  int local = seed;
  union either it;
  fill(&it, &local, seed);
  const int moved = there_and_back("union");
  right(*it.pointer == seed && it.pointer == &local, "union");
  return moved;
}

static int high_tag(int seed) {
  int local = seed;
  const uintptr_t tagged = (uintptr_t)&local | UINT64_C(5) << 60;
  const int moved = there_and_back("high tag");
  right(*(int *)(tagged & ~(UINT64_C(15) << 60)) == seed, "high tag");
  return moved;
}

static int boxed(int seed) {
  int local = seed;
  union either it;
  it.number = (uintptr_t)&local | UINT64_C(0xfff8) << 48;
  double kept = it.real;
  const int moved = there_and_back("boxed");
  it.real = kept;
  right(*(int *)(it.number & 0xffffffffffff) == seed, "boxed");
  return moved;
}

static int bytes(int seed) {
  int local = seed, *pointer = &local;
  char space[24];
  memset(space, 0, sizeof space);
  memcpy(space + 3 + seed % 2, &pointer, sizeof pointer);
  const int moved = there_and_back("bytes");
  memcpy(&pointer, space + 3 + seed % 2, sizeof pointer);
  right(pointer == &local && *pointer == seed, "bytes");
  return moved;
}

static int halves(int seed) {
  int local = seed;
  const uint32_t low = (uint32_t)(uintptr_t)&local, high = (uint32_t)((uintptr_t)&local >> 32);
  const int moved = there_and_back("halves");
  right(*(int *)((uintptr_t)high << 32 | low) == seed, "halves");
  return moved;
}

static int negated(int seed) {
  int local = seed;
  const uintptr_t less = -(uintptr_t)&local;
  const int moved = there_and_back("negated");
  right(*(int *)-less == seed, "negated");
  return moved;
}

static int product(int seed) {
  int local = seed;
  const uintptr_t thrice = (uintptr_t)&local * 3;
  const int moved = there_and_back("product");
  right(*(int *)(thrice / 3) == seed, "product");
  return moved;
}

/* An address is kept as a number, in memory that goes along, as a stack's limit may be. */
struct limits {
  uintptr_t low, high;
};
static __attribute__((noinline)) void note(struct limits *to, uintptr_t at) {
  to->low = opaque(at * 2 - 1000);
  to->high = at * 2 + 1000;
}
static int stored_number(int seed) {
  int local = seed;
  struct limits limits;
  note(&limits, (uintptr_t)&local);
  const int moved = there_and_back("stored number");
  right((uintptr_t)&local * 2 > limits.low && (uintptr_t)&local * 2 < limits.high, "stored number");
  return moved;
}

static int of_a_function(int seed) {
  const uintptr_t before = (uintptr_t)&of_a_function * (uintptr_t)(2 * seed + 1);
  const int moved = there_and_back("of a function");
  right(before == (uintptr_t)&of_a_function * (uintptr_t)(2 * seed + 1), "of a function");
  return moved;
}

static __attribute__((noinline)) int own(int number) { return number + 1; }
static int bytes_of_a_function(int seed) {
  int (*library)(int) = abs, (*program)(int) = own;
  char space[40];
  memset(space, 0, sizeof space);
  memcpy(space + 3 + seed % 2, &library, sizeof library);
  memcpy(space + 20 + seed % 2, &program, sizeof program);
  const int moved = there_and_back("bytes of a function");
  memcpy(&library, space + 3 + seed % 2, sizeof library);
  memcpy(&program, space + 20 + seed % 2, sizeof program);
  right(library(-seed) == seed && program(1) == 2, "bytes of a function");
  return moved;
}

static int sum_of_two(int seed) {
  int one = seed, two = 3 * seed;
  const uintptr_t sum = (uintptr_t)&one + (uintptr_t)&two;
  const int moved = there_and_back("sum of two");
  right(*(int *)(sum - (uintptr_t)&one) == 3 * seed, "sum of two");
  return moved;
}

static int rounded(int seed) {
  char space[64];
  const uintptr_t up = ((uintptr_t)space + 31) & ~(uintptr_t)31;
  const uintptr_t mixed = opaque(up) ^ UINT64_C(0x5555);
  const int moved = there_and_back("rounded");
  char *at = (char *)(mixed ^ UINT64_C(0x5555));
  *at = (char)seed;
  right(at >= space && at < space + 32 && at == (char *)(((uintptr_t)space + 31) & ~(uintptr_t)31), "rounded");
  return moved;
}

/* The address is kept as text, which nobody searches. */
static int text(int seed) {
  int local = seed;
  char digits[32];
  snprintf(digits, sizeof digits, "%p", (void *)&local);
  if (getenv("SKEIN_OPTIONS") && strstr(getenv("SKEIN_OPTIONS"), "relocate"))
    return 0;
  const int moved = there_and_back("text");
  right(*(int *)strtoull(digits, NULL, 16) == seed, "text");
  return moved;
}

int main(void) {
  int (*const all[])(int) = {hash,       exclusive_or, in_a_union, high_tag,      boxed,         bytes,
                             halves,     negated,      product,    stored_number, of_a_function, bytes_of_a_function,
                             sum_of_two, rounded,      text};
  const int count = sizeof all / sizeof *all;
  int moved = 0;
  for (int i = 0; i < count; i++) {
    int one = 0;
    skein_join_result(skein_spawn(*all[i], 3), &one);
    moved += one;
  }
  struct skein_statistics first, second;
  skein_statistics_get(0, &first);
  skein_statistics_get(1, &second);
  printf("%d moved, %d stay, %d at the same address, %d elsewhere\n", moved, count - moved,
         (int)(first.threads_at_same_address + second.threads_at_same_address),
         (int)(first.threads_at_other_address + second.threads_at_other_address));
  return 0;
}
