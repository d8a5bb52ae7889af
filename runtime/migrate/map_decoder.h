// Reads one function map (abi/frame_map.h): whether it is whole, and what it says of each call.
//
// Each function here but map_fault expects a map of which map_fault found nothing wrong, and then checks nothing again.
// The `skein` program has this file, too, and reads copies of maps with it.
#ifndef SKEIN_MIGRATE_MAP_DECODER_H
#define SKEIN_MIGRATE_MAP_DECODER_H

#include "abi/frame_map.h"

#include <stddef.h>
#include <stdint.h>

namespace skein {

// A call that may migrate, as found by its return address.
struct Site {
  static constexpr uint32_t none = UINT32_MAX;
  // Stands for a call whose return address two function maps claim: the linker has folded two functions with equal code
  // (--icf=all), whose frames may still hold different things. It is pinned.
  static constexpr uint32_t folded = UINT32_MAX - 1;

  const skein_function_map *function = nullptr;
  uint32_t number = none; // in the function
  explicit operator bool() const { return number != none; }
};

// The parts of one function map.
inline uintptr_t map_entry(const skein_function_map *map) {
  return (uintptr_t)&map->entry + (uintptr_t)(intptr_t)map->entry;
}
inline unsigned map_local_count(const skein_function_map *map) { return map->short_count + map->long_count; }

// Where the tables of a function map are.
struct MapTables {
  const skein_local_map *longs;
  const skein_short_local_map *shorts;
  const unsigned char *returns; // 2 or 4 bytes each
  const skein_special_map *specials;
  const unsigned char *rows_of_sites; // 1 or 2 bytes each, at any address
  const unsigned char *rows;
  const unsigned char *lines; // up to the end of the map
  unsigned row_bytes;

  explicit MapTables(const skein_function_map *map) {
    const bool large = map->flags & SKEIN_MAP_LARGE;
    const size_t sites = map->site_count;
    row_bytes = (map_local_count(map) + 7) / 8;
    longs = (const skein_local_map *)(map + 1);
    shorts = (const skein_short_local_map *)(longs + map->long_count);
    returns = (const unsigned char *)(shorts + map->short_count);
    specials = (const skein_special_map *)(returns + sites * (large ? 4 : 2));
    rows_of_sites = (const unsigned char *)(specials + map->special_count);
    rows = rows_of_sites + sites * (large ? 2 : 1);
    lines = rows + (size_t)map->row_count * row_bytes;
  }
};

// Local i of the function, short or long.
inline skein_local_map map_local(const skein_function_map *map, const MapTables &tables, unsigned i) {
  if (i >= map->short_count)
    return tables.longs[i - map->short_count];
  const skein_short_local_map &local = tables.shorts[i];
  return {8 * (int32_t)local.offset, local.count, 8, (uint8_t)(local.kind_base & ((1 << SKEIN_SHORT_BASE_SHIFT) - 1)),
          (uint8_t)(local.kind_base >> SKEIN_SHORT_BASE_SHIFT)};
}

// The number of its row, or the number of rows + that of its special_map.
inline unsigned row_of_site(Site site, const MapTables &tables) {
  if (!(site.function->flags & SKEIN_MAP_LARGE))
    return tables.rows_of_sites[site.number];
  uint16_t row;
  __builtin_memcpy(&row, tables.rows_of_sites + 2 * (size_t)site.number, sizeof row);
  return row;
}

// What the map says of one call.
struct SiteFacts {
  unsigned pin = SKEIN_PIN_NONE; // why no thread may move here
  unsigned arguments = 0;        // if pinned: how many words above the CFA are arguments of the frame
  unsigned va_pointers = 0;
  const unsigned char *live = nullptr; // a row of the map: of which locals the words are to be looked at; null: of none
};
inline SiteFacts site_facts(Site site, const MapTables &tables) {
  SiteFacts facts;
  if (site.number == Site::folded) {
    facts.pin = SKEIN_PIN_FRAME;
    return facts;
  }
  unsigned row = row_of_site(site, tables);
  if (row >= site.function->row_count) {
    const skein_special_map &special = tables.specials[row - site.function->row_count];
    facts.pin = special.pin;
    facts.arguments = special.arguments;
    facts.va_pointers = special.va_pointers;
    row = special.row;
  }
  if (facts.pin == SKEIN_PIN_NONE)
    facts.live = tables.rows + (size_t)row * tables.row_bytes;
  return facts;
}
inline SiteFacts site_facts(Site site) { return site_facts(site, MapTables(site.function)); }
uint32_t site_return(const skein_function_map *map, uint32_t number); // its return address - the function's entry
unsigned site_line(Site site);                                        // 0: unknown, or there is no site

// Calls visit(local) for each local that is live, in ascending order, until it returns false.
template <typename Visit>
bool each_live(const skein_function_map *map, const MapTables &tables, const unsigned char *live, Visit &&visit) {
  if (live == nullptr)
    return true;
  for (unsigned i = 0, count = map_local_count(map); i < count; i += 8)
    for (unsigned bits = live[i / 8]; bits != 0; bits &= bits - 1)
      if (!visit(map_local(map, tables, i + (unsigned)__builtin_ctz(bits))))
        return false;
  return true;
}

// What is wrong with the map at `map`, of which `available` bytes can be read; null: nothing.
const char *map_fault(const skein_function_map *map, size_t available);

const char *map_name(const skein_function_map *map); // "?" if unknown
const char *map_file(const skein_function_map *map); // "" if unknown

} // namespace skein

#endif
