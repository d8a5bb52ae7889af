// This is the test of keeps-address.c for what C++ programs keep: wrappers of callables and of any type, variants,
// tagged unions of their own, hashes, containers of addresses, coroutines. All of it moves by default.
//
// RUN: %plain-skein++ -std=c++20 -O0 -Wno-skein-unproved -fskein-heap=private %s -o %t.0
// RUN: env SKEIN_OPTIONS=steal=off %run -n 2 --timeout 30 %t.0 | FileCheck %s
// RUN: %plain-skein++ -std=c++20 -O2 -Wno-skein-unproved -fskein-heap=private %s -o %t.2
// RUN: env SKEIN_OPTIONS=steal=off %run -n 2 --timeout 30 %t.2 | FileCheck %s
// RUN: env SKEIN_OPTIONS=steal=off,stacks=relocate,image=any %run -n 2 --timeout 30 %t.0 \
// RUN:   | FileCheck --check-prefix=STAYS %s
// CHECK-COUNT-12: : moved
// CHECK: 12 moved, 0 stay
// STAYS-DAG: std::function: stays
// STAYS-DAG: std::any: stays
// STAYS-DAG: tagged: stays
// STAYS-DAG: hash: stays
#include <any>
#include <atomic>
#include <coroutine>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <skein/skein.h>
#include <unordered_set>
#include <variant>
#include <vector>

/// Moves to the other node and back; returns 1 if the thread moved both times, 0 if it stays.
[[gnu::noinline]] static int there_and_back(const char *of) {
  if (skein_push_self(1)) {
    std::printf("%s: stays: %s\n", of, skein_error_text());
    return 0;
  }
  if (skein_push_self(0)) {
    std::printf("%s: does not come back: %s\n", of, skein_error_text());
    std::exit(1);
  }
  std::printf("%s: moved\n", of);
  return 1;
}
static void right(bool is, const char *of) {
  if (is)
    return;
  std::printf("%s: WRONG\n", of);
  std::exit(1);
}

static int function(int seed) {
  int one = seed, two = 1;
  std::function<int(int)> add = [&one, &two](int more) { return one += two + more; };
  const int moved = there_and_back("std::function");
  right(add(5) == seed + 6 && one == seed + 6, "std::function");
  return moved;
}

static int any(int seed) {
  int local = seed;
  std::any it = &local;
  const int moved = there_and_back("std::any");
  right(std::any_cast<int *>(it) == &local, "std::any");
  it = std::string(seed, 'x');
  right(std::any_cast<std::string &>(it) == "xxx", "std::any");
  return moved;
}

static int variant(int seed) {
  int local = seed;
  std::variant<std::uintptr_t, int *, double> it =
      seed == 3 ? std::variant<std::uintptr_t, int *, double>(&local) : 7.0;
  const int moved = there_and_back("std::variant");
  right(std::get<int *>(it) == &local && *std::get<1>(it) == seed, "std::variant");
  return moved;
}

class Tagged {
public:
  explicit Tagged(int *pointer) : word_(reinterpret_cast<std::uintptr_t>(pointer) << 8 | 2) {}
  int *pointer() const { return reinterpret_cast<int *>(word_ >> 8); }

private:
  std::uint64_t word_;
};
static int tagged(int seed) {
  int local = seed;
  Tagged it(&local);
  const int moved = there_and_back("tagged");
  right(it.pointer() == &local, "tagged");
  return moved;
}

struct Node {
  Node *next;
  int value;
};
static int atomic(int seed) {
  Node node = {nullptr, seed};
  std::atomic<Node *> head = &node;
  Node *const before = head.load();
  const int moved = there_and_back("atomic");
  right(head.load() == before && before->value == seed, "atomic");
  return moved;
}

static int hash(int seed) {
  int local = seed;
  const std::size_t before = std::hash<int *>()(&local) * 31 + 7;
  const int moved = there_and_back("hash");
  right(before == std::hash<int *>()(&local) * 31 + 7, "hash");
  return moved;
}

static int set_of_addresses(int seed) {
  int locals[10];
  std::unordered_set<const int *> set;
  for (int &one : locals)
    set.insert(&one);
  const int moved = there_and_back("set of addresses");
  for (const int &one : locals)
    right(set.count(&one) == 1, "set of addresses");
  return moved + seed - seed;
}

static int in_place(int seed) {
  int local = seed;
  alignas(Node) std::byte space[sizeof(Node)];
  struct View {
    int *at;
    std::size_t count;
  };
  static_assert(sizeof(View) <= sizeof space);
  View *view = new (space) View{&local, 1};
  const int moved = there_and_back("in place");
  right(view->at == &local && *view->at == seed && view->count == 1, "in place");
  return moved;
}

static int reference(int seed) {
  int local = seed;
  std::optional<std::reference_wrapper<int>> it;
  if (seed == 3)
    it = local;
  const int moved = there_and_back("reference");
  it->get()++;
  right(local == seed + 1, "reference");
  return moved;
}

struct Shape {
  virtual ~Shape() = default;
  virtual int area() const = 0;
};
struct Square : Shape {
  explicit Square(const int &side) : side_(side) {}
  int area() const override { return side_ * side_; }
  const int &side_;
};
static int objects(int seed) {
  std::vector<std::unique_ptr<Shape>> all;
  all.push_back(std::make_unique<Square>(seed));
  const std::uintptr_t table = *reinterpret_cast<const std::uintptr_t *>(all[0].get()) ^ 0xff;
  const int moved = there_and_back("objects");
  right(all[0]->area() == seed * seed, "objects");
  right(table == (*reinterpret_cast<const std::uintptr_t *>(all[0].get()) ^ 0xff), "objects");
  return moved;
}

static int member(int seed) {
  struct Counter {
    int count;
    int add(int more) { return count += more; }
  } counter = {seed};
  int (Counter::*add)(int) = &Counter::add;
  auto bound = std::bind(add, &counter, std::placeholders::_1);
  std::function<int(int)> wrapped = bound;
  const int moved = there_and_back("member");
  right(wrapped(4) == seed + 4 && counter.count == seed + 4, "member");
  return moved;
}

struct Generator {
  struct promise_type {
    int *current;
    Generator get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(int &value) {
      current = &value;
      return {};
    }
    void return_void() {}
    void unhandled_exception() { std::abort(); }
  };
  std::coroutine_handle<promise_type> handle;
};
static Generator walk(int (&array)[3]) {
  for (int &one : array)
    co_yield one;
}
static int coroutine(int seed) {
  int array[3] = {seed, 2 * seed, 3 * seed};
  Generator all = walk(array);
  all.handle.resume();
  const int moved = there_and_back("coroutine");
  right(all.handle.promise().current == &array[0], "coroutine");
  all.handle.resume();
  right(*all.handle.promise().current == 2 * seed, "coroutine");
  all.handle.destroy();
  return moved;
}

int main() {
  int (*const all[])(int) = {function,         any,      variant,   tagged,  atomic, hash,
                             set_of_addresses, in_place, reference, objects, member, coroutine};
  int moved = 0, count = 0;
  for (auto one : all) {
    int result = 0;
    skein_join_result(skein_spawn(*one, 3), &result);
    moved += result;
    count++;
  }
  std::printf("%d moved, %d stay\n", moved, count - moved);
}
