// The allocator of a slice; see allocator.h.
#include "dsm/allocator.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/node.h"
#include "dsm/slices.h"
#include "net/siphash.h"

#include <cstring>
#include <sys/mman.h>
#include <sys/random.h>

namespace skein {

namespace {

enum : uint64_t { state_given = 0x6769766e, state_free = 0x66726565, state_free_clean = 0x636c656e };

struct Header {
  uint64_t check; // of (address, capacity, state), keyed
  uint64_t capacity;
  uint64_t state;
  uint64_t next_free;
  uint64_t unused[4];
};
static_assert(sizeof(Header) == 64);

constexpr uint64_t first_page = 4096;
constexpr uint64_t large = UINT64_C(1) << 20;
constexpr unsigned class_count = 4 * SKEIN_SLICE_BITS;

SpinLock lock{Rank::dsm};
uint64_t used;                    // end of what was ever given out; 0: not begun
uint64_t free_lists[class_count]; // address of the first block
uint64_t given;
uint8_t key[16];

Header &header_of(uint64_t block) { return *reinterpret_cast<Header *>(block - sizeof(Header)); }

uint64_t check_word(uint64_t block, uint64_t capacity, uint64_t state) {
  uint64_t words[3] = {block, capacity, state};
  return siphash(key, words, sizeof words);
}

void write_header(uint64_t block, uint64_t capacity, uint64_t state, uint64_t next_free) {
  header_of(block) = {check_word(block, capacity, state), capacity, state, next_free, {}};
}

/// The class for `bytes`, and its capacity: 64 times 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, …
unsigned class_of(uint64_t bytes, uint64_t &capacity) {
  uint64_t lines = bytes ? (bytes + 63) / 64 : 1;
  if (lines <= 4) {
    capacity = lines * 64;
    return static_cast<unsigned>(lines - 1);
  }
  unsigned log = 63 - static_cast<unsigned>(__builtin_clzll(lines - 1)); // lines - 1 in [2^log, 2^(log+1))
  uint64_t step = (UINT64_C(1) << log) / 4;
  uint64_t quarter = (lines - 1 - (UINT64_C(1) << log)) / step; // 0 … 3
  capacity = ((UINT64_C(1) << log) + (quarter + 1) * step) * 64;
  return 4 * (log - 1) + static_cast<unsigned>(quarter);
}

void begin() {
  slice_map(node.self);
  if (getrandom(key, sizeof key, 0) != sizeof key)
    fatal("getrandom gave no key for the shared memory's headers");
  used = slice_begin(node.self) + first_page;
}

} // namespace

uint64_t shared_allocate(uint64_t bytes) {
  if (bytes > slice_bytes / 2)
    return 0;
  uint64_t capacity;
  unsigned index = class_of(bytes, capacity);
  slice_map(node.self); // before the lock, which has the same rank as its own
  uint64_t block;
  bool clean = true;
  {
    Guard guard(lock);
    if (!used)
      begin();
    block = free_lists[index];
    if (block) {
      const Header &header = header_of(block);
      if (header.check != check_word(block, capacity, header.state) || header.state == state_given)
        fatal("the program has overwritten the header of a shared block at 0x%llx: something writes before its block",
              static_cast<unsigned long long>(block));
      clean = header.state == state_free_clean;
      free_lists[index] = header.next_free;
    } else {
      if (capacity + sizeof(Header) > slice_begin(node.self) + slice_bytes - used)
        return 0;
      block = used + sizeof(Header);
      used = block + capacity;
    }
    write_header(block, capacity, state_given, 0);
    given++;
  }
  if (!clean)
    memset(reinterpret_cast<void *>(block), 0, capacity);
  return block;
}

const char *shared_release(uint64_t address) {
  static constexpr char no_block[] = "it is not the begin of a block from skein_shared_alloc";
  if (slice_owner(address) != node.self || address % 64 != 0)
    return no_block;
  uint64_t capacity;
  {
    Guard guard(lock);
    if (!used || address < slice_begin(node.self) + first_page + sizeof(Header) || address >= used)
      return no_block;
    const Header &header = header_of(address);
    if (header.check != check_word(address, header.capacity, header.state))
      return "it is not the begin of a block from skein_shared_alloc, or the program has overwritten the block's "
             "header";
    if (header.state != state_given)
      return "the block has been freed before";
    capacity = header.capacity;
    // Given back below, not yet on a list: nobody can be given it meanwhile, and a second free is told.
    write_header(address, capacity, state_free, 0);
    given--;
  }
  bool clean = false;
  if (capacity >= large) {
    uint64_t from = (address + 4095) & ~UINT64_C(4095), to = (address + capacity) & ~UINT64_C(4095);
    memset(reinterpret_cast<void *>(address), 0, from - address);
    memset(reinterpret_cast<void *>(to), 0, address + capacity - to);
    auto *pages = reinterpret_cast<void *>(from);
    clean = madvise(pages, to - from, MADV_REMOVE) == 0; // of the file; private memory has none
    if (!clean && node.count == 1)
      clean = madvise(pages, to - from, MADV_DONTNEED) == 0;
  }
  Guard guard(lock);
  unsigned index = class_of(capacity, capacity);
  write_header(address, capacity, clean ? state_free_clean : state_free, free_lists[index]);
  free_lists[index] = address;
  return nullptr;
}

uint64_t shared_blocks() {
  Guard guard(lock);
  return given;
}

} // namespace skein
