// -fskein-heap=private: every form of operator new allocates on the private heap, and what libstdc++.so allocates may
// be freed here, and the other way round. Pointers to locals in blocks follow, since blocks have the type of the new
// expression. A program's own operators take precedence.
//
// RUN: %skein++ -O2 -std=c++20 -fskein-heap=private -fskein-stress=calls %s -o %t
// RUN: env SKEIN_OPTIONS=stress_refused=abort %t | FileCheck %s
// RUN: %skein++ -O0 -std=c++20 -fskein-heap=private %s -o %t.0
// RUN: %t.0 | FileCheck %s
// RUN: %skein++ -O2 -std=c++20 -fskein-heap=private -DOWN -c %s -o %t.own.o
// RUN: %skein++ -O2 -std=c++20 -fskein-heap=private -DOWN -DOPERATORS -c %s -o %t.operators.o
// RUN: %skein++ -O2 %t.own.o %t.operators.o -o %t.own
// RUN: %t.own | FileCheck --check-prefix=OWN %s
// RUN: %skein++ -O2 -std=c++20 %s -o %t.process
// RUN: llvm-nm-22 %t.process | FileCheck --check-prefix=PROCESS %s
// PROCESS-NOT: __skein_new
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <new>
#include <skein/skein.h>
#include <string>
#include <vector>

#ifdef OPERATORS
int taken, given;
void *operator new(size_t bytes) {
  taken++;
  return std::malloc(bytes);
}
void operator delete(void *block) noexcept {
  given++;
  std::free(block);
}
#else

#define CHECK(condition) \
  ((condition) ? (void)0 : (std::fprintf(stderr, "line %d: %s\n", __LINE__, #condition), std::abort()))

#ifdef OWN
extern int taken, given;
#endif

static int count;

struct Counted {
  int *to;
  explicit Counted(int *to) : to(to) { count++; }
  ~Counted() { count--, ++*to; }
};
struct alignas(128) Aligned {
  int *to = nullptr;
};
struct Node {
  Node *next;
  int *value;
  virtual ~Node() = default;
  Node(Node *next, int *value) : next(next), value(value) {}
};

[[gnu::noinline]] static void use(void *) { skein_yield(); }

[[maybe_unused]] static bool is_private(const void *block) {
  auto address = reinterpret_cast<uintptr_t>(block);
  return address >= UINT64_C(0x110000000000) && address < UINT64_C(0x200000000000);
}

int main() {
#ifdef OWN
  int before = taken;
  int *volatile number = new int(1), *volatile numbers = new int[7];
  use(number), use(numbers);
  delete number;
  delete[] numbers;
  // OWN: 2 taken
  std::printf("%d taken\n", taken - before);
  // OWN: given back
  std::printf("%s\n", given >= 2 ? "given back" : "lost");
#else
  int freed = 0, value = 5;
  auto *one = new Counted(&freed);
  auto *none = new (std::nothrow) Counted(&freed);
  auto *array = new Counted[3]{Counted(&freed), Counted(&freed), Counted(&freed)};
  auto *aligned = new Aligned;
  aligned->to = &value;
  Node *list = nullptr;
  for (int i = 0; i < 10; i++) {
    list = new Node(list, &value);
    use(list);
  }
  for (void *block : std::initializer_list<void *>{one, none, array, aligned, list})
    CHECK(is_private(block));
  CHECK(reinterpret_cast<uintptr_t>(aligned) % 128 == 0 && *aligned->to == 5);
  int sum = 0;
  while (list) {
    sum += *list->value;
    Node *next = list->next;
    delete list;
    list = next;
  }
  delete one;
  delete none;
  use(array);
  delete[] array;
  delete aligned;
  // CHECK: sum 50, 0 left, 5 freed
  std::printf("sum %d, %d left, %d freed\n", sum, count, freed);

  std::string text = "grown here, and in the library, until it does not fit any more"; // NOLINT
  for (int i = 0; i < 5; i++)
    text += text, use(&text);
  std::map<std::string, int *> map;
  for (int i = 0; i < 20; i++)
    map[std::to_string(i) + " is a key that is not short"] = &value, use(&map);
  std::vector<std::unique_ptr<int *>> pointers;
  for (auto &[key, place] : map)
    pointers.push_back(std::make_unique<int *>(place));
  use(&pointers);
  for (auto &pointer : pointers)
    sum += **pointer;
  // CHECK: 1984 characters, sum 150
  std::printf("%zu characters, sum %d\n", text.size(), sum);
  try {
    volatile size_t much = ~size_t{0} / 4;
    char *volatile block = new char[much];
    use(block);
  } catch (const std::bad_alloc &) {
    // CHECK: too much
    std::puts("too much");
  }
#endif
}
#endif
