// Exceptions thrown on grown and on deep stacks are caught where they should be, past frames of the runtime and of the
// C library.
// RUN: %skein++ -O0 -fskein-stacks=growable %s -o %t && env SKEIN_OPTIONS=grow_first=1K %t | FileCheck %s
// RUN: %skein++ -O2 -fskein-stacks=growable %s -o %t && %t | FileCheck %s
// UNSUPPORTED: sanitized
// CHECK: caught 300 at 0
// CHECK-NEXT: caught 7 past qsort
// CHECK-NEXT: caught 100 in between, 50 destroyed
// CHECK-NEXT: jumped 5
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <skein/skein.h>
#include <stdexcept>
#include <string>
#include <vector>

static int deep(int depth, const int *above) {
  char frame[300];
  int here = *above + 1;
  std::memset(frame, depth, sizeof frame);
  skein_yield();
  if (depth == 0)
    throw std::runtime_error(std::to_string(here));
  return deep(depth - 1, &here) + frame[0];
}

static int comparisons;
static int compare(const void *, const void *) {
  if (++comparisons == 7)
    throw comparisons;
  return 0;
}

struct Counter {
  int *count;
  ~Counter() { ++*count; }
};

static int middle(int depth, int *destroyed) {
  Counter counter{destroyed};
  char frame[200];
  std::memset(frame, depth, sizeof frame);
  skein_yield();
  if (depth == 50) {
    try {
      return middle(depth - 1, destroyed);
    } catch (const std::string &text) {
      return std::atoi(text.c_str());
    }
  }
  if (depth == 0)
    throw std::string("100");
  return middle(depth - 1, destroyed) + frame[0];
}

static jmp_buf back;
static int again(const void *a, const void *b) {
  if (++comparisons == 5)
    longjmp(back, comparisons);
  return *static_cast<const int *>(a) - *static_cast<const int *>(b);
}

static void thread() {
  int zero = 0;
  try {
    deep(299, &zero);
  } catch (const std::exception &e) {
    std::printf("caught %s at %d\n", e.what(), zero);
  }
  std::vector<int> values(20);
  try {
    std::qsort(values.data(), values.size(), sizeof(int), compare);
  } catch (int which) {
    std::printf("caught %d past qsort\n", which);
  }
  int destroyed = 0;
  int found = middle(50, &destroyed);
  std::printf("caught %d in between, %d destroyed\n", found, destroyed - 1);
}

int main() {
  skein_join(skein_spawn(thread));
  comparisons = 0;
  int values[20] = {};
  int result = setjmp(back);
  if (result == 0)
    std::qsort(values, 20, sizeof(int), again);
  std::printf("jumped %d\n", result);
}
