// Locals aligned to 32, 64, 128 and 4096 bytes, alone and beside a VLA; alignment is checked after each move.
#include "hop.h"

#define ALIGNED(align)                                                                                                 \
  static NOINLINE int with_##align(int n) {                                                                            \
    _Alignas(align) int a[4] = {n, n + 1, n + 2, n + 3};                                                               \
    char vla[n];                                                                                                       \
    vla[n - 1] = (char)n;                                                                                              \
    int *p = a + (n & 3);                                                                                              \
    hop();                                                                                                             \
    int wrong = (int)((uintptr_t)(void *)hop_pointer(a) % (align));                                                    \
    hop();                                                                                                             \
    return *p * 100 + vla[n - 1] + wrong;                                                                              \
  }                                                                                                                    \
  static NOINLINE int only_##align(int n) {                                                                            \
    _Alignas(align) int a[4] = {n, n + 1, n + 2, n + 3};                                                               \
    int *p = a + (n & 3);                                                                                              \
    hop();                                                                                                             \
    int wrong = (int)((uintptr_t)(void *)hop_pointer(a) % (align));                                                    \
    hop();                                                                                                             \
    return *p * 100 + a[0] + wrong + with_##align(n);                                                                  \
  }

ALIGNED(32)
ALIGNED(64)
ALIGNED(128)
ALIGNED(4096)

int main(void) {
  for (int n = 1; n < 9; n++)
    printf("%d %d %d %d\n", only_32(n), only_64(n), only_128(n), only_4096(n));
}
