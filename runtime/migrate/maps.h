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
// The index is built when it is first needed, so that a program that never moves a thread pays nothing. Only the
// program itself is indexed: a shared library has a section of its own, which it may take along when it is unloaded, so
// its frames are foreign (the walk names the library).
//
// Rejected: a sorted table with binary search (7 cache misses per frame instead of 1, and sorting costs more than
// hashing at start-up); a hash prepared by the linker (needs a tool between compiler and linker).
#ifndef SKEIN_MIGRATE_MAPS_H
#define SKEIN_MIGRATE_MAPS_H

#include "abi/frame_map.h"
#include "migrate/refusal.h"

#include <stddef.h>
#include <stdint.h>

namespace skein {

// A call that may migrate, as found by its return address.
struct Site {
  const skein_function_map *function = nullptr;
  const skein_site_map *site = nullptr;
  // Nothing but pointers at fixed places: neither the function nor the site has a flag, no pointer is passed through
  // `...`, no local is dynamic; and registers are saved inside the frame.
  bool plain = false;
  explicit operator bool() const { return site != nullptr; }
};

// The parts of one function map.
inline uintptr_t map_entry(const skein_function_map *map) {
  return (uintptr_t)&map->entry + (uintptr_t)(intptr_t)map->entry;
}
inline const skein_local_map *map_locals(const skein_function_map *map) { return (const skein_local_map *)(map + 1); }
inline const skein_site_map *map_sites(const skein_function_map *map) {
  return (const skein_site_map *)(map_locals(map) + map->local_count);
}
inline const uint16_t *map_indices(const skein_function_map *map) {
  return (const uint16_t *)(map_sites(map) + map->site_count);
}
const char *map_name(const skein_function_map *map); // "?" if unknown
const char *map_file(const skein_function_map *map); // "" if unknown

class MapIndex {
public:
  MapIndex() = default;
  MapIndex(const MapIndex &) = delete;
  ~MapIndex();

  // Validates and indexes the maps in [begin, end). False with a reason if they are damaged or there is no memory.
  bool build(const void *begin, const void *end, Refusal &why);

  // The site whose call returns to `pc`.
  Site find_site(uintptr_t pc) const {
    if (slots == nullptr)
      return {};
    for (size_t i = hash(pc);; i = (i + 1) & mask) {
      const Slot &slot = slots[i];
      if (slot.pc == 0)
        return {};
      if (slot.pc == pc)
        return at(slot);
    }
  }

  // The mapped function whose code contains `pc`, for messages. Linear: not for the way of a move.
  const skein_function_map *find_function(uintptr_t pc) const;

  size_t site_count() const { return sites; }
  size_t function_count() const { return functions; }
  size_t map_bytes() const { return bytes; } // of the section
  size_t index_bytes() const { return slots ? (mask + 1) * sizeof(Slot) : 0; }
  double build_us() const { return microseconds; }

private:
  struct Slot {
    uintptr_t pc;      // 0: empty
    uint32_t function; // offset of the function map in the section, a multiple of 8; and slot_plain
    uint32_t site;     // offset of the site in the section
  };
  static constexpr uint32_t slot_plain = 1;
  size_t hash(uintptr_t pc) const { return (size_t)((pc * UINT64_C(0x9E3779B97F4A7C15)) >> shift); }
  Site at(const Slot &slot) const {
    return {(const skein_function_map *)(base + (slot.function & ~slot_plain)),
            slot.site == claimed_twice ? &folded_site : (const skein_site_map *)(base + slot.site),
            (slot.function & slot_plain) != 0};
  }
  // Stands for a call whose return address two function maps claim: the linker folded two functions with equal code
  // (--icf=all), whose frames may still hold different things. Pinned.
  static constexpr uint32_t claimed_twice = UINT32_MAX;
  static const skein_site_map folded_site;

  Slot *slots = nullptr;
  const unsigned char *base = nullptr;
  size_t mask = 0;
  unsigned shift = 63;
  size_t sites = 0;
  size_t functions = 0;
  size_t bytes = 0;
  double microseconds = 0;
};

// The program's own maps, indexed at the first call. Any kernel thread.
const MapIndex &program_maps();
// Why program_maps() is empty though the program has maps, or an unset refusal.
const Refusal &program_maps_refusal();

} // namespace skein

#endif
