// Moves with moves=lazy of threads whose pages are not only numbers: a page with an address of the program, the stack
// or the process heap goes along, and is checked; the others follow. A thread that may not leave is refused before
// anything of it has left, and goes on.
//
// RUN: %skeincc -O2 -fskein-heap=private -Wno-skein-process-fork %s -o %t
// RUN: env SKEIN_OPTIONS=steal=off,moves=lazy,lazy_least=4K,move_report=on \
// RUN:   %run -n 2 --timeout 60 %t 2>&1 | FileCheck %s
//
// CHECK-DAG: functions: right
// CHECK-DAG: own stack: right
// CHECK-DAG: refused: skein_push_self: a pointer on its private heap leads to the process heap {{.*}} stays behind
// CHECK-DAG: goes on: right, then moves: 0, right
// CHECK-DAG: given back: zero
// CHECK-DAG: child: right
// CHECK-DAG: main: right
// CHECK-DAG: moves: node 0: {{[4-9]}} moves left memory behind
#include <skein/skein.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { count = 1 << 19 };
static const char *right(int is) { return is ? "right" : "WRONG"; }

static long *numbers(void) {
  long *to = malloc(count * sizeof *to);
  for (long i = 0; i < count; i++)
    to[i] = 7 * i;
  return to;
}
static int numbers_right(const long *of) {
  for (long i = 0; i < count; i++)
    if (of[i] != 7 * i)
      return 0;
  return 1;
}

struct step {
  struct step *next;
  int (*function)(int);
  int *local;
  long pad[100];
};
static int twice(int of) { return 2 * of; }
static int square(int of) { return of * of; }

static void functions(void) {
  int local = 3;
  struct step *first = NULL;
  long *rest = numbers();
  for (int i = 0; i < 5000; i++) {
    struct step *fresh = malloc(sizeof *fresh);
    fresh->next = first;
    fresh->function = i % 3 == 0 ? twice : i % 3 == 1 ? square : NULL;
    fresh->local = i % 50 == 0 ? &local : NULL;
    first = fresh;
  }
  int code = skein_push_self(1 - skein_node()), sum = 0, locals = 0;
  local = 4;
  for (struct step *at = first; at; at = at->next) {
    sum += at->function ? at->function(3) : 0;
    locals += at->local ? *at->local : 0;
  }
  printf("functions: %s\n", right(!code && sum == 1667 * 6 + 1667 * 9 && numbers_right(rest)));
  printf("own stack: %s\n", right(locals == 100 * 4));
}

struct holder {
  char *elsewhere;
};
static __attribute__((noinline)) void map_page(struct holder *holder) {
  holder->elsewhere = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}
static void stays(void) {
  long *rest = numbers();
  struct holder *holder = malloc(sizeof *holder);
  map_page(holder);
  if (skein_push_self(1 - skein_node()))
    printf("refused: %s\n", skein_error_text());
  *holder->elsewhere = 1;
  const int was_right = numbers_right(rest);
  munmap(holder->elsewhere, 4096);
  holder->elsewhere = NULL;
  const int code = skein_push_self(1 - skein_node());
  printf("goes on: %s, then moves: %d, %s\n", right(was_right), code, right(numbers_right(rest)));
}

/* Pages that are given back to the system are zero, also those that were never here. */
static void gives_back(void) {
  enum { page = 4096 };
  char *block = malloc(64 << 20);
  char *pages = (char *)(((uintptr_t)block + page - 1) & ~(uintptr_t)(page - 1));
  for (long i = 0; i < 60 << 20; i += 64)
    pages[i] = 1;
  int code = skein_push_self(1 - skein_node());
  code |= madvise(pages + (20 << 20), 30 << 20, MADV_DONTNEED);
  long zero = 0, ones = 0;
  for (long i = 0; i < 60 << 20; i += 64) {
    const int gone = i >= 20 << 20 && i < 50 << 20;
    zero += gone && pages[i] == 0;
    ones += !gone && pages[i] == 1;
  }
  printf("given back: %s\n", !code && zero == (30 << 20) / 64 && ones == (30 << 20) / 64 ? "zero" : "WRONG");
}

static void forks(void) {
  long *rest = numbers();
  int code = skein_push_self(1 - skein_node()), status = 1;
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0)
    _exit(numbers_right(rest) ? 0 : 1);
  printf("child: %s\n", right(!code && waitpid(child, &status, 0) == child && status == 0));
}

int main(void) {
  skein_join(skein_spawn(functions));
  skein_join(skein_spawn(stays));
  skein_join(skein_spawn(gives_back));
  skein_join(skein_spawn(forks));
  long *rest = numbers();
  const int code = skein_push_self(1);
  printf("main: %s\n", right(!code && rest[count / 2] == 7L * (count / 2))); /* it ends with most of it elsewhere */
  return 0;
}
