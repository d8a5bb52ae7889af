// A pointer in a union with a number, used after the thread may have moved.
// RUN: %verify-rule -Wskein-pointer-union %s
#include <skein/skein.h>

void elsewhere(void);

union value {
  int *pointer;
  long number;
};

int stored(int n) {
  union value v;
  v.pointer = &n;
  skein_yield();
  return *v.pointer; // expected-warning {{'v.pointer' may hold a pointer or a number}}
}

int initialised(int n) {
  union value v = {.pointer = &n};
  skein_yield();
  return *v.pointer; // expected-warning {{'v.pointer' may hold}}
}

long other_member(int n) {
  union value v = {.pointer = &n};
  skein_yield();
  return v.number; // expected-warning {{'v.number' may hold}}
}

struct tagged {
  int is_pointer;
  union {
    int *pointer;
    double number;
  };
};

int tagged(int n) {
  struct tagged t = {0};
  t.pointer = &n;
  t.is_pointer = 1;
  elsewhere();
  return t.is_pointer ? *t.pointer : 0; // expected-warning {{[-Wskein-pedantic,-Wskein-pointer-union]}}
}

// Near misses.
long number_only(long n) {
  union value v;
  v.number = n;
  skein_yield();
  return v.number;
}

int before(int n) {
  union value v = {.pointer = &n};
  int value = *v.pointer;
  skein_yield();
  return value;
}

long overwritten(int n) {
  union value v = {.pointer = &n};
  v.number = *v.pointer;
  skein_yield();
  return v.number;
}

union pointers {
  int *a;
  char *b;
};

int pointers(int n) {
  union pointers p = {.a = &n};
  skein_yield();
  return *p.b;
}

union narrow {
  int *pointer;
  char tag;
};

int narrow(int n) {
  union narrow p = {.pointer = &n};
  skein_yield();
  return *p.pointer;
}

int meant(int n) {
  SKEIN_UNTRACKED union value v;
  v.pointer = &n;
  skein_yield();
  return *v.pointer;
}
