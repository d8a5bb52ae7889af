// A coroutine yields the halves of an address.
// changes: process
#include "words.h"

#include <coroutine>
struct Halves {
  struct promise_type {
    uint32_t value;
    Halves get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(uint32_t v) {
      value = v;
      return {};
    }
    void return_void() {}
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> h;
  uint32_t next() {
    h.resume();
    return h.promise().value;
  }
};
static Halves take(uint64_t v) {
  co_yield (uint32_t) v;
  hop();
  co_yield (uint32_t)(v >> 32);
}
static NOINLINE long use(long *p) {
  Halves h = take((uintptr_t)p);
  uint32_t low = h.next();
  hop();
  uint32_t high = h.next();
  h.h.destroy();
  return *(long *)((uint64_t)high << 32 | low);
}

int main() {
  long a = 5;
  printf("%ld\n", use(&a));
}
