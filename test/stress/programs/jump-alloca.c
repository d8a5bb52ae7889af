// VLAs of pointers around setjmp: blocks made before it stay, blocks made since are gone.
#include "hop.h"
#include <setjmp.h>

static jmp_buf out;

static NOINLINE void jump(int value) { hop(), longjmp(out, value); }

static NOINLINE int before(int n) {
  int v[3] = {1, 2, 3};
  int *list[n];
  for (int i = 0; i < n; i++)
    list[i] = &v[i % 3];
  int got = setjmp(out);
  hop();
  if (got < 2)
    jump(got + 1);
  int sum = 0;
  for (int i = 0; i < n; i++)
    sum = sum * 3 + *list[i];
  return sum;
}

static NOINLINE int after(int n) {
  int v[3] = {4, 5, 6};
  volatile int turn = 0;
  setjmp(out);
  if (turn++ < 2) {
    int *list[n];
    for (int i = 0; i < n; i++)
      list[i] = &v[i % 3];
    hop();
    jump(*list[n - 1]);
  }
  long numbers[n];
  for (int i = 0; i < n; i++)
    numbers[i] = (long)i << 40 | 7;
  hop();
  long sum = 0;
  for (int i = 0; i < n; i++)
    sum += numbers[i];
  return (int)(sum >> 32) + (int)sum;
}

int main(void) {
  for (int n = 1; n < 7; n++)
    printf("%d %d\n", before(n), after(n));
}
