// The C++ interface of the first seed, and standard algorithms over distributed arrays, from every node.

// RUN: %skein++ -std=c++20 -Wno-skein-global -O2 -I%S/Inputs %s -o %t
// RUN: %run -n 3 --timeout 60 %t
// RUN: env SKEIN_OPTIONS=shared=remote %run -n 2 --timeout 60 %t
// RUN: %skein++ -std=c++17 -Wno-skein-global -O0 -fskein-stress=calls -I%S/Inputs %s -o %t
// RUN: env SKEIN_OPTIONS=stress_every=10 %run -n 2 --timeout 60 %t

#include <skein/shared.hpp>

#include "check.h"

#include <algorithm>
#include <cstring>
#include <numeric>

static shared_int everywhere;

static void square(shared_float *result, int node) {
  CHECK(skein_push_self(node) == SKEIN_OK);
  *result = *result + 0.5f;
  result[0] = result[0] * result[0];
}

static void count(skein_shared int *at, int node) {
  CHECK(skein_push_self(node) == SKEIN_OK);
  shared_int mine;
  mine = at;
  for (int i = 0; i < 100; i++)
    __atomic_fetch_add(&mine, 1, __ATOMIC_RELAXED);
}

static void meet(int node, skein_shared int *met) {
  CHECK(skein_push_self(node) == SKEIN_OK);
  CHECK(everywhere.create_global(skein_nodes() - 1) == SKEIN_OK);
  CHECK(skein_shared_node(&everywhere) == skein_nodes() - 1);
  __atomic_fetch_add(&everywhere, node + 1, __ATOMIC_SEQ_CST);
  __atomic_fetch_add(met, 1, __ATOMIC_SEQ_CST);
  while (__atomic_load_n(met, __ATOMIC_ACQUIRE) < skein_nodes())
    skein_yield();
  CHECK(everywhere == skein_nodes() * (skein_nodes() + 1) / 2);
}

static void algorithms(int node) {
  CHECK(skein_push_self(node) == SKEIN_OK);
  for (size_t block : {size_t(SKEIN_BLOCKED), size_t(SKEIN_CYCLIC), size_t(7)}) {
    skein::array<int> numbers(100, block);
    std::iota(numbers.begin(), numbers.end(), 0);
    CHECK(std::accumulate(numbers.begin(), numbers.end(), 0) == 4950);
    std::reverse(numbers.begin(), numbers.end());
    CHECK(numbers[0] == 99 && *std::max_element(numbers.begin(), numbers.end()) == 99);
    std::transform(numbers.begin(), numbers.end(), numbers.begin(), [](int i) { return i * 37 % 101; });
    std::sort(numbers.begin(), numbers.end());
    CHECK(std::is_sorted(numbers.begin(), numbers.end()));
    CHECK(std::lower_bound(numbers.begin(), numbers.end(), 50)[0] >= 50);
    std::sort(numbers.begin(), numbers.end(), [](int a, int b) { return a > b; });
    CHECK(numbers[0] > numbers[99] &&
          std::count_if(numbers.begin(), numbers.end(), [](int i) { return i > 100; }) == 0);
    CHECK(numbers.node(0) == 0 && (&numbers[99], true));
  }
}

struct point {
  int x, y;
  double weight;
};

static void structs(skein_shared point *p, int node) {
  CHECK(skein_push_self(node) == SKEIN_OK);
  skein::set(p, {1, 2, 0.5});
  point copy = skein::get(p);
  copy.x += 10;
  skein::set(p + 1, copy);
  CHECK(p[1].x == 11 && p[1].y == 2 && p[1].weight == 0.5 && skein::get(&p[1].y) == 2);
  skein::shared<point> one(p), two(point{5, 6, 7});
  two = one;
  one->y = 20;
  CHECK(static_cast<point>(two).y == 2 && static_cast<point>(one).y == 20 && two->weight == 0.5);
  skein::array<point> row(9, 2);
  row[3] = copy;
  std::fill(row.begin() + 4, row.end(), skein::get(p));
  std::sort(row.begin(), row.end(), [](const point &a, const point &b) { return a.y > b.y; });
  CHECK(static_cast<point>(row[0]).y == 20 && static_cast<point>(row[5]).x == 11 && row.rbegin().base() == row.end());
  skein::array<int> numbers(5);
  numbers[2] = 13;
  numbers[2] %= 8;
  numbers[2] <<= 2;
  CHECK(numbers[2]++ == 20 && ++numbers[2] == 22 && (numbers[2] |= 1) == 23);
  shared_int i(6);
  CHECK(i++ == 6 && i-- == 7 && (i <<= 2) == 24 && (i %= 7) == 3 && (i ^= 1) == 2);
}

int main() {
  shared_int a, b(7);
  CHECK(a == 0 && *b == 7 && skein_shared_node(&a) == skein_node());
  *a = 5;
  a += b;
  ++a;
  CHECK(*a == 13 && a * 2 == 26);
  shared_int c(a), d;
  d = &b;
  c = d;
  CHECK(*a == 7 && &c == &a && &d == &b && &c != &d);
  *a += 1;
  b = 100;
  CHECK(c == 8 && d == 100);

  shared_float *result = new shared_float[10];
  for (int i = 0; i < 10; i++)
    result[i] = float(i);
  for (int node = 0; node < skein_nodes(); node++)
    CHECK(skein_join(skein_spawn(square, result + 2 + node, node)) == SKEIN_OK);
  for (int node = 0; node < skein_nodes(); node++)
    CHECK(result[2 + node] == (2.5f + float(node)) * (2.5f + float(node)) && result[9] == 9.0f);
  delete[] result;

  a = 0;
  skein_thread_t threads[4];
  for (int i = 0; i < 4; i++)
    threads[i] = skein_spawn(count, &a, i % skein_nodes());
  for (skein_thread_t thread : threads)
    CHECK(skein_join(thread) == SKEIN_OK);
  CHECK(*a == 400);

  *b = 0;
  for (int i = 0; i < skein_nodes(); i++)
    threads[i] = skein_spawn(meet, i, &b);
  for (int i = 0; i < skein_nodes(); i++)
    CHECK(skein_join(threads[i]) == SKEIN_OK);
  CHECK(shared_int().create_global(0) == SKEIN_EPOINTER && shared_int().create_global(77) == SKEIN_ENODE);
  for (int node = 0; node < skein_nodes(); node++)
    CHECK(skein_join(skein_spawn(algorithms, node)) == SKEIN_OK);

  auto *points = static_cast<skein_shared point *>(skein_shared_alloc(0, 2 * sizeof(point)));
  for (int node = 0; node < skein_nodes(); node++)
    CHECK(skein_join(skein_spawn(structs, points, node)) == SKEIN_OK);
  CHECK(skein_shared_free(points) == SKEIN_OK);

  auto *text = static_cast<skein_shared char *>(skein_shared_alloc(0, 64));
  CHECK(strlen(strcpy(text, "geese")) == 5 && strcmp(text, "geese") == 0);
  int *plain = skein_local(&a);
  CHECK(!plain || *plain == 400);
  return skein_shared_free(text);
}
