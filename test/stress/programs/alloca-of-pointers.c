// alloca of pointer arrays, grown by doubling in one frame; the old block stays in use by earlier pointers.
#include "hop.h"
#include <alloca.h>
#include <string.h>

static NOINLINE int run(int n) {
  int v[64], count = 0, room = 2;
  int **p = alloca((size_t)room * sizeof *p), **first = p;
  for (int i = 0; i < n; i++) {
    if (count == room) {
      int **larger = alloca(2 * (size_t)room * sizeof *p);
      memcpy(larger, p, (size_t)room * sizeof *p);
      hop();
      p = larger;
      room *= 2;
    }
    v[i] = i * 3;
    p[count++] = v + i;
    hop();
  }
  int sum = n > 1 ? *first[0] + *first[1] : 0;
  for (int i = 0; i < count; i++) {
    hop();
    sum = (sum * 3 + *p[i]) % 1000003;
  }
  return sum;
}

int main(void) {
  for (int n = 1; n < 40; n += 9)
    printf("%d\n", run(n));
}
