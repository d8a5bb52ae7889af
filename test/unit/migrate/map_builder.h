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
  int16_t saved[SKEIN_SAVED_COUNT] = {};
  uint8_t alignment_log2 = 4;
  uint8_t va_save_base = SKEIN_BASE_CFA;
  int32_t va_save_offset = 0;
  std::vector<skein_local_map> locals;
  std::vector<PretendSite> sites;
  const char *name = nullptr; // must be static and in the program
};

class MapBuilder {
public:
  // Appends a function map; returns it, so that a test can damage it.
  skein_function_map *add(const PretendFunction &function) {
    auto *map = reinterpret_cast<skein_function_map *>(pretend_maps + bytes);
    std::vector<uint16_t> indices;
    std::memset(static_cast<void *>(map), 0, sizeof *map);
    map->entry = difference(pretend_code + function.entry, &map->entry);
    map->code_size = function.code_size;
    map->frame_size = function.frame_size;
    if (function.name)
      map->name = difference(function.name, &map->name);
    map->file = difference(pretend_file, &map->file);
    std::memcpy(map->saved, function.saved, sizeof map->saved);
    map->flags = function.flags;
    map->version = SKEIN_ABI_VERSION;
    map->alignment_log2 = function.alignment_log2;
    map->va_save_base = function.va_save_base;
    map->va_save_offset = function.va_save_offset;
    map->local_count = static_cast<uint16_t>(function.locals.size());
    map->site_count = static_cast<uint16_t>(function.sites.size());
    auto *locals = reinterpret_cast<skein_local_map *>(map + 1);
    for (size_t i = 0; i < function.locals.size(); i++)
      locals[i] = function.locals[i];
    auto *sites = reinterpret_cast<skein_site_map *>(locals + function.locals.size());
    for (size_t i = 0; i < function.sites.size(); i++) {
      const PretendSite &site = function.sites[i];
      sites[i] = {};
      sites[i].return_offset = site.return_offset;
      sites[i].line = site.line;
      sites[i].first = site.pinned ? site.pinned : static_cast<uint16_t>(indices.size());
      sites[i].count = site.pinned ? site.arguments : static_cast<uint16_t>(site.live.size());
      sites[i].flags = site.pinned ? SKEIN_SITE_PINNED : 0;
      sites[i].va_pointers = site.va_pointers;
      indices.insert(indices.end(), site.live.begin(), site.live.end());
    }
    auto *index = reinterpret_cast<uint16_t *>(sites + function.sites.size());
    if (!indices.empty())
      std::memcpy(index, indices.data(), indices.size() * sizeof(uint16_t));
    map->index_count = static_cast<uint32_t>(indices.size());
    auto *end = reinterpret_cast<unsigned char *>(index + indices.size());
    map->size = static_cast<uint32_t>((end - reinterpret_cast<unsigned char *>(map) + 7) / 8 * 8);
    bytes += map->size;
    return map;
  }
  const void *begin() const { return pretend_maps; }
  const void *end() const { return pretend_maps + bytes; }

private:
  static int32_t difference(const void *target, const void *field) {
    return static_cast<int32_t>(static_cast<const char *>(target) - static_cast<const char *>(field));
  }
  size_t bytes = 0;
};

inline uintptr_t pretend_pc(uint32_t entry, uint32_t offset) {
  return reinterpret_cast<uintptr_t>(pretend_code) + entry + offset;
}

#endif
