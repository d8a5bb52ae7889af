// Slots of stacks that are free: those to hand out, last one first, and those that are *set aside*.
//
// A slot is set aside when its last thread is over and the program's globals still hold an address in it. Such an
// address does no harm by itself, but the next thread there could not be told from the one that left it: the check
// before a move (migrate/check.h) would find an address of its stack, and keep it. So a slot that is set aside is used
// again when no other is left, or when it has been looked at again and nothing leads there any more.
//
//     slots   | to hand out …            | …                 | … set aside |
//              0              free_count                                    capacity
#ifndef SKEIN_THREAD_FREE_SLOTS_H
#define SKEIN_THREAD_FREE_SLOTS_H

#include "base/assert.h"

#include <cstdint>

namespace skein {

/// Belongs to its owner's lock. No slot is in it twice, so `capacity` is as many as there are.
struct FreeSlots {
  uint32_t *slots = nullptr;
  uint32_t capacity = 0;
  uint32_t free_count = 0, aside_count = 0;
  uint32_t looked_at = 0; // those set aside are looked at in turn

  void give(uint32_t slot) {
    SKEIN_ASSERT(free_count + aside_count < capacity, "stack slot %u is free twice", slot);
    slots[free_count++] = slot;
  }
  /// There is one.
  uint32_t take() { return slots[--free_count]; }
  void set_aside(uint32_t slot) {
    SKEIN_ASSERT(free_count + aside_count < capacity, "stack slot %u is free twice", slot);
    slots[capacity - ++aside_count] = slot;
  }
  /// The next one that is worth another look; it is nobody's then. There is one.
  uint32_t take_aside() {
    uint32_t &at = slots[capacity - 1 - looked_at++ % aside_count];
    const uint32_t slot = at;
    at = slots[capacity - aside_count--];
    return slot;
  }
};

} // namespace skein

#endif
