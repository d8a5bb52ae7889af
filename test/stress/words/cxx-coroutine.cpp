// A coroutine's frame holds references to locals of the function that made it, and words that are addresses.
#include "words.h"
#include <coroutine>
#include <utility>

struct Generator {
  struct promise_type {
    long value = 0;
    Generator get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(long v) {
      value = v;
      return {};
    }
    void return_void() {}
    void unhandled_exception() { abort(); }
  };
  std::coroutine_handle<promise_type> handle;
  bool next() {
    handle.resume();
    return !handle.done();
  }
};

static Generator walk(long &first, uintptr_t hidden, long count) {
  for (long i = 0; i < count; i++) {
    hop();
    co_yield first + *(long *)(hidden ^ key()) + i;
    hop();
  }
}

int main() {
  long a = 10, b = 20, sum = 0;
  Generator g = walk(a, (uintptr_t)&b ^ key(), 3);
  while (g.next()) {
    hop();
    sum = sum * 100 + g.handle.promise().value;
  }
  g.handle.destroy();
  printf("%ld\n", sum);
}
