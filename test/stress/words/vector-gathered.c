// Addresses in a vector from which memory is gathered, and the odd and the even bits of one.
// flags: -mavx2 -mbmi2
#include "words.h"
#include <immintrin.h>
static NOINLINE long get(long *p) {
  __m256i v = _mm256_set_epi64x((long)p, (long)(p + 1), (long)(p + 2), (long)(p + 3));
  hop();
  __m256i r = _mm256_i64gather_epi64((const long long *)0, v, 1);
  long o[4];
  _mm256_storeu_si256((__m256i *)o, r);
  return o[0] * 1000 + o[1] * 100 + o[2] * 10 + o[3];
}
static NOINLINE long ext(long *p) {
  uint64_t low = _pext_u64((uintptr_t)p, 0x5555555555555555), high = _pext_u64((uintptr_t)p, 0xaaaaaaaaaaaaaaaa);
  hop();
  return *(long *)(_pdep_u64(low, 0x5555555555555555) | _pdep_u64(high, 0xaaaaaaaaaaaaaaaa));
}
int main(void) {
  long a[4] = {1, 2, 3, 4};
  printf("%ld %ld\n", get(a), ext(a));
}
