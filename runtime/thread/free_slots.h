// Slots of stacks that are free: those to hand out, last one first, and those that are *set aside*.
//
// A slot is set aside if the program's globals still hold an address in it when its last thread is over. Such an
// address does no harm by itself. But the check before a move (migrate/check.h) could not tell it from an address that
// the next thread has stored, and would keep that thread here. So a slot that is set aside is used again when no other
// is left, or when it has been looked at again and nothing leads there any more.
//
//     slots   | to hand out …            | …                 | … set aside |
//              0              free_count                                    capacity
#ifndef SKEIN_THREAD_FREE_SLOTS_H
#define SKEIN_THREAD_FREE_SLOTS_H

#include "base/assert.h"

#include <cstdint>

namespace skein {

/// The owner's lock guards it. No slot is in it twice, so `capacity` is the number of slots.
struct FreeSlots {
  uint32_t *slots = nullptr;
  uint32_t capacity = 0;
  uint32_t free_count = 0, aside_count = 0;
  uint32_t looked_at = 0; // those set aside are looked at in turn

  void give(uint32_t slot) {
    SKEIN_ASSERT(free_count + aside_count < capacity, "stack slot %u is free twice", slot);
    slots[free_count++] = slot;
  }
  /// Takes a slot; there must be one.
  uint32_t take() { return slots[--free_count]; }
  void set_aside(uint32_t slot) {
    SKEIN_ASSERT(free_count + aside_count < capacity, "stack slot %u is free twice", slot);
    slots[capacity - ++aside_count] = slot;
  }
  /// Takes the next one that is worth another look; there must be one.
  uint32_t take_aside() {
    uint32_t &at = slots[capacity - 1 - looked_at++ % aside_count];
    const uint32_t slot = at;
    at = slots[capacity - aside_count--];
    return slot;
  }
};

} // namespace skein

#endif
