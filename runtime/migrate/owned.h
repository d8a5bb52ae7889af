// A thread's private memory keeps its addresses when the thread moves. So only the words in it that lead to the
// thread's stack, or into the program and its libraries, may have to change.
//
// These words are found by their values. The words of the extents are scanned, vectorised, for values in a range that
// moves; most threads have none or few. Only for such a *hit* is its block looked up, and the word in the layout of the
// block:
//
//     a pointer by its type, or a word in which the compiler saw an address being stored   relocated
//     a word in no block (free, never used)                                                ignored
//     parts of two numbers in an array of words, if they look like an address with a tag   ignored
//     anything else: a block of unknown type, a word that is no pointer, a union           the move is refused
//
// Every change is decided before the first one is made, so a refusal leaves everything as it was.
#ifndef SKEIN_MIGRATE_OWNED_H
#define SKEIN_MIGRATE_OWNED_H

#include "migrate/check.h"
#include "migrate/relocate.h"
#include "os/linux/memory.h"
#include "private/paging/paging.h"
#include "private/regions/extents.h"

namespace skein {

// What one word of the private memory is.
struct OwnedWord {
  bool used = false;    // it lies in a block, or in a variable
  bool pointer = false; // and it is a pointer there
  // Which block, variable or argument of main that is (all zero), for holder_name.
  size_t block_bytes = 0;
  const skein_layout *layout = nullptr; // of the block; null: unknown
  const char *variable = nullptr;
  size_t offset = 0; // of the word in it
};

// A list that the kernel thread keeps for the next move, in memory of its own. malloc would put it into the process
// heap, which is searched for addresses of stacks, and the list is full of them.
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

// Changes that are to be made: the new values of words. Each kernel thread has one list.
struct OwnedChange {
  uintptr_t at;
  uintptr_t value;
};
using OwnedChanges = Scratch<OwnedChange>;
OwnedChanges &owned_changes();
void owned_apply(Thread &thread, const OwnedChanges &changes);

// Calls visit(begin, bytes, context) for the runs of pages of an extent that hold anything: pages that were never
// touched, or lie inside a free chunk, do not. False if visit returned false, or if there is no memory.
bool owned_runs(const Private &owned, const Extent &extent, bool (*visit)(uintptr_t begin, size_t bytes, void *context),
                void *context);

// Collects in `changes`, which is cleared first, what changes in a move in which `ranges` get their deltas. False with
// a reason if a word is ambiguous. Changes nothing.
bool owned_prepare(const Thread &thread, const RangeTable &ranges, OwnedChanges &changes, MoveCounts &counts,
                   Refusal &why);

// Checks, before a thread leaves its process, what its private memory leads to (check.h has the rules). Fills `used`.
// `leaving`, if not null, says what it leaves behind: the check has nothing to say of that.
bool owned_check(const Thread &thread, ModulesUsed &used, MoveCounts &counts, Refusal &why,
                 const Leaving *leaving = nullptr);

// How many bytes a move has to scan.
size_t owned_bytes(const Thread &thread);

} // namespace skein

#endif
