// Searches globals for addresses of the stack of a thread that has ended; see leftovers.h.
#include "migrate/leftovers.h"

#include "base/once.h"
#include "migrate/check.h"
#include "migrate/thread_locals.h"
#include "thread/stack.h"

#include <atomic>
#include <stddef.h>
#include <stdint.h>

namespace skein {

namespace {

constexpr int64_t credit_first = 1 << 20; // bytes; some 60 us
constexpr int64_t credit_of_end = 16;     // 1 ns
constexpr int64_t credit_of_move = 4096;
__thread int64_t credit = credit_first;

int64_t cost; // of a search, in bytes
std::atomic<bool> seen{false};
Once once;

bool covered() {
  if (seen.load(std::memory_order_relaxed))
    return true;
  credit += credit < credit_first ? credit_of_end : 0;
  if (credit < cost)
    return false;
  credit -= cost;
  return true;
}

bool left_in_globals(const Stack &stack) {
  if (!covered())
    return false;
  const auto begin = (uintptr_t)stack.slot_begin, end = (uintptr_t)stack.slot_end;
  Refusal nobody_reads;
  if (!globals_hold(begin, end, nobody_reads) && !thread_locals_hold(begin, end))
    return false;
  leftovers_seen();
  return true;
}

void start_leftovers() {
  constexpr int64_t thread_locals = 512; // those of the libraries have about so many bytes
  cost = (int64_t)searched_globals_bytes() + thread_locals;
  stack_left_in_globals.store(left_in_globals, std::memory_order_release); // pairs with the load before each call
}

} // namespace

void leftovers_start() { once(start_leftovers); }

void leftovers_moving() { credit += credit < credit_first ? credit_of_move : 0; }

void leftovers_seen() { seen.store(true, std::memory_order_relaxed); }

} // namespace skein
