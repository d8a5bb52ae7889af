/* Tables in globals: a sieve of bits, the numbers it leaves, and a walk through both by small functions. */
#include <stdio.h>
#include <string.h>
#ifndef ROUNDS
#define ROUNDS(n) (n)
#endif
enum { LIMIT = 1 << 17 };
static unsigned char composite[LIMIT];
static int primes[LIMIT / 4], prime_count;
static unsigned long steps, largest_gap;
__attribute__((noinline)) static void sieve(void) {
  memset(composite, 0, sizeof composite);
  for (int i = 2; i * i < LIMIT; i++)
    if (!composite[i])
      for (int j = i * i; j < LIMIT; j += i)
        composite[j] = 1;
}
__attribute__((noinline)) static void collect(void) {
  prime_count = 0;
  for (int i = 2; i < LIMIT; i++)
    if (!composite[i])
      primes[prime_count++] = i;
}
__attribute__((noinline)) static int is_prime(int n) {
  steps++;
  return n < LIMIT ? !composite[n] : 0;
}
__attribute__((noinline)) static int twins(void) {
  int found = 0;
  for (int i = 0; i + 1 < prime_count; i++) {
    found += is_prime(primes[i] + 2);
    unsigned long gap = (unsigned long)(primes[i + 1] - primes[i]);
    if (gap > largest_gap)
      largest_gap = gap;
  }
  return found;
}
int main(void) {
  unsigned long total = 0;
  for (int round = 0; round < ROUNDS(500); round++) {
    sieve();
    collect();
    total += (unsigned long)twins();
  }
  printf("%lu %lu %lu %d\n", total, steps, largest_gap, prime_count);
  return 0;
}
