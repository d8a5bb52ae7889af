// Reads one function map; see map_decoder.h.
#include "migrate/map_decoder.h"

namespace skein {

namespace {

bool valid_local(const skein_function_map *map, const skein_local_map &local) {
  if (local.base > SKEIN_BASE_BP)
    return false;
  if (local.base == SKEIN_BASE_BP && !(map->flags & SKEIN_MAP_BP))
    return false;
  return local.kind >= SKEIN_LOCAL_DYNAMIC_POINTER || (uint64_t)local.count * local.stride <= INT32_MAX;
}
bool valid_locals(const skein_function_map *map) {
  const MapTables tables(map);
  for (unsigned i = 0; i < map->short_count; ++i)
    if (const skein_local_map local = map_local(map, tables, i);
        !valid_local(map, local) || local.kind > SKEIN_LOCAL_AMBIGUOUS)
      return false;
  const unsigned areas = map->flags & SKEIN_MAP_VARIADIC ? 1 : 0;
  bool blocks = false;
  for (unsigned i = 0; i < map->long_count; ++i) {
    const skein_local_map &local = tables.longs[i];
    if (!valid_local(map, local) || local.kind > SKEIN_LOCAL_SAVE_AREA ||
        (local.kind == SKEIN_LOCAL_SAVE_AREA) != (i < areas))
      return false;
    blocks |= local.kind == SKEIN_LOCAL_DYNAMIC_POINTER || local.kind == SKEIN_LOCAL_DYNAMIC_AMBIGUOUS;
  }
  return map->long_count >= areas && blocks == ((map->flags & SKEIN_MAP_BLOCKS) != 0);
}

bool valid_rows(const skein_function_map *map, const MapTables &tables) {
  const unsigned of_last_byte = map_local_count(map) % 8; // 0: each bit stands for a local
  const unsigned area = map->short_count;                 // if the function is variadic
  const unsigned char *row = tables.rows;
  for (unsigned i = 0; i < map->row_count; ++i, row += tables.row_bytes) {
    if (of_last_byte != 0 && row[tables.row_bytes - 1] >> of_last_byte != 0)
      return false;
    if ((map->flags & SKEIN_MAP_VARIADIC) && (row[area / 8] >> area % 8 & 1))
      return false;
  }
  return true;
}

// Reads one number, and moves `at` behind it. False: it does not end before `end`, or has more than 32 bits.
bool read_number(const unsigned char *&at, const unsigned char *end, uint32_t &number) {
  number = 0;
  for (unsigned shift = 0; at < end && shift < 35; shift += 7) {
    number |= (uint32_t)(*at & 0x7f) << shift;
    if (!(*at++ & 0x80))
      return true;
  }
  return false;
}

bool valid_sites(const skein_function_map *map, const MapTables &tables) {
  for (unsigned i = 0; i < map->special_count; ++i)
    if (const skein_special_map &special = tables.specials[i]; special.pin == 0 && special.row >= map->row_count)
      return false;
  const unsigned char *line = tables.lines, *const end = (const unsigned char *)map + map->size;
  uint32_t before = 0, step;
  for (unsigned i = 0; i < map->site_count; ++i) {
    const uint32_t offset = site_return(map, i);
    if (offset > map->code_size || (i > 0 && offset <= before))
      return false;
    before = offset;
    if (row_of_site({map, i}, tables) >= (unsigned)map->row_count + map->special_count || !read_number(line, end, step))
      return false;
  }
  return end - line < 4;
}

} // namespace

const char *map_fault(const skein_function_map *map, size_t available) {
  if (available < sizeof *map)
    return "truncated";
  if (map->version != SKEIN_ABI_VERSION)
    return "from another version of skeincc";
  const MapTables tables(map);
  if (map->size > available || map->size % 4 != 0 || map->size < sizeof *map ||
      (size_t)(tables.lines - (const unsigned char *)map) > map->size)
    return "of a wrong size";
  if (map->flags & ~(SKEIN_MAP_FP | SKEIN_MAP_BP | SKEIN_MAP_VARIADIC | SKEIN_MAP_LARGE | SKEIN_MAP_BLOCKS))
    return "of an unknown kind";
  if (!(map->flags & SKEIN_MAP_FP) && (map->frame_size < 8 || map->frame_size % 8 != 0))
    return "without a frame size";
  if (map->alignment_log2 > 63 || map->zero != 0 || !valid_locals(map))
    return "with a damaged local";
  if (!valid_rows(map, tables) || !valid_sites(map, tables))
    return "with a damaged site";
  return nullptr;
}

uint32_t site_return(const skein_function_map *map, uint32_t number) {
  const MapTables tables(map);
  return map->flags & SKEIN_MAP_LARGE ? ((const uint32_t *)tables.returns)[number]
                                      : ((const uint16_t *)tables.returns)[number];
}

unsigned site_line(Site site) {
  if (site.number >= Site::folded)
    return 0;
  const unsigned char *at = MapTables(site.function).lines;
  const unsigned char *const end = (const unsigned char *)site.function + site.function->size;
  uint32_t line = 0, step;
  for (uint32_t i = 0; i <= site.number && read_number(at, end, step); ++i)
    line += step >> 1 ^ -(step & 1);
  return line;
}

const char *map_name(const skein_function_map *map) {
  return map->name == 0 ? "?" : (const char *)&map->name + map->name;
}

const char *map_file(const skein_function_map *map) {
  return map->file == 0 ? "" : (const char *)&map->file + map->file;
}

} // namespace skein
