// The allocator of a slice; see allocator.h.
#include "dsm/allocator.h"
#include "base/knobs.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/node.h"
#include "dsm/slices.h"
#include "net/wire/siphash.h"

#include <atomic>
#include <cstdio>
#include <cstring>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

namespace skein {

namespace {

enum : uint64_t { state_given = 0x6769766e, state_free = 0x66726565, state_free_clean = 0x636c656e };

struct Header {
  uint64_t check; // of (address, capacity, state), keyed
  uint64_t capacity;
  uint64_t state;
  uint64_t next_free;
  uint64_t bytes; // asked for
  uint64_t unused[3];
};
static_assert(sizeof(Header) == 64);

constexpr uint64_t first_page = 4096;
constexpr uint64_t large = UINT64_C(1) << 20;
constexpr unsigned class_count = 4 * SKEIN_SLICE_BITS;

SpinLock lock{Rank::dsm};
std::atomic<uint64_t> used;       // end of what was ever given out; 0: not begun. Changed under the lock
uint64_t free_lists[class_count]; // address of the first block
uint64_t given;
uint64_t in_use; // bytes of blocks given out
uint8_t key[16];

Header &header_of(uint64_t block) { return *reinterpret_cast<Header *>(block - sizeof(Header)); }

uint64_t check_word(uint64_t block, uint64_t capacity, uint64_t state) {
  uint64_t words[3] = {block, capacity, state};
  return siphash(key, words, sizeof words);
}

void write_header(uint64_t block, uint64_t capacity, uint64_t state, uint64_t next_free, uint64_t bytes) {
  Header &header = header_of(block);
  header.check = check_word(block, capacity, state);
  header.capacity = capacity;
  header.next_free = next_free;
  __atomic_store_n(&header.bytes, bytes, __ATOMIC_RELAXED);
  __atomic_store_n(&header.state, state, __ATOMIC_RELEASE); // pairs with the acquire in in_use_here
}

// --- where blocks begin ------------------------------------------------------------------------------------------

/// A set of numbers below 2^30 (lines of 64 bytes of the block area), as a tree: bit i of level n + 1 says that word i
/// of level n is not 0. It only grows, by one kernel thread at a time; others may look meanwhile.
class Begins {
public:
  void begin() {
    for (Level &level : levels_) {
      // Zeros; pages are there when they are touched.
      void *got =
          mmap(nullptr, level.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (got == MAP_FAILED)
        fatal("no address space for the index of shared blocks");
      level.words = static_cast<std::atomic<uint64_t> *>(got);
    }
  }
  void add(uint64_t number) {
    for (Level &level : levels_) {
      std::atomic<uint64_t> &word = level.words[number / 64];
      word.store(word.load(std::memory_order_relaxed) | UINT64_C(1) << number % 64,
                 std::memory_order_release); // pairs with the acquires in at_most: what is below is there
      number /= 64;
    }
  }
  /// The greatest member that is not greater; UINT64_MAX if there is none. After begin.
  uint64_t at_most(uint64_t number) const {
    for (unsigned height = 0; height < height_max; height++) {
      const uint64_t up_to = UINT64_MAX >> (63 - number % 64);
      if (uint64_t found = levels_[height].words[number / 64].load(std::memory_order_acquire) & up_to) {
        number = number / 64 * 64 + highest(found);
        while (height--)
          number = number * 64 + highest(levels_[height].words[number].load(std::memory_order_acquire));
        return number;
      }
      if (number / 64 == 0)
        return UINT64_MAX;
      number = number / 64 - 1;
    }
    return UINT64_MAX;
  }

private:
  static constexpr unsigned bits = SKEIN_SLICE_BITS - 6, height_max = (bits + 5) / 6;
  static uint64_t highest(uint64_t word) { return 63 - static_cast<uint64_t>(__builtin_clzll(word)); }

  struct Level {
    uint64_t bytes = 0;
    std::atomic<uint64_t> *words = nullptr;
  };
  static constexpr uint64_t level_bytes(unsigned height) {
    uint64_t words = UINT64_C(1) << bits;
    for (unsigned i = 0; i <= height; i++)
      words = (words + 63) / 64;
    return words * 8;
  }
  Level levels_[height_max] = {
      {level_bytes(0)}, {level_bytes(1)}, {level_bytes(2)}, {level_bytes(3)}, {level_bytes(4)}};
  static_assert(height_max == 5);
};

Begins begins;
uint64_t line_of(uint64_t address) { return (address - slice_begin(node.self)) / 64; }

const char *plural(uint64_t count) { return count == 1 ? "" : "s"; }

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

/// Bytes that blocks may take up.
uint64_t shared_most() {
  static uint64_t most;
  if (!most)
    most = knobs.shared_most
               ? knobs.shared_most
               : static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  return most > in_use ? most : in_use;
}

void begin() {
  slice_map(node.self);
  if (getrandom(key, sizeof key, 0) != sizeof key)
    fatal("getrandom gave no key for the shared memory's headers");
  begins.begin();
  used.store(slice_begin(node.self) + first_page, std::memory_order_release); // pairs with the acquire in in_use_here
}

/// Whether the bytes lie in a block that is in use, as shared_in_block, without the lock. An access that races with the
/// block's free or a later allocation there, which no program may do, gets the answer of before or after; all others
/// see what the message that told them the address came after.
bool in_use_here(uint64_t address, uint64_t bytes, uint64_t grain) {
  if (address >= used.load(std::memory_order_acquire)) // pairs with the release in begin
    return false;
  const uint64_t line = begins.at_most(line_of(address));
  if (line == UINT64_MAX)
    return false;
  const uint64_t begin = slice_begin(node.self) + line * 64;
  const Header &header = header_of(begin);
  if (__atomic_load_n(&header.state, __ATOMIC_ACQUIRE) != state_given) // pairs with the release in write_header
    return false;
  const uint64_t size = (__atomic_load_n(&header.bytes, __ATOMIC_RELAXED) + grain - 1) & -grain;
  return bytes <= size && address - begin <= size - bytes;
}

} // namespace

uint64_t shared_allocate(uint64_t bytes) {
  if (bytes > block_area_bytes / 2)
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
    if (capacity > shared_most() - in_use)
      return 0;
    block = free_lists[index];
    if (block) {
      const Header &header = header_of(block);
      if (header.check != check_word(block, capacity, header.state) || header.state == state_given)
        fatal("the program has overwritten the header of a shared block at 0x%llx: something writes before its block",
              static_cast<unsigned long long>(block));
      clean = header.state == state_free_clean;
      free_lists[index] = header.next_free;
    } else {
      if (capacity + sizeof(Header) > slice_begin(node.self) + block_area_bytes - used)
        return 0;
      block = used + sizeof(Header);
      used = block + capacity;
      begins.add(line_of(block));
    }
    in_use += capacity;
    write_header(block, capacity, state_given, 0, bytes);
    given++;
  }
  if (!clean)
    memset(reinterpret_cast<void *>(block), 0, capacity);
  return block;
}

bool shared_block_at(uint64_t address, SharedBlock &block) {
  Guard guard(lock);
  if (!used || address >= used || address < slice_begin(node.self))
    return false;
  const uint64_t line = begins.at_most(line_of(address));
  if (line == UINT64_MAX)
    return false;
  block.begin = slice_begin(node.self) + line * 64;
  const Header &header = header_of(block.begin);
  block.bytes = header.bytes;
  block.given = header.state == state_given;
  return true;
}

bool shared_in_block(uint64_t address, uint64_t bytes, uint64_t grain, Why &why) {
  if (__builtin_expect(in_use_here(address, bytes, grain), 1))
    return true;
  SharedBlock block;
  if (!shared_block_at(address, block)) {
    snprintf(why.text, sizeof why.text, "no block of node %d is there", node.self);
    return false;
  }
  const uint64_t offset = address - block.begin;
  const uint64_t size_here = (block.bytes + grain - 1) & -grain;
  if (block.given && bytes <= size_here && offset <= size_here - bytes)
    return true;
  const auto begin = static_cast<unsigned long long>(block.begin), size = static_cast<unsigned long long>(block.bytes);
  if (offset > block.bytes || (offset == block.bytes && bytes))
    snprintf(why.text, sizeof why.text, "that is %llu byte%s behind the end of the block of %llu bytes at 0x%llx%s",
             static_cast<unsigned long long>(offset - block.bytes), plural(offset - block.bytes), size, begin,
             block.given ? "" : ", which has been freed");
  else if (!block.given)
    snprintf(why.text, sizeof why.text, "the block of %llu bytes at 0x%llx has been freed", size, begin);
  else
    snprintf(why.text, sizeof why.text, "the block of %llu bytes at 0x%llx ends before that", size, begin);
  return false;
}

bool shared_release(uint64_t address, Why &why) {
  const auto say = [&](const char *text) {
    snprintf(why.text, sizeof why.text, "%s", text);
    return false;
  };
  static constexpr char no_block[] = "it is not the begin of a block from skein_shared_alloc";
  if (slice_owner(address) != node.self)
    return say(no_block);
  SharedBlock block;
  if (!shared_block_at(address, block))
    return say(no_block);
  if (block.begin != address) {
    if (address - block.begin < block.bytes)
      snprintf(why.text, sizeof why.text, "%s: it lies %llu byte%s inside the one of %llu bytes at 0x%llx", no_block,
               static_cast<unsigned long long>(address - block.begin), plural(address - block.begin),
               static_cast<unsigned long long>(block.bytes), static_cast<unsigned long long>(block.begin));
    else
      say(no_block);
    return false;
  }
  uint64_t capacity;
  {
    Guard guard(lock);
    const Header &header = header_of(address);
    if (header.check != check_word(address, header.capacity, header.state))
      return say("the program has overwritten the block's header: something writes before its block");
    if (header.state != state_given) {
      snprintf(why.text, sizeof why.text, "the block of %llu bytes has been freed before",
               static_cast<unsigned long long>(header.bytes));
      return false;
    }
    capacity = header.capacity;
    // Given back below, not yet on a list: nobody can be given it meanwhile, and a second free is told.
    write_header(address, capacity, state_free, 0, header.bytes);
    given--;
    in_use -= capacity;
  }
  bool clean = false;
  if (capacity >= large) {
    uint64_t from = (address + 4095) & ~UINT64_C(4095), to = (address + capacity) & ~UINT64_C(4095);
    memset(reinterpret_cast<void *>(address), 0, from - address);
    memset(reinterpret_cast<void *>(to), 0, address + capacity - to);
    clean = slice_clear(from, to - from);
  }
  Guard guard(lock);
  unsigned index = class_of(capacity, capacity);
  write_header(address, capacity, clean ? state_free_clean : state_free, free_lists[index], header_of(address).bytes);
  free_lists[index] = address;
  return true;
}

uint64_t shared_blocks() {
  Guard guard(lock);
  return given;
}

} // namespace skein
