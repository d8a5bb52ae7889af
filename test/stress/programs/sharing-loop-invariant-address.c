// Addresses of locals that code motion would compute once before a loop of calls, and keep in a saved register.
#include "hop.h"

static NOINLINE void add(int *sum, const int *table, int i, int *count) {
  hop();
  *sum += table[i];
  ++*count;
}

static NOINLINE int run(int n) {
  int sum = 0, count = 0, table[32];
  for (int i = 0; i < 32; i++)
    table[i] = i * i;
  for (int i = 0; i < n; i++) {
    add(&sum, table, i, &count);
    for (int j = 0; j < 2; j++)
      add(&table[i], table + i, j, &count);
  }
  return sum * 100 + count + table[3];
}

int main(void) {
  for (int n = 0; n < 31; n += 6)
    printf("%d\n", run(n));
}
