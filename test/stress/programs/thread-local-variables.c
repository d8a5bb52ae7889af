// _Thread_local variables and their addresses across calls.
#include "hop.h"

static _Thread_local int counter = 5;
static _Thread_local struct {
  int values[4];
  int *at;
} table;

static NOINLINE int bump(int *p) {
  hop();
  *p %= 1009;
  return ++*p;
}

static NOINLINE int run(int n) {
  int *p = &counter, sum = 0;
  table.at = table.values + n % 4;
  for (int i = 0; i < n; i++) {
    hop();
    counter += i;
    *p += bump(&counter);
    hop();
    *table.at += counter;
    sum = sum * 3 % 10007 + *p + table.values[i % 4];
  }
  return sum + (p == &counter) * 100000;
}

int main(void) {
  for (int n = 0; n < 8; n++)
    printf("%d\n", run(n));
}
