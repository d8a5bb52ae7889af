// A switch in a loop in a switch (Duff's device among them), with pointers that every case moves.
#include "hop.h"

static NOINLINE void duff(const int *from, int *to, int n) {
  int rounds = (n + 3) / 4;
  switch (n % 4) {
    do {
    case 0:
      *to++ = *from++;
      hop();
      __attribute__((fallthrough));
    case 3:
      *to++ = *from++;
      __attribute__((fallthrough));
    case 2:
      *to++ = *from++;
      hop();
      __attribute__((fallthrough));
    case 1:
      *to++ = *from++;
    } while (--rounds > 0);
  }
}

static NOINLINE int steer(const char *moves, int *at, int *low, int *high) {
  int sum = 0;
  for (; *moves; moves++) {
    switch (*moves) {
    case 'l':
      at = at > low ? at - 1 : low;
      break;
    case 'r':
      at = at < high ? at + 1 : high;
      break;
    case '<':
      at = low;
      break;
    case '>':
      at = high;
      break;
    case '+':
      ++*at;
      break;
    case '?':
      hop();
      if (*at & 1)
        continue;
      sum += 1000;
      break;
    }
    hop();
    sum = sum * 3 % 100003 + *at;
  }
  return sum;
}

int main(void) {
  int a[11], b[11];
  for (int i = 0; i < 11; i++)
    a[i] = i * i;
  duff(a, b, 11);
  printf("%d\n", steer("rr+?l>+?<l+rrr?+r?>?l", b, b, b + 10));
}
