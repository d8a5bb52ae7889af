// __builtin_frame_address: an address that no variable has, in a local across calls.
#include "hop.h"

static NOINLINE int deeper(const char *above, int n) {
  const char *here = __builtin_frame_address(0);
  hop();
  int below = above >= here;
  hop();
  return (here == (const char *)__builtin_frame_address(0)) * 10 + below + (n ? 100 * deeper(here, n - 1) : 0);
}

int main(void) { printf("%d\n", deeper(__builtin_frame_address(0), 3)); }
