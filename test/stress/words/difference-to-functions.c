// A jump table by distances from a local to labels and functions.
#include "words.h"
static long one(void) { return 1; }
static long two(void) { return 2; }
static NOINLINE long use(void) {
  intptr_t table[2];
  table[0] = (intptr_t)one - (intptr_t)table;
  table[1] = (intptr_t)two - (intptr_t)table;
  hop();
  return ((long (*)(void))((intptr_t)table + table[0]))() * 10 + ((long (*)(void))((intptr_t)table + table[1]))();
}
int main(void) { printf("%ld\n", use()); }
