// An address as a number, used after the thread may have moved.
// RUN: %verify-rule -Wskein-pointer-as-integer %s
// RUN: not %plain-skeincc -fsyntax-only -Wskein-pedantic -Werror=skein-pointer-as-integer %s 2>&1 | FileCheck %s
// RUN: %plain-skeincc -fsyntax-only -Werror %s
#include <skein/skein.h>

void elsewhere(void);
int index_of(uintptr_t n);

// CHECK: pointer-as-integer.c:[[#@LINE+5]]:17: error: 'n' is computed from an address{{.*}}
// [-Werror,-Wskein-pointer-as-integer]
int *kept(int *p) {
  uintptr_t n = (uintptr_t)p;
  skein_yield();
  return (int *)n; // expected-warning {{'n' is computed from an address and used after the thread may have moved}}
}

uintptr_t hashed(int *p) {
  uintptr_t hash = ((uintptr_t)p >> 4) * 31;
  skein_push_self(1);
  return hash; // expected-warning {{'hash' is computed}}
}

uintptr_t copied(int *p) {
  uintptr_t a = (uintptr_t)p, b;
  b = a ^ 5;
  skein_yield();
  return b; // expected-warning {{'b' is computed}}
}

// In the next turn of the loop.
uintptr_t looped(int *p, int n) {
  uintptr_t key = 0, sum = 0;
  for (int i = 0; i < n; i++) {
    sum += key; // expected-warning {{'key' is computed}}
    key = (uintptr_t)&p[i];
    skein_yield();
  }
  return sum;
}

struct pair {
  uintptr_t key;
  int value;
};

uintptr_t in_member(int *p) {
  struct pair pair = {0};
  pair.key = (uintptr_t)p;
  skein_yield();
  return pair.key + pair.value; // expected-warning {{'pair.key' is computed}}
}

// A function of another file may move; so says -Wskein-pedantic.
uintptr_t perhaps(int *p) {
  uintptr_t n = (uintptr_t)p;
  elsewhere();
  return n; // expected-warning {{[-Wskein-pedantic,-Wskein-pointer-as-integer]}}
}

// Near misses: used before the move, made anew after it, what no move changes, and what is no address of the thread.
int before(int *p) {
  uintptr_t n = (uintptr_t)p;
  int found = index_of(n);
  skein_yield();
  return found;
}

uintptr_t anew(int *p) {
  uintptr_t n = (uintptr_t)p;
  skein_yield();
  n = (uintptr_t)p;
  return n;
}

unsigned low_bits(int *p) {
  uintptr_t offset = (uintptr_t)p & 63;
  uintptr_t rest = (uintptr_t)p % 16;
  skein_yield();
  return offset + rest;
}

uintptr_t difference(char *from, char *to) {
  uintptr_t length = (uintptr_t)to - (uintptr_t)from;
  skein_yield();
  return length;
}

int compared(int *p, int *q) {
  _Bool same = (uintptr_t)p == (uintptr_t)q;
  skein_yield();
  return same;
}

uintptr_t constant(void) {
  uintptr_t none = (uintptr_t)NULL, number = (uintptr_t)(void *)7;
  skein_yield();
  return none + number;
}

uintptr_t one_way(int *p, int which) {
  uintptr_t n = 0;
  if (which)
    skein_yield();
  else
    n = (uintptr_t)p;
  return n;
}

uintptr_t meant(int *p) {
  SKEIN_UNTRACKED uintptr_t n = (uintptr_t)p;
  skein_yield();
  return n;
}

SKEIN_UNTRACKED uintptr_t meant_in_all(int *p) {
  uintptr_t n = (uintptr_t)p;
  skein_yield();
  return n;
}
