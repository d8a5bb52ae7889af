// Memory of malloc, used after the thread may have moved.
// RUN: %verify-rule -Wskein-process-heap %s
// RUN: %plain-skeincc -fsyntax-only -Wskein-pedantic -fskein-heap=private -Werror %s
// RUN: %plain-skeincc -fsyntax-only -Werror %s
#include <skein/heap.h>
#include <skein/skein.h>
#include <stdlib.h>
#include <string.h>

void elsewhere(void);
struct node {
  struct node *next;
  int value;
};

int kept(void) {
  int *p = malloc(sizeof *p);
  skein_yield();
  return *p; // expected-warning {{'p' leads to memory of the process}}
}

void freed(const char *name) {
  char *copy = strdup(name);
  skein_push_self(1);
  free(copy); // expected-warning {{'copy' leads to memory of the process}}
}

int assigned(int n) {
  struct node *first = NULL;
  for (int i = 0; i < n; i++) {
    struct node *one = calloc(1, sizeof *one);
    one->next = first; // expected-warning {{'first' leads to memory of the process}}
    first = one;
    skein_yield();
  }
  return n;
}

int perhaps(void) {
  int *p = malloc(sizeof *p);
  elsewhere();
  return *p; // expected-warning {{[-Wskein-pedantic,-Wskein-process-heap]}}
}

// Near misses.
int before(void) {
  int *p = malloc(sizeof *p);
  *p = 1;
  int value = *p;
  free(p);
  skein_yield();
  return value;
}

int own(void) {
  int *p = skein_malloc(sizeof *p);
  *p = 1;
  skein_yield();
  int value = *p;
  skein_free(p);
  return value;
}

int *made_after(void) {
  skein_yield();
  return malloc(sizeof(int));
}

int library_only(void) {
  int *p = malloc(sizeof *p);
  memset(p, 0, sizeof *p);
  return *p;
}

int tested(void) {
  int *p = malloc(sizeof *p);
  int there = p != NULL;
  skein_yield();
  return there;
}

int meant(void) {
  SKEIN_UNTRACKED int *p = malloc(sizeof *p);
  skein_yield();
  return *p;
}
