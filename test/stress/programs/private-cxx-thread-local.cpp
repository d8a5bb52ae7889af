// C++ thread_local variables with constructors and destructors; function-local statics with guards.
#include <cstdio>
#include <string>
#include <vector>

struct Counter {
  int value;
  explicit Counter(int from) : value(from) {}
  ~Counter() { std::printf("counter ends at %d\n", value); }
};

thread_local Counter counter(5);
thread_local std::string text = "private";
static thread_local int *here;

static std::vector<int> &numbers() {
  static thread_local std::vector<int> all{1, 2, 3};
  return all;
}

static int depth(int n) {
  int own = n;
  here = &own;
  counter.value += *here;
  numbers().push_back(*here);
  return n ? depth(n - 1) + (int)text.size() : 0;
}

int main() {
  int d = depth(5);
  int sum = 0;
  for (int n : numbers())
    sum += n;
  here = nullptr;
  std::printf("%d %d %d\n", d, sum, counter.value);
  return 0;
}
