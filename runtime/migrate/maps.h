// The index of the frame maps: from a return address to what the compiler said about that call.
//
// Vocabulary. A *function map* (abi/frame_map.h) describes one function, a *site* one of its calls that may migrate.
// The compiler lays function maps one after the other in section `skein_maps`; this file validates them once and builds
// an open-addressing hash over the sites' return addresses.
//
// Invariants
//  * A site is returned only if its whole function map passed validation: version, sizes, every index in range. What
//    reads a map afterwards need not check it again (but must check the *stack* it describes).
//  * A damaged or foreign-version section makes every lookup fail, with one reason. Nothing moves then; nothing breaks.
//
// Most sites are *plain*: the frame has a constant size and only words at fixed places. For such a site, what a walk
// does is written down in a form that takes a third of the instructions (PlainSite). It is written when a walk first
// meets the site, since few of a program's calls are ever on the stack of a thread that moves.
//
// The index is built when it is first needed, so a program that never moves a thread does not pay for it. Only the
// program itself is indexed. A shared library has a section of its own, which may vanish when the library is unloaded,
// so its frames are foreign (the walk names the library).
//
// Rejected: a sorted table with binary search (7 cache misses per frame instead of 1, and sorting costs more than
// hashing at start-up); a hash prepared by the linker (needs a tool between compiler and linker).
#ifndef SKEIN_MIGRATE_MAPS_H
#define SKEIN_MIGRATE_MAPS_H

#include "base/lock.h"
#include "migrate/map_decoder.h"
#include "migrate/refusal.h"

#include <atomic>
#include <stddef.h>
#include <stdint.h>

namespace skein {

// A plain site, in the form that a walk uses. The frame has a constant size, no pointer is passed through `...`, no
// local is dynamic or looked at byte by byte, none lies below the frame, and registers are saved inside the frame.
struct PlainSite {
  const skein_function_map *function;
  uint32_t site;          // its number
  uint32_t frame_size;    // CFA - SP: a multiple of 8, not 0
  uint32_t extent;        // bytes from SP to the end of its last word, which may be an argument in the caller's frame
  uint32_t rbx, rbp;      // the register is saved at CFA minus this; 0: it is not saved
  uint16_t pointers;      // how many of the offsets are of pointers; these come first
  uint16_t words;         // how many offsets there are; the others are of words that may be pointers or integers
  uint8_t alignment_log2; // of the function
  uint32_t offsets[];     // of one word each, from SP
};

class MapIndex {
  struct Slot {
    uintptr_t pc; // 0: empty
    // The offset of the function map in the section, which is a multiple of 4, and above it the number of the site; or
    // the address of a PlainSite. The lowest two bits say which.
    std::atomic<uint64_t> map;
  };
  static constexpr uint64_t slot_special = 1; // the site is not plain
  static constexpr uint64_t slot_made = 2;    // this is the address of a PlainSite
  static constexpr uint64_t slot_marks = 3;

  // Open addressing, at most half full.
  struct Table {
    Slot *slots = nullptr;
    size_t mask = 0;
    unsigned shift = 63;

    size_t hash(uintptr_t pc) const { return (size_t)((pc * UINT64_C(0x9E3779B97F4A7C15)) >> shift); }
    Slot *find(uintptr_t pc) const {
      if (slots == nullptr)
        return nullptr;
      for (size_t i = hash(pc);; i = (i + 1) & mask) {
        if (slots[i].pc == pc)
          return pc != 0 ? &slots[i] : nullptr;
        if (slots[i].pc == 0)
          return nullptr;
      }
    }
  };

  static const PlainSite *plain_of(uint64_t map) { return (const PlainSite *)(map & ~slot_marks); }

public:
  MapIndex() = default;
  MapIndex(const MapIndex &) = delete;
  ~MapIndex();

  // Validates and indexes the maps in [begin, end). False with a reason if they are damaged or there is no memory.
  bool build(const void *begin, const void *end, Refusal &why);

  // The site whose call returns to `pc`.
  Site find_site(uintptr_t pc) const {
    const Slot *slot = table.find(pc);
    return slot ? at(*slot) : Site{};
  }

  // Finds many plain sites in a row. It has copies of what that takes, so that they stay in registers.
  class PlainFinder {
  public:
    explicit PlainFinder(const MapIndex &maps) : maps(maps), table(maps.table) {}
    // Null: there is no site, or one that is not plain.
    const PlainSite *operator()(uintptr_t pc) const {
      Slot *slot = table.find(pc);
      if (slot == nullptr)
        return nullptr;
      const uint64_t map = slot->map.load(std::memory_order_acquire); // pairs with the release in make_plain
      return (map & slot_made) ? plain_of(map) : (map & slot_special) ? nullptr : maps.make_plain(*slot);
    }

  private:
    const MapIndex &maps;
    const Table table;
  };

  // The mapped function whose code contains `pc`, for messages. The search is linear, so it is not used in a move that
  // succeeds.
  const skein_function_map *find_function(uintptr_t pc) const;

  size_t site_count() const { return sites; }
  size_t function_count() const { return functions; }
  size_t map_bytes() const { return bytes; } // of the section
  size_t index_bytes() const { return table.slots ? (table.mask + 1) * sizeof(Slot) : 0; }
  double build_us() const { return microseconds; }

private:
  Site at(const Slot &slot) const;
  [[gnu::cold]] const PlainSite *make_plain(Slot &slot) const;
  void *room_for_plain(size_t bytes) const;

  Table table;
  const unsigned char *base = nullptr;
  size_t sites = 0;
  size_t functions = 0;
  size_t bytes = 0;
  double microseconds = 0;
  // Chunks of PlainSites; each begins with the address of the one before.
  mutable SpinLock plain_lock{Rank::leaf};
  mutable unsigned char *plain_chunk = nullptr;
  mutable size_t plain_used = 0;
};

// The program's own maps, indexed at the first call. Any kernel thread may call this.
const MapIndex &program_maps();
// Why program_maps() is empty although the program has maps; else an unset refusal.
const Refusal &program_maps_refusal();

} // namespace skein

#endif
