// What a thread owns besides its stack: its extents.
//
// An *extent* is a region (regions.h) in use by one thread: its private globals, a part of its heap, one large block,
// its exceptions, or main's arguments. A thread that never touched anything private has no record (`Thread::owned` is
// null) and pays nothing.
//
// The record belongs to the owner of the thread (thread.h). It lies in process memory, so that it can be read while the
// extents are on their way. Everything else about the heap lies in the extents and travels as bytes.
#ifndef SKEIN_PRIVATE_REGIONS_EXTENTS_H
#define SKEIN_PRIVATE_REGIONS_EXTENTS_H

#include "private/heap/known.h"
#include "private/regions/regions.h"
#include "thread/thread.h"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace skein {

enum class ExtentKind : uint32_t { globals = 1, heap, large, exceptions, arguments };
const char *extent_kind_name(ExtentKind kind);

struct Extent {
  uintptr_t begin;
  size_t bytes;  // in use, a multiple of the page size
  size_t region; // that the region was acquired with; the rest of it is mapped, and zero
  ExtentKind kind;
  uint32_t kept; // 1: an image has these addresses, so that nobody else gets them when the thread ends (regions.h)

  uintptr_t end() const { return begin + bytes; }
  bool contains(uintptr_t address) const { return address - begin < bytes; }
};

struct Space;
struct HeapClasses;
struct ThreadExit;
struct ExceptionArena;

/// Extents of a heap are multiples of this, and aligned to it.
inline constexpr size_t heap_unit_bytes = 256 << 10;

/// What Thread::owned leads to.
struct Private {
  Extent *extents = nullptr; // by ascending address
  uint32_t count = 0;
  uint32_t capacity = 0;
  void *globals = nullptr;     // the thread's block of private globals; null: not touched yet
  ThreadExit *exits = nullptr; // destructors that wait for its end (thread_exit.cpp)

  ExceptionArena *exceptions =
      nullptr; // those it throws and handles (exceptions.h); null: none was thrown or caught yet

  // The heap (heap.cpp).
  HeapClasses *classes = nullptr; // of its blocks, in the heap itself (slabs.h); null: no malloc yet
  Space *heap = nullptr;          // the allocator's state, in the first heap extent; null: no malloc yet
  size_t next_bytes = 0;          // of address space, for the next heap extent
  bool may_grow = false;          // the space may ask for memory (heap.cpp)
  // Units of memory that hold nothing but chunks of the heap, those that were found last; at the start, none that there
  // is (heap.cpp).
  static constexpr size_t heap_unit_most = 128;
  uintptr_t heap_units[heap_unit_most];

  const char *memory_changed = nullptr;    // the function that changed what may be done with its stack or heap, or null
  std::atomic<uint32_t> kernel_threads{0}; // of the program's own that it hosts (kernel_threads.h)
  std::atomic<void *> returned{nullptr};   // blocks of the heap that they freed, each beginning with the next's address

  KnownWords known; // that hold addresses of the thread's stack

  constexpr Private() {
    for (uintptr_t &unit : heap_units)
      unit = UINTPTR_MAX;
  }
};

/// The record of the thread, which is made if there is none. Null without memory.
Private *private_record(Thread &thread);

/// A new extent of the thread, on this node: a fresh region of `bytes`, zero. Null without memory or address space.
/// The pointer is good until the next change of the list.
Extent *extent_add(Thread &thread, ExtentKind kind, size_t bytes);
/// Lists a region that is mapped already (one that arrived). False without memory, or if it overlaps another.
bool extent_list(Thread &thread, const Extent &extent);
/// The same in a spare region (spare.h), whose contents are undefined. Null: there is none.
Extent *extent_add_spare(Thread &thread, ExtentKind kind, size_t bytes);
/// Gives back the extent that begins there. `spare`: its region may be kept with what is in it.
void extent_remove(Thread &thread, uintptr_t begin, bool spare = false);
/// An image of the thread will have its addresses.
void extents_keep(Thread &thread);
/// The extent of the thread that holds the address, or null.
const Extent *extent_containing(const Thread &thread, uintptr_t address);
const Extent *extent_containing(const Private &owned, uintptr_t address);
/// Of all extents, or of the kinds that count.
size_t extents_bytes(const Private &owned, bool (*counts)(ExtentKind) = nullptr);

/// To which thread an address belongs.
enum class PrivateOwner : uint8_t {
  nobody, // not in the private range
  own,    // in an extent of the thread: it moves along and keeps its address
  other,  // another thread's, or given back
};
PrivateOwner private_owner(const Thread &thread, uintptr_t address);

/// The thread has ended: its regions are released. thread_delete calls it, by way of an event.
void private_release(Thread &thread);
/// The thread lives on another node now: its regions are unmapped here and stay its own. Its record is freed.
void private_depart(Thread &thread);

void private_start();
void heap_start();

} // namespace skein

#endif
