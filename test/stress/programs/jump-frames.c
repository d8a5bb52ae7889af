// Frames that count from rbp or rbx, as setjmp's caller and above it: the registers come back from the context.
#include "hop.h"
#include <setjmp.h>
#include <string.h>

static jmp_buf out;

static NOINLINE void jump(int value) {
  volatile char room[40];
  room[value] = 1;
  hop();
  longjmp(out, value + room[value]);
}

static NOINLINE int plain(int *p, int n) {
  int got = setjmp(out);
  hop();
  if (!got)
    jump(n);
  return got + *p;
}

static NOINLINE int vla(int n, int *p) {
  int sum = 0;
  char text[n + 1];
  memset(text, 'a', (size_t)n);
  text[n] = 0;
  int got = setjmp(out);
  hop();
  if (!got)
    jump(n);
  for (int i = 0; i < n; i++)
    sum += text[i];
  return sum + got + *p;
}

// Over-aligned and of variable size: both rbp and rbx are taken.
static NOINLINE int aligned(int n, int *p) {
  _Alignas(64) long line[8];
  char text[n + 1];
  memset(text, 'b', sizeof text);
  line[n % 8] = n;
  int got = setjmp(out);
  hop();
  if (got < 3)
    jump(n < 3 ? 3 : n);
  return (int)line[n % 8] + text[n] + got + *p + ((unsigned long)line % 64 == 0);
}

// The same above a function that calls setjmp and saves neither register, or one of them.
static NOINLINE int above(int n, int (*f)(int *, int)) {
  _Alignas(32) int line[8] = {n};
  char text[n + 1];
  memset(text, 'c', sizeof text);
  int r = f(&line[0], n);
  hop();
  return r + text[n] + line[0];
}
static NOINLINE int above_vla(int n) {
  char text[n + 1];
  memset(text, 'd', sizeof text);
  int r = above(n, plain);
  return r + text[n];
}

int main(void) {
  int v = 1000;
  for (int n = 1; n < 6; n++)
    printf("%d %d %d %d %d\n", plain(&v, n), vla(n, &v), aligned(n, &v), above(n, plain), above_vla(n));
}
