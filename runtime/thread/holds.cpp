// Holds beyond the first few, and those that another thread ends; see holds.h.
//
// Blocks come from pages of the system and are never given back, since the lock may be one that the program's malloc
// takes.
#include "thread/holds.h"

#include "base/lock.h"

#include <new>
#include <sys/mman.h>

namespace skein {

namespace {

constexpr size_t pages_bytes = 16 << 10;

SpinLock lock{Rank::leaf};
HoldBlock *free_blocks; // under the lock

HoldBlock *block_new() {
  Guard guard(lock);
  if (!free_blocks) {
    void *pages = mmap(nullptr, pages_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED)
      return nullptr;
    auto *blocks = static_cast<HoldBlock *>(pages);
    for (size_t i = 0; i < pages_bytes / sizeof(HoldBlock); i++) {
      blocks[i].next = free_blocks;
      free_blocks = &blocks[i];
    }
  }
  HoldBlock *block = free_blocks;
  free_blocks = block->next;
  return new (block) HoldBlock();
}

bool cleared(Hold &hold, const void *object) {
  void *expected = const_cast<void *>(object);
  return __atomic_compare_exchange_n(&hold.object, &expected, static_cast<void *>(nullptr), false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_RELAXED);
}

/// The youngest hold in the thread's record that `fits`, or one in a block.
template <class ThreadType, class Fits> auto *find(ThreadType *thread, Fits &&fits) {
  decltype(&thread->hold_slots[0]) found = nullptr;
  hold_each(*thread, [&](auto &hold) {
    if (fits(hold))
      found = &hold;
    return false;
  });
  return found;
}

} // namespace

bool holds_any_slow(const Thread &thread) {
  return thread.holds.unnamed || hold_each(thread, [](const Hold &) { return true; });
}

int hold_add_slow(Thread *thread, void *object, const void *place, HoldKind kind) {
  int done = 0;
  __asm__("" : "+r"(done));
  const auto put = [&](Hold &hold) {
    hold.place = place;
    hold.kind = kind;
    __atomic_store_n(&hold.object, object, __ATOMIC_RELEASE);
    return done;
  };
  for (Hold &hold : thread->hold_slots)
    if (!__atomic_load_n(&hold.object, __ATOMIC_RELAXED))
      return put(hold);
  for (HoldBlock *block = thread->holds.more; block; block = block->next)
    for (Hold &hold : block->holds)
      if (!__atomic_load_n(&hold.object, __ATOMIC_RELAXED))
        return put(hold);
  HoldBlock *block = block_new();
  if (!block) {
    thread->holds.unnamed++;
    return done;
  }
  put(block->holds[0]);
  block->next = thread->holds.more;
  __atomic_store_n(&thread->holds.more, block, __ATOMIC_RELEASE);
  return done;
}

bool hold_clear(Thread *thread, const void *object) {
  Hold *found = find(thread, [&](const Hold &hold) { return hold.object == object; });
  return found && cleared(*found, object);
}

bool hold_remove_slow(Thread *thread, const void *object) {
  const bool named = hold_clear(thread, object);
  while (thread->holds.named && !__atomic_load_n(&thread->hold_slots[thread->holds.named - 1].object, __ATOMIC_RELAXED))
    thread->holds.named--;
  if (named)
    return true;
  if (thread->holds.unnamed == 0)
    return false;
  thread->holds.unnamed--;
  return true;
}

bool hold_clear_anywhere(const void *object) {
  struct Search {
    const void *object;
    bool found;
  } search = {object, false};
  thread_each(
      [](Thread *thread, void *context) {
        auto &wanted = *static_cast<Search *>(context);
        if (!wanted.found)
          wanted.found = hold_each(
              *thread, [&](Hold &hold) { return hold.object == wanted.object && cleared(hold, wanted.object); });
      },
      &search);
  return search.found;
}

const Hold *hold_find(const Thread *thread, const void *object, HoldKind kind) {
  return find(thread, [&](const Hold &hold) { return hold.object == object && hold.kind == kind; });
}

const Hold *hold_last(const Thread *thread) {
  return find(thread, [](const Hold &) { return true; });
}

void holds_forget_slow(Thread &thread) {
  for (Hold &hold : thread.hold_slots)
    hold.object = nullptr;
  Guard guard(lock);
  while (HoldBlock *block = thread.holds.more) {
    thread.holds.more = block->next;
    block->next = free_blocks;
    free_blocks = block;
  }
}

void holds_relocate_slow(Thread &thread, uintptr_t begin, uintptr_t end, intptr_t delta) {
  hold_each(thread, [&](Hold &hold) {
    const auto address = reinterpret_cast<uintptr_t>(hold.object);
    if (address - begin < end - begin)
      hold.object = reinterpret_cast<void *>(address + static_cast<uintptr_t>(delta));
    return false;
  });
}

void holds_after_fork() { new (&lock) SpinLock(Rank::leaf); }

} // namespace skein
