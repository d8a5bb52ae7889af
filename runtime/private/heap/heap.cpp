// The private heap; see heap.h. From top to bottom: whose heap it is, growing, allocating, freeing; then the names that
// programs call.
//
// The type that compiled code passes along is a layout's address, or that address plus 1 if the layout only says where
// the block was allocated (SKEIN_LAYOUT_UNTYPED). Such a block may get its type a little later, where the caller of an
// allocating function converts its result (`__skein_heap_type`). Since memory does not show that an address is the
// beginning of a block, the last few blocks without a type are remembered: they have the flag `block_recent` while they
// are in the list, and leave it when they are freed.
#include "private/heap/heap.h"
#include "private/library/kernel_threads.h"
#include "private/paging/paging.h"

#include "abi/entry_points.h"
#include "base/assert.h"
#include "base/log.h"
#include "base/program_heap.h"
#include "os/linux/memory.h"
#include "thread/processor.h"

#include <skein/heap.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

extern "C" {
extern const unsigned char __start_skein_layouts[] __attribute__((weak, visibility("hidden")));
extern const unsigned char __stop_skein_layouts[] __attribute__((weak, visibility("hidden")));
}

namespace skein {

/// The first block of the heap.
struct HeapLists {
  // The blocks that rest, in lists by size of the chunk, 16 bytes apart. Each block begins with the address of the
  // next.
  static constexpr size_t sizes = 66; // chunks up to 1,040 bytes
  static constexpr uint8_t most = 16;
  void *first[sizes];
  uint8_t count[sizes];
  // The last blocks without a type.
  static constexpr unsigned recent_most = 8;
  uintptr_t recent[recent_most];
  unsigned recent_next;
};

namespace {

constexpr size_t chunk_step = 16;
constexpr size_t rest_bytes_max = (HeapLists::sizes - 1) * chunk_step - sizeof(uint64_t);

constexpr size_t first_extent_bytes = 256 << 10;
constexpr size_t page = 4096;

/// What main owned, after its end.
Private *after_main;

/// The record of the thread that runs; null if it has none yet, or no thread runs here.
inline Private *mine() {
  const Processor *processor = skein_processor;
  if (__builtin_expect(!processor, 0)) // before main, in exit handlers, or on a kernel thread of the program's own
    return kernel_thread_host() ? nullptr : after_main;
  const Thread *self = processor->current;
  return self ? self->owned : after_main;
}

[[noreturn, gnu::cold]] void refuse_foreign(const void *block, const char *what) {
  const Thread *self = thread_current();
  fatal(
      "thread %s %s a block at %p of the private heap that another thread owns, or that was freed: only its own thread "
      "may do that",
      self ? thread_name(self->id).text : "(none)", what, block);
}

inline bool own_block(Private &owned, uintptr_t block) {
  if (block - owned.hot_begin < owned.hot_bytes)
    return true;
  const Extent *extent = extent_containing(owned, block);
  if (!extent || (extent->kind != ExtentKind::heap && extent->kind != ExtentKind::large))
    return false;
  if (extent->kind == ExtentKind::heap) {
    owned.hot_begin = extent->begin;
    owned.hot_bytes = extent->bytes;
  }
  return true;
}

// --- blocks without a type ---

void forget_recent(Private &owned, const void *block) {
  for (uintptr_t &recent : owned.lists->recent)
    if (recent == reinterpret_cast<uintptr_t>(block))
      recent = 0;
  block_head(block) &= ~block_recent;
}

inline void remember_recent(Private &owned, void *block) {
  uintptr_t &place = owned.lists->recent[owned.lists->recent_next++ % HeapLists::recent_most];
  if (place)
    block_head(reinterpret_cast<void *>(place)) &= ~block_recent;
  place = reinterpret_cast<uintptr_t>(block);
  block_head(block) |= block_recent;
}

/// The number of a layout; 0 for null, and for one of a shared library, which the program's section does not hold. It
/// is never block_resting, since the section is smaller.
uint32_t type_of(const skein_layout *layout) {
  const auto offset = reinterpret_cast<uintptr_t>(layout) - reinterpret_cast<uintptr_t>(__start_skein_layouts);
  const auto bytes = static_cast<uintptr_t>(__stop_skein_layouts - __start_skein_layouts);
  return offset < bytes ? static_cast<uint32_t>(offset / 8 + 1) : 0;
}

/// Sets the type of a fresh block. If bit 0 of `layout` is set, the type is not known.
inline void *typed(Private &owned, void *block, const void *layout) {
  const auto bits = reinterpret_cast<uintptr_t>(layout);
  if (bits == 0 || !block)
    return block;
  block_type(block) = type_of(reinterpret_cast<const skein_layout *>(bits & ~uintptr_t{7}));
  if (bits & 1 && !block_large(block))
    remember_recent(owned, block);
  return block;
}

// --- growing ---

[[gnu::cold, gnu::noinline]] Private *make_heap() {
  Thread *self = thread_current();
  if (!self)
    return nullptr; // after main
  Private *owned = private_record(*self);
  if (!owned || owned->heap)
    return owned;
  const Extent *extent = extent_add(*self, ExtentKind::heap, first_extent_bytes - page);
  if (!extent)
    return nullptr;
  owned->heap = space_make(reinterpret_cast<void *>(extent->begin), extent->bytes);
  space_allocate_zeroed(owned->heap, sizeof(HeapLists));
  heap_attach(*owned);
  owned->hot_begin = extent->begin;
  owned->hot_bytes = extent->bytes;
  owned->next_bytes = 2 * first_extent_bytes;
  return owned;
}

/// The record with a heap, null without.
inline Private *heap() {
  Private *owned = mine();
  return owned && owned->heap ? owned : make_heap();
}

/// Extents belong to a thread: after main has ended there is none, and no extent can be added.
[[gnu::noinline]] void *allocate_large(size_t alignment, size_t bytes) {
  Thread *self = thread_current();
  const size_t offset = alignment <= large_header_bytes ? large_header_bytes : alignment;
  if (!self || bytes > private_end - private_begin - offset) {
    errno = ENOMEM;
    return nullptr;
  }
  // A region is aligned to its size, up to 2 MiB.
  const size_t more = offset <= 2 << 20 ? offset : 2 * offset;
  const Extent *extent = extent_add(*self, ExtentKind::large, bytes + more);
  if (!extent) {
    errno = ENOMEM;
    return nullptr;
  }
  const uintptr_t block = more == offset ? extent->begin + offset : (extent->begin + more) & ~(alignment - 1);
  *reinterpret_cast<uint64_t *>(extent->begin) = block - extent->begin;
  block_head(reinterpret_cast<void *>(block)) = 0;
  return reinterpret_cast<void *>(block);
}

// --- allocating ---

void take_back(Private &owned);

inline void *allocate_small(Private &owned, size_t bytes) {
  if (bytes <= rest_bytes_max) {
    const size_t chunk = bytes <= chunk_step + sizeof(uint64_t) ? 2 * chunk_step : (bytes + 23) & ~(chunk_step - 1);
    HeapLists &lists = *owned.lists;
    if (void *block = lists.first[chunk / chunk_step]) {
      lists.first[chunk / chunk_step] = *static_cast<void **>(block);
      lists.count[chunk / chunk_step]--;
      block_type(block) = 0;
      return block;
    }
  }
  if (__builtin_expect(owned.returned.load(std::memory_order_relaxed) != nullptr, 0))
    take_back(owned);
  return space_allocate(owned.heap, bytes);
}

/// Keeps a block for the next one of its size. False if enough are kept.
inline bool lay_to_rest(Private &owned, void *block) {
  const size_t chunk = block_head(block) & 0xfffffff8;
  HeapLists &lists = *owned.lists;
  if (chunk > (HeapLists::sizes - 1) * chunk_step || lists.count[chunk / chunk_step] == HeapLists::most)
    return false;
  *static_cast<void **>(block) = lists.first[chunk / chunk_step];
  lists.first[chunk / chunk_step] = block;
  lists.count[chunk / chunk_step]++;
  block_type(block) = block_resting;
  return true;
}

inline void *allocate(size_t bytes, const void *layout) {
  Private *owned = heap();
  if (!owned)
    return __skein_program_malloc(bytes);
  void *block = bytes < large_bytes_min ? allocate_small(*owned, bytes) : allocate_large(0, bytes);
  return typed(*owned, block, layout);
}

inline void *allocate_zeroed(size_t count, size_t size, const void *layout) {
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes)) {
    errno = ENOMEM;
    return nullptr;
  }
  Private *owned = heap();
  if (!owned)
    return __skein_program_calloc(1, bytes);
  void *block;
  if (bytes <= rest_bytes_max) {
    block = allocate_small(*owned, bytes);
    if (block)
      memset(block, 0, bytes);
  } else {
    block = bytes < large_bytes_min ? space_allocate_zeroed(owned->heap, bytes) : allocate_large(0, bytes);
  }
  return typed(*owned, block, layout);
}

void *allocate_aligned(size_t alignment, size_t bytes, const void *layout) {
  if (alignment == 0 || (alignment & (alignment - 1)) != 0) {
    errno = EINVAL;
    return nullptr;
  }
  Private *owned = heap();
  if (!owned && !__skein_program_memalign) {
    if (alignment <= chunk_step)
      return __skein_program_malloc(bytes);
    errno = ENOMEM;
    return nullptr;
  }
  if (!owned)
    return __skein_program_memalign(alignment, bytes);
  const bool small = bytes < large_bytes_min && alignment < large_bytes_min;
  void *block = small ? space_allocate_aligned(owned->heap, alignment, bytes) : allocate_large(alignment, bytes);
  return typed(*owned, block, layout);
}

// --- freeing and resizing ---

void forget_words(unsigned char *part, const skein_layout_words *words, unsigned count, size_t bytes) {
  for (unsigned i = 0; i < count; i++) {
    size_t offset = words[i].offset;
    for (unsigned n = 0; n < words[i].count && offset + sizeof(void *) <= bytes; n++, offset += words[i].stride)
      memset(part + offset, 0, sizeof(void *));
  }
}

/// Clears the pointers of a block that is freed. In the next block that lies there, before the program has written it,
/// they would be addresses in words that are no pointers, and would refuse a move for nothing.
[[gnu::noinline]] void forget_pointers(void *block, uint32_t type) {
  const skein_layout *layout = heap_layout(type);
  if (!layout || layout->head_words + layout->part_words == 0)
    return;
  const size_t bytes = block_bytes(block);
  auto *at = static_cast<unsigned char *>(block);
  if (bytes <= 64) { // all of it, which is quicker than to look where they are
    for (size_t offset = 0; offset + sizeof(void *) <= bytes; offset += sizeof(void *))
      memset(at + offset, 0, sizeof(void *));
    return;
  }
  forget_words(at, layout->words, layout->head_words, bytes);
  if (layout->part_words)
    for (size_t part = layout->head; part < bytes; part += layout->part)
      forget_words(at + part, layout->words + layout->head_words, layout->part_words, bytes - part);
}

Thread *owner_of(const Private &owned) {
  Thread *self = thread_current();
  return self && self->owned == &owned ? self : nullptr;
}

[[gnu::noinline]] void free_large(Private &owned, void *block) {
  const Extent *extent = extent_containing(owned, reinterpret_cast<uintptr_t>(block));
  Thread *self = owner_of(owned);
  if (extent->kind != ExtentKind::large || large_block(*extent) != reinterpret_cast<uintptr_t>(block))
    space_broken(block);
  if (self)
    extent_remove(*self, extent->begin);
}

/// A kernel thread frees what it takes for a block of its host. The host checks that when it takes the block back.
[[gnu::cold, gnu::noinline]] void hand_back(void *block) {
  Private *host = skein_processor ? nullptr : kernel_thread_host();
  if (!host)
    refuse_foreign(block, "frees");
  void *next = host->returned.load(std::memory_order_relaxed);
  do
    *static_cast<void **>(block) = next;
  while (!host->returned.compare_exchange_weak(next, block, std::memory_order_release, // pairs with take_back
                                               std::memory_order_relaxed));
}

inline void release_block(void *block) {
  if (!in_private_range(reinterpret_cast<uintptr_t>(block))) {
    __skein_program_free(block);
    return;
  }
  Private *owned = mine();
  if (!owned) {
    hand_back(block);
    return;
  }
  if (!own_block(*owned, reinterpret_cast<uintptr_t>(block)))
    refuse_foreign(block, "frees");
  if (__builtin_expect(block_large(block), 0)) {
    free_large(*owned, block);
    return;
  }
  if (block_head(block) & block_recent)
    forget_recent(*owned, block);
  if (const uint32_t type = block_type(block)) {
    if (__builtin_expect(type == block_resting, 0))
      space_broken(block);
    forget_pointers(block, type);
  }
  if (!lay_to_rest(*owned, block))
    space_free(owned->heap, block);
}

[[gnu::cold, gnu::noinline]] void take_back(Private &owned) {
  void *block = owned.returned.exchange(nullptr, std::memory_order_acquire); // pairs with hand_back
  while (block) {
    void *next = *static_cast<void **>(block);
    release_block(block);
    block = next;
  }
}

/// A kernel thread resizes a block of its host: it gets one of libc's.
[[gnu::cold, gnu::noinline]] void *resize_of_host(void *block, size_t bytes) {
  if (skein_processor || !kernel_thread_host() || block_large(block))
    refuse_foreign(block, "resizes");
  const size_t before = block_bytes(block);
  void *copy = bytes ? __skein_program_malloc(bytes) : nullptr;
  if (!copy && bytes)
    return nullptr;
  if (copy)
    memcpy(copy, block, before < bytes ? before : bytes);
  hand_back(block);
  return copy;
}

size_t usable(const Private &owned, const void *block) {
  if (!block_large(block))
    return block_bytes(block);
  const auto address = reinterpret_cast<uintptr_t>(block);
  const Extent *extent = extent_containing(owned, address);
  return extent ? extent->end() - address : 0;
}

[[gnu::noinline]] void *resize_by_copy(Private &owned, void *block, size_t bytes) {
  const uint32_t type = block_type(block);
  void *at = bytes < large_bytes_min ? allocate_small(owned, bytes) : allocate_large(0, bytes);
  if (!at)
    return nullptr;
  block_type(at) = type;
  const size_t before = usable(owned, block);
  memcpy(at, block, before < bytes ? before : bytes);
  release_block(block);
  return at;
}

void *resize_large(Private &owned, void *block, size_t bytes) {
  const auto address = reinterpret_cast<uintptr_t>(block);
  auto *extent = const_cast<Extent *>(extent_containing(owned, address));
  if (extent->kind != ExtentKind::large || large_block(*extent) != address)
    space_broken(block);
  if (bytes < large_bytes_min || bytes > extent->begin + region_bytes(extent->region) - address)
    return resize_by_copy(owned, block, bytes);
  const size_t wanted = (address - extent->begin + bytes + page - 1) & ~(page - 1);
  if (wanted < extent->bytes)
    memory_discard(reinterpret_cast<void *>(extent->begin + wanted), extent->bytes - wanted);
  extent->bytes = wanted;
  return block;
}

inline void *resize(void *block, size_t bytes, const void *layout) {
  if (!block)
    return allocate(bytes, layout);
  if (!in_private_range(reinterpret_cast<uintptr_t>(block)))
    return __skein_program_realloc(block, bytes);
  Private *owned = mine();
  if (!owned)
    return resize_of_host(block, bytes);
  if (!own_block(*owned, reinterpret_cast<uintptr_t>(block)))
    refuse_foreign(block, "resizes");
  if (block_type(block) == block_resting)
    space_broken(block);
  if (bytes == 0) {
    release_block(block);
    return nullptr;
  }
  void *at;
  if (block_large(block)) {
    at = resize_large(*owned, block, bytes);
  } else {
    if (block_head(block) & block_recent)
      forget_recent(*owned, block);
    at = bytes < large_bytes_min && space_resize(owned->heap, block, bytes) ? block
                                                                            : resize_by_copy(*owned, block, bytes);
  }
  // A known type replaces what the block was before; an unknown one does not.
  const bool known = layout && !(reinterpret_cast<uintptr_t>(layout) & 1);
  return at && (known || block_type(at) == 0) ? typed(*owned, at, layout) : at;
}

/// What main owned stays for exit handlers.
void on_end(Thread *thread) {
  if (thread->id == main_id) {
    paging_wait(main_id); // other nodes may end before this one
    after_main = thread->owned;
    thread->owned = nullptr;
  }
}

} // namespace

bool heap_pointers_aligned() {
  constexpr size_t word = sizeof(void *);
  const unsigned char *at = __start_skein_layouts;
  while (at && at + sizeof(skein_layout) <= __stop_skein_layouts) {
    const auto *layout = reinterpret_cast<const skein_layout *>(at);
    const size_t count = size_t{layout->head_words} + layout->part_words;
    if (count && (layout->head % word != 0 || (layout->part_words && layout->part % word != 0)))
      return false;
    for (size_t i = 0; i < count; i++)
      if (layout->words[i].offset % word != 0 || (layout->words[i].count > 1 && layout->words[i].stride % word != 0))
        return false;
    at += sizeof *layout + count * sizeof(skein_layout_words);
  }
  return true;
}

const skein_layout *heap_layout(uint32_t type) {
  const auto bytes = static_cast<size_t>(__stop_skein_layouts - __start_skein_layouts);
  const size_t offset = (type - size_t{1}) * 8;
  if (type == 0 || offset + sizeof(skein_layout) > bytes)
    return nullptr;
  const auto *layout = reinterpret_cast<const skein_layout *>(__start_skein_layouts + offset);
  const size_t words = size_t{layout->head_words} + layout->part_words;
  return offset + sizeof *layout + words * sizeof(skein_layout_words) <= bytes ? layout : nullptr;
}

void heap_attach(Private &owned) { owned.lists = static_cast<HeapLists *>(space_first_block(owned.heap)); }
size_t heap_state_bytes() { return space_state_bytes() + 4 * chunk_step + sizeof(HeapLists); }

uintptr_t large_block(const Extent &extent) {
  const uint64_t offset = *reinterpret_cast<const uint64_t *>(extent.begin);
  return offset >= large_header_bytes && offset < extent.bytes && offset % 16 == 0 ? extent.begin + offset : 0;
}

void *space_more(size_t &bytes) {
  Thread *self = thread_current();
  if (!self)
    return nullptr;
  size_t wanted = self->owned->next_bytes;
  while (wanted < bytes + page && wanted < extent_bytes_max)
    wanted *= 2;
  const Extent *extent = extent_add(*self, ExtentKind::heap, wanted - page);
  if (!extent || extent->bytes < bytes)
    return nullptr;
  self->owned->next_bytes = wanted < extent_bytes_max ? 2 * wanted : extent_bytes_max;
  bytes = extent->bytes;
  return reinterpret_cast<void *>(extent->begin);
}

void space_broken(const void *block) {
  const Thread *self = thread_current();
  const ThreadName name = self ? thread_name(self->id) : ThreadName{"(none)"};
  if (block)
    fatal("thread %s frees or resizes %p, which is no block of its private heap (freed twice, or written over?)",
          name.text, block);
  fatal("the private heap of thread %s was written over", name.text);
}

void heap_start() { thread_ending.add(on_end); }

} // namespace skein

using namespace skein;

extern "C" {

void *__skein_malloc(size_t bytes, const void *layout) { return allocate(bytes, layout); }
void *__skein_calloc(size_t count, size_t bytes, const void *layout) { return allocate_zeroed(count, bytes, layout); }
void *__skein_realloc(void *block, size_t bytes, const void *layout) { return resize(block, bytes, layout); }
void *__skein_reallocarray(void *block, size_t count, size_t size, const void *layout) {
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes)) {
    errno = ENOMEM;
    return nullptr;
  }
  return resize(block, bytes, layout);
}
void *__skein_aligned_alloc(size_t alignment, size_t bytes, const void *layout) {
  return allocate_aligned(alignment, bytes, layout);
}

void __skein_heap_type(void *block, const skein_layout *layout) {
  Private *owned = mine();
  if (!owned || !owned->heap || !block)
    return;
  for (uintptr_t &recent : owned->lists->recent)
    if (recent == reinterpret_cast<uintptr_t>(block)) {
      recent = 0;
      block_head(block) &= ~block_recent;
      block_type(block) = type_of(layout);
      return;
    }
}

void *skein_malloc(size_t bytes) { return allocate(bytes, nullptr); }
void *skein_calloc(size_t count, size_t bytes) { return allocate_zeroed(count, bytes, nullptr); }
void *skein_realloc(void *block, size_t bytes) { return resize(block, bytes, nullptr); }
void *skein_reallocarray(void *block, size_t count, size_t bytes) {
  return __skein_reallocarray(block, count, bytes, nullptr);
}
void skein_free(void *block) { release_block(block); }
void *skein_aligned_alloc(size_t alignment, size_t bytes) { return allocate_aligned(alignment, bytes, nullptr); }
void *skein_memalign(size_t alignment, size_t bytes) { return allocate_aligned(alignment, bytes, nullptr); }
int skein_posix_memalign(void **to, size_t alignment, size_t bytes) {
  if (alignment % sizeof(void *) != 0 || alignment == 0 || (alignment & (alignment - 1)) != 0)
    return EINVAL;
  const int before = errno;
  void *block = allocate_aligned(alignment, bytes, nullptr);
  errno = before;
  if (!block)
    return ENOMEM;
  *to = block;
  return 0;
}
void *skein_valloc(size_t bytes) { return allocate_aligned(page, bytes, nullptr); }

size_t skein_malloc_usable_size(void *block) {
  if (!in_private_range(reinterpret_cast<uintptr_t>(block)))
    return __skein_program_malloc_usable_size ? __skein_program_malloc_usable_size(block) : 0;
  Private *owned = mine();
  if (!owned && kernel_thread_host() && !block_large(block))
    return block_bytes(block);
  if (!owned || !own_block(*owned, reinterpret_cast<uintptr_t>(block)))
    refuse_foreign(block, "asks for the size of");
  return usable(*owned, block);
}
}
