// A vector in a local monotonic buffer.
#include "words.h"

#include <memory_resource>
#include <vector>
static NOINLINE long use(long *p) {
  char room[1024];
  std::pmr::monotonic_buffer_resource r(room, sizeof room, std::pmr::null_memory_resource());
  std::pmr::vector<uintptr_t> v(&r);
  for (int i = 0; i < 4; i++) {
    v.push_back((uintptr_t)(p + i) ^ 1);
    hop();
  }
  long s = 0;
  for (uintptr_t w : v)
    s = s * 10 + *(long *)(w ^ 1);
  return s;
}

int main() {
  long a[4] = {5, 6, 7, 8};
  printf("%ld\n", use(a));
}
