// The private heap; see heap.h. From top to bottom: whose heap it is, growing, allocating, freeing; then the names that
// programs call.
//
// The type that compiled code passes along is a layout's address, or that address plus 1 if the layout only says where
// the block was allocated (SKEIN_LAYOUT_UNTYPED). Such a block may get its type a little later, where the caller of an
// allocating function converts its result (`__skein_heap_type`). Since memory does not show that an address is the
// beginning of a block, the last few blocks without a type are remembered, until the space gets them back.
#include "private/heap/heap.h"
#include "private/heap/slabs.h"
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

namespace {

// A block that has grown to this may well go on growing. It gets a place where it can.
constexpr size_t grown_bytes_min = 4 << 10;
constexpr size_t growth_room = 4; // times its size is the address space of a large block that grows

constexpr size_t first_extent_bytes = heap_unit_bytes;
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

/// The same as long as a thread runs; null otherwise.
inline Private *mine_while_running() {
  const Processor *processor = skein_processor;
  if (__builtin_expect(!processor || !processor->current, 0))
    return nullptr;
  return processor->current->owned;
}

/// Whether a block of this type has no pointers, and is no free one.
inline bool type_is_plain(uint32_t type) {
  static_assert(block_resting == INT32_MAX);
  return static_cast<int32_t>(type - 1) < 0;
}

[[noreturn, gnu::cold]] void refuse_foreign(const void *block, const char *what) {
  const Thread *self = thread_current();
  fatal(
      "thread %s %s a block at %p of the private heap that another thread owns, or that was freed: only its own thread "
      "may do that",
      self ? thread_name(self->id).text : "(none)", what, block);
}

/// What an extent of a large block begins with.
struct LargeHeader {
  static constexpr size_t moves_most = 6;
  uint64_t offset;            // of the block
  uint64_t moved[moves_most]; // how many bytes of the extent were moved there at once, the first and later times; 0
};
static_assert(sizeof(LargeHeader) + sizeof(uint64_t) <= large_header_bytes); // the block's head is behind it

inline LargeHeader *large_header(uintptr_t begin) { return reinterpret_cast<LargeHeader *>(begin); }

/// The place for the unit of an address in heap_units. Extents that double in size lie 64 MiB apart or more, each at
/// the beginning of what it lies in, so more than the lowest bits of the number count.
inline size_t unit_place(uintptr_t address) {
  return (address / heap_unit_bytes ^ address / (heap_unit_bytes * 16)) % Private::heap_unit_most;
}

/// Whether a block of this heap that is a chunk can lie there, as far as the last answers tell.
inline bool known_unit(const Private &owned, uintptr_t address) {
  return owned.heap_units[unit_place(address)] == address / heap_unit_bytes;
}

[[gnu::noinline]] bool own_block(Private &owned, uintptr_t block) {
  const Extent *extent = extent_containing(owned, block);
  if (!extent || (extent->kind != ExtentKind::heap && extent->kind != ExtentKind::large))
    return false;
  // The last page of an extent's region may not be in use; it is zero there, and zero is no head of a chunk.
  const uintptr_t unit = block / heap_unit_bytes, begin = unit * heap_unit_bytes;
  if (extent->kind == ExtentKind::heap && extent->begin <= begin && begin + heap_unit_bytes - page <= extent->end())
    owned.heap_units[unit_place(block)] = unit;
  return true;
}

// --- blocks without a type ---

/// Few blocks that are used at one time agree in it.
inline uint32_t low_word(const void *block) { return static_cast<uint32_t>(reinterpret_cast<uintptr_t>(block) >> 4); }

inline void remember_recent(HeapClasses &classes, void *block) {
  const unsigned at = classes.recent_next++ % HeapClasses::recent_most;
  classes.recent[at] = reinterpret_cast<uintptr_t>(block);
  classes.recent_low[at] = low_word(block);
  classes.recent_type[at] = block_type(block);
}

/// The number of a layout, or of what compiled code passes for one; 0 for null, and for one of a shared library, which
/// the program's section does not hold. It is never block_resting, since the section is smaller.
inline uint32_t type_of(const void *layout) {
  const auto address = reinterpret_cast<uintptr_t>(layout);
  const uintptr_t offset = address - reinterpret_cast<uintptr_t>(__start_skein_layouts);
  if (offset >= static_cast<uintptr_t>(__stop_skein_layouts - __start_skein_layouts))
    return 0;
  const auto *known = reinterpret_cast<const skein_layout *>(address & ~uintptr_t{7});
  uint32_t words; // both of their numbers at once
  static_assert(offsetof(skein_layout, part_words) == offsetof(skein_layout, head_words) + 2);
  memcpy(&words, &known->head_words, sizeof words);
  return static_cast<uint32_t>(offset / 8 + 1) | uint32_t{words == 0} << 31;
}

/// Sets the type of a fresh block. If bit 0 of `layout` is set, the type is not known.
inline void *typed(Private &owned, void *block, const void *layout) {
  if (!block)
    return block;
  block_type(block) = type_of(layout);
  if (reinterpret_cast<uintptr_t>(layout) & 1 && !block_large(block))
    remember_recent(*owned.classes, block);
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
  space_allocate_zeroed(owned->heap, sizeof(HeapClasses));
  heap_attach(*owned);
  slabs_make(*owned->classes);
  owned->next_bytes = 2 * first_extent_bytes;
  return owned;
}

/// The record with a heap, null without.
inline Private *heap() {
  Private *owned = mine();
  return owned && owned->heap ? owned : make_heap();
}

/// An extent of `bytes`, with address space for `room` if there is so much.
const Extent *add_large(Thread &self, size_t bytes, size_t room) {
  Extent *extent = room > bytes ? extent_add(self, ExtentKind::large, room) : nullptr;
  if (extent)
    extent->bytes = round_up(bytes, page);
  return extent ? extent : extent_add(self, ExtentKind::large, bytes);
}

enum class Contents : bool { undefined, zero };

/// Extents belong to a thread: after main has ended there is none, and no extent can be added. `room`: bytes to which
/// the block may well grow.
[[gnu::noinline]] void *allocate_large(size_t alignment, size_t bytes, Contents contents, size_t room = 0) {
  Thread *self = thread_current();
  const size_t offset = alignment <= large_header_bytes ? large_header_bytes : alignment;
  if (!self || bytes > private_end - private_begin - offset) {
    errno = ENOMEM;
    return nullptr;
  }
  // A region is aligned to its size, up to 2 MiB.
  const size_t more = offset <= 2 << 20 ? offset : 2 * offset;
  const bool spare = contents == Contents::undefined && room <= bytes;
  const Extent *extent = spare ? extent_add_spare(*self, ExtentKind::large, bytes + more) : nullptr;
  if (extent)
    *large_header(extent->begin) = {};
  else
    extent = add_large(*self, bytes + more, room);
  if (!extent) {
    errno = ENOMEM;
    return nullptr;
  }
  const uintptr_t block = more == offset ? extent->begin + offset : (extent->begin + more) & ~(alignment - 1);
  large_header(extent->begin)->offset = block - extent->begin;
  block_head(reinterpret_cast<void *>(block)) = 0;
  return reinterpret_cast<void *>(block);
}

// --- allocating ---

void take_back(Private &owned);

/// A block that is a chunk. It has no type.
void *allocate_chunk(Private &owned, size_t bytes) {
  const bool small = bytes <= slab_block_max;
  const unsigned index = small ? class_for(bytes) : 0;
  void *block = small ? slab_take(*owned.classes->current[index]) : nullptr;
  if (!block) {
    if (__builtin_expect(owned.returned.load(std::memory_order_relaxed) != nullptr, 0))
      take_back(owned);
    block = small ? slab_allocate(owned, index) : nullptr;
    if (!block)
      block = heap_allocate(owned, bytes);
  }
  if (block)
    block_type(block) = 0;
  return block;
}

[[gnu::noinline]] void *allocate_slowly(size_t bytes, const void *layout) {
  Private *owned = heap();
  if (!owned)
    return __skein_program_malloc(bytes);
  void *block = bytes < large_bytes_min ? allocate_chunk(*owned, bytes) : allocate_large(0, bytes, Contents::undefined);
  return typed(*owned, block, layout);
}

template <unsigned (*class_of)(size_t)>
[[gnu::always_inline]] inline void *allocate_in(HeapClasses &classes, size_t bytes, const void *layout) {
  void *block = slab_take(*classes.current[class_of(bytes)]);
  if (__builtin_expect(!block, 0))
    return allocate_slowly(bytes, layout);
  block_type(block) = type_of(layout);
  if (reinterpret_cast<uintptr_t>(layout) & 1)
    remember_recent(classes, block);
  return block;
}

[[gnu::noinline]] void *allocate_coarse(size_t bytes, const void *layout, HeapClasses &classes) {
  return bytes <= slab_block_max ? allocate_in<class_for>(classes, bytes, layout) : allocate_slowly(bytes, layout);
}

[[gnu::always_inline]] inline void *allocate(size_t bytes, const void *layout) {
  const Private *owned = mine_while_running();
  HeapClasses *classes = owned ? owned->classes : nullptr;
  if (__builtin_expect(!classes, 0))
    return allocate_slowly(bytes, layout);
  if (__builtin_expect(bytes > fine_bytes_max, 0))
    return allocate_coarse(bytes, layout, *classes);
  return allocate_in<fine_class>(*classes, bytes, layout);
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
  if (bytes >= large_bytes_min)
    return typed(*owned, allocate_large(0, bytes, Contents::zero), layout);
  void *block = allocate_chunk(*owned, bytes);
  return block ? typed(*owned, memset(block, 0, bytes), layout) : nullptr;
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
  if (alignment <= chunk_step)
    return allocate(bytes, layout);
  void *block = bytes < large_bytes_min && alignment < large_bytes_min
                    ? heap_allocate(*owned, bytes, alignment)
                    : allocate_large(alignment, bytes, Contents::undefined);
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

[[gnu::noinline]] void forget_pointers(unsigned char *at, size_t bytes, const skein_layout *layout) {
  if (layout->head == 0 && layout->part == sizeof(void *)) { // an array of pointers
    memset(at, 0, bytes);
    return;
  }
  forget_words(at, layout->words, layout->head_words, bytes);
  if (layout->part_words)
    for (size_t part = layout->head; part < bytes; part += layout->part)
      forget_words(at + part, layout->words + layout->head_words, layout->part_words, bytes - part);
}

/// Clears the pointers of a block that is freed. In the next block that lies there, before the program has written it,
/// they would be addresses in words that are no pointers, and would refuse a move for nothing. The loop is to stay one.
[[clang::no_builtin("memset")]] inline void forget_pointers(void *block, uint32_t type) {
  const skein_layout *layout = heap_layout(type);
  if (!layout || layout->head_words + layout->part_words == 0)
    return;
  const size_t bytes = block_bytes(block);
  auto *at = static_cast<unsigned char *>(block);
  if (bytes > 136)
    return forget_pointers(at, bytes, layout);
  // All of a small block, which is quicker than to look where they are.
  for (size_t offset = sizeof(void *); offset < bytes; offset += 2 * sizeof(void *))
    __builtin_memset_inline(at + offset, 0, 2 * sizeof(void *));
  __builtin_memset_inline(at, 0, sizeof(void *));
}

Thread *owner_of(const Private &owned) {
  Thread *self = thread_current();
  return self && self->owned == &owned ? self : nullptr;
}

/// Whether it is a chunk, and no large block. What is neither is refused.
inline bool block_is_chunk(const void *block) {
  if (reinterpret_cast<uintptr_t>(block) % chunk_step != 0)
    space_broken(block);
  if (__builtin_expect(block_size(block) & block_used, 1))
    return true;
  if (!block_large(block)) // a chunk that is free
    space_broken(block);
  return false;
}

[[gnu::noinline]] void free_large(Private &owned, void *block) {
  const Extent *extent = extent_containing(owned, reinterpret_cast<uintptr_t>(block));
  Thread *self = owner_of(owned);
  if (extent->kind != ExtentKind::large || large_block(*extent) != reinterpret_cast<uintptr_t>(block))
    space_broken(block);
  // Pointers that are left in it would refuse moves for nothing (forget_pointers), and to look for all of them would
  // touch pages that the program did not. What was moved consists of several mappings.
  if (self)
    extent_remove(*self, extent->begin, type_is_plain(block_type(block)) && !large_header(extent->begin)->moved[0]);
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

/// A chunk of this slab.
[[gnu::noinline, clang::no_builtin("memset")]] void release_in_slab(void *block, Private &owned, Slab &slab) {
  const uint32_t type = block_type(block);
  if (__builtin_expect(type == block_resting, 0))
    space_broken(block);
  forget_pointers(block, type);
  if (!slab_put(slab, block))
    slab_noted(owned, slab);
}

/// A chunk of this heap.
[[gnu::noinline, clang::no_builtin("memset")]] void release_chunk(void *block, Private &owned) {
  const uint32_t type = block_type(block), size = block_size(block);
  if (__builtin_expect(in_slab(size), 1)) {
    Slab &slab = slab_of(*owned.classes, size);
    if (!slab_has(slab, size))
      space_broken(block);
    return release_in_slab(block, owned, slab);
  }
  if (__builtin_expect(type == block_resting, 0))
    space_broken(block);
  forget_pointers(block, type);
  block_type(block) = block_resting; // if it is freed again after it has become part of a larger chunk
  heap_forget_recent(*owned.classes, block, static_cast<unsigned char *>(block) + 1);
  space_free(owned.heap, block);
}

/// Whatever is in an extent of the thread, and what is not.
[[gnu::noinline]] void release_slowly(void *block) {
  const auto address = reinterpret_cast<uintptr_t>(block);
  if (!in_private_range(address)) {
    __skein_program_free(block);
    return;
  }
  Private *owned = mine();
  if (!owned) {
    hand_back(block);
    return;
  }
  if (!known_unit(*owned, address) && !own_block(*owned, address))
    refuse_foreign(block, "frees");
  if (block_is_chunk(block))
    release_chunk(block, *owned);
  else
    free_large(*owned, block);
}

[[gnu::always_inline]] inline void release_block(void *block) {
  const auto address = reinterpret_cast<uintptr_t>(block);
  Private *owned = mine_while_running();
  if (__builtin_expect(!owned || !known_unit(*owned, address), 0))
    return release_slowly(block);
  const uint32_t size = block_size(block);
  if (__builtin_expect(!in_slab(size), 0))
    return release_slowly(block);
  Slab &slab = slab_of(*owned->classes, size);
  if (__builtin_expect(!slab_has(slab, size), 0))
    return release_chunk(block, *owned);
  if (!type_is_plain(block_type(block)))
    return release_in_slab(block, *owned, slab);
  if (!slab_put(slab, block))
    slab_noted(*owned, slab);
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
  const size_t before = usable(owned, block);
  const bool grows = bytes > before;
  void *at = nullptr;
  if (bytes >= large_bytes_min)
    at = allocate_large(0, bytes, Contents::undefined, grows ? growth_room * bytes : bytes);
  else if (grows && bytes >= grown_bytes_min)
    at = space_allocate_to_grow(owned.heap, bytes);
  if (!at && bytes < large_bytes_min)
    at = allocate_chunk(owned, bytes);
  if (!at)
    return nullptr;
  block_type(at) = type;
  memcpy(at, block, before < bytes ? before : bytes);
  release_block(block);
  return at;
}

/// Moves the pages of a large block to a larger region, where that is possible: copying them would take long, and touch
/// those that were never touched.
void *resize_by_moving(Private &owned, void *block, size_t bytes, const Extent from) {
  Thread *self = owner_of(owned);
  const size_t offset = reinterpret_cast<uintptr_t>(block) - from.begin;
  if (!self || paging_on || bytes > private_end - private_begin - offset) // pages are followed where they are
    return resize_by_copy(owned, block, bytes);
  const Extent *extent = add_large(*self, offset + bytes, growth_room * bytes);
  if (!extent) {
    errno = ENOMEM;
    return nullptr;
  }
  const uintptr_t to = extent->begin;
  // The kernel moves one of its mappings at a time. They end where the block ended when it was moved before; in another
  // process they need not.
  LargeHeader ends = *large_header(from.begin);
  size_t done = 0;
  const auto move_up_to = [&](size_t end) {
    auto *piece = reinterpret_cast<void *>(from.begin + done), *there = reinterpret_cast<void *>(to + done);
    if (!memory_move(piece, there, end - done))
      memcpy(there, piece, end - done);
    done = end;
  };
  size_t moves = 0;
  while (moves < LargeHeader::moves_most && ends.moved[moves] > done && ends.moved[moves] < from.bytes &&
         ends.moved[moves] % page == 0)
    move_up_to(ends.moved[moves++]);
  move_up_to(from.bytes);
  if (moves < LargeHeader::moves_most)
    large_header(to)->moved[moves] = from.bytes;
  extent_remove(*self, from.begin);
  return reinterpret_cast<void *>(to + offset);
}

void *resize_large(Private &owned, void *block, size_t bytes) {
  const auto address = reinterpret_cast<uintptr_t>(block);
  auto *extent = const_cast<Extent *>(extent_containing(owned, address));
  if (extent->kind != ExtentKind::large || large_block(*extent) != address)
    space_broken(block);
  if (bytes < large_bytes_min)
    return resize_by_copy(owned, block, bytes);
  if (bytes > extent->begin + region_bytes(extent->region) - address)
    return resize_by_moving(owned, block, bytes, *extent);
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
  if (!known_unit(*owned, reinterpret_cast<uintptr_t>(block)) && !own_block(*owned, reinterpret_cast<uintptr_t>(block)))
    refuse_foreign(block, "resizes");
  const bool chunk = block_is_chunk(block);
  if (block_type(block) == block_resting)
    space_broken(block);
  if (bytes == 0) {
    release_block(block);
    return nullptr;
  }
  void *at = block;
  if (!chunk) {
    at = resize_large(*owned, block, bytes);
  } else if (const size_t before = block_bytes(block); bytes > before || bytes < before / 2) {
    if (in_slab(block_size(block)) || bytes >= large_bytes_min || !space_resize(owned->heap, block, bytes))
      at = resize_by_copy(*owned, block, bytes);
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

void heap_start() { thread_ending.add(on_end); }

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
  const size_t offset = ((type & ~type_plain) - size_t{1}) * 8;
  if (type == 0 || offset + sizeof(skein_layout) > bytes)
    return nullptr;
  const auto *layout = reinterpret_cast<const skein_layout *>(__start_skein_layouts + offset);
  const size_t words = size_t{layout->head_words} + layout->part_words;
  return offset + sizeof *layout + words * sizeof(skein_layout_words) <= bytes ? layout : nullptr;
}

void heap_attach(Private &owned) { owned.classes = static_cast<HeapClasses *>(space_first_block(owned.heap)); }
size_t heap_state_bytes() { return space_state_bytes() + 4 * chunk_step + sizeof(HeapClasses); }

void *heap_allocate(Private &owned, size_t bytes, size_t alignment) {
  const auto allocate = [&] {
    return alignment ? space_allocate_aligned(owned.heap, alignment, bytes) : space_allocate(owned.heap, bytes);
  };
  void *block = allocate();
  if (!block && slabs_settle(owned))
    block = allocate();
  if (!block) {
    owned.may_grow = true;
    block = allocate();
    owned.may_grow = false;
  }
  if (!block)
    errno = ENOMEM;
  return block;
}

void heap_forget_recent(HeapClasses &classes, const void *begin, const void *end) {
  for (uintptr_t &recent : classes.recent)
    if (recent >= reinterpret_cast<uintptr_t>(begin) && recent < reinterpret_cast<uintptr_t>(end))
      recent = 0;
}

uintptr_t large_block(const Extent &extent) {
  const uint64_t offset = large_header(extent.begin)->offset;
  return offset >= large_header_bytes && offset < extent.bytes && offset % 16 == 0 ? extent.begin + offset : 0;
}

void *space_more(size_t &bytes) {
  Thread *self = thread_current();
  if (!self || !self->owned->may_grow)
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
  if (!owned || !owned->classes)
    return;
  HeapClasses &classes = *owned->classes;
  bool perhaps = false; // found for all at a time, as the compiler makes vectors of this loop
  for (const uint32_t low : classes.recent_low)
    perhaps |= low == low_word(block);
  if (!perhaps || !block)
    return;
  unsigned at = classes.recent_next, tried = 0; // the last one is looked at first
  do
    at = (at - 1) % HeapClasses::recent_most;
  while (classes.recent[at] != reinterpret_cast<uintptr_t>(block) && ++tried < HeapClasses::recent_most);
  if (tried == HeapClasses::recent_most)
    return;
  if (block_type(block) == classes.recent_type[at]) // else it was freed, and perhaps is another block now
    block_type(block) = type_of(layout);
  classes.recent[at] = 0; // it has a type
  classes.recent_low[at] = 0;
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
