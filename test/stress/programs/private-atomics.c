// Atomic operations on globals, whose results are used, compared, or not used at all.
// flags: -fskein-globals=private
#include "hop.h"
#include <stdatomic.h>

static int word;
static _Atomic long wide;
static atomic_uchar byte;
static int *_Atomic where;

__attribute__((noinline)) static int to_zero(int with) { return __sync_xor_and_fetch(&word, with) == 0; }
__attribute__((noinline)) static int below_zero(int by) { return __sync_sub_and_fetch(&word, by) < 0; }
__attribute__((noinline)) static int had_bit(int bit) { return atomic_fetch_or(&wide, 1L << bit) >> bit & 1; }
__attribute__((noinline)) static int lost_bit(int bit) { return atomic_fetch_and(&wide, ~(1L << bit)) >> bit & 1; }

int main(void) {
  int local = 5;
  word = 12;
  printf("%d", to_zero(3));
  hop();
  printf("%d", to_zero(15));
  printf("%d", below_zero(1));
  hop();
  printf("%d%d", had_bit(7), had_bit(7));
  printf("%d%d\n", lost_bit(7), lost_bit(7));
  where = &local;
  hop();
  byte += 250;
  hop();
  byte += 10;
  int *expected = &local;
  int swapped = atomic_compare_exchange_strong(&where, &expected, NULL);
  hop();
  printf("%d %d %ld %d %d\n", word, byte, wide, swapped, where == NULL);
  for (int i = 0; i < 10; i++) {
    __sync_fetch_and_add(&word, i);
    hop();
    if (__sync_sub_and_fetch(&word, i) == -1)
      atomic_fetch_xor(&wide, i);
  }
  printf("%d %ld\n", word, wide);
}
