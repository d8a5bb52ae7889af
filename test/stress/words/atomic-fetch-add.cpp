// fetch_add of an atomic pointer gives the old address, used after a call.
#include "words.h"
#include <atomic>

static NOINLINE long walk(std::atomic<long *> &at, long *end) {
  long sum = 0;
  for (;;) {
    long *mine = at.fetch_add(1);
    hop();
    if (mine == end)
      return sum;
    sum = sum * 10 + *mine;
  }
}

int main() {
  long numbers[] = {1, 2, 3, 4};
  hop_pointer(numbers);
  std::atomic<long *> at(numbers);
  printf("%ld\n", walk(at, numbers + 4));
}
