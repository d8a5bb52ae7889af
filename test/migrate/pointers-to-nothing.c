/* Some words are declared as pointers and lead nowhere: what an earlier call left, numbers with a tag, an address with
 * one. If no address changes, they go along as they are. */

// RUN: %plain-skeincc -O0 %s -I%S/Inputs -o %t
// RUN: %run -n 2 --timeout 30 %t | FileCheck %s
// RUN: env SKEIN_OPTIONS=stacks=relocate %run -n 2 --timeout 30 %t relocated | FileCheck %s
// CHECK: done

#include "check.h"

struct tagged {
  char *nothing, *number, *local;
};

static int goes(struct tagged *words) {
  (void)words;
  return skein_push_self(1) == SKEIN_OK && skein_push_self(0) == SKEIN_OK;
}

int main(int argc, char **argv) {
  int relocated = argc > 1;
  argv = NULL;
  int here = 42;
  struct tagged words = {NULL, NULL, NULL};
  CHECK(goes(&words));
  words.nothing = (char *)0x345678000;
  CHECK(goes(&words) == !relocated && (!relocated || strstr(skein_error_text(), "memory that is not there")));
  words.nothing = NULL;
  words.number = (char *)0x345678001;
  CHECK(goes(&words) == !relocated && words.number == (char *)0x345678001);
  words.number = NULL;

  /* With a tag it is still an address in the process's heap. */
  char *block = malloc(100);
  words.local = (char *)((uintptr_t)block | (uintptr_t)1 << 56);
  block = NULL;
  CHECK(!goes(&words));
  free((char *)((uintptr_t)words.local & ~((uintptr_t)1 << 56)));
  words.local = NULL;
  CHECK(goes(&words));

  /* This is the address of a local variable. A number was made of it, so the thread stays where the address would
   * change. */
  words.local = (char *)((uintptr_t)&here | (uintptr_t)1 << 56);
  CHECK(goes(&words) == !relocated);
  CHECK(*(int *)((uintptr_t)words.local & ~((uintptr_t)1 << 56)) == 42);
  words.local = NULL;
  CHECK(goes(&words) == !relocated);
  printf("done\n");
}
