// A stack that grows ends at stack_max with a message, not with a crash; it names thread, function and size, for any
// thread. Callbacks of foreign code end on the deep stack in the same way. A thread that may not move grows like any
// other.
// RUN: %skeincc -O1 -fskein-stacks=growable -fno-optimize-sibling-calls %s -o %t
// RUN: not %t mapped 2>&1 | FileCheck --check-prefix=MAPPED %s
// RUN: env SKEIN_OPTIONS=stack_max=1M not %t mapped 2>&1 | FileCheck --check-prefix=SMALLER %s
// RUN: not %t main 2>&1 | FileCheck --check-prefix=MAIN %s
// RUN: not %t large 2>&1 | FileCheck --check-prefix=LARGE %s
// RUN: not %t plain 2>&1 | FileCheck --check-prefix=PLAIN %s
// RUN: not %t callback 2>&1 | FileCheck --check-prefix=DEEP %s
// RUN: not %t dynamic 2>&1 | FileCheck --check-prefix=DYNAMIC %s
// RUN: %t pinned | FileCheck --check-prefix=PINNED %s
// RUN: %t fits | FileCheck --check-prefix=FITS %s
// Without growing, the stack has one size.
// RUN: env SKEIN_OPTIONS=grow=off not --crash %t mapped 2>&1 | FileCheck --check-prefix=FIXED %s
// UNSUPPORTED: sanitized

// MAPPED: skein: thread 2 in function mapped overflowed its {{[0-9]+}} KiB stack (raise it with SKEIN_OPTIONS=stack_max=…)
// SMALLER: skein: thread 2 in function mapped overflowed its 1024 KiB stack
// MAIN: skein: thread 1 in function mapped overflowed its {{[0-9]+}} KiB stack
// LARGE: skein: thread 2 in function large overflowed its {{[0-9]+}} KiB stack
// PLAIN: skein: thread 2 in function plain overflowed its {{[0-9]+}} KiB stack
// DEEP: skein: thread 2 in function plain overflowed its worker's deep stack of {{[0-9]+}} KiB
// DYNAMIC: skein: thread 2 in function dynamic overflowed its {{[0-9]+}} KiB stack
// PINNED: 1000000 bytes fit
// FITS: 4000000
// FIXED: skein: thread 2 in function mapped overflowed its 64 KiB stack (raise it with SKEIN_OPTIONS=stack=…)
#include <dirent.h>
#include <skein/skein.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int mapped(int n) {
  volatile char frame[200];
  frame[0] = (char)n;
  skein_yield();
  return n < 0 ? 0 : mapped(n + 1) + frame[0];
}

static int plain(int n) {
  volatile char frame[200];
  frame[0] = (char)n;
  return n < 0 ? 0 : plain(n + 1) + frame[0];
}

static volatile int anywhere = 100;

static void large(void) {
  volatile char frame[300000000];
  frame[anywhere] = 1;
  skein_yield();
}

static int wanted(const struct dirent *entry) { return plain(0) + entry->d_name[0]; }

static void callback(void) {
  struct dirent **found;
  scandir("/", &found, wanted, NULL);
}

static int dynamic(int bytes) {
  char block[bytes];
  memset(block, 1, (size_t)bytes);
  skein_yield();
  return block[anywhere];
}

static void dynamic_thread(int bytes) {
  int sum = 0;
  for (int i = 0; i < bytes / 1000000 + 1; i++)
    sum += dynamic(bytes);
  printf("%d\n", sum * 1000000);
}

static void *volatile heap;

static void pinned(int bytes) {
  int here = 0;
  heap = malloc(sizeof(void *));
  *(int *volatile *)heap = &here; // from here on the thread may not move
  char block[bytes];
  memset(block, here, (size_t)bytes);
  skein_yield();
  **(int *volatile *)heap = bytes;
  printf("%d bytes fit\n", here + block[anywhere]);
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  if (strcmp(what, "main") == 0)
    return mapped(0);
  skein_thread_t thread = strcmp(what, "mapped") == 0     ? skein_spawn(mapped, 0)
                          : strcmp(what, "plain") == 0    ? skein_spawn(plain, 0)
                          : strcmp(what, "large") == 0    ? skein_spawn(large)
                          : strcmp(what, "callback") == 0 ? skein_spawn(callback)
                          : strcmp(what, "pinned") == 0   ? skein_spawn(pinned, 1000000)
                          : strcmp(what, "fits") == 0     ? skein_spawn(dynamic_thread, 3000000)
                                                          : skein_spawn(dynamic_thread, 300000000);
  return skein_join(thread);
}
