// Iterators over nested ranges, each holding pointers to the range and to the iterator inside.
#include "hop.h"

struct Range {
  const int *from, *to;
};
struct Inner {
  const int *at;
  const Range *range;
  bool done() const { return at == range->to; }
};
struct Outer {
  const Range *at, *end;
  Inner inner;
  Inner *current;
  Outer(const Range *from, const Range *to) : at(from), end(to), inner{from->from, from}, current(&inner) { settle(); }
  Outer(const Outer &) = delete;
  NOINLINE void settle() {
    while (current->done()) {
      hop();
      if (++at == end)
        return;
      inner = Inner{at->from, at};
    }
  }
  NOINLINE int next() {
    int n = *current->at++;
    hop();
    settle();
    return n;
  }
};

int main() {
  int numbers[20];
  for (int i = 0; i < 20; i++)
    numbers[i] = i * i;
  Range ranges[] = {
      {numbers, numbers + 3}, {numbers + 9, numbers + 9}, {numbers + 5, numbers + 9}, {numbers + 18, numbers + 20}};
  Outer o(ranges, ranges + 4);
  while (o.at != o.end)
    printf("%d ", o.next());
  printf("\n");
}
