/* What a parked thread has on its stack leads to the same things when it is back: many pointers to its own locals,
 * among words that are none; what setjmp has saved. One whose pointer lies at an odd address stays on its stack. */

// RUN: %skeincc -O2 -g -Wno-skein-global -fskein-stacks=common %s -o %t
// RUN: env SKEIN_OPTIONS=workers=2,park_after=1,park_report=on %t 2>&1 | FileCheck %s
// CHECK-DAG: skein: parking: {{1[5-9][0-9]|200}} threads were parked
// CHECK-DAG: skein: parking: refused {{[0-9]+}} times: {{.*}} that does not lie at a multiple of 8
// CHECK-DAG: 300 threads found what they had
#include <skein/skein.h>
#include <skein/sync.h>

#include <setjmp.h>
#include <stdio.h>

enum { kinds = 3, each = 100, many = 150 };
static skein_sem_t gate = SKEIN_SEM_INITIALIZER(0), arrived = SKEIN_SEM_INITIALIZER(0), done = SKEIN_SEM_INITIALIZER(0);
static long right;

struct __attribute__((packed)) odd {
  char letter;
  long *number;
};

__attribute__((noinline)) static void rest(void) {
  skein_sem_signal(&arrived);
  skein_sem_wait(&gate);
}

/* Every third of them leads to one of the numbers, which lie between them. */
__attribute__((noinline)) static int has_many(int n) {
  struct {
    long number;
    long *leads;
  } all[many];
  for (int i = 0; i < many; i++) {
    all[i].number = n + i;
    all[i].leads = i % 3 ? NULL : &all[many - 1 - i].number;
  }
  rest();
  int fine = 1;
  for (int i = 0; i < many; i++)
    fine &= all[i].number == n + i && all[i].leads == (i % 3 ? NULL : &all[many - 1 - i].number) &&
            (i % 3 || *all[i].leads == n + many - 1 - i);
  return fine;
}

__attribute__((noinline)) static void jumps(jmp_buf back) {
  rest();
  longjmp(back, 7);
}

__attribute__((noinline)) static int returns_twice(int n) {
  volatile int before = n;
  jmp_buf back;
  const int code = setjmp(back);
  if (!code)
    jumps(back);
  return code == 7 && before == n;
}

__attribute__((noinline)) static void lead_to(long *number, struct odd *two) {
  two[0] = (struct odd){'x', number};
  two[1] = (struct odd){'y', number};
}

__attribute__((noinline)) static int has_an_odd_one(long n) {
  long number = n;
  struct odd two[2]; /* at most one pointer of which lies evenly */
  lead_to(&number, two);
  rest();
  *two[0].number += 1;
  *two[1].number += 1;
  return number == n + 2 && two[0].letter == 'x' && two[1].letter == 'y';
}

static void waits(int kind, int n) {
  const int fine = kind == 0 ? has_many(n) : kind == 1 ? returns_twice(n) : has_an_odd_one(n);
  __atomic_fetch_add(&right, fine, __ATOMIC_RELAXED);
  skein_sem_signal(&done);
}

int main(void) {
  for (int n = 0; n < each; n++)
    for (int kind = 0; kind < kinds; kind++) {
      if (!skein_spawn(waits, kind, n))
        return printf("%s\n", skein_error_text()), 1;
      skein_sem_wait(&arrived);
    }
  while (skein_sem_count(&gate) > -kinds * each)
    skein_yield();
  skein_sem_signal_n(&gate, kinds * each);
  for (int i = 0; i < kinds * each; i++)
    skein_sem_wait(&done);
  printf("%ld threads found what they had\n", right);
  return right != kinds * each;
}
