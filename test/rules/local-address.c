// A local's address where others see it. (What skein_spawn is given: test/frontend/local-address.c.)
// RUN: %verify-rule -Wskein-local-address %s
// RUN: %plain-skeincc -fsyntax-only -Wno-skein-global -fskein-globals=private %s 2>&1 | grep -c warning: | grep -x 2
#include <skein/shared.h>

struct list {
  struct list *next;
  int value;
};
static int *current;
static struct list head;
static int *slots[4];
SKEIN_PRIVATE static int *own;
static _Thread_local int *of_thread;

void to_global(void) {
  int n = 0;
  struct list link = {0};
  current = &n;      // expected-warning {{variable 'current' of the process gets the address of local variable 'n'}}
  head.next = &link; // expected-warning {{variable 'head' of the process gets the address of local variable 'link'}}
  slots[1] = &n;     // expected-warning {{variable 'slots' of the process gets}}
}

void to_shared(skein_shared struct list *shared, skein_shared struct list *other) {
  struct list link = {0};
  shared->next = &link; // expected-warning {{shared memory gets the address of local variable 'link'}}
  other->next =
      (struct list *)&link.value; // expected-warning {{shared memory gets the address of local variable 'link'}}
}

// Near misses.
void kept(struct list *list, int *given) {
  static int fixed;
  struct list link = {0};
  own = &link.value;
  of_thread = &link.value;
  list->next = &link;
  current = &fixed;
  current = given;
  current = NULL;
}
void meant(void) {
  SKEIN_UNTRACKED int n = 0;
  current = &n;
}
