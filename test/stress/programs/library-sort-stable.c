// qsort of many elements of all sizes, whose comparison moves: stable, and as many comparisons as the C library makes.
// options: stress_every=50
#include "hop.h"
#include <stdlib.h>
#include <string.h>

static long comparisons;

static int by_first_byte(const void *a, const void *b) {
  ++comparisons;
  hop();
  return *(const unsigned char *)a - *(const unsigned char *)b;
}

static unsigned checksum(const unsigned char *bytes, size_t count) {
  unsigned sum = 0;
  for (size_t i = 0; i < count; i++)
    sum = sum * 31 + bytes[i];
  return sum;
}

int main(void) {
  static unsigned char bytes[64 * 700];
  for (int size = 1; size <= 64; size += size < 9 ? 1 : 11) {
    size_t count = (size_t)(700 - size);
    for (size_t i = 0; i < count * (size_t)size; i++)
      bytes[i] = (unsigned char)(i * 2654435761u >> 21);
    comparisons = 0;
    qsort(bytes, count, (size_t)size, by_first_byte);
    printf("%d: %u %ld\n", size, checksum(bytes, count * (size_t)size), comparisons);
  }
}
