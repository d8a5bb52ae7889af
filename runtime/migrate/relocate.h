// Relocation makes a copied stack right for the place where it lies now.
//
// A *range* is a run of source addresses that lies elsewhere at the destination: the stack's slot with its guard
// zones, the program, a library. A word whose value lies in a range gets the range's delta; all others stay. A tag
// above the address stays, too (base/addresses.h).
//
//      source                           destination
//      slot_begin |  guard  |           |  guard  |
//                 | (free)  |           | (free)  |
//      sp ------> | live    |  memcpy   | live    | <- sp + delta
//      high ----> |         |  ------>  |         |
//      slot_end   |  guard  |           |  guard  |
//
// All changes are made to the copy while the source stays as it is. So a refusal in the middle of the walk needs no
// undoing: the copy is discarded. That is why one walk both checks and changes.
#ifndef SKEIN_MIGRATE_RELOCATE_H
#define SKEIN_MIGRATE_RELOCATE_H

#include "base/addresses.h"
#include "migrate/modules.h"
#include "migrate/walk.h"
#include "thread/thread.h"

#include <stddef.h>
#include <stdint.h>

namespace skein {

struct Range {
  uintptr_t begin;
  uintptr_t end;
  intptr_t delta;
  bool contains(uintptr_t value) const { return value - begin < end - begin; }
};

// The ranges of a move, which are disjoint. The stack is first, since most pointers lead there; the program is second.
struct RangeTable {
  Range ranges[2 + modules_max];
  unsigned count = 0;

  // False if the range is empty or overlaps another one.
  bool add(uintptr_t begin, uintptr_t end, intptr_t delta);
  const Range *find(uintptr_t value) const {
    const uintptr_t address = value & address_bits;
    for (unsigned i = 0; i < count; ++i)
      if (ranges[i].contains(address))
        return &ranges[i];
    return nullptr;
  }
};

// What a move did, for statistics and reports.
struct MoveCounts {
  uint64_t frames = 0;
  uint64_t words = 0;    // looked at
  uint64_t pointers = 0; // changed
};

// Walks the copied stack and adds deltas. False with a reason if the stack contradicts the maps, holds a foreign or
// pinned frame, or has an ambiguous word whose value lies in a range that moves. `ranges.ranges[0]` is the stack.
// Contexts of setjmp (`copy.jumps`) are relocated in place, after all else has succeeded.
bool relocate(const MapIndex &maps, const StackView &copy, const RangeTable &ranges, MoveCounts &counts, Refusal &why);

// Moves a suspended thread that is `movable` to another stack of this process, which must have room for what is live.
// On success the thread lives on `fresh` and its old stack belongs to the caller. On refusal nothing has happened, and
// `fresh` still belongs to the caller. The caller holds the thread.
bool thread_restack(Thread &thread, const Stack &fresh, MoveCounts &counts, Refusal &why);

// Copies the live part of a suspended thread that owns nothing to `copy`, where its addresses are those that it would
// have on `to`, and marks the words that hold one: bit i of `marks`, which are zeroes, for word i. So it can be brought
// to a third stack without a walk, and nothing that may refuse it is left. `movable` and the search of the globals are
// the caller's. The thread stays as it is, but if this succeeds, what setjmp saved leads to `to`, and the third stack
// is a matter of jumps_relocate.
bool stack_copy_marked(Thread &thread, const Stack &to, std::byte *copy, uint64_t *marks, Refusal &why);

} // namespace skein

#endif
