/* setjmp on one node, longjmp on another: out of a recursion, with handlers in frames, by each kind of setjmp. */

// RUN: %skeincc -O2 -I%S/Inputs %s -o %t
// RUN: %run -n 2 --timeout 30 %t | FileCheck %s
// RUN: env SKEIN_OPTIONS=stacks=relocate,image=any %run -n 3 --timeout 30 %t | FileCheck %s
// RUN: %skeincc -O0 -I%S/Inputs %s -o %t0
// RUN: %run -n 3 --timeout 30 %t0 | FileCheck %s
// CHECK: 60 jumps

#include "check.h"
#include <setjmp.h>
#include <signal.h>

struct handler {
  struct handler *outer;
  int depth;
  jmp_buf at;
};

__attribute__((noinline)) static void move(void) {
  CHECK(skein_push_self((skein_node() + 1) % skein_nodes()) == SKEIN_OK);
}

/* A handler in every third frame; the innermost frame raises, and each handler passes on to the next. */
__attribute__((noinline)) static void descend(struct handler *outer, int depth) {
  struct handler mine = {outer, depth, {}}, *inner = outer;
  if (depth % 3 == 0) {
    int from = setjmp(mine.at);
    if (from) {
      CHECK(mine.depth == depth && from == depth + 97);
      move();
      CHECK(mine.outer == outer);
      if (outer)
        longjmp(outer->at, depth + 100);
      return;
    }
    inner = &mine;
  }
  move();
  if (depth == 0)
    longjmp(inner->at, 97);
  descend(inner, depth - 1);
}

__attribute__((noinline)) static void masks(void) {
  sigjmp_buf here;
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  int local = 5, *p = &local;
  if (sigsetjmp(here, 1) == 0) {
    move();
    sigprocmask(SIG_BLOCK, &set, NULL);
    siglongjmp(here, 1);
  }
  sigprocmask(SIG_BLOCK, NULL, &set);
  CHECK(!sigismember(&set, SIGUSR1) && *p == 5);
}

__attribute__((noinline)) static void back(void **buffer) {
  move();
  __builtin_longjmp(buffer, 1);
}
__attribute__((noinline)) static void builtin(void) {
  void *buffer[5];
  int local = 6, *p = &local;
  if (!__builtin_setjmp(buffer))
    back(buffer);
  CHECK(*p == 6);
}

static void jumper(skein_shared int *done) {
  descend(NULL, 9);
  masks();
  builtin();
  *done += 6;
}

int main(void) {
  skein_stealing_set(0);
  skein_shared int *done = skein_shared_alloc(0, sizeof *done);
  for (int i = 0; i < 10; i++)
    CHECK(skein_join(skein_spawn(jumper, done)) == SKEIN_OK);
  printf("%d jumps\n", *done);
}
