// The allocator under a private heap: dlmalloc's mspace, which keeps all that it knows inside the memory it manages.
//
//     heap extent 0                       heap extent 1 (twice as large)
//     | malloc_state | chunk | chunk … |  | chunk | chunk … | top            |
//
//     chunk:   | size of the previous one, if free | size, 3 flags : 32 | type : 32 | the block … |
//                                                                                    ^ 16-aligned
//
// A heap moves as bytes, to the same addresses, and goes on being allocated from: nothing of it lies in the process.
// The upper half of a chunk's size is the type of the block (abi/layout.h), at no cost in memory; so a chunk is smaller
// than 4 GiB, which is so because an extent of this kind is.
//
// No locks: only the thread that owns it touches a heap.
#ifndef SKEIN_PRIVATE_HEAP_SPACE_H
#define SKEIN_PRIVATE_HEAP_SPACE_H

#include <cstddef>
#include <cstdint>

namespace skein {

struct Space;

inline constexpr size_t extent_bytes_max = 1 << 30; // of one piece of a space

/// Bytes of a space's own state.
size_t space_state_bytes();
/// Makes a space in zeroed memory.
Space *space_make(void *memory, size_t bytes);

/// The block that was allocated first.
void *space_first_block(Space *space);

void *space_allocate(Space *space, size_t bytes);
/// A block that lies at the beginning of what the space has not divided yet, so that it can grow there; null unless
/// twice as much is left.
void *space_allocate_to_grow(Space *space, size_t bytes);
void *space_allocate_zeroed(Space *space, size_t bytes);
void *space_allocate_aligned(Space *space, size_t alignment, size_t bytes);
/// Changes the size of a block where it lies, and keeps its type. False if there is no room.
bool space_resize(Space *space, void *block, size_t bytes);
void space_free(Space *space, void *block);

/// Gives a space more memory: at least `bytes`, which is set to what there is, zeroed. Null if there is none. It
/// belongs to the thread that runs.
void *space_more(size_t &bytes);
/// Reports a pointer that is no block, or a heap that was written over. Does not return.
[[noreturn]] void space_broken(const void *block);

/// The word in front of a block.
using HeadWord [[gnu::may_alias]] = uint64_t;
using HeadHalf [[gnu::may_alias]] = uint32_t;
inline HeadWord &block_head(const void *block) {
  return const_cast<HeadWord *>(static_cast<const HeadWord *>(block))[-1];
}
/// Its halves. What writes one of them does not read the word soon after: the processor would wait for the store.
inline HeadHalf &block_type(const void *block) {
  return const_cast<HeadHalf *>(static_cast<const HeadHalf *>(block))[-1];
}
inline HeadHalf &block_size(const void *block) {
  return const_cast<HeadHalf *>(static_cast<const HeadHalf *>(block))[-2];
}
/// A chunk that is not free, as far as the space knows; and a flag of dlmalloc's that it does not use: a block that was
/// cut from another one (slabs.h), which may be free. The upper 16 bits of the size are then no part of it.
inline constexpr uint32_t block_used = 2, block_in_slab = 4;
/// What lies before it is a chunk in use.
inline constexpr uint32_t block_follows_used = 1;
inline constexpr uint32_t block_flags = 7;
inline constexpr uint32_t block_slab_chunk = 0xfff8;
/// The type of a chunk that is free for its owner, though the space does not know.
inline constexpr uint32_t block_resting = INT32_MAX;
/// Set in a type without pointers. (heap.cpp sees by one comparison that a block is of such a type or of none, and does
/// not rest.)
inline constexpr uint32_t type_plain = UINT32_C(1) << 31;
/// The block is no chunk, but has an extent of its own.
inline bool block_large(const void *block) { return (block_size(block) & 3) == 0; }
/// What a block that is a chunk takes, and how many bytes of it may be used.
inline size_t block_chunk(const void *block) {
  const uint32_t size = block_size(block);
  return size & (size & block_in_slab ? block_slab_chunk : ~block_flags);
}
inline size_t block_bytes(const void *block) { return block_chunk(block) - sizeof(uint64_t); }

/// The beginning of the memory that the space has not divided yet.
uintptr_t space_top(const Space *space);

/// One chunk, as a walk over a space sees it.
struct Chunk {
  uintptr_t block; // where the program's bytes begin
  size_t bytes;
  uint32_t type;
  bool used;
};
/// Calls visit(chunk, context) for the chunks in [begin, end), which is a segment of the space or a part of it that
/// begins with one, by ascending address, until it returns false. Believes nothing: false if the chunks contradict
/// themselves.
bool space_walk(const Space *space, uintptr_t begin, uintptr_t end, bool (*visit)(const Chunk &chunk, void *context),
                void *context);

} // namespace skein

#endif
