/* skein::thread and skein::async: closures that travel as words begin where they are stolen, others on the node of their
 * creator, and both have what they captured. */

// RUN: %skein++ -O2 -std=c++17 %s -o %t.17
// RUN: %run -n 2 %t.17 | FileCheck %s
// RUN: %plain-skein++ -O0 -std=c++20 %s -o %t.O0
// RUN: %run -n 2 %t.O0 | FileCheck %s
// RUN: %plain-skein++ -O2 -std=c++20 -Werror=skein-global -fskein-heap=private -fskein-globals=private %s -o %t.private
// RUN: %run -n 2 %t.private | FileCheck %s
// RUN: %plain-skein++ -O2 -std=c++20 -fskein-stacks=growable -fskein-polls=loops %s -o %t.grow
// RUN: %run -n 2 %t.grow | FileCheck %s
// RUN: env SKEIN_OPTIONS=stacks=relocate,image=any %run -n 2 %t.grow | FileCheck %s
// RUN: %plain-skein++ -O2 -std=c++20 -fno-exceptions %s -o %t.without
// RUN: %run -n 2 %t.without | FileCheck %s --check-prefix=WITHOUT
#include <cstdio>
#include <cstring>
#include <memory>
#include <skein/thread.hpp>
#include <string>
#include <vector>

static const char *const names[] = {"zero", "one", "two"};
static int twice(int n) { return 2 * n; }

/* Pointers to the program, numbers that look like addresses, and small members, side by side. */
struct mixed {
  const char *const *name;
  long number;
  int (*function)(int);
  short small[3];
  double real;
  float narrow;
};

static void words() {
  int local = 7;
  mixed all{names + 1, reinterpret_cast<long>(&local), twice, {1, 2, 3}, 0.5, 1.5f};
  const long number = all.number;
  skein_attributes there{};
  there.node = SKEIN_ON(1);
  there.name = "words";
  auto sum = skein::async(there, [all, number]() -> double {
    if (skein_node() != 1 || all.number != number || std::strcmp(*all.name, "one"))
      return -1;
    return all.function(all.small[2]) + all.real + all.narrow;
  });
  std::printf("words: %g\n", sum.get());
}
// CHECK: words: 8
// WITHOUT: words: 8

static void copied() {
  std::string text = "a text that is longer than the object";
  std::vector<int> numbers{1, 2, 3};
  auto moved = std::make_unique<std::string>("moved"); // only to have something on the heap that goes away
  skein::thread taker([text, numbers, creator = skein_node()] {
    size_t sum = text.size();
    for (int n : numbers)
      sum += n;
    std::printf("copied: %zu on %s\n", sum, skein_node() == creator ? "its creator's node" : "another node");
    std::fflush(stdout);
  });
  text.clear();
  moved.reset();
}
// CHECK: copied: 43 on its creator's node
// WITHOUT: copied: 43 on its creator's node

static void arguments() {
  enum class colour { red,
                      green };
  auto picked = skein::async([](colour c, const char *a, const char *b) { return c == colour::red ? a : b; },
                             colour::green, names[0], names[2]);
  std::printf("arguments: %s\n", picked.get());
  auto same = skein::async([](colour c) { return c; }, colour::green);
  std::printf("an enumerator: %d\n", static_cast<int>(same.get()));
  skein::async(twice, 4).get();
  skein::future<void> nothing = skein::async([] {});
  nothing.get();
  std::printf("%s\n", nothing.valid() ? "still there" : "taken");
}
// CHECK: arguments: two
// CHECK-NEXT: an enumerator: 1
// CHECK-NEXT: taken
// WITHOUT: taken

static long fibonacci(int n) {
  if (n < 2)
    return n;
  auto first = skein::async([n] { return fibonacci(n - 1); });
  const long second = fibonacci(n - 2);
  return first.get() + second;
}

/* Threads that have not begun are stolen with their closures; those that have are as all others. */
static void spread() {
  struct skein_statistics before, after;
  skein_statistics_get(1, &before);
  long sum = 0;
  for (int round = 0; round < 1000; round++) {
    sum = fibonacci(17);
    skein_statistics_get(1, &after);
    if (sum != 1597 || after.threads_stolen > before.threads_stolen)
      break;
  }
  std::printf("spread: %ld, %s\n", sum, after.threads_stolen > before.threads_stolen ? "some elsewhere" : "all here");
}
// CHECK: spread: 1597, some elsewhere
// WITHOUT: spread: 1597, some elsewhere

/* A thread may be assigned another one, which waits for the first, and be moved from. */
static void owners() {
  std::vector<skein::thread> all;
  long squares[4] = {};
  skein_shared long *to = static_cast<skein_shared long *>(skein_shared_alloc(skein_node(), sizeof squares));
  for (long i = 0; i < 4; i++)
    all.emplace_back([=] { to[i] = i * i; });
  skein::thread last = std::move(all.back());
  all.clear();
  last = skein::thread();
  std::printf("owners: %ld %ld %s\n", to[2], to[3], last.joinable() ? "joinable" : "empty");
  skein_shared_free(to);
}
// CHECK: owners: 4 9 empty
// WITHOUT: owners: 4 9 empty

/* What cannot be done says why. */
static void fails() {
#if __cpp_exceptions
  skein_attributes there{};
  there.node = SKEIN_ON(1 - skein_node());
  try {
    skein::thread copied(there, [text = std::string("text")] { std::puts(text.c_str()); });
  } catch (const skein::error &error) {
    std::printf("%s: %s\n", skein_error_name(error.code()), error.what());
  }
  there.node = SKEIN_ON(7);
  try {
    skein::thread words(there, [] {});
  } catch (const skein::error &error) {
    std::printf("%s: %s\n", skein_error_name(error.code()), error.what());
  }
  try {
    skein::thread().join();
  } catch (const skein::error &error) {
    std::printf("%s: %s\n", skein_error_name(error.code()), error.what());
  }
#endif
  std::puts("end");
}
// CHECK: SKEIN_EPOINTER: skein::thread: a closure that does not travel as words begins on the node of its creator
// CHECK-NEXT: SKEIN_ETHREAD: {{.*}}there is no node 7
// CHECK-NEXT: SKEIN_ETHREAD
// CHECK-NEXT: end
// WITHOUT: end

int main() {
  words();
  copied();
  arguments();
  spread();
  owners();
  fails();
}
