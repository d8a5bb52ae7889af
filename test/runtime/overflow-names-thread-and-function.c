// When a thread runs off its stack, the message names it and its function, whatever that is: with a map, without one
// (it never migrates), in a library, or with a frame larger than any guard zone. Stripped programs name functions that
// have maps.
// RUN: %skeincc -O1 -fno-optimize-sibling-calls %s -o %t
// RUN: not --crash %t mapped 2>&1 | FileCheck --check-prefix=MAPPED %s
// RUN: not --crash %t plain 2>&1 | FileCheck --check-prefix=PLAIN %s
// RUN: not --crash %t large 2>&1 | FileCheck --check-prefix=LARGE %s
// RUN: not --crash %t main 2>&1 | FileCheck --check-prefix=MAIN %s
// RUN: llvm-strip %t -o %t.stripped && not --crash %t.stripped mapped 2>&1 | FileCheck --check-prefix=MAPPED %s
// RUN: env SKEIN_OPTIONS=stack=1M %t large | FileCheck --check-prefix=ENOUGH %s
// RUN: env SKEIN_OPTIONS=workers=3,stack=32K not --crash %t mapped 2>&1 | FileCheck --check-prefix=SMALL %s
// UNSUPPORTED: sanitized

// MAPPED: skein: thread 2 in function mapped overflowed its 64 KiB stack (raise it with SKEIN_OPTIONS=stack=…)
// PLAIN: skein: thread 2 in function plain overflowed its 64 KiB stack
// LARGE: skein: thread 2 in function large overflowed its 64 KiB stack
// MAIN: skein: thread 1 in function mapped overflowed its {{[0-9]+}} KiB stack (raise it with SKEIN_OPTIONS=stack_max=…)
// SMALL: skein: thread 2 in function mapped overflowed its 32 KiB stack
// ENOUGH: went well
#include <skein/skein.h>
#include <stdio.h>
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
  volatile char frame[300000];
  frame[anywhere] = 1; // this is far below the guard zone, and only a probe on the way notices
  skein_yield();
  if (frame[anywhere] == 1)
    puts("went well");
}

static void run_mapped(void) { mapped(0); }
static void run_plain(void) { plain(0); }

int main(int count, char **argument) {
  const char *what = count > 1 ? argument[1] : "";
  if (!strcmp(what, "main"))
    return mapped(0);
  skein_thread_t thread = !strcmp(what, "mapped")  ? skein_spawn(run_mapped)
                          : !strcmp(what, "plain") ? skein_spawn(run_plain)
                                                   : skein_spawn(large);
  return skein_join(thread);
}
