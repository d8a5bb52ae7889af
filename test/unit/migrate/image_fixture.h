// Tests of images need a suspended thread whose every word is known. This one is made by hand, three calls deep in
// `sum` of test/handlowered/Inputs/frames.S:
//
//      sum(0, ...)   suspended in its first call; out -> mine of the next
//      sum(1, ...)   out -> mine of the next
//      sum(2, ...)   out -> wherever the test wants it to lead
//      store         the thread's function
#ifndef IMAGE_FIXTURE_H
#define IMAGE_FIXTURE_H

#include "arch/x86_64/switch.h"
#include "base/knobs.h"
#include "base/lock.h"
#include "migrate/image.h"
#include "migrate/walk.h"
#include "sched/bundle.h"
#include "sched/sched.h"
#include "thread/table.h"

#include <cstring>
#include <gtest/gtest.h>
#include <initializer_list>

extern "C" {
void sum(long, long *);
void store(void);
long maybe(long);
extern long stored;
}

namespace fixture {

using namespace skein;

// The return address of call `number` (from 0) in a hand-lowered function.
inline uint64_t return_address(const void *function, unsigned number) {
  const skein_function_map *map = program_maps().find_function(reinterpret_cast<uintptr_t>(function));
  EXPECT_NE(map, nullptr);
  EXPECT_LT(number, map->site_count);
  return map_entry(map) + site_return(map, number);
}

inline bool runtime_started = false; // set by a test that starts more of the runtime
inline void start_runtime_once() {
  if (runtime_started)
    return;
  runtime_started = true;
  stacks_start();
  thread_table_start(1);
}

// Builds a stack downwards.
class StackWriter {
public:
  explicit StackWriter(const Stack &stack) : at(reinterpret_cast<uint64_t *>(stack.high)) {
    push(reinterpret_cast<uint64_t>(skein_thread_bottom));
  }
  uint64_t *push(uint64_t word) {
    *--at = word;
    return at;
  }
  // Writes a frame of `sum`, called from a return address, or (0) from the trampoline. Returns the address of `mine`.
  uint64_t *push_sum(uint64_t called_from, uint64_t rbx, const void *out, uint64_t mine) {
    if (called_from != 0)
      push(called_from);
    push(rbx);
    push(reinterpret_cast<uint64_t>(out));
    return push(mine);
  }
  SavedContext *push_switch_frame(uint64_t return_to) {
    at = reinterpret_cast<uint64_t *>(reinterpret_cast<char *>(at) - sizeof(SavedContext));
    auto *context = reinterpret_cast<SavedContext *>(at);
    std::memset(context, 0, sizeof *context);
    context->control = {};
    context->return_address = return_to;
    return context;
  }
  void *sp() const { return at; }

private:
  uint64_t *at;
};

/// An id of this node that no thread has or gets.
inline uint64_t next_id() {
  start_runtime_once();
  Thread *thread = thread_new();
  const uint64_t id = thread->id;
  thread_delete(thread);
  return id;
}

// Makes the thread; `out` is that of the outermost sum.
inline Thread *make_thread(uint64_t id, const void *out) {
  start_runtime_once();
  Thread *thread = thread_new(id);
  bundle_enter(thread, bundle_root);
  thread->stack = stack_acquire();
  StackWriter writer(thread->stack);
  writer.push(0); // a word of store's frame
  uint64_t *mine = writer.push_sum(return_address(reinterpret_cast<void *>(store), 0), 77, out, 100);
  mine = writer.push_sum(return_address(reinterpret_cast<void *>(sum), 1), 2, mine, 101);
  // An integer that looks like an address of this stack, in a place no map names: saved rbx.
  uint64_t look_alike = reinterpret_cast<uint64_t>(mine);
  mine = writer.push_sum(return_address(reinterpret_cast<void *>(sum), 1), look_alike, mine, 102);
  writer.push_switch_frame(return_address(reinterpret_cast<void *>(sum), 0));
  thread->sp = writer.sp();
  thread->state = ThreadState::in_flight;
  thread->result = 5;
  thread->start.function = store;
  return thread;
}

// A thread suspended in `maybe`, whose ambiguous word holds `word`.
inline Thread *make_ambiguous(uint64_t id, uint64_t word) {
  start_runtime_once();
  Thread *thread = thread_new(id);
  bundle_enter(thread, bundle_root);
  thread->stack = stack_acquire();
  StackWriter writer(thread->stack);
  writer.push(word);
  writer.push(0);
  writer.push(0);
  writer.push_switch_frame(return_address(reinterpret_cast<void *>(maybe), 0));
  thread->sp = writer.sp();
  thread->state = ThreadState::in_flight;
  return thread;
}

} // namespace fixture

#endif
