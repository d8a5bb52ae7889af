// Words of a thread's private memory that are known to hold an address of its stack, whatever their block's type says.
//
// Compiled code reports each store of a local's address into memory (abi/entry_points.h, __skein_address_escapes). The
// word and the value are remembered. As long as the word has that value it is a pointer, and is relocated as one. A
// word that was overwritten or freed, or a copy of it, is not known.
#ifndef SKEIN_PRIVATE_HEAP_KNOWN_H
#define SKEIN_PRIVATE_HEAP_KNOWN_H

#include <cstddef>
#include <cstdint>

namespace skein {

struct KnownWord {
  uintptr_t at; // 0: no word
  uintptr_t value;
};

/// A hash table by address. Zero-initialised: empty.
struct KnownWords {
  KnownWord *words = nullptr;
  size_t capacity = 0; // a power of two, or 0
  size_t count = 0;
  KnownWord *last = nullptr; // the one that was added, or given another value, last
};

/// Where the search for a word begins.
inline size_t known_place(const KnownWords &known, uintptr_t at) {
  return static_cast<size_t>((at >> 3) * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (known.capacity - 1);
}

/// Gives the last word another value. Programs that advance a pointer in a block, byte after byte, do this for
/// each. False: it is another word.
inline bool known_once_more(KnownWords &known, uintptr_t at, uintptr_t value) {
  KnownWord *last = known.last;
  if (!last || last->at != at)
    return false;
  last->value = value;
  return true;
}

/// Gives a word another value if it is remembered and found at once. False: known_add must be called.
inline bool known_again(KnownWords &known, uintptr_t at, uintptr_t value) {
  if (!known.capacity)
    return false;
  KnownWord &word = known.words[known_place(known, at)];
  if (word.at != at)
    return false;
  word.value = value;
  known.last = &word;
  return true;
}

/// Remembers a word and its value, instead of an earlier value. When the table is full, words for which
/// `live(at, context)` is false are forgotten: it says whether the word still belongs to the thread and may be read.
/// False without memory.
bool known_add(KnownWords &known, uintptr_t at, uintptr_t value, bool (*live)(uintptr_t at, void *context),
               void *context);
/// Whether the word is known and has that value.
bool known_holds(const KnownWords &known, uintptr_t at, uintptr_t value);
/// The word has been relocated.
void known_change(KnownWords &known, uintptr_t at, uintptr_t value);
void known_free(KnownWords &known);

} // namespace skein

#endif
