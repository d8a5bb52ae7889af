// Builds frame maps for tests by hand: bytes in a static buffer that describe functions of a static block of "code",
// which is never executed. References in maps are 32-bit differences, so both must lie in the program.
#ifndef MAP_BUILDER_H
#define MAP_BUILDER_H

#include "abi/frame_map.h"

#include <cstring>
#include <string>
#include <vector>

inline constexpr size_t pretend_code_bytes = 1 << 20;
extern unsigned char pretend_code[pretend_code_bytes];
extern unsigned char pretend_maps[8 << 20];
extern char pretend_file[16];

struct PretendSite {
  uint32_t return_offset;
  std::vector<uint16_t> live;
  uint8_t va_pointers = 0;
  uint16_t pinned = 0;
  uint32_t line = 7;
  uint16_t arguments = 0; // of a pinned one: words above the CFA
};

struct PretendFunction {
  uint32_t entry; // offset in pretend_code
  uint32_t code_size = 64;
  uint32_t frame_size = 32;
  uint8_t flags = 0;
  uint8_t saved[SKEIN_SAVED_COUNT] = {};
  uint8_t alignment_log2 = 4;
  uint8_t va_save_base = SKEIN_BASE_CFA;
  int32_t va_save_offset = 0;
  std::vector<skein_local_map> locals; // sites name them by their place here
  std::vector<PretendSite> sites;
  const char *name = nullptr; // must be static and in the program
};

class MapBuilder {
public:
  // Appends a function map; returns it, so that a test can damage it.
  skein_function_map *add(const PretendFunction &function) {
    auto *map = reinterpret_cast<skein_function_map *>(pretend_maps + bytes);
    at = pretend_maps + bytes;
    skein_function_map head = {};
    head.code_size = function.code_size;
    head.frame_size = function.frame_size;
    std::memcpy(head.saved, function.saved, sizeof head.saved);
    head.flags = function.flags;
    head.version = SKEIN_ABI_VERSION;
    head.alignment_log2 = function.alignment_log2;
    head.site_count = static_cast<uint16_t>(function.sites.size());

    std::vector<skein_local_map> longs;
    std::vector<skein_short_local_map> shorts;
    std::vector<size_t> bit;
    const bool variadic = function.flags & SKEIN_MAP_VARIADIC;
    if (variadic)
      longs.push_back({function.va_save_offset, 6, 8, SKEIN_LOCAL_SAVE_AREA, function.va_save_base});
    for (const skein_local_map &local : function.locals)
      if (is_short(local))
        shorts.push_back({static_cast<int16_t>(local.offset / 8), static_cast<uint8_t>(local.count),
                          static_cast<uint8_t>(local.kind | local.base << SKEIN_SHORT_BASE_SHIFT)});
    size_t next_short = 0;
    for (const skein_local_map &local : function.locals) {
      bit.push_back(is_short(local) ? next_short++ : shorts.size() + longs.size());
      if (!is_short(local))
        longs.push_back(local);
      if (local.kind == SKEIN_LOCAL_DYNAMIC_POINTER || local.kind == SKEIN_LOCAL_DYNAMIC_AMBIGUOUS)
        head.flags |= SKEIN_MAP_BLOCKS;
    }
    head.short_count = static_cast<uint16_t>(shorts.size());
    head.long_count = static_cast<uint16_t>(longs.size());

    // Each site has a row of its own, unless it is pinned.
    const size_t row_bytes = (shorts.size() + longs.size() + 7) / 8;
    std::vector<uint16_t> row_of_site;
    std::vector<skein_special_map> specials;
    std::vector<uint8_t> rows, lines;
    for (const PretendSite &site : function.sites)
      if (!site.pinned) {
        row_of_site.push_back(head.row_count++);
        rows.resize(rows.size() + row_bytes);
        for (uint16_t local : site.live)
          rows[rows.size() - row_bytes + bit[local] / 8] |= static_cast<uint8_t>(1 << bit[local] % 8);
      } else {
        row_of_site.push_back(0);
      }
    uint32_t line = 0;
    bool large = function.code_size > UINT16_MAX;
    for (size_t i = 0; i < function.sites.size(); i++) {
      const PretendSite &site = function.sites[i];
      if (site.pinned || site.va_pointers) {
        specials.push_back({site.pinned, site.arguments, row_of_site[i], site.va_pointers});
        row_of_site[i] = static_cast<uint16_t>(head.row_count + specials.size() - 1);
      }
      const auto step = static_cast<int32_t>(site.line - line);
      for (uint32_t zigzag = static_cast<uint32_t>(step) << 1 ^ static_cast<uint32_t>(step >> 31);; zigzag >>= 7) {
        lines.push_back(static_cast<uint8_t>((zigzag & 0x7f) | (zigzag > 0x7f ? 0x80 : 0)));
        if (zigzag <= 0x7f)
          break;
      }
      line = site.line;
    }
    head.special_count = static_cast<uint16_t>(specials.size());
    large |= head.row_count + specials.size() > UINT8_MAX;
    head.flags |= large ? SKEIN_MAP_LARGE : 0;

    put(head);
    for (const auto &local : longs)
      put(local);
    for (const auto &local : shorts)
      put(local);
    for (const PretendSite &site : function.sites)
      put_number(site.return_offset, large ? 4 : 2);
    for (const auto &special : specials)
      put(special);
    for (uint16_t row : row_of_site)
      put_number(row, large ? 2 : 1);
    for (const auto &part : {rows, lines})
      for (uint8_t byte : part)
        put(byte);
    while ((at - pretend_maps) % 4 != 0)
      put(uint8_t{0});

    map->size = static_cast<uint32_t>(at - reinterpret_cast<unsigned char *>(map));
    map->entry = difference(pretend_code + function.entry, &map->entry);
    if (function.name)
      map->name = difference(function.name, &map->name);
    map->file = difference(pretend_file, &map->file);
    bytes += map->size;
    return map;
  }
  const void *begin() const { return pretend_maps; }
  const void *end() const { return pretend_maps + bytes; }

private:
  static bool is_short(const skein_local_map &local) {
    return local.kind <= SKEIN_LOCAL_AMBIGUOUS && local.stride == 8 && local.count > 0 && local.count <= UINT8_MAX &&
           local.offset % 8 == 0 && local.offset / 8 >= INT16_MIN && local.offset / 8 <= INT16_MAX;
  }
  template <class Record> void put(const Record &record) {
    std::memcpy(at, &record, sizeof record);
    at += sizeof record;
  }
  void put_number(uint32_t number, size_t size) {
    std::memcpy(at, &number, size);
    at += size;
  }
  static int32_t difference(const void *target, const void *field) {
    return static_cast<int32_t>(static_cast<const char *>(target) - static_cast<const char *>(field));
  }
  unsigned char *at = nullptr; // where the next record of a map goes
  size_t bytes = 0;
};

inline uintptr_t pretend_pc(uint32_t entry, uint32_t offset) {
  return reinterpret_cast<uintptr_t>(pretend_code) + entry + offset;
}

#endif
