// dlmalloc, configured; see space.h and third_party/dlmalloc/README.md.
//
//  * All memory comes from space_more, one extent at a time, and whole: the macro MMAP may enlarge what was asked for.
//    Nothing is given back before the thread ends (MUNMAP fails), since an extent is what moves. Large blocks have
//    extents of their own and never come here.
//  * FOOTERS is off, so nothing in a heap depends on the process (with it, a random number would).
//  * The checks of dlmalloc stay on (INSECURE 0): a bad free ends the program with the thread's name.
#include "private/heap/space.h"

#include "base/assert.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace {

/// As dlmalloc wants it: `bytes` becomes what there is.
void *more(size_t &bytes) {
  void *at = skein::space_more(bytes);
  if (!at)
    return reinterpret_cast<void *>(~size_t{0});
  return at;
}

} // namespace

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Weverything"

#define __wasilibc_unmodified_upstream 1
#define ONLY_MSPACES 1
#define DLMALLOC_EXPORT static __attribute__((unused))
#define USE_LOCKS 0
#define FOOTERS 0
#define INSECURE 0
#define PROCEED_ON_ERROR 0
#define HAVE_MORECORE 0
#define HAVE_MMAP 1
#define HAVE_MREMAP 0
#define MMAP_CLEARS 1
#define MMAP(bytes) more(bytes)
#define DIRECT_MMAP(bytes) (reinterpret_cast<void *>(~size_t{0}))
#define MUNMAP(begin, bytes) (-1)
#define MALLOC_ALIGNMENT size_t{16}
#define DEFAULT_GRANULARITY (size_t{64} << 10)
#define DEFAULT_MMAP_THRESHOLD MAX_SIZE_T
#define DEFAULT_TRIM_THRESHOLD MAX_SIZE_T
#define MAX_RELEASE_CHECK_RATE MAX_SIZE_T
#define NO_MALLINFO 1
#define NO_MALLOC_STATS 1
#define MALLOC_INSPECT_ALL 0
#define LACKS_TIME_H 1
#define malloc_getpagesize size_t{4096}
#define MALLOC_FAILURE_ACTION // heap.cpp may try again; it sets errno
#define CORRUPTION_ERROR_ACTION(space) skein::space_broken(nullptr)
#define USAGE_ERROR_ACTION(space, block) skein::space_broken(block)
// The upper half of a head is the type of the block.
#define chunksize(chunk) ((chunk)->head & (size_t{0xffffffff} & ~(FLAG_BITS)))

#include "../third_party/dlmalloc/dlmalloc.c"

#pragma clang diagnostic pop

namespace skein {

namespace {

mspace of(Space *space) { return reinterpret_cast<mspace>(space); }

} // namespace

size_t space_state_bytes() { return sizeof(malloc_state); }

Space *space_make(void *memory, size_t bytes) {
  void *made = create_mspace_with_base(memory, bytes, 0);
  SKEIN_ASSERT(made, "no heap fits in %zu bytes", bytes);
  return static_cast<Space *>(made);
}

void *space_first_block(Space *space) { return chunk2mem(next_chunk(mem2chunk(space))); }

static_assert(CHUNK_OVERHEAD == sizeof(uint64_t) && CINUSE_BIT == block_used);
static_assert(FLAG4_BIT == block_in_slab && FLAG_BITS == block_flags);

void *space_allocate(Space *space, size_t bytes) { return mspace_malloc(of(space), bytes); }

void *space_allocate_to_grow(Space *space, size_t bytes) {
  auto *state = reinterpret_cast<mstate>(space);
  if (bytes >= state->topsize / 2)
    return nullptr;
  const size_t chunk = request2size(bytes);
  const mchunkptr block = state->top;
  state->topsize -= chunk;
  state->top = chunk_plus_offset(block, chunk);
  state->top->head = state->topsize | PINUSE_BIT;
  set_size_and_pinuse_of_inuse_chunk(state, block, chunk);
  return chunk2mem(block);
}

void *space_allocate_zeroed(Space *space, size_t bytes) { return mspace_calloc(of(space), 1, bytes); }
void *space_allocate_aligned(Space *space, size_t alignment, size_t bytes) {
  return mspace_memalign(of(space), alignment, bytes);
}

bool space_resize(Space *space, void *block, size_t bytes) {
  const uint32_t type = block_type(block);
  if (!mspace_realloc_in_place(of(space), block, bytes))
    return false;
  block_type(block) = type;
  return true;
}

void space_free(Space *space, void *block) { mspace_free(of(space), block); }

uintptr_t space_top(const Space *space) {
  return reinterpret_cast<uintptr_t>(reinterpret_cast<const malloc_state *>(space)->top);
}

bool space_walk(const Space *space, uintptr_t begin, uintptr_t end, bool (*visit)(const Chunk &chunk, void *context),
                void *context) {
  const auto *state = reinterpret_cast<const malloc_state *>(space);
  const auto top = reinterpret_cast<uintptr_t>(state->top);
  uintptr_t at = reinterpret_cast<uintptr_t>(align_as_chunk(reinterpret_cast<char *>(begin)));
  while (end - at >= MIN_CHUNK_SIZE) {
    const auto *chunk = reinterpret_cast<const malloc_chunk *>(at);
    Chunk seen;
    seen.block = at + TWO_SIZE_T_SIZES;
    seen.type = static_cast<uint32_t>(chunk->head >> 32);
    if (at == top) {
      seen.bytes = end - seen.block;
      seen.used = false;
      visit(seen, context);
      return true;
    }
    if (chunk->head == FENCEPOST_HEAD)
      return true;
    const size_t bytes = block_chunk(reinterpret_cast<const void *>(seen.block));
    if (bytes < MALLOC_ALIGNMENT || bytes % MALLOC_ALIGNMENT != 0 || bytes > end - at)
      return false;
    seen.bytes = bytes - CHUNK_OVERHEAD;
    seen.used = (chunk->head & CINUSE_BIT) != 0 && seen.block != reinterpret_cast<uintptr_t>(space) &&
                seen.type != block_resting;
    if (!visit(seen, context))
      return true;
    at += bytes;
  }
  return true;
}

} // namespace skein
