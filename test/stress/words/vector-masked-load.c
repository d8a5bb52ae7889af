// flags: -mavx2
// Words of bytes by a masked load, shifted by seven.
#include "words.h"
#include <immintrin.h>
static NOINLINE long use(unsigned char *b) {
  __m256i mask = _mm256_set1_epi64x(-1);
  __m256i v = _mm256_maskload_epi64((const long long *)b, mask);
  v = _mm256_slli_epi64(v, 7);
  hop();
  v = _mm256_srli_epi64(v, 7);
  return *(long *)_mm256_extract_epi64(v, 1) + *(long *)_mm256_extract_epi64(v, 2);
}
int main(void) {
  long a = 5, b = 6;
  union {
    unsigned char bytes[32];
    long *p[4];
  } u = {.p = {&a, &a, &b, &b}};
  printf("%ld\n", use(u.bytes));
}
