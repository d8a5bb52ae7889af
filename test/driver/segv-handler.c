// A program's own handler of SIGSEGV gets the program's faults, and none of the runtime's (such as a thread's first
// touch of a private variable), even after it has been called once.
// RUN: %skeincc -O1 -fskein-globals=private %s -o %t && %t | FileCheck %s
#include <setjmp.h>
#include <signal.h>
#include <skein/skein.h>
#include <stdio.h>

static sigjmp_buf back;
static int handled, value = 40;

static void on_fault(int number) {
  handled++;
  signal(SIGSEGV, on_fault);
  siglongjmp(back, number);
}

static int fault(void) {
  if (sigsetjmp(back, 1) == 0)
    *(volatile int *)8 = 1;
  return handled;
}

static void thread(void) { printf("thread: %d %d\n", value++, handled); }

int main(void) {
  struct sigaction old;
  sigaction(SIGSEGV, NULL, &old);
  void (*before)(int) = signal(SIGSEGV, on_fault);
  skein_join(skein_spawn(thread));
  printf("%d\n", before == SIG_DFL && old.sa_handler == SIG_DFL);
  printf("%d\n", fault());
  printf("%d\n", fault());
  skein_join(skein_spawn(thread));
  sigaction(SIGSEGV, NULL, &old);
  printf("%d %d\n", handled, old.sa_handler == on_fault);
}
// CHECK: thread: 40 0
// CHECK-NEXT: 1
// CHECK-NEXT: 1
// CHECK-NEXT: 2
// CHECK-NEXT: thread: 40 0
// CHECK-NEXT: 2 1
