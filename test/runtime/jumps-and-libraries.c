/* A library jumps with the program's buffer, as libpng does, or with its own, or the program with a buffer of the
 * library's. A buffer whose function has returned, or that another thread filled, ends the program with a message. */

// RUN: %clang -O1 -shared -fPIC -DLIBRARY %s -o %t.so
// RUN: %skeincc -O2 %s %t.so -o %t
// RUN: %t library program alone | FileCheck %s
// RUN: %t callback | FileCheck --check-prefix=CALLBACK %s
// RUN: %skeincc -O2 -fskein-stacks=growable %s %t.so -o %t.growable
// RUN: %t.growable library program alone | FileCheck %s
// RUN: %t.growable callback | FileCheck --check-prefix=CALLBACK %s
// RUN: not %t returned 2>&1 | FileCheck --check-prefix=RETURNED %s
// RUN: not %t thread 2>&1 | FileCheck --check-prefix=THREAD %s
// CHECK: library: 3
// CHECK-NEXT: program: 4
// CHECK-NEXT: alone: 6
// CALLBACK: callback: 5
// RETURNED: longjmp: the function that called setjmp has returned (thread 1)
// THREAD: longjmp: the buffer was filled by another thread than thread {{[0-9]+}}, which jumps
#include <setjmp.h>

extern void library_jumps(jmp_buf *buffer, int value);
extern int library_calls(void (*function)(jmp_buf *));
extern int library_alone(void);

#ifdef LIBRARY
void library_jumps(jmp_buf *buffer, int value) { longjmp(*buffer, value); }

int library_calls(void (*function)(jmp_buf *)) {
  jmp_buf mine;
  int got = setjmp(mine);
  if (!got)
    function(&mine);
  return got;
}

int library_alone(void) {
  jmp_buf mine;
  const int got = setjmp(mine);
  if (!got)
    library_jumps(&mine, 6);
  return got;
}
#else
#include <skein/skein.h>
#include <stdio.h>
#include <string.h>

static jmp_buf buffer;

static void jump_4(jmp_buf *to) { longjmp(*to, 4); }
static void jump_out(jmp_buf *unused) { longjmp(buffer, 5); }

__attribute__((noinline)) static int returns(void) {
  volatile char frame[64];
  frame[0] = 0;
  return setjmp(buffer) + frame[0];
}

static void other(void) { longjmp(buffer, 1); }

int main(int count, char **words) {
  for (int i = 1; i < count; i++) {
    const char *volatile word = words[i];
    int got;
    if (!strcmp(word, "library")) {
      if (!(got = setjmp(buffer)))
        library_jumps(&buffer, 3);
    } else if (!strcmp(word, "program")) {
      got = library_calls(jump_4);
    } else if (!strcmp(word, "alone")) {
      got = library_alone();
    } else if (!strcmp(word, "callback")) {
      if (!(got = setjmp(buffer)))
        library_calls(jump_out);
    } else if (!strcmp(word, "returned")) {
      returns();
      longjmp(buffer, 1);
    } else {
      got = setjmp(buffer);
      skein_join(skein_spawn(other));
    }
    printf("%s: %d\n", word, got);
    fflush(stdout);
  }
}
#endif
