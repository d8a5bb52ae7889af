// A longjmp out of a block ends the life of its locals, so what they hold afterwards is not looked at. Here it is an
// address of the stack in a word that may be a number.
#include "hop.h"
#include <setjmp.h>

union work {
  char text[400];
  void *addresses[50];
  long numbers[50];
};

static jmp_buf again;
static int n;

static NOINLINE void fill(union work *work) {
  hop();
  if (n % 3 == 2) {
    work->addresses[7] = work;
    longjmp(again, n);
  }
  work->numbers[n] = n;
}

static int print(void) {
  union work work;
  work.numbers[n] = 0;
  fill(&work);
  return printf("line %ld\n", work.numbers[n]);
}

static NOINLINE void loop(void) {
  int left = setjmp(again);
  hop();
  printf("left %d\n", left);
  for (n++; n < 12; n++) {
    hop();
    print();
  }
}

int main(void) {
  loop();
  return 0;
}
