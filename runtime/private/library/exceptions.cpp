// Exceptions that move; see exceptions.h.
#include "private/library/exceptions.h"

#include "base/lock.h"
#include "base/log.h"

#include <atomic>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <new>

namespace skein {

namespace {

constexpr size_t chunk_bytes = 16 << 10;
constexpr unsigned class_min = 8; // 256 bytes: an int that was thrown, with all headers
constexpr unsigned class_max = 40;
// libstdc++ puts its count of references in front of the header of what is thrown.
constexpr size_t count_bytes = 16;
constexpr size_t head_bytes = sizeof(ExceptionBlock) + count_bytes + sizeof(ExceptionHeader);

} // namespace

/// What an extent of kind exceptions begins with.
struct ExceptionChunk {
  ExceptionArena *arena;
  ExceptionChunk *next;
  size_t bytes;
  size_t region; // that it was acquired with
};

/// Lies behind the header of the first chunk. A block is freed where the last reference to it is dropped, on any kernel
/// thread, so there is a lock.
struct ExceptionArena {
  ExceptionGlobals globals;
  std::atomic<bool> taken;
  ExceptionBlock live; // list, both ways
  ExceptionBlock *free[class_max + 1];
  ExceptionChunk *chunks; // last one first
  unsigned char *next;    // in that chunk: not used yet
  uint64_t ended;         // id of the thread if it has ended, else 0
};

namespace {

class ArenaGuard {
public:
  explicit ArenaGuard(ExceptionArena &arena) : arena(arena) {
    for (unsigned round = 0; arena.taken.exchange(true, std::memory_order_acquire);) // pairs with the release below
      lock_wait_step(round);
  }
  ~ArenaGuard() { arena.taken.store(false, std::memory_order_release); }
  ArenaGuard(const ArenaGuard &) = delete;
  ArenaGuard &operator=(const ArenaGuard &) = delete;

private:
  ExceptionArena &arena;
};

size_t bytes_left(const ExceptionArena &arena) {
  return static_cast<size_t>(reinterpret_cast<unsigned char *>(arena.chunks) + arena.chunks->bytes - arena.next);
}

ExceptionChunk *add_chunk(Thread &thread, size_t bytes) {
  const Extent *extent = extent_add(thread, ExtentKind::exceptions, bytes);
  if (!extent)
    return nullptr;
  auto *chunk = new (reinterpret_cast<void *>(extent->begin)) ExceptionChunk();
  chunk->bytes = extent->bytes;
  chunk->region = extent->region;
  return chunk;
}

ExceptionArena *find_arena(const Thread &thread) {
  if (!thread.owned)
    return nullptr;
  if (!thread.owned->exceptions)
    for (uint32_t i = 0; i < thread.owned->count; i++) // it has come from another node
      if (thread.owned->extents[i].kind == ExtentKind::exceptions)
        thread.owned->exceptions = reinterpret_cast<ExceptionChunk *>(thread.owned->extents[i].begin)->arena;
  return thread.owned->exceptions;
}

ExceptionArena *arena_of(Thread &thread) {
  if (ExceptionArena *arena = find_arena(thread))
    return arena;
  ExceptionChunk *chunk = add_chunk(thread, chunk_bytes);
  if (!chunk)
    return nullptr;
  auto *arena = new (chunk + 1) ExceptionArena();
  chunk->arena = arena;
  arena->live.next = arena->live.previous = &arena->live;
  arena->chunks = chunk;
  arena->next = reinterpret_cast<unsigned char *>(arena + 1);
  thread.owned->exceptions = arena;
  return arena;
}

/// A block of 2^log2 bytes, of any content.
ExceptionBlock *cut(Thread &thread, ExceptionArena &arena, unsigned log2) {
  if (ExceptionBlock *block = arena.free[log2]) {
    arena.free[log2] = block->next;
    return block;
  }
  const size_t bytes = size_t{1} << log2;
  if (bytes_left(arena) < bytes) {
    const size_t wanted = sizeof(ExceptionChunk) + bytes;
    ExceptionChunk *chunk = add_chunk(thread, wanted < chunk_bytes ? chunk_bytes : wanted);
    if (!chunk)
      return nullptr;
    chunk->arena = &arena;
    chunk->next = arena.chunks;
    arena.chunks = chunk;
    arena.next = reinterpret_cast<unsigned char *>(chunk + 1);
  }
  auto *block = reinterpret_cast<ExceptionBlock *>(arena.next);
  arena.next += bytes;
  return block;
}

/// A block for an object of `bytes`; its headers are zero.
ExceptionBlock *allocate(size_t bytes, bool dependent) {
  if (bytes > (size_t{1} << class_max) - head_bytes)
    return nullptr;
  Thread *thread = thread_current();
  ExceptionArena *arena = thread ? arena_of(*thread) : nullptr;
  ExceptionBlock *block;
  unsigned log2 = 0;
  if (arena) {
    log2 = static_cast<unsigned>(std::bit_width(head_bytes + bytes - 1));
    log2 = log2 < class_min ? class_min : log2;
    ArenaGuard guard(*arena);
    block = cut(*thread, *arena, log2);
    if (!block)
      return nullptr;
    std::memset(static_cast<void *>(block), 0, head_bytes);
    block->next = arena->live.next;
    block->previous = &arena->live;
    block->next->previous = block->previous->next = block;
  } else {
    block = static_cast<ExceptionBlock *>(std::malloc(head_bytes + bytes));
    if (!block)
      return nullptr;
    std::memset(static_cast<void *>(block), 0, head_bytes);
  }
  block->arena = arena;
  block->bytes = bytes;
  block->size_class = log2;
  block->dependent = dependent;
  return block;
}

void release_chunks(ExceptionArena &arena) {
  const uint64_t thread = arena.ended;
  for (ExceptionChunk *chunk = arena.chunks; chunk;) {
    ExceptionChunk *next = chunk->next;
    region_release(chunk, chunk->region, thread, /*for_images=*/true); // the thread may have been packed
    chunk = next;
  }
}

void release_exception(ExceptionBlock *block) {
  ExceptionArena *arena = block->arena;
  if (!arena) {
    std::free(block);
    return;
  }
  bool last;
  {
    ArenaGuard guard(*arena);
    block->next->previous = block->previous;
    block->previous->next = block->next;
    block->next = arena->free[block->size_class];
    arena->free[block->size_class] = block;
    last = arena->ended && arena->live.next == &arena->live;
  }
  if (last)
    release_chunks(*arena);
}

ExceptionBlock *block_of(void *header) {
  return reinterpret_cast<ExceptionBlock *>(static_cast<unsigned char *>(header) - count_bytes) - 1;
}

[[noreturn]] void no_memory(size_t bytes) { fatal("no memory for an exception of %zu bytes", bytes); }

/// The state of kernel threads that run no Skein thread.
__thread ExceptionGlobals outside;

} // namespace

ExceptionHeader *ExceptionBlock::header() {
  return reinterpret_cast<ExceptionHeader *>(reinterpret_cast<unsigned char *>(this + 1) + count_bytes);
}

void exceptions_each(const Thread &thread, void (*visit)(ExceptionBlock &block, void *context), void *context) {
  if (ExceptionArena *arena = find_arena(thread))
    for (ExceptionBlock *block = arena->live.next; block != &arena->live; block = block->next)
      visit(*block, context);
}

bool exceptions_intact(const Thread &thread) {
  if (!thread.owned)
    return true;
  size_t total = 0;
  auto inside = [&](const void *at, size_t bytes) {
    const auto address = reinterpret_cast<uintptr_t>(at);
    const Extent *extent = extent_containing(thread, address);
    return extent && extent->kind == ExtentKind::exceptions && address % alignof(ExceptionBlock) == 0 &&
           bytes <= extent->end() - address;
  };
  const ExceptionArena *arena = nullptr;
  for (uint32_t i = 0; i < thread.owned->count; i++) {
    const Extent &extent = thread.owned->extents[i];
    if (extent.kind != ExtentKind::exceptions)
      continue;
    const auto *chunk = reinterpret_cast<const ExceptionChunk *>(extent.begin);
    if (!inside(chunk->arena, sizeof(ExceptionArena)) || (arena && chunk->arena != arena))
      return false;
    arena = chunk->arena;
    total += extent.bytes;
  }
  if (!arena)
    return true;
  size_t most = total >> class_min;
  const ExceptionBlock *previous = &arena->live;
  for (const ExceptionBlock *block = arena->live.next; block != &arena->live; block = block->next) {
    if (!inside(block, head_bytes) || block->previous != previous || block->bytes > total ||
        !inside(block, head_bytes + block->bytes) || most-- == 0)
      return false;
    previous = block;
  }
  return true;
}

const ExceptionGlobals *exception_globals(const Thread &thread) {
  ExceptionArena *arena = find_arena(thread);
  return arena ? &arena->globals : nullptr;
}

bool exceptions_outlive(Thread &thread) {
  ExceptionArena *arena = find_arena(thread);
  if (!arena)
    return false;
  ArenaGuard guard(*arena);
  if (arena->live.next == &arena->live)
    return false;
  arena->ended = thread.id;
  return true;
}

} // namespace skein

using namespace skein;

// --- what libstdc++ calls by name (cxxabi.h) ------------------------------------------------------------------------

extern "C" {

ExceptionGlobals *__cxa_get_globals() {
  Thread *thread = thread_current();
  if (!thread)
    return &outside;
  ExceptionArena *arena = arena_of(*thread);
  if (!arena)
    no_memory(0);
  return &arena->globals;
}
ExceptionGlobals *__cxa_get_globals_fast() { return __cxa_get_globals(); }

void *__cxa_allocate_exception(size_t bytes) {
  ExceptionBlock *block = allocate(bytes, false);
  if (!block)
    no_memory(bytes);
  return block->header() + 1;
}
void __cxa_free_exception(void *object) { release_exception(block_of(static_cast<ExceptionHeader *>(object) - 1)); }

void *__cxa_allocate_dependent_exception() {
  ExceptionBlock *block = allocate(0, true);
  if (!block)
    no_memory(0);
  return block->header();
}
void __cxa_free_dependent_exception(void *header) { release_exception(block_of(header)); }
}
