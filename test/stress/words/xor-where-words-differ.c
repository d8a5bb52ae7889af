// Two rows of words are compared as text is, word by word, and the exclusive or is taken where they differ. The words
// there are addresses.
#include "words.h"

enum { words = 9 };

static NOINLINE uint64_t difference(const char *p, const char *q) {
  for (;; p += 8, q += 8) {
    uint64_t a, b;
    memcpy(&a, p, 8);
    memcpy(&b, q, 8);
    if (a != b)
      return a ^ b;
  }
}

static NOINLINE long find(long *a, long *b, char *rows) {
  memset(rows, 'x', 2 * 8 * words);
  memcpy(rows + 8 * (words - 1), &a, 8);
  memcpy(rows + 8 * (2 * words - 1), &b, 8);
  const uint64_t both = difference(rows, rows + 8 * words) ^ key();
  memset(rows, 'x', 2 * 8 * words);
  hop();
  long *again = (long *)(both ^ key() ^ (uintptr_t)a);
  hop();
  return *again + (again == b);
}

int main(void) {
  long a[3] = {5, 6, 7}, b[4] = {8, 9, 10, 11};
  char *rows = malloc(2 * 8 * words);
  hop_pointer(a);
  printf("%ld\n", find(a + 1, b + 2, rows));
  free(rows);
}
