// Small classes of one pointer are assigned, swapped and kept in arrays, which the optimiser does as integers.
#include "words.h"
#include <utility>

struct Iterator {
  const long *at;
  long operator*() const { return *at; }
  Iterator &operator++() { return ++at, *this; }
  bool operator!=(Iterator other) const { return at != other.at; }
};

struct Range {
  Iterator first, last;
  Iterator begin() const { return first; }
  Iterator end() const { return last; }
};

static NOINLINE long sum(Range r) {
  long total = 0;
  for (long value : r) {
    hop();
    total = total * 10 + value;
  }
  return total;
}

static NOINLINE long both(Range *ranges) {
  Range kept = ranges[0];
  hop();
  std::swap(ranges[0], ranges[1]);
  hop();
  return sum(kept) * 1000 + sum(ranges[0]);
}

int main() {
  long one[] = {1, 2, 3}, two[] = {7, 8};
  hop_pointer(one);
  hop_pointer(two);
  Range ranges[] = {{{one}, {one + 3}}, {{two}, {two + 2}}};
  long result = both(ranges);
  printf("%ld\n", result);
}
