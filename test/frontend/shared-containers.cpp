// Pointers to shared memory are values like others, also where clang knows the function that is given one.
// RUN: %skein++ -std=c++20 -fsyntax-only -Xclang -verify %s
// expected-no-diagnostics
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <skein/shared.hpp>
#include <utility>
#include <vector>

struct point {
  int x, y;
};

long walk(skein_shared int *p, skein_shared point *q) {
  std::vector<skein_shared int *> all;
  for (int i = 0; i < 10; i++)
    all.push_back(p + i);
  std::map<int, skein_shared int *> by_value;
  for (auto *one : all)
    by_value[int(*one)] = one;
  long sum = 0;
  for (auto &[value, where] : by_value)
    sum += value + *where;
  skein_shared int *moved = std::move(p), *kept = std::exchange(moved, nullptr);
  std::function<int(int)> add = [kept](int by) { return *kept += by; };
  auto &field = q->y;
  field += add(1);
  const point copy = skein::get(q);
  skein::set(q + 1, {copy.y, copy.x});
  return sum + *std::addressof(kept)[0];
}
