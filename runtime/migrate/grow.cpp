// Growing: a thread whose next function finds too little room is relocated to a stack of twice the size.
//
// The implementation of two stubs (grow.S), which run on the worker's stack with the thread suspended. Growing is a
// move inside the process, so all that pins a thread pins it here, too. Then the function runs on the worker's deep
// stack, from where it returns like any other; no thread fails for being pinned. Only a block of variable size cannot
// go elsewhere in the middle of a function: if there is neither room nor a way to move, that ends the program with a
// message.
//
// Addresses of the stack that nobody sees (docs/design.md, "What the compiler cannot see") matter here as in a stress
// move, since the heap stays: it is searched (knob grow_heap), and the old stack becomes inaccessible.
//
// A thread that was refused is likely to be refused again until the frame that pins it has returned, so after a refusal
// at stack pointer S no attempt is made below S, but for one in `patience`.
#include "abi/growable_mark.h"

#include "arch/x86_64/switch.h"
#include "base/knobs.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/once.h"
#include "migrate/leftovers.h"
#include "migrate/movable.h"
#include "migrate/outside.h"
#include "migrate/relocate.h"
#include "os/linux/memory.h"
#include "sched/sched.h"
#include "thread/function_name.h"
#include "thread/growable.h"

#include <skein/skein.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

namespace skein {

namespace {

constexpr unsigned patience = 64;

struct Tally {
  SpinLock lock{Rank::leaf};
  uint64_t grown = 0, deep = 0, refused = 0;
  char why[sizeof(Refusal::text)] = ""; // the last one
} tally;

void report_print() {
  const GrowableCounts counts = growable_counts();
  report(
      "grow: stacks grew %llu times; %llu functions ran on a deep stack for lack of room, %llu refusals; %llu growable "
      "stacks at most, %llu deep ones",
      (unsigned long long)tally.grown, (unsigned long long)tally.deep, (unsigned long long)tally.refused,
      (unsigned long long)counts.slots_most, (unsigned long long)counts.deep_open);
  if (tally.refused)
    report("grow: last refused: %s", tally.why);
}

void start() {
  if (knobs.grow_heap != 0)
    outside_start();
  if (knobs.grow_report)
    atexit(report_print);
  leftovers_start();
}

void note_refusal(const Refusal &why) {
  Guard guard(tally.lock);
  ++tally.refused;
  snprintf(tally.why, sizeof tally.why, "%s", why.text);
}

bool heap_allows(const Thread &thread, Refusal &why) {
  size_t skipped;
  return knobs.grow_heap == 0 || outside_allows(thread, knobs.grow_heap, &skipped, why);
}

// Onto a stack on which `use` bytes, counted from its high end, lie above the limit.
bool grow(Thread &thread, size_t use, Refusal &why) {
  if (!movable(thread, Journey::to_stack, why))
    return false;
  Stack old = thread.stack;
  Stack larger = growable_acquire(use);
  if (!larger)
    return why.set(SKEIN_EMEMORY, "no larger stack is left");
  MoveCounts counts;
  if (!heap_allows(thread, why) || !thread_restack(thread, larger, counts, why)) {
    growable_release(larger);
    return false;
  }
  memory_discard(old.low, old.bytes());
  growable_quarantine(old, true);
  Guard guard(tally.lock);
  ++tally.grown;
  return true;
}

[[noreturn]] void overflowed(const Thread &thread, uintptr_t pc) {
  char name[160];
  fatal("thread %s in function %s overflowed its %zu KiB stack (raise it with SKEIN_OPTIONS=stack_max=…)",
        thread_name(thread.id).text, function_name(pc, name, sizeof name), growable_bytes_max() >> 10);
}

void first_time() {
  static Once once;
  once(start);
}

} // namespace

} // namespace skein

using namespace skein;

extern "C" {

// result 0: there is room for the function's frame; 1: it shall run on the deep stack.
Thread *skein_grow_call(Thread *self, uint64_t, uint64_t, uint64_t, uint64_t) {
  first_time();
  auto *kept = (const unsigned char *)self->sp + SKEIN_SAVED_BYTES;
  uint32_t frame;
  uint64_t pc;
  memcpy(&frame, kept + SKEIN_ENTRY_NEED, sizeof frame);
  memcpy(&pc, kept + SKEIN_ENTRY_BYTES, sizeof pc);
  auto entry = (uintptr_t)kept + SKEIN_ENTRY_BYTES + 8; // rsp at the function's entry
  size_t use = (uintptr_t)self->stack.high - entry + frame;
  if (use > growable_bytes_max())
    overflowed(*self, pc);

  Refusal why;
  size_t depth = (uintptr_t)self->stack.high - entry;
  bool hopeless = self->grow_refused != 0 && depth >= self->grow_refused && ++self->grow_patience % patience != 0;
  bool grown = !hopeless && grow(*self, use, why);
  if (grown) {
    self->grow_refused = 0;
  } else {
    if (!hopeless) {
      self->grow_refused = (uint32_t)depth;
      note_refusal(why);
    }
    Guard guard(tally.lock);
    ++tally.deep;
  }
  self->result = grown ? 0 : 1;
  return self;
}

Thread *skein_reserve_call(Thread *self, uint64_t bytes, uint64_t, uint64_t, uint64_t) {
  first_time();
  auto *saved = (const SavedContext *)self->sp;
  size_t use = (uintptr_t)self->stack.high - (uintptr_t)self->sp;
  if (bytes > growable_bytes_max() || use + bytes > growable_bytes_max())
    overflowed(*self, saved->return_address);
  Refusal why;
  if (!grow(*self, use + bytes, why)) {
    char name[160];
    fatal("thread %s in function %s has no room for %llu bytes of a local array, and its stack cannot grow now: %s",
          thread_name(self->id).text, function_name(saved->return_address, name, sizeof name),
          (unsigned long long)bytes, why.text);
  }
  return self;
}
}
