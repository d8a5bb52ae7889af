// mmap and its relatives. MAP_NORESERVE: a reservation does not count as memory. MADV_NOHUGEPAGE: the first touch of a
// stack, or of a table that is mapped large and used sparsely, must not clear two megabytes.
#include "os/linux/memory.h"
#include "base/log.h"

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <unistd.h>

namespace skein {

namespace {

void *map(void *address, size_t bytes, int protection, int flags) {
  void *at = mmap(address, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);
  return at == MAP_FAILED ? nullptr : at;
}

constexpr size_t huge_page_bytes = 2 << 20;
constexpr int guard_install = 102; // MADV_GUARD_INSTALL, which glibc 2.36 does not name

// process_madvise takes many ranges. The process is named by a number that means the caller itself, since a descriptor
// would mean the parent after a fork. The kernel locks the address space once for all ranges, and tells the other
// processors once which pages are gone (Linux 6.16).
constexpr int pidfd_self = -10000; // PIDFD_SELF, which glibc 2.36 does not name
static_assert(sizeof(MemoryRange) == sizeof(iovec) && offsetof(MemoryRange, bytes) == offsetof(iovec, iov_len));
std::atomic<bool> takes_ranges{true}; // until the kernel has said no

bool advise(const MemoryRange *ranges, size_t count, int advice) {
  size_t bytes = 0;
  for (size_t i = 0; i < count; i++)
    bytes += ranges[i].bytes;
  if (takes_ranges.load(std::memory_order_relaxed)) {
    if (syscall(SYS_process_madvise, pidfd_self, ranges, count, advice, 0) == static_cast<ssize_t>(bytes))
      return true;
    takes_ranges.store(false, std::memory_order_relaxed);
  }
  bool done = true;
  for (size_t i = 0; i < count; i++)
    done &= madvise(ranges[i].begin, ranges[i].bytes, advice) == 0;
  return done;
}

} // namespace

void *memory_reserve(size_t bytes) {
  void *at = map(nullptr, bytes, PROT_NONE, 0);
  if (at)
    madvise(at, bytes, MADV_NOHUGEPAGE);
  return at;
}

void *memory_reserve_at(void *address, size_t bytes) {
  void *at = map(address, bytes, PROT_NONE, MAP_FIXED_NOREPLACE);
  if (at && at != address) { // a kernel before 4.17 takes the address as a hint
    munmap(at, bytes);
    return nullptr;
  }
  if (at)
    madvise(at, bytes, MADV_NOHUGEPAGE);
  return at;
}

bool memory_share_at(void *address, size_t bytes, int file) {
  return ftruncate(file, static_cast<off_t>(bytes)) == 0 &&
         mmap(address, bytes, PROT_NONE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED, file, 0) == address;
}

void *memory_allocate(size_t bytes) {
  void *at = map(nullptr, bytes, PROT_READ | PROT_WRITE, 0);
  if (at && bytes >= huge_page_bytes)
    madvise(at, bytes, MADV_NOHUGEPAGE);
  return at;
}
void *memory_for_secrets() {
  const size_t bytes = page_bytes();
  void *at = map(nullptr, bytes, PROT_READ | PROT_WRITE, 0);
  if (!at)
    fatal("no memory for secrets (errno %d)", errno);
  madvise(at, bytes, MADV_DONTDUMP);
  madvise(at, bytes, MADV_WIPEONFORK);
  return at;
}
bool memory_allocate_at(void *address, size_t bytes) {
  void *at = map(address, bytes, PROT_READ | PROT_WRITE, MAP_FIXED_NOREPLACE);
  if (at && at != address) {
    munmap(at, bytes);
    return false;
  }
  if (at && bytes < huge_page_bytes)
    madvise(at, bytes, MADV_NOHUGEPAGE);
  return at != nullptr;
}
void memory_huge_pages(void *begin, size_t bytes, bool wanted) {
  madvise(begin, bytes, wanted ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
}
void memory_free(void *begin, size_t bytes) { munmap(begin, bytes); }
bool memory_move(void *from, void *to, size_t bytes) {
  if (mremap(from, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, to) == to)
    return true;
  // What was there may have been unmapped already.
  if (!map(to, bytes, PROT_READ | PROT_WRITE, MAP_FIXED))
    fatal("the memory at %p cannot be mapped again: %s", to, strerror(errno));
  return false;
}
bool memory_open(void *begin, size_t bytes) { return mprotect(begin, bytes, PROT_READ | PROT_WRITE) == 0; }
bool memory_close(void *begin, size_t bytes) { return mprotect(begin, bytes, PROT_NONE) == 0; }
bool memory_guard(void *begin, size_t bytes) { return madvise(begin, bytes, guard_install) == 0; }
bool memory_guard(const MemoryRange *ranges, size_t count) { return advise(ranges, count, guard_install); }

bool memory_guards_work() {
  const size_t page = page_bytes();
  void *at = memory_allocate(page);
  if (!at)
    return false;
  // Asked of the kernel, since qemu-user says yes to all advice: may it write there?
  static_assert(sizeof(utsname) <= 4096);
  const bool guarded = memory_guard(at, page) && syscall(SYS_uname, at) != 0 && errno == EFAULT;
  memory_free(at, page);
  return guarded;
}

void memory_discard(void *begin, size_t bytes) { madvise(begin, bytes, MADV_DONTNEED); }
void memory_discard_shared(void *begin, size_t bytes) { madvise(begin, bytes, MADV_REMOVE); }
void memory_discard(const MemoryRange *ranges, size_t count) { advise(ranges, count, MADV_DONTNEED); }

void memory_abandon(void *begin, size_t bytes) { map(begin, bytes, PROT_NONE, MAP_FIXED); }

void memory_touched(const void *begin, size_t count, unsigned char *used) {
  constexpr uint64_t present_or_swapped = UINT64_C(3) << 62;
  memset(used, 1, count);
  // Opened each time: after a fork the child's file would still show its parent.
  const int file = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return;
  uint64_t entries[512];
  for (size_t done = 0; done < count;) {
    const size_t part = count - done < 512 ? count - done : 512;
    const auto page = reinterpret_cast<uintptr_t>(begin) / page_bytes() + done;
    const ssize_t got = pread(file, entries, part * sizeof *entries, static_cast<off_t>(page * sizeof *entries));
    if (got != static_cast<ssize_t>(part * sizeof *entries))
      break;
    for (size_t i = 0; i < part; i++)
      used[done + i] = (entries[i] & present_or_swapped) != 0;
    done += part;
  }
  close(file);
}

uint64_t memory_place_seed() {
  const auto *random = reinterpret_cast<const void *>(getauxval(AT_RANDOM));
  if (!random || (personality(0xffffffff) & ADDR_NO_RANDOMIZE))
    return 0;
  uint64_t words[2]; // libc makes the canaries of the first
  memcpy(words, random, sizeof words);
  return words[1];
}

size_t page_bytes() { return static_cast<size_t>(sysconf(_SC_PAGESIZE)); }

} // namespace skein
