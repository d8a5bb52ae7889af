// Looks through a thread's private memory; see owned.h. First the hits are collected, then their blocks are found, then
// the two callers judge them.
#include "migrate/owned.h"

#include "base/addresses.h"
#include "base/knobs.h"
#include "base/log.h"
#include "migrate/search.h"
#include "os/linux/memory.h"
#include "private/globals/arguments.h"
#include "private/globals/globals.h"
#include "private/heap/heap.h"

#include <skein/skein.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern "C" {
extern const unsigned char __start_skein_layouts[] __attribute__((weak, visibility("hidden")));
extern const unsigned char __stop_skein_layouts[] __attribute__((weak, visibility("hidden")));
}

namespace skein {

// --- changes --------------------------------------------------------------------------------------------------------

OwnedChanges &owned_changes() {
  static __thread OwnedChanges changes;
  return changes;
}

void owned_apply(Thread &thread, const OwnedChanges &changes) {
  for (size_t i = 0; i < changes.count(); ++i) {
    memcpy((void *)changes[i].at, &changes[i].value, sizeof(uintptr_t));
    known_change(thread.owned->known, changes[i].at, changes[i].value);
  }
}

namespace {

constexpr uintptr_t page = 4096;

// --- what a word is -------------------------------------------------------------------------------------------------

bool listed(const skein_layout_words *words, unsigned count, size_t offset) {
  for (unsigned i = 0; i < count; ++i) {
    size_t inside = offset - words[i].offset;
    if (offset >= words[i].offset && words[i].stride != 0 && inside % words[i].stride == 0 &&
        inside / words[i].stride < words[i].count)
      return true;
  }
  return false;
}

struct Block {
  uintptr_t begin;
  size_t bytes;
  uint32_t type;
};

void judge(const Block &block, uintptr_t at, OwnedWord &word) {
  const skein_layout *layout = heap_layout(block.type);
  size_t offset = at - block.begin;
  word.used = true;
  if (layout != nullptr && !(layout->flags & SKEIN_LAYOUT_UNTYPED)) {
    const skein_layout_words *words = layout->words;
    if (offset < layout->head) {
      word.pointer = listed(words, layout->head_words, offset);
    } else if (layout->part != 0) {
      size_t inside = offset - layout->head;
      word.pointer = listed(words + layout->head_words, layout->part_words, inside % layout->part);
      // The rest of a chunk behind the last part never belonged to the program.
      size_t whole = (block.bytes - layout->head) / layout->part * layout->part;
      if ((layout->flags & SKEIN_LAYOUT_WHOLE) && inside >= whole)
        word.used = false;
    }
  }
  word.block_bytes = block.bytes;
  word.layout = layout;
  word.offset = offset;
}

void judge_global(const Extent &extent, uintptr_t at, OwnedWord &word) {
  const GlobalWord found = globals_word(at - extent.begin);
  word.used = found.variable != nullptr;
  word.pointer = found.pointer;
  word.variable = found.variable;
  word.offset = found.offset;
}

struct HolderName {
  char text[200];
};

// What has a word that is no pointer, as the subject of a sentence.
[[gnu::cold]] HolderName holder_name(const OwnedWord &word) {
  HolderName to;
  if (word.variable != nullptr)
    snprintf(to.text, sizeof to.text, "its private global `%.100s`, in a word that is no pointer (byte %zu),",
             word.variable, word.offset);
  else if (word.block_bytes == 0)
    snprintf(to.text, sizeof to.text, "a text among main's arguments");
  else if (word.layout == nullptr)
    snprintf(to.text, sizeof to.text, "a block of %zu bytes of unknown type on its private heap (byte %zu)",
             word.block_bytes, word.offset);
  else if (word.layout->flags & SKEIN_LAYOUT_UNTYPED)
    snprintf(to.text, sizeof to.text,
             "a block of %zu bytes of unknown type on its private heap, allocated at %.100s (byte %zu)",
             word.block_bytes, layout_name(word.layout), word.offset);
  else
    snprintf(to.text, sizeof to.text,
             "a block of %zu bytes of type `%.80s` on its private heap, in a word that is no pointer (byte %zu)",
             word.block_bytes, layout_name(word.layout), word.offset);
  return to;
}

// --- hits -----------------------------------------------------------------------------------------------------------

struct Hit {
  uintptr_t at;
  uintptr_t value;
};

using Hits = Scratch<Hit>;

bool out_of_memory(Refusal &why) { return why.set(SKEIN_EMEMORY, "no memory to look through its private memory"); }

// Where blocks end in an extent.
uintptr_t end_of_blocks(const Private &owned, const Extent &extent) {
  if (extent.kind == ExtentKind::heap && owned.heap != nullptr) {
    uintptr_t top = space_top(owned.heap);
    if (extent.contains(top))
      return top + 8; // the last word of a block lies in the next chunk
  }
  return extent.end();
}

bool scan(uintptr_t begin, uintptr_t end, uintptr_t low, uintptr_t high, Hits &to) {
  return each_address((const void *)begin, end - begin, low, high,
                      [&](uintptr_t at, uintptr_t value) { return to.add({at, value}); });
}

// Pages of large extents that the program has not touched are not touched here either.
bool collect(const Private &owned, const Extent &extent, const Leaving *leaving, uintptr_t low, uintptr_t high,
             Hits &to) {
  struct Context {
    uintptr_t low, high;
    Hits &to;
  } context = {low, high, to};
  auto scan_run = [](uintptr_t begin, size_t bytes, void *given) {
    auto *c = (Context *)given;
    return scan(begin, begin + bytes, c->low, c->high, c->to);
  };
  if (leaving != nullptr && leaving->leaves(extent))
    return leaving->each_run(extent, scan_run, &context);
  if (extent.kind != ExtentKind::large)
    return scan(extent.begin, end_of_blocks(owned, extent), low, high, to);
  return owned_runs(owned, extent, scan_run, &context);
}

// Calls visit(hit, word) for the hits of one extent, by ascending address.
template <typename Visitor>
bool resolve(const Thread &thread, const Extent &extent, const Hits &hits, Refusal &why, Visitor &&visit) {
  const Private &owned = *thread.owned;
  auto each = [&](const Block &block, const Hit &hit) {
    OwnedWord word;
    judge(block, hit.at, word);
    if (word.used && !word.pointer)
      word.pointer = known_holds(owned.known, hit.at, hit.value);
    return !word.used || visit(hit, word);
  };
  switch (extent.kind) {
  case ExtentKind::large: {
    uintptr_t begin = large_block(extent);
    if (begin == 0)
      return why.set(SKEIN_EREFUSED, "a large block of its private heap was written over");
    Block block = {begin, extent.end() - begin, block_type((const void *)begin)};
    for (size_t i = 0; i < hits.count(); ++i)
      if (hits[i].at >= begin && !each(block, hits[i]))
        return false;
    return true;
  }
  case ExtentKind::heap: {
    struct Context {
      const Hits &hits;
      size_t next = 0;
      bool (*call)(void *each, const Block &block, const Hit &hit);
      void *each;
      bool agreed = true;
    } context = {hits, 0,
                 [](void *given, const Block &block, const Hit &hit) { return (*(decltype(each) *)given)(block, hit); },
                 &each};
    bool intact = space_walk(
        owned.heap, extent.begin, extent.end(),
        [](const Chunk &chunk, void *given) {
          auto *c = (Context *)given;
          while (c->next < c->hits.count() && c->hits[c->next].at < chunk.block)
            ++c->next; // it lies in the head of a chunk
          Block block = {chunk.block, chunk.bytes, chunk.type};
          for (; c->agreed && c->next < c->hits.count() && c->hits[c->next].at < chunk.block + chunk.bytes; ++c->next)
            if (chunk.used)
              c->agreed = c->call(c->each, block, c->hits[c->next]);
          return c->agreed && c->next < c->hits.count();
        },
        &context);
    if (!intact)
      return why.set(SKEIN_EREFUSED, "its private heap was written over");
    return context.agreed;
  }
  case ExtentKind::arguments:
    for (size_t i = 0; i < hits.count(); ++i) {
      OwnedWord word;
      const size_t offset = hits[i].at - extent.begin;
      word.used = !arguments_text_as_given(extent, offset);
      word.pointer = arguments_pointer(extent, offset);
      if (word.used && !visit(hits[i], word))
        return false;
    }
    return true;
  case ExtentKind::exceptions: // exception_words.h judges and adjusts them
    return true;
  case ExtentKind::globals:
    for (size_t i = 0; i < hits.count(); ++i) {
      OwnedWord word;
      judge_global(extent, hits[i].at, word);
      if (word.used && !word.pointer)
        word.pointer = known_holds(owned.known, hits[i].at, hits[i].value);
      if (word.used && !visit(hits[i], word))
        return false;
    }
    return true;
  }
  return true;
}

// Calls visit(hit, word) for each word, of what the thread does not leave behind, whose value lies in [low, high).
template <typename Visitor>
bool each_word(const Thread &thread, const Leaving *leaving, uintptr_t low, uintptr_t high, Refusal &why,
               Visitor &&visit) {
  if (thread.owned == nullptr)
    return true;
  static __thread Hits hits;
  for (uint32_t i = 0; i < thread.owned->count; ++i) {
    const Extent &extent = thread.owned->extents[i];
    if (extent.kind == ExtentKind::exceptions)
      continue; // migrate/exception_words.h looks at these words
    hits.clear();
    if (!collect(*thread.owned, extent, leaving, low, high, hits))
      return out_of_memory(why);
    if (hits.count() != 0 && !resolve(thread, extent, hits, why, visit))
      return false;
  }
  return true;
}

// Whether the word, under a tag, consists of parts of two neighbours, each of them 8 bytes and no pointer by its type.
// Where numbers are at random, such words look like addresses by chance: once in 16 MiB for a stack of 8 MiB. Nobody
// keeps an address there who does not use an array of numbers as a store for packed records with tagged addresses.
bool between_numbers(const Hit &hit, const OwnedWord &word) {
  const skein_layout *layout = word.layout;
  return !word.pointer && hit.value > address_bits && layout != nullptr && !(layout->flags & SKEIN_LAYOUT_UNTYPED) &&
         layout->part == 8 && layout->part_words == 0 && layout->head % 8 == 0 && word.offset >= layout->head &&
         word.offset % 8 != 0;
}

[[gnu::cold]] bool refuse_ambiguous(const OwnedWord &word, const char *leads_to, uintptr_t value,
                                    RefusingWords &refusing) {
  Refusal found;
  found.rule = "pointer-as-integer";
  found.set(SKEIN_EPINNED, "%s holds an address of %s (%#zx%s)", holder_name(word).text, leads_to, (size_t)value,
            tag_noted(value));
  return refusing.add(found);
}

} // namespace

bool owned_runs(const Private &owned, const Extent &extent, bool (*visit)(uintptr_t begin, size_t bytes, void *context),
                void *context) {
  size_t pages = extent.bytes / page;
  auto *used = (unsigned char *)malloc(pages);
  if (used == nullptr)
    return false;
  memory_touched((const void *)extent.begin, pages, used);
  if (extent.kind == ExtentKind::heap && owned.heap != nullptr) {
    struct Context {
      const Extent &extent;
      unsigned char *used;
    } free_pages = {extent, used};
    // The links of a free chunk lie in its first bytes.
    space_walk(
        owned.heap, extent.begin, extent.end(),
        [](const Chunk &chunk, void *given) {
          auto *c = (Context *)given;
          if (!chunk.used && chunk.bytes > 2 * page) {
            size_t first = (chunk.block + 64 - c->extent.begin + page - 1) / page;
            size_t last = (chunk.block + chunk.bytes - 8 - c->extent.begin) / page; // its size stands at its end
            if (first < last)
              memset(c->used + first, 0, last - first);
          }
          return true;
        },
        &free_pages);
  }
  bool agreed = true;
  for (size_t i = 0; agreed && i < pages;) {
    size_t first = i;
    while (i < pages && used[i])
      ++i;
    if (i > first)
      agreed = visit(extent.begin + first * page, (i - first) * page, context);
    while (i < pages && !used[i])
      ++i;
  }
  free(used);
  return agreed;
}

size_t owned_bytes(const Thread &thread) {
  size_t bytes = 0;
  if (thread.owned != nullptr)
    for (uint32_t i = 0; i < thread.owned->count; ++i)
      bytes += end_of_blocks(*thread.owned, thread.owned->extents[i]) - thread.owned->extents[i].begin;
  return bytes;
}

bool owned_prepare(const Thread &thread, const RangeTable &ranges, OwnedChanges &changes, MoveCounts &counts,
                   Refusal &why) {
  changes.clear();
  if (thread.owned == nullptr)
    return true;
  RefusingWords refusing(why);
  // One scan looks for addresses of the stack, which may have tags (search.h). Another one looks for values between the
  // begin of the first and the end of the last of the other ranges that move.
  auto scan = [&](unsigned first, unsigned last) {
    uintptr_t low = UINTPTR_MAX, high = 0;
    for (unsigned i = first; i < last; ++i)
      if (ranges.ranges[i].delta != 0) {
        low = ranges.ranges[i].begin < low ? ranges.ranges[i].begin : low;
        high = ranges.ranges[i].end > high ? ranges.ranges[i].end : high;
      }
    return low >= high || each_word(thread, nullptr, low, high, why, [&](const Hit &hit, const OwnedWord &word) {
             const Range *range = ranges.find(hit.value);
             if (range == nullptr || range->delta == 0 || (range == ranges.ranges) != (first == 0))
               return true;
             ++counts.words;
             if (between_numbers(hit, word))
               return true;
             if (!word.pointer)
               return refuse_ambiguous(word, first == 0 ? "its own stack" : "the program or a library", hit.value,
                                       refusing);
             ++counts.pointers;
             return changes.add({hit.at, hit.value + (uintptr_t)range->delta}) || out_of_memory(why);
           });
  };
  return scan(0, 1) && scan(1, ranges.count) && !refusing.any();
}

bool owned_check(const Thread &thread, ModulesUsed &used, MoveCounts &counts, Refusal &why, const Leaving *leaving) {
  if (thread.owned == nullptr)
    return true;
  RefusingWords refusing(why);
  auto check = [&](const Hit &hit, const OwnedWord &word) {
    ++counts.words;
    switch (check_owned_word(hit.value, thread, word.pointer, used)) {
    case OwnedVerdict::fine:
      return true;
    case OwnedVerdict::stays_behind:
      // A word at an odd place often looks like an address by chance: it consists of the bytes of two neighbours, such
      // as 0 and the number behind it. That is more frequent than a packed struct without a type.
      if (!word.pointer && hit.at % 8 != 0)
        return true;
      if (word.pointer) {
        const PlaceName place = place_name(hit.value);
        Refusal found;
        found.rule = place.rule;
        found.set(SKEIN_EPOINTER, "a pointer on its private heap leads to %s (%#zx), which stays behind", place.text,
                  (size_t)hit.value);
        return refusing.add(found);
      }
      return refuse_ambiguous(word, place_name(hit.value).text, hit.value, refusing);
    case OwnedVerdict::ambiguous:
      return refuse_ambiguous(word, "its own stack", hit.value, refusing);
    }
    return true;
  };
  // Programs, libraries, heaps and stacks lie above shared memory, except that a position-dependent program lies low,
  // with the process heap behind it.
  uintptr_t program = program_module().begin;
  if (program < SKEIN_SHARED_END && !each_word(thread, leaving, program, (uintptr_t)sbrk(0), why, check))
    return false;
  return each_word(thread, leaving, SKEIN_SHARED_END, user_end, why, check) && !refusing.any();
}

} // namespace skein
