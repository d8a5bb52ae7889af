/* A function of another unit is entered on the thread's own stack if it looks for room, and on a deep one if it does
 * not, at the first call of it and at later ones, with arguments in registers and in memory, in the program and in a
 * shared library; and it is the function that the linker chose. */

// RUN: %plain-skeincc -O2 -DFOREIGN -c %s -o %t-foreign.o
// RUN: %skeincc -O2 -fskein-stacks=growable -DOURS -c %s -o %t-ours.o
// RUN: %skeincc -O2 -fskein-stacks=growable -DLIBRARY -fPIC -shared %s -o %t-library.so
// RUN: %skeincc -Wno-skein-global -O2 -fskein-stacks=growable -c %s -o %t-main.o
// RUN: %skeincc %t-main.o %t-ours.o %t-foreign.o %t-library.so -Wl,--wrap=wrapped -o %t && %t | FileCheck %s
// RUN: %skeincc -Wno-skein-global -O0 -fskein-stacks=growable -c %s -o %t-main.o
// RUN: %skeincc %t-main.o %t-ours.o %t-foreign.o %t-library.so -Wl,--wrap=wrapped -o %t && %t | FileCheck %s
// RUN: %skeincc -Wno-skein-global -O2 -fno-pie -no-pie -fskein-stacks=growable -c %s -o %t-main.o
// RUN: %skeincc -no-pie %t-main.o %t-ours.o %t-foreign.o %t-library.so -Wl,--wrap=wrapped -o %t && %t | FileCheck %s
// RUN: %skeincc -Wno-skein-global -O2 -flto -fskein-stacks=growable -c %s -o %t-main.o
// RUN: %skeincc -flto -O2 %t-main.o %t-ours.o %t-foreign.o %t-library.so -Wl,--wrap=wrapped -o %t && %t | FileCheck %s
// CHECK: ours: own own own, 21 45 3.5
// CHECK: foreign: deep deep deep, 21 45 3.5
// CHECK: library: own own own, 21 45 3.5
// CHECK: weak: own, the one of another unit
// CHECK: wrapped: own, by its wrapper
// CHECK: static: 201 101
// CHECK: 64 threads, all on their own stacks
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#define DEFINE(kind)                                                                      \
  int kind##_six(char **local, int a, int b, int c, int d, int e) {                       \
    char here = 0;                                                                        \
    *local = (char *)((uintptr_t)&here & ~(uintptr_t)15);                                 \
    return a + b + c + d + e + 6;                                                         \
  }                                                                                       \
  int kind##_nine(char **local, int a, int b, int c, int d, int e, int f, int g, int h) { \
    char here = 0;                                                                        \
    *local = (char *)((uintptr_t)&here & ~(uintptr_t)15);                                 \
    return a + b + c + d + e + f + g + h + 9;                                             \
  }                                                                                       \
  double kind##_any(char **local, int count, ...) {                                       \
    char here = 0;                                                                        \
    *local = (char *)((uintptr_t)&here & ~(uintptr_t)15);                                 \
    double sum = 0;                                                                       \
    va_list values;                                                                       \
    va_start(values, count);                                                              \
    for (int i = 0; i < count; i++)                                                       \
      sum += va_arg(values, double);                                                      \
    va_end(values);                                                                       \
    return sum;                                                                           \
  }
#define DECLARE(kind)                                               \
  int kind##_six(char **, int, int, int, int, int);                 \
  int kind##_nine(char **, int, int, int, int, int, int, int, int); \
  double kind##_any(char **, int, ...);

#if defined FOREIGN
DECLARE(foreign)
DEFINE(foreign)
#elif defined LIBRARY
DECLARE(library)
DEFINE(library)
#elif defined OURS
DECLARE(ours)
DEFINE(ours)
// Each unit has a function of this name, with a convention that cannot look for room.
static __attribute__((ms_abi, noinline)) int of_each_unit(int i) { return i + 100; }
int of_ours(int i);
int of_ours(int i) { return of_each_unit(i); }
const char *one_of_two(char **local);
const char *one_of_two(char **local) {
  char here = 0;
  *local = (char *)((uintptr_t)&here & ~(uintptr_t)15);
  return "the one of another unit";
}
const char *wrapped(char **local);
const char *wrapped(char **local) {
  *local = NULL;
  return "without its wrapper";
}
const char *__wrap_wrapped(char **local);
const char *__wrap_wrapped(char **local) {
  char here = 0;
  *local = (char *)((uintptr_t)&here & ~(uintptr_t)15);
  return "by its wrapper";
}
#else
#include <skein/skein.h>
#include <stdio.h>

DECLARE(ours)
DECLARE(foreign)
DECLARE(library)
const char *wrapped(char **local);
int of_ours(int i);
static __attribute__((ms_abi, noinline)) int of_each_unit(int i) { return i + 200; }
__attribute__((weak, noinline)) const char *one_of_two(char **local) {
  *local = NULL;
  return "the weak one";
}

static const char *stack_of(const char *local) {
  char here = 0;
  const ptrdiff_t distance = (const char *)((uintptr_t)&here & ~(uintptr_t)15) - local;
  return distance > -8192 && distance < 8192 ? "own" : "deep";
}

#define CALL(kind)                                                                                                  \
  for (int turn = 0; turn < 3; turn++) {                                                                            \
    char *six, *nine, *any;                                                                                         \
    const int by_registers = kind##_six(&six, 1, 2, 3, 4, 5);                                                       \
    const int in_memory = kind##_nine(&nine, 1, 2, 3, 4, 5, 6, 7, 8);                                               \
    const double variadic = kind##_any(&any, 2, 1.5, 2.0);                                                          \
    if (turn == 2)                                                                                                  \
      printf(#kind ": %s %s %s, %d %d %g\n", stack_of(six), stack_of(nine), stack_of(any), by_registers, in_memory, \
             variadic);                                                                                             \
  }

static int is_own(int number) {
  char *local;
  return ours_six(&local, number, 0, 0, 0, 0) == number + 6 && stack_of(local)[0] == 'o';
}

int main(void) {
  CALL(ours)
  CALL(foreign)
  CALL(library)
  char *local;
  const char *which = one_of_two(&local);
  printf("weak: %s, %s\n", stack_of(local), which);
  which = wrapped(&local);
  printf("wrapped: %s, %s\n", stack_of(local), which);
  printf("static: %d %d\n", of_each_unit(1), of_ours(1));
  skein_thread_t threads[64];
  int own = 0;
  for (int i = 0; i < 64; i++)
    threads[i] = skein_spawn(is_own, i);
  for (int i = 0; i < 64; i++) {
    int result = 0;
    if (skein_join_result(threads[i], &result) == 0)
      own += result;
  }
  printf("%d threads, all on their own stacks\n", own);
}
#endif
