// Address space: reserving it, opening and closing parts of it. Sizes and addresses are multiples of the page size.
#ifndef SKEIN_OS_LINUX_MEMORY_H
#define SKEIN_OS_LINUX_MEMORY_H

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace skein {

/// Reserves inaccessible address space, which costs nothing but itself. Null if there is none.
void *memory_reserve(size_t bytes);
/// The same at one address, and nowhere else: null if any of it is taken.
void *memory_reserve_at(void *address, size_t bytes);
/// Puts a file in the place of reserved address space, inaccessible as that was. The file becomes so long, and what is
/// written there all processes see that have mapped it, too. False: it cannot be mapped.
bool memory_share_at(void *address, size_t bytes, int file);
/// Readable and writable zeroed memory, of which each page is allocated when it is first touched. Null without memory.
void *memory_allocate(size_t bytes);
/// The same at one address, and nowhere else. False if any of it is taken, or without memory.
bool memory_allocate_at(void *address, size_t bytes);
/// Whether the kernel is asked to use pages of 2 MiB there from here on, or is kept from it, whatever the system's
/// setting for all processes is. A hint: pages that are there stay as they are.
void memory_huge_pages(void *begin, size_t bytes, bool wanted);
void memory_free(void *begin, size_t bytes);
/// Moves pages of one mapping to where other pages are, which are gone then; none is mapped any more where they were.
/// False: they are where they were, and those at `to` are zero.
bool memory_move(void *from, void *to, size_t bytes);
/// A zeroed page, which core dumps leave out and which a child of fork finds empty. Ends the process without memory.
void *memory_for_secrets();

/// Makes reserved memory readable and writable. False: out of memory or of mappings (vm.max_map_count).
bool memory_open(void *begin, size_t bytes);
/// Makes it inaccessible; the contents stay.
bool memory_close(void *begin, size_t bytes);
/// Makes part of a reserved range inaccessible for good, whatever is opened around it, without a mapping of its own.
/// False: the system has no such thing (Linux before 6.13).
bool memory_guard(void *begin, size_t bytes);
/// Whether the system has such guards, and they work.
bool memory_guards_work();
/// Gives the pages back; an open range reads as zero afterwards.
void memory_discard(void *begin, size_t bytes);

/// The same for a shared file, in which the pages are given back for all processes.
void memory_discard_shared(void *begin, size_t bytes);

/// A part of the address space, as the kernel takes lists of them (struct iovec).
struct MemoryRange {
  void *begin;
  size_t bytes;
};
/// The same for many ranges, by one system call where the kernel has that (Linux 6.14): a third to a half of the time.
bool memory_guard(const MemoryRange *ranges, size_t count);
void memory_discard(const MemoryRange *ranges, size_t count);

/// The same for pages that nobody will use, in a range that is freed later: they are inaccessible from here on.
void memory_abandon(void *begin, size_t bytes);

/// Tells which of `count` pages from `begin` were ever touched: used[i] != 0. Pages of a shared file that others
/// touched may be missing. If the kernel does not tell, all count as touched.
void memory_touched(const void *begin, size_t count, unsigned char *used);

/// Whether these bytes, of which there is at least one, are all zero.
inline bool memory_is_zero(const void *begin, size_t bytes) {
  const auto *at = static_cast<const unsigned char *>(begin);
  return *at == 0 && std::memcmp(at, at + 1, bytes - 1) == 0;
}

/// A number that differs from process to process, for places in the address space; 0 where the user wants them to be
/// the same each time (setarch -R, a debugger).
uint64_t memory_place_seed();

size_t page_bytes();

/// Rounds up to a multiple of `to`.
constexpr size_t round_up(size_t bytes, size_t to) { return (bytes + to - 1) / to * to; }

} // namespace skein

#endif
