// Makes slabs, cuts them into blocks, and gives them back; see slabs.h.
#include "private/heap/slabs.h"

#include "private/heap/heap.h"
#include "private/regions/extents.h"

namespace skein {

namespace {

// Bytes, about, of the first slab of a class, the second, and so on.
constexpr size_t slab_bytes[] = {512, 4 << 10, 16 << 10, 64 << 10};
constexpr uint8_t last_size = sizeof slab_bytes / sizeof slab_bytes[0] - 1;
constexpr size_t coarse_chunks_min = 4;                              // of the largest slabs of large chunks
constexpr size_t fine_cut_bytes = 4096, coarse_cut_bytes = 16 << 10; // at a time
constexpr uint32_t table_room = 16;                                  // at the beginning
constexpr uint32_t doubled_after = 8192; // slabs: the next ones are twice as large, so that the table can describe all
constexpr size_t blocks_max = 1 << 15;   // of a slab

size_t blocks_of_next(const HeapClasses &classes, unsigned index) {
  const size_t chunk = class_chunk(index);
  size_t least = 1, bytes = slab_bytes[classes.made[index]];
  if (classes.made[index] == last_size) {
    least = coarse_chunks_min;
    bytes <<= classes.count / doubled_after;
  }
  const size_t blocks = bytes / chunk > least ? bytes / chunk : least;
  return blocks < blocks_max ? blocks : blocks_max;
}

/// A larger table. False without memory.
bool grow_table(Private &owned) {
  HeapClasses &classes = *owned.classes;
  const uint32_t room = classes.room ? 2 * classes.room : table_room;
  auto *table = static_cast<Slab *>(heap_allocate(owned, room * sizeof(Slab), sizeof(Slab)));
  if (!table)
    return false;
  Slab *const before = classes.table;
  const auto move = [&](Slab *&slab) {
    if (slab && slab != &classes.none)
      slab = table + (slab - before);
  };
  for (uint32_t i = 0; i < classes.count; i++) {
    table[i] = before[i];
    move(table[i].next);
    move(table[i].previous);
  }
  for (Slab *&current : classes.current)
    move(current);
  move(classes.unused);
  classes.table = table;
  classes.room = room;
  if (before)
    space_free(owned.heap, before);
  return true;
}

/// A slab in the table that does not exist yet. Null without memory, or if there are too many.
Slab *describe(Private &owned) {
  HeapClasses &classes = *owned.classes;
  if (!classes.unused) {
    if (classes.count == slabs_max || (classes.count == classes.room && !grow_table(owned)))
      return nullptr;
    return &classes.table[classes.count++];
  }
  Slab *slab = classes.unused;
  classes.unused = slab->next;
  return slab;
}

void describe_no_more(HeapClasses &classes, Slab &slab) {
  slab = {};
  slab.next = classes.unused;
  classes.unused = &slab;
}

/// Behind the current one, if there is one.
void link_slab(HeapClasses &classes, Slab &slab) {
  Slab *&current = classes.current[slab.index];
  if (current == &classes.none) {
    slab.next = slab.previous = nullptr;
    current = &slab;
    return;
  }
  slab.previous = current;
  slab.next = current->next;
  if (slab.next)
    slab.next->previous = &slab;
  current->next = &slab;
}

void unlink_slab(HeapClasses &classes, Slab &slab) {
  if (slab.next)
    slab.next->previous = slab.previous;
  if (slab.previous)
    slab.previous->next = slab.next;
  else
    classes.current[slab.index] = slab.next ? slab.next : &classes.none;
}

/// The head of a chunk that is cut from another one, of which nothing is used.
constexpr uint64_t cut_head(uint64_t size) {
  return uint64_t{block_resting} << 32 | size | block_used | block_follows_used;
}

/// Makes free blocks of some of what is not cut, or of all of it.
void cut(const HeapClasses &classes, Slab &slab) {
  const size_t chunk = slab.chunk & block_slab_chunk;
  auto bytes = static_cast<size_t>(slab.end - slab.uncut);
  const size_t cut_bytes = slab.index < fine_classes ? fine_cut_bytes : coarse_cut_bytes;
  if (bytes > cut_bytes)
    bytes = chunk > cut_bytes ? chunk : cut_bytes / chunk * chunk;
  unsigned char *const after = slab.uncut + bytes;
  if (after != slab.end)
    block_head(after) = cut_head(static_cast<uint64_t>(slab.end - after));
  const uint64_t head = cut_head(static_cast<uint64_t>(&slab - classes.table) << 16 | chunk | block_in_slab);
  for (unsigned char *block = slab.uncut; block != after; block += chunk) {
    // What lies before the first one may be free.
    block_head(block) =
        block == slab.begin ? head - block_follows_used + (block_size(block) & block_follows_used) : head;
    *reinterpret_cast<void **>(block) = block + chunk == after ? slab.free : block + chunk;
  }
  slab.free = slab.uncut;
  slab.uncut = after;
}

Slab *make_slab(Private &owned, unsigned index) {
  HeapClasses &classes = *owned.classes;
  const size_t chunk = class_chunk(index);
  size_t count = blocks_of_next(classes, index);
  Slab *slab = describe(owned);
  if (!slab)
    return nullptr;
  void *memory = space_allocate(owned.heap, count * chunk - sizeof(uint64_t));
  // Before the heap grows, smaller pieces are used up.
  for (size_t fewer = count / 2; !memory && fewer > 0; fewer /= 2)
    if ((memory = space_allocate(owned.heap, fewer * chunk - sizeof(uint64_t))))
      count = fewer;
  if (!memory)
    memory = heap_allocate(owned, count * chunk - sizeof(uint64_t));
  if (!memory) {
    describe_no_more(classes, *slab);
    return nullptr;
  }
  classes.made[index] += classes.made[index] < last_size;
  const size_t memory_bytes = block_chunk(memory);
  *slab = {};
  slab->chunk = static_cast<uint16_t>(chunk | block_in_slab | block_used | block_follows_used);
  slab->index = static_cast<uint8_t>(index);
  slab->begin = slab->uncut = static_cast<unsigned char *>(memory);
  slab->end = slab->begin + count * chunk;
  // The space may have given more, if the rest would have been too small for it.
  slab->rest = static_cast<uint16_t>(memory_bytes - count * chunk);
  if (slab->rest)
    block_head(slab->end) = cut_head(slab->rest);
  cut(classes, *slab);
  return slab;
}

void give_back(Private &owned, Slab &slab) {
  HeapClasses &classes = *owned.classes;
  unlink_slab(classes, slab);
  unsigned char *begin = slab.begin, *end = slab.end;
  heap_forget_recent(classes, begin, end);
  block_size(begin) =
      static_cast<uint32_t>(end + slab.rest - begin) | (block_size(begin) & block_flags & ~block_in_slab);
  describe_no_more(classes, slab);
  space_free(owned.heap, begin);
}

} // namespace

void slabs_make(HeapClasses &classes) {
  for (Slab *&current : classes.current)
    current = &classes.none;
}

void *slab_allocate(Private &owned, unsigned index) {
  HeapClasses &classes = *owned.classes;
  for (;;) {
    Slab *slab = classes.current[index];
    if (slab == &classes.none) {
      slab = make_slab(owned, index);
      if (!slab)
        return nullptr;
      link_slab(classes, *slab);
    }
    if (!slab->free && slab->uncut != slab->end)
      cut(classes, *slab);
    if (slab->free) {
      void *block = slab_take(*slab);
      if (!block)
        space_broken(nullptr);
      return block;
    }
    unlink_slab(classes, *slab);
    slab->full = true;
    slab->used_if_full = static_cast<uint16_t>(slab->used - 1);
    slab->used = 1;
  }
}

void slab_noted(Private &owned, Slab &slab) {
  HeapClasses &classes = *owned.classes;
  if (slab.full) {
    slab.full = false;
    slab.used = slab.used_if_full;
    link_slab(classes, slab);
  }
  if (slab.used == 0 && classes.current[slab.index] != &slab)
    give_back(owned, slab);
}

bool slabs_settle(Private &owned) {
  HeapClasses &classes = *owned.classes;
  bool any = false;
  for (Slab *slab : classes.current)
    if (slab != &classes.none && slab->used == 0) {
      give_back(owned, *slab);
      any = true;
    }
  return any;
}

} // namespace skein
