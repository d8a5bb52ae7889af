// Time slices: threads that never yield share a worker fairly if they were compiled with polls, in loops of every kind, and
// with their stacks moved all the while.
// RUN: %skeincc -O2 -fskein-polls=loops %s -o %t && env SKEIN_OPTIONS=workers=1,slice_ms=1 %t
// RUN: %skeincc -O0 -fskein-polls=loops %s -o %t && env SKEIN_OPTIONS=workers=2,slice_ms=1 %t
// RUN: %skeincc -O2 -flto -fskein-polls=loops -fskein-stress=calls %s -o %t && env SKEIN_OPTIONS=workers=1,slice_ms=1 %t
// Without the clock the first spinner keeps the worker, so this test can fail.
// RUN: not env SKEIN_OPTIONS=workers=1,slice_ms=0 timeout 0.5 %t
#include <skein/skein.h>
#include <stdio.h>
#include <string.h>

enum { TURNS = 5 };

/* Whose turn it is; each waits for the other without a call. */
static volatile int turn;

static void spin_on_memory(int self) {
  int local = self, *mine = &local;
  for (int i = 0; i < TURNS; i++) {
    while (turn != *mine)
      ;
    turn = 1 - *mine;
  }
}

/* Spins in a counted loop, which is strip-mined, inside one that is not. */
static void spin_on_count(int self) {
  unsigned numbers[64], *mine = numbers;
  memset(numbers, self, sizeof numbers);
  for (int i = 0; i < TURNS; i++) {
    unsigned sum = 0;
    do
      for (unsigned n = 0; n < 100000u; n++)
        sum += mine[n % 64] ^ n;
    while (turn != self && sum != 3);
    turn = 1 - self;
  }
}

/* A brief function: a call of it is no migration point, and needs no poll. */
__attribute__((noinline)) static int others(int self) { return turn != self; }

/* In an interpreter's loop the jumps are polled. */
static void spin_on_jumps(int self) {
  enum { LOOK,
         BACK,
         PASS,
         END };
  static const char program[] = {PASS, LOOK, BACK, 0, END};
  for (int i = 0; i < TURNS; i++) {
    for (const char *at = program; *at != END;)
      switch (*at++) {
      case LOOK:
        at += others(self) ? 0 : 2;
        break;
      case BACK:
        at = program + *at;
        break;
      default:
        break;
      }
    turn = 1 - self;
  }
}

/* This doubles zero for ever; 31 doublings of anything else would be few. */
static void spin_on_doubling(int self) {
  for (int i = 0; i < TURNS; i++) {
    for (int n = self - self, one = 1; n < one && others(self); n *= 2)
      one = 1 + self;
    turn = 1 - self;
  }
}

/* Again and again, this counts to a number so small that only the short version of the loop runs. */
static void spin_on_short_counts(int self) {
  volatile int few = 10;
  unsigned sum = 0;
  for (int i = 0; i < TURNS; i++) {
    while (others(self))
      for (int n = 0, most = few; n < most; n++)
        sum ^= sum * 3 + (unsigned)others(n);
    turn = 1 - self;
  }
  few = (int)sum;
}

static int meet(void (*first)(int), void (*second)(int)) {
  turn = 0;
  skein_thread_t a = skein_spawn(first, 0), b = skein_spawn(second, 1);
  return skein_join(a) || skein_join(b);
}

int main(void) {
  if (meet(spin_on_memory, spin_on_memory) || meet(spin_on_count, spin_on_count) ||
      meet(spin_on_memory, spin_on_count) || meet(spin_on_jumps, spin_on_doubling) ||
      meet(spin_on_short_counts, spin_on_jumps) || meet(spin_on_doubling, spin_on_short_counts))
    return 1;
  puts("fair");
  return 0;
}
