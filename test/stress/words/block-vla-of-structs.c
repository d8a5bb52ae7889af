// A VLA of structs that know themselves by number and by pointer.
#include "words.h"
struct S {
  struct S *self;
  uint64_t number;
  uint32_t low, high;
};
static NOINLINE int check(int n) {
  struct S v[n];
  for (int i = 0; i < n; i++)
    v[i] =
        (struct S){&v[i], (uintptr_t)&v[(i + 1) % n], (uint32_t)(uintptr_t)&v[i], (uint32_t)((uintptr_t)&v[i] >> 32)};
  hop();
  int good = 0;
  for (int i = 0; i < n; i++)
    good += (v[i].self == &v[i]) + 2 * (v[i].number == (uintptr_t)&v[(i + 1) % n]) +
            4 * (v[i].low == (uint32_t)(uintptr_t)&v[i]);
  return good;
}
int main(void) { printf("%d\n", check((int)number())); }
