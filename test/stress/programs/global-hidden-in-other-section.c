// Globals that are weak, aligned, in a section of their own or thread-local, all holding addresses of locals.
// refused: global
#include "hop.h"

__attribute__((section("own_section"))) int *in_section = (int *)0;
__attribute__((weak)) int *weak_one;
_Alignas(64) static int *aligned_one[3];
static _Thread_local int *of_thread;

static NOINLINE int read_all(void) {
  hop();
  return *in_section + *weak_one * 10 + *aligned_one[1] * 100 + *of_thread * 1000;
}

static NOINLINE int with(int which) {
  int a[4] = {1, 2, 3, 4};
  in_section = &a[which];
  weak_one = &a[(which + 1) % 4];
  aligned_one[1] = &a[(which + 2) % 4];
  of_thread = &a[(which + 3) % 4];
  int n = read_all();
  in_section = weak_one = aligned_one[1] = of_thread = NULL;
  hop();
  return n;
}

int main(void) {
  for (int i = 0; i < 4; i++)
    printf("%d\n", with(i));
}
