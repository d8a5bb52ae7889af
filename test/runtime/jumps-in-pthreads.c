// setjmp of every kind is used in a kernel thread of the program's own and in a constructor, where no Skein thread
// runs.
// RUN: %skeincc -O2 %s -o %t && %t | FileCheck %s
// RUN: %skeincc -O0 %s -o %t && %t | FileCheck %s

// CHECK: constructor: 1 2 3
// CHECK-NEXT: pthread: 1 2 3
// CHECK-NEXT: main: 1 2 3
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>

__attribute__((noinline)) static void back(void **words) { __builtin_longjmp(words, 1); }

__attribute__((noinline)) static int builtin(int n) {
  void *words[5];
  long a = n * 3, b = n * 5, c = n * 7, d = n * 11, e = n * 13;
  __asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e));
  if (!__builtin_setjmp(words))
    back(words);
  return a + b + c + d + e == 39 * n;
}

static void all(const char *where) {
  jmp_buf plain;
  sigjmp_buf masked;
  int a = setjmp(plain);
  if (!a)
    longjmp(plain, 2);
  int b = sigsetjmp(masked, 1);
  if (!b)
    siglongjmp(masked, 3);
  printf("%s: %d %d %d\n", where, builtin(4), a, b);
}

__attribute__((constructor)) static void before(void) { all("constructor"); }

static void *other(void *argument) {
  all("pthread");
  return argument;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, other, NULL);
  pthread_join(thread, NULL);
  all("main");
  return 0;
}
