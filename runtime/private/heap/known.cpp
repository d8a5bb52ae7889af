// A hash table with linear probing; see known.h. Entries are not deleted one by one, but dropped when the table is
// rebuilt.
#include "private/heap/known.h"

#include "os/linux/memory.h"

namespace skein {

namespace {

constexpr size_t capacity_min = 256; // a page

KnownWord *place(const KnownWords &known, uintptr_t at) {
  size_t i = known_place(known, at);
  while (known.words[i].at != 0 && known.words[i].at != at)
    i = (i + 1) & (known.capacity - 1);
  return &known.words[i];
}

/// A table with room, holding what is still valid.
bool rebuild(KnownWords &known, bool (*live)(uintptr_t at, void *context), void *context) {
  size_t valid = 0;
  for (size_t i = 0; i < known.capacity; i++) {
    KnownWord &word = known.words[i];
    if (word.at == 0)
      continue;
    uintptr_t value;
    if (live(word.at, context) &&
        (__builtin_memcpy(&value, reinterpret_cast<const void *>(word.at), 8), value == word.value))
      valid++;
    else
      word.value = 0; // marked, so that it is not asked for again
  }
  size_t capacity = capacity_min;
  while (capacity < 4 * (valid + 1))
    capacity *= 2;
  // Not from malloc: the process heap is searched for addresses of stacks, and this is full of them.
  const KnownWords made = {.words = static_cast<KnownWord *>(memory_allocate(capacity * sizeof(KnownWord))),
                           .capacity = capacity,
                           .count = valid};
  if (!made.words)
    return false;
  for (size_t i = 0; i < known.capacity; i++)
    if (known.words[i].at != 0 && known.words[i].value != 0)
      *place(made, known.words[i].at) = known.words[i];
  known_free(known);
  known = made;
  return true;
}

} // namespace

bool known_add(KnownWords &known, uintptr_t at, uintptr_t value, bool (*live)(uintptr_t at, void *context),
               void *context) {
  if (known.capacity) {
    KnownWord *word = place(known, at);
    if (word->at == at) {
      word->value = value;
      known.last = word;
      return true;
    }
  }
  if (2 * (known.count + 1) > known.capacity && !rebuild(known, live, context))
    return false;
  known.last = place(known, at);
  *known.last = {at, value};
  known.count++;
  return true;
}

bool known_holds(const KnownWords &known, uintptr_t at, uintptr_t value) {
  if (!known.capacity)
    return false;
  const KnownWord *word = place(known, at);
  return word->at == at && word->value == value;
}

void known_change(KnownWords &known, uintptr_t at, uintptr_t value) {
  if (!known.capacity)
    return;
  KnownWord *word = place(known, at);
  if (word->at == at)
    word->value = value;
}

void known_free(KnownWords &known) {
  if (known.words)
    memory_free(known.words, known.capacity * sizeof(KnownWord));
  known = {};
}

} // namespace skein
