// The blocks of slices; see allocator.h.
#include "dsm/allocator.h"
#include "base/knobs.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/node.h"
#include "dsm/slices.h"
#include "net/wire/link.h"
#include "net/wire/siphash.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <new>
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
uint64_t free_lists[class_count]; // of this node's own slice: address of the first block
uint64_t given;                   // in all slices that this node keeps, like the next one
uint64_t in_use;                  // bytes of blocks given out

Header &header_of(uint64_t block) { return *reinterpret_cast<Header *>(block - sizeof(Header)); }

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
                 std::memory_order_release); // pairs with the acquires below: what is below is there
      number /= 64;
    }
  }
  /// The least member that is not less; UINT64_MAX if there is none. After begin.
  uint64_t at_least(uint64_t number) const {
    for (unsigned height = 0; height < height_max && number / 64 < levels_[height].bytes / 8; height++) {
      const uint64_t from = UINT64_MAX << number % 64;
      if (uint64_t found = levels_[height].words[number / 64].load(std::memory_order_acquire) & from) {
        number = number / 64 * 64 + lowest(found);
        while (height--)
          number = number * 64 + lowest(levels_[height].words[number].load(std::memory_order_acquire));
        return number;
      }
      number = number / 64 + 1;
    }
    return UINT64_MAX;
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
  static uint64_t lowest(uint64_t word) { return static_cast<uint64_t>(__builtin_ctzll(word)); }

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

/// The blocks of one slice.
struct Area {
  int owner = 0;
  std::atomic<uint64_t> used{0}; // end of what was ever given out; 0: not begun. Changed under the lock
  uint64_t missing = 0;          // of an adopted slice: begins of blocks that have not come yet
  uint8_t key[16] = {};
  Begins begins; // lines in the slice

  uint64_t line_of(uint64_t address) const { return (address - slice_begin(owner)) / 64; }
  uint64_t address_of(uint64_t line) const { return slice_begin(owner) + line * 64; }
  uint64_t check_word(uint64_t block, uint64_t capacity, uint64_t state) const {
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
};

Area own;
std::atomic<Area *> adopted[SKEIN_SLICE_COUNT];

/// The blocks of the slice that holds an address; null if this node does not keep it.
Area *area_of(uint64_t address) {
  const int owner = slice_owner(address);
  if (__builtin_expect(owner == node.self, 1))
    return &own;
  return owner < 0 ? nullptr : adopted[owner].load(std::memory_order_acquire); // pairs with the release in blocks_take
}

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
  if (getrandom(own.key, sizeof own.key, 0) != sizeof own.key)
    fatal("getrandom gave no key for the shared memory's headers");
  own.owner = node.self;
  own.begins.begin();
  // Pairs with the acquire in in_use_here.
  own.used.store(slice_begin(node.self) + first_page, std::memory_order_release);
}

/// Whether the bytes lie in a block that is in use, as shared_in_block, without the lock. An access that races with the
/// block's free or a later allocation there, which no program may do, gets the answer of before or after; all others
/// see what the message that told them the address came after.
bool in_use_here(uint64_t address, uint64_t bytes, uint64_t grain) {
  const Area *area = area_of(address);
  if (!area || address >= area->used.load(std::memory_order_acquire)) // pairs with the release in begin
    return false;
  const uint64_t line = area->begins.at_most(area->line_of(address));
  if (line == UINT64_MAX)
    return false;
  const uint64_t begin = area->address_of(line);
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
    if (!own.used)
      begin();
    if (capacity > shared_most() - in_use)
      return 0;
    block = free_lists[index];
    if (block) {
      const Header &header = header_of(block);
      if (header.check != own.check_word(block, capacity, header.state) || header.state == state_given)
        fatal("the program has overwritten the header of a shared block at 0x%llx: something writes before its block",
              static_cast<unsigned long long>(block));
      clean = header.state == state_free_clean;
      free_lists[index] = header.next_free;
    } else {
      if (capacity + sizeof(Header) > slice_begin(node.self) + block_area_bytes - own.used)
        return 0;
      block = own.used + sizeof(Header);
      own.used = block + capacity;
      own.begins.add(own.line_of(block));
    }
    in_use += capacity;
    own.write_header(block, capacity, state_given, 0, bytes);
    given++;
  }
  if (!clean)
    memset(reinterpret_cast<void *>(block), 0, capacity);
  return block;
}

bool shared_block_at(uint64_t address, SharedBlock &block) {
  Guard guard(lock);
  const Area *area = area_of(address);
  if (!area || address >= area->used)
    return false;
  const uint64_t line = area->begins.at_most(area->line_of(address));
  if (line == UINT64_MAX)
    return false;
  block.begin = area->address_of(line);
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
    snprintf(why.text, sizeof why.text, "no block of node %d is there", slice_owner(address));
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
  Area *area = area_of(address);
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
    if (header.check != area->check_word(address, header.capacity, header.state))
      return say("the program has overwritten the block's header: something writes before its block");
    if (header.state != state_given) {
      snprintf(why.text, sizeof why.text, "the block of %llu bytes has been freed before",
               static_cast<unsigned long long>(header.bytes));
      return false;
    }
    capacity = header.capacity;
    // Given back below, not yet on a list: nobody can be given it meanwhile, and a second free is told.
    area->write_header(address, capacity, state_free, 0, header.bytes);
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
  if (area != &own)
    return true;
  Guard guard(lock);
  unsigned index = class_of(capacity, capacity);
  own.write_header(address, capacity, clean ? state_free_clean : state_free, free_lists[index],
                   header_of(address).bytes);
  free_lists[index] = address;
  return true;
}

uint64_t shared_blocks() {
  Guard guard(lock);
  return given;
}

uint64_t shared_used() {
  const uint64_t used = own.used.load(std::memory_order_relaxed);
  return used ? used : slice_begin(node.self);
}

// --- what an heir is told ----------------------------------------------------------------------------------------

namespace {

/// Begins each piece; lines where blocks begin follow, uint32_t each and in order, and a 0 where their number is odd.
struct BlocksTold {
  uint8_t key[16];
  uint64_t used;  // bytes from the begin of the slice; 0: there was never a block
  uint64_t given; // blocks
  uint64_t in_use;
  uint64_t blocks; // that there are, given out or free, in all pieces
};
static_assert(sizeof(BlocksTold) % 8 == 0 && first_page / 64 > 0);

/// The lines of a piece, without the 0 at the end.
const uint32_t *lines_of(const void *piece, size_t bytes, size_t &count) {
  const auto *lines = reinterpret_cast<const uint32_t *>(static_cast<const BlocksTold *>(piece) + 1);
  count = (bytes - sizeof(BlocksTold)) / sizeof *lines;
  count -= count && !lines[count - 1];
  return lines;
}

uint64_t count_blocks() {
  uint64_t count = 0;
  for (uint64_t line = own.begins.at_least(0); line != UINT64_MAX; line = own.begins.at_least(line + 1))
    count++;
  return count;
}

} // namespace

size_t blocks_tell(uint64_t &cursor, void *piece, size_t room) {
  const bool any = own.used.load(std::memory_order_relaxed) != 0;
  uint64_t line = any ? own.begins.at_least(cursor) : UINT64_MAX;
  if (cursor && line == UINT64_MAX)
    return 0;
  static uint64_t blocks; // counted for the first piece; nothing changes until the last one
  if (!cursor)
    blocks = any ? count_blocks() : 0;
  auto *told = static_cast<BlocksTold *>(piece);
  *told = {{}, any ? own.used - slice_begin(node.self) : 0, given, in_use, blocks};
  memcpy(told->key, own.key, sizeof told->key);
  auto *lines = reinterpret_cast<uint32_t *>(told + 1);
  const size_t most = (room - sizeof *told) / 8 * 2;
  size_t count = 0;
  for (; count < most && line != UINT64_MAX; line = own.begins.at_least(line + 1)) {
    lines[count++] = static_cast<uint32_t>(line);
    cursor = line + 1;
  }
  if (!count)
    cursor = 1;
  if (count % 2)
    lines[count++] = 0;
  return sizeof *told + count * sizeof *lines;
}

bool blocks_check(int owner, const void *piece, size_t bytes, Complaint &wrong) {
  if (bytes < sizeof(BlocksTold) || bytes % 8)
    return wrong.say("%zu bytes say nothing of blocks", bytes);
  const auto &told = *static_cast<const BlocksTold *>(piece);
  const auto number = [](uint64_t value) { return static_cast<unsigned long long>(value); };
  if ((told.used && told.used < first_page) || told.used > block_area_bytes || told.used % 64)
    return wrong.say("0x%llx bytes of blocks are in use in the slice of node %d", number(told.used), owner);
  if (told.blocks > told.used / 128 || told.given > told.blocks || told.in_use > told.used)
    return wrong.say("%llu blocks, of which %llu with %llu bytes are given out, are in 0x%llx bytes",
                     number(told.blocks), number(told.given), number(told.in_use), number(told.used));
  size_t count;
  const uint32_t *lines = lines_of(piece, bytes, count);
  if (count > told.blocks || (!count && told.blocks))
    return wrong.say("%zu of %llu blocks are told", count, number(told.blocks));
  uint64_t least = first_page / 64 + 1;
  for (size_t i = 0; i < count; i++) {
    if (lines[i] < least || lines[i] >= told.used / 64)
      return wrong.say("no block can begin in line 0x%x of the slice of node %d", lines[i], owner);
    least = lines[i] + uint64_t{2}; // behind at least a line of the block, and the next header
  }
  return true;
}

bool blocks_take(int owner, const void *piece, size_t bytes) {
  const auto &told = *static_cast<const BlocksTold *>(piece);
  Area *area = adopted[owner].load(std::memory_order_relaxed);
  if (!area) {
    area = static_cast<Area *>(message_memory(sizeof(Area)));
    new (area) Area();
    area->owner = owner;
    area->missing = told.blocks;
    memcpy(area->key, told.key, sizeof area->key);
    if (told.used) {
      area->begins.begin();
      area->used.store(slice_begin(owner) + told.used, std::memory_order_relaxed);
    }
    Guard guard(lock);
    given += told.given;
    in_use += told.in_use;
    adopted[owner].store(area, std::memory_order_release); // pairs with the acquire in area_of
  }
  size_t count;
  const uint32_t *lines = lines_of(piece, bytes, count);
  for (size_t i = 0; i < count; i++)
    area->begins.add(lines[i]);
  area->missing -= std::min<uint64_t>(area->missing, count);
  return !area->missing;
}

} // namespace skein
