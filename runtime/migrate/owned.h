// A thread's private memory at a move: it keeps its addresses, so only the words that lead to its stack, or into the
// program and its libraries, may have to change.
//
// They are found from their values. The raw words of the extents are scanned, vectorised, for values in a range that
// moves; most threads have none or few of them. Only for such a *hit* is the block looked up, and the word in the
// block's layout:
//
//     a pointer by its type, or a word that the compiler saw an address being stored in     relocated
//     in no block (free, never used)                                                       ignored
//     anything else: a block of unknown type, a word that is no pointer, a union           the move is refused
//
// Every change is decided before the first one is made, so a refusal leaves everything as it was.
#ifndef SKEIN_MIGRATE_OWNED_H
#define SKEIN_MIGRATE_OWNED_H

#include "migrate/check.h"
#include "migrate/relocate.h"
#include "os/linux/memory.h"
#include "private/regions/extents.h"

namespace skein {

// What one word of the private memory is.
struct OwnedWord {
  bool used = false;    // in a block, or in a variable
  bool pointer = false; // and a pointer there
  char holder[200];     // which block or variable, if it is no pointer
};

// A list in memory of its own, kept by the kernel thread for the next move: the process heap, where malloc would put
// it, is searched for addresses of stacks, and this is full of them.
template <typename Entry> class Scratch {
public:
  void clear() { used = 0; }
  size_t count() const { return used; }
  const Entry &operator[](size_t i) const { return entries[i]; }
  bool add(const Entry &entry) {
    if (used == capacity && !grow())
      return false;
    entries[used++] = entry;
    return true;
  }

private:
  bool grow() {
    size_t wanted = capacity ? 2 * capacity : (64 << 10) / sizeof(Entry);
    auto *larger = (Entry *)memory_allocate(wanted * sizeof(Entry));
    if (larger == nullptr)
      return false;
    if (entries != nullptr) {
      __builtin_memcpy(larger, entries, used * sizeof(Entry));
      memory_free(entries, capacity * sizeof(Entry));
    }
    entries = larger;
    capacity = wanted;
    return true;
  }
  Entry *entries = nullptr;
  size_t used = 0;
  size_t capacity = 0;
};

// Changes to be made: the new values of words. One list a kernel thread.
struct OwnedChange {
  uintptr_t at;
  uintptr_t value;
};
using OwnedChanges = Scratch<OwnedChange>;
OwnedChanges &owned_changes();
void owned_apply(Thread &thread, const OwnedChanges &changes);

// Calls visit(begin, bytes, context) for the runs of pages of an extent that hold anything: pages that were never
// touched, or lie inside a free chunk, do not. False if it returned false, or without memory.
bool owned_runs(const Private &owned, const Extent &extent, bool (*visit)(uintptr_t begin, size_t bytes, void *context),
                void *context);

// Collects (in `changes`, cleared) what a move changes in which `ranges` get their deltas. False with a reason if a
// word is ambiguous. Changes nothing.
bool owned_prepare(const Thread &thread, const RangeTable &ranges, OwnedChanges &changes, MoveCounts &counts,
                   Refusal &why);

// Before a thread leaves its process: what its private memory leads to (check.h has the rules). Fills `used`.
bool owned_check(const Thread &thread, ModulesUsed &used, MoveCounts &counts, Refusal &why);

// Bytes that a move has to scan.
size_t owned_bytes(const Thread &thread);

} // namespace skein

#endif
