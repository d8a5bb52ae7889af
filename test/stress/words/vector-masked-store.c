// Hidden addresses are stored under a mask.
// flags: -mavx2
// changes: globals
#include "words.h"
#include <immintrin.h>

static long *address(uint64_t number) { return (long *)(uintptr_t)number; }

static long long kept[4];

static NOINLINE long use(long *p, long *q) {
  long k = key();
  __m256i hidden = _mm256_xor_si256(_mm256_set_epi64x((long)q, (long)p, (long)q, (long)p), _mm256_set1_epi64x(k));
  _mm256_maskstore_epi64(kept, _mm256_set_epi64x(-1, number() - 7, -1, number() - 8), hidden);
  hop();
  return *address(kept[0] ^ k) * 10 + *address(kept[3] ^ k) + (kept[2] != 0);
}

int main(void) {
  long a[4] = {5, 6, 7, 8};
  hop_pointer(a);
  printf("%ld\n", use(a + 1, a + 3));
}
