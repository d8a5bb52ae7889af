// std::array, std::string (whose short form points into itself), std::function, std::sort with a comparison of ours.
// refused: ambiguous
#include "hop.h"
#include <algorithm>
#include <array>
#include <functional>
#include <string>

static NOINLINE std::string greet(const std::string &who) {
  hop();
  std::string s = "hi " + who;
  hop();
  return s;
}

int main() {
  std::array<int, 16> a;
  for (int i = 0; i < 16; i++)
    a[static_cast<size_t>(i)] = i * 11 % 16;
  int comparisons = 0;
  std::sort(a.begin(), a.end(), [&](int x, int y) {
    hop();
    comparisons++;
    return x > y;
  });
  printf("%d %d %d\n", a[0], a[7], comparisons > 0);
  int *p = &a[3];
  std::function<int(int)> f = [p](int n) {
    hop();
    return *p + n;
  };
  for (int i = 0; i < 3; i++) {
    std::string s = greet(std::string(static_cast<size_t>(i * 9 + 1), static_cast<char>('a' + i)));
    hop();
    printf("%s %d\n", s.c_str(), f(i));
  }
}
