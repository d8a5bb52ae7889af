/* What setjmp has saved is in an image: a copy jumps back by the buffer that the packed thread has filled. The numbers
   of buffers are the thread's own nevertheless: one that another copy has filled, or that was filled in what a thread
   has rolled back, is named and never followed. */
// RUN: %skeincc -O2 %s -o %t
// RUN: %t | FileCheck %s
// RUN: %skeincc -O0 %s -o %t.0 && %t.0 | FileCheck %s
// CHECK: packed: jumped back with 7, local 3
// CHECK-NEXT: copy: jumped back with 7, local 3
// CHECK-NEXT: copy: jumped back with 7, local 3
// RUN: not %t undone 2>&1 | FileCheck --check-prefix=UNDONE %s
// UNDONE: longjmp: the function that called setjmp has returned (thread {{[0-9]+}})
// RUN: not %t other 2>&1 | FileCheck --check-prefix=OTHER %s
// OTHER: longjmp: the buffer was filled by another thread than thread {{[0-9]+}}, which jumps
#include <setjmp.h>
#include <skein/pack.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#pragma clang diagnostic ignored "-Wskein-global" /* no thread leaves its node here */

static void *image;
static size_t bytes;
static int runs;
static jmp_buf kept;

static int packs(void) {
  void *mine;
  size_t size;
  const int side = skein_pack(skein_self(), &mine, &size);
  if (side > SKEIN_OK)
    puts(skein_error_text());
  if (side == SKEIN_OK) {
    image = mine;
    bytes = size;
  }
  return side == SKEIN_UNPACKED;
}

static void jumping(void) {
  jmp_buf buffer;
  volatile int local = 1, is_copy = 0;
  const int value = setjmp(buffer);
  if (value) {
    printf("%s: jumped back with %d, local %d\n", is_copy ? "copy" : "packed", value, local);
    return;
  }
  local += 2;
  is_copy = packs();
  longjmp(buffer, 7);
}

__attribute__((noinline)) static int fills(jmp_buf *buffer) { return setjmp(*buffer); }

static void undone(void) {
  jmp_buf other;
  packs();
  if (runs++ == 0) {
    fills(&kept); // number 1, which is undone
    puts(skein_roll_back(image, bytes) ? skein_error_text() : "");
  }
  if (setjmp(other) == 0) // has to be number 2
    longjmp(kept, 1);
  puts("a buffer of what was undone was followed");
}

static void other(void) {
  packs();
  if (runs++ == 1) {
    if (setjmp(kept)) // number 1 of the first copy
      puts("a copy came back by the buffer of another");
    skein_yield();
    return;
  }
  jmp_buf mine;
  if (runs == 3 && setjmp(mine) == 0) // number 1 of the second copy
    longjmp(kept, 1);
}

int main(int count, char **arguments) {
  const char *what = count > 1 ? arguments[1] : "";
  skein_join(skein_spawn(!strcmp(what, "undone") ? undone : !strcmp(what, "other") ? other : jumping));
  for (int i = 0; i < 2; i++) {
    skein_thread_t copy;
    if (skein_unpack(image, bytes, &copy) == SKEIN_OK)
      skein_join(copy);
    else
      puts(skein_error_text());
  }
  free(image);
  return 0;
}
