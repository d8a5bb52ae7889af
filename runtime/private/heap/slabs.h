// Small blocks of a private heap: slabs of blocks of one size, and the classes of sizes.
//
//     slab:    | head | block | head | block | …             | head | not cut yet |     a chunk of the space
//
//     class:   1    2    3   …   63   | 64      65       …   111
//     chunks:  16   32   48  …   1008 | 1024    1152     …   61440 bytes, with 8 bytes for the head
//
// A class has chunks of 16 bytes more than the one below it; from 1 KiB on there are eight classes to each power of
// two, so that a block wastes at most an eighth. Each slab has a list of its free blocks, and a class a list of the
// slabs that may have some; the first of these is the *current* one, from which blocks are taken. A slab that was found
// without a free block is *full* and in no list, until one of its blocks is freed; one without a used block is given
// back to the space, unless it is the current one. So what is freed together becomes one piece again, blocks that are
// allocated one after another lie side by side, and to allocate and to free a block takes some twenty instructions.
//
// The first slabs of a class are small, since a thread that needs few blocks is to take few pages along.
//
// What is cut is a chunk to whoever walks over the space (space.h): its head has its size and type. The head of a block
// also has the number of its slab in the *table* of all slabs. They are described there, side by side, and not where
// they begin: a program that frees blocks all over a large heap would look at another page for each of them, and its
// slab's first one. All of this lies in the heap, so that it moves with it, and has whole addresses in it, since a heap
// keeps its address.
//
// Rejected: lists of free blocks by size for the whole heap. A few hundred thousand blocks that were freed in another
// order than they were allocated in are then handed out all over the memory, at a cache miss each; and to make one
// piece of them again, each block had to be given back to the space.
#ifndef SKEIN_PRIVATE_HEAP_SLABS_H
#define SKEIN_PRIVATE_HEAP_SLABS_H

#include "private/heap/space.h"

#include <cstddef>
#include <cstdint>

namespace skein {

struct Private;

inline constexpr size_t chunk_step = 16;
inline constexpr unsigned fine_classes = 64;
inline constexpr unsigned heap_classes = fine_classes + 6 * 8;
inline constexpr size_t fine_bytes_max = (fine_classes - 1) * chunk_step - sizeof(uint64_t); // of a block
inline constexpr size_t slab_block_max = (60 << 10) - sizeof(uint64_t);

struct Slab {
  void *free;            // the first of its free blocks, which begin with the address of the next one
  uint16_t used;         // how many of its blocks are not free; of a full slab 1, so that the next free is noticed
  uint16_t chunk;        // the lower half of the size of its blocks, with all flags; 0: it does not exist
  uint16_t used_if_full; // of a full slab how many will not be free then
  uint8_t index;         // its class
  bool full;
  Slab *next, *previous;      // of the slabs of its class that are not full
  unsigned char *begin;       // its first block
  unsigned char *uncut, *end; // where the next block will be, and where none will be any more
  uint16_t rest;              // bytes of its chunk behind that
};

static_assert(sizeof(Slab) == 64); // a cache line, in the table

inline constexpr uint32_t slabs_max = 1 << 16;

/// The first block of the heap.
struct HeapClasses {
  Slab *current[heap_classes]; // where there is none, `none`
  Slab *table;                 // of all slabs
  Slab *unused;                // of those that do not exist, a list
  uint32_t count, room;        // of slabs in the table
  uint8_t made[heap_classes];  // how many slabs were made, as far as their size depends on it
  Slab none;                   // has no blocks
  // The last blocks without a type (heap.cpp).
  static constexpr unsigned recent_most = 8;
  uintptr_t recent[recent_most];
  uint32_t recent_low[recent_most];  // what low_word says of these, and of some that are forgotten
  uint32_t recent_type[recent_most]; // what these had for a type when they were allocated
  unsigned recent_next;
};

/// The class of a block of so many bytes, up to fine_bytes_max.
inline unsigned fine_class(size_t bytes) {
  return static_cast<unsigned>((bytes + sizeof(uint64_t) + chunk_step - 1) / chunk_step);
}
/// The same up to slab_block_max.
inline unsigned class_for(size_t bytes) {
  if (bytes <= fine_bytes_max)
    return fine_class(bytes);
  const size_t last = bytes + sizeof(uint64_t) - 1; // the chunk's
  const unsigned log2 = 63 - static_cast<unsigned>(__builtin_clzll(last));
  if (log2 < 10)
    return fine_classes;
  return fine_classes + (log2 - 10) * 8 + (static_cast<unsigned>(last >> (log2 - 3)) & 7) + 1;
}
inline size_t class_chunk(unsigned index) {
  if (index < fine_classes)
    return index * chunk_step;
  const unsigned coarse = index - fine_classes;
  return size_t{8 + coarse % 8} << (7 + coarse / 8);
}

/// Whether a block may have been cut from a slab: its size says so.
inline bool in_slab(uint32_t size) { return size & block_in_slab; }
/// The slab that the size of such a block leads to, and whether it has blocks like that one.
inline Slab &slab_of(const HeapClasses &classes, uint32_t size) { return classes.table[size >> 16]; }
inline bool slab_has(const Slab &slab, uint32_t size) {
  return slab.chunk == static_cast<uint16_t>(size | block_follows_used);
}

/// Takes the first free block of a slab, if there is one. It has no type yet.
inline void *slab_take(Slab &slab) {
  void *block = slab.free;
  if (__builtin_expect(!block || block_type(block) != block_resting, 0))
    return nullptr;
  slab.free = *static_cast<void **>(block);
  slab.used++;
  return block;
}
/// A block of a class, without a type, whether there is one or not. Null without memory, or if there are slabs_max.
void *slab_allocate(Private &owned, unsigned index);

/// Frees a block. False: slab_noted has to be called.
inline bool slab_put(Slab &slab, void *block) {
  *static_cast<void **>(block) = slab.free;
  slab.free = block;
  block_type(block) = block_resting;
  return __builtin_expect(--slab.used != 0, 1);
}
void slab_noted(Private &owned, Slab &slab);

/// Gives the space what is in slabs without a used block. False if there is none.
bool slabs_settle(Private &owned);

void slabs_make(HeapClasses &classes);

} // namespace skein

#endif
