// Validates and indexes the frame maps; see maps.h.
#include "migrate/maps.h"

#include "base/once.h"

#include <atomic>
#include <initializer_list>
#include <skein/skein.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

// The linker defines these if any object of the program has the section.
extern "C" {
extern const unsigned char __start_skein_maps[] __attribute__((weak, visibility("hidden")));
extern const unsigned char __stop_skein_maps[] __attribute__((weak, visibility("hidden")));
}

namespace skein {

namespace {

double now_us() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1e6 + now.tv_nsec * 1e-3;
}

constexpr size_t plain_chunk_bytes = 64 << 10;
// Of one site; sites with more words are rare, and take longer than the rest of a frame in any case.
constexpr uint32_t plain_words_most = 256;

bool valid_locals(const skein_function_map *map) {
  const skein_local_map *locals = map_locals(map);
  for (unsigned i = 0; i < map->local_count; ++i) {
    const skein_local_map &local = locals[i];
    if (local.kind > SKEIN_LOCAL_DYNAMIC_AMBIGUOUS || local.base > SKEIN_BASE_BP)
      return false;
    if (local.base == SKEIN_BASE_BP && !(map->flags & SKEIN_MAP_BP))
      return false;
    if (local.kind < SKEIN_LOCAL_DYNAMIC_POINTER && (uint64_t)local.count * local.stride > INT32_MAX)
      return false;
  }
  return true;
}

bool valid_sites(const skein_function_map *map) {
  const skein_site_map *sites = map_sites(map);
  for (unsigned i = 0; i < map->site_count; ++i) {
    const skein_site_map &site = sites[i];
    if (site.return_offset > map->code_size || (i > 0 && site.return_offset <= sites[i - 1].return_offset))
      return false;
    if ((site.flags & ~SKEIN_SITE_PINNED) != 0)
      return false;
    if (!(site.flags & SKEIN_SITE_PINNED) && (uint32_t)site.first + site.count > map->index_count)
      return false;
  }
  const uint16_t *indices = map_indices(map);
  for (unsigned i = 0; i < map->index_count; ++i)
    if (indices[i] >= map->local_count)
      return false;
  return true;
}

// Whether the function, and below the site, is as simple as a PlainSite requires.
bool is_simple(const skein_function_map *map) {
  for (unsigned i = 0; i < map->local_count; ++i)
    if (map_locals(map)[i].kind >= SKEIN_LOCAL_DYNAMIC_POINTER)
      return false;
  for (unsigned which : {SKEIN_SAVED_RBX, SKEIN_SAVED_RBP})
    if (map->saved[which] < 0 || 8 * (int64_t)map->saved[which] > map->frame_size)
      return false;
  return map->flags == 0 && map->frame_size <= INT32_MAX;
}
bool is_simple(const skein_site_map &site) { return site.flags == 0 && site.va_pointers == 0; }

// Writes down what a walk does at a plain site. False: the site is not plain.
bool describe_plain(const Site &at, PlainSite &to, uint32_t (&offsets)[plain_words_most]) {
  const skein_function_map &function = *at.function;
  if (!is_simple(*at.site) || !is_simple(at.function))
    return false;
  uint64_t extent = 0;
  uint32_t words = 0;
  const auto add_all = [&](unsigned kind) {
    const uint16_t *live = map_indices(at.function) + at.site->first;
    for (unsigned i = 0; i < at.site->count; ++i) {
      const skein_local_map &local = map_locals(at.function)[live[i]];
      if (local.kind != kind || local.count == 0)
        continue;
      const int64_t first = (local.base == SKEIN_BASE_CFA ? (int64_t)function.frame_size : 0) + local.offset;
      const bool bytewise = local.count > 1 && local.stride < 8;
      if (first < 0 || bytewise || local.count > plain_words_most - words)
        return false;
      const uint64_t end = (uint64_t)first + (uint64_t)(local.count - 1) * local.stride + 8;
      extent = end > extent ? end : extent;
      for (unsigned word = 0; word < local.count; ++word)
        offsets[words++] = (uint32_t)first + word * local.stride;
    }
    return extent <= INT32_MAX;
  };
  if (!add_all(SKEIN_LOCAL_POINTER))
    return false;
  to.pointers = (uint16_t)words;
  if (!add_all(SKEIN_LOCAL_AMBIGUOUS))
    return false;
  to.words = (uint16_t)words;
  to.extent = (uint32_t)extent;
  to.function = at.function;
  to.site = at.site;
  to.frame_size = function.frame_size;
  to.rbx = 8 * (uint32_t)function.saved[SKEIN_SAVED_RBX];
  to.rbp = 8 * (uint32_t)function.saved[SKEIN_SAVED_RBP];
  to.alignment_log2 = function.alignment_log2;
  return true;
}

// Says what is wrong with the map at `map`, of which `available` bytes lie in the section; null: nothing.
const char *fault_of(const skein_function_map *map, size_t available) {
  if (available < sizeof *map)
    return "truncated";
  if (map->version != SKEIN_ABI_VERSION)
    return "from another version of skeincc";
  uint64_t needed = sizeof *map + (uint64_t)map->local_count * sizeof(skein_local_map) +
                    (uint64_t)map->site_count * sizeof(skein_site_map) + (uint64_t)map->index_count * sizeof(uint16_t);
  if (map->size > available || map->size % 8 != 0 || map->size < needed)
    return "of a wrong size";
  if (map->flags & ~(SKEIN_MAP_FP | SKEIN_MAP_BP | SKEIN_MAP_VARIADIC))
    return "of an unknown kind";
  if (!(map->flags & SKEIN_MAP_FP) && (map->frame_size < 8 || map->frame_size % 8 != 0))
    return "without a frame size";
  if (map->alignment_log2 > 63 || map->va_save_base > SKEIN_BASE_BP || !valid_locals(map))
    return "with a damaged local";
  if (!valid_sites(map))
    return "with a damaged site";
  return nullptr;
}

} // namespace

const char *map_name(const skein_function_map *map) {
  return map->name == 0 ? "?" : (const char *)&map->name + map->name;
}

const char *map_file(const skein_function_map *map) {
  return map->file == 0 ? "" : (const char *)&map->file + map->file;
}

MapIndex::~MapIndex() {
  if (table.slots != nullptr)
    munmap(table.slots, index_bytes());
  while (plain_chunk != nullptr) {
    auto *previous = *(unsigned char **)plain_chunk;
    munmap(plain_chunk, plain_chunk_bytes);
    plain_chunk = previous;
  }
}

const skein_site_map MapIndex::folded_site = {0, 0, SKEIN_PIN_FRAME, 0, SKEIN_SITE_PINNED, 0, 0};

bool MapIndex::build(const void *begin, const void *end, Refusal &why) {
  double started = now_us();
  base = (const unsigned char *)begin;
  bytes = (size_t)((const unsigned char *)end - base);

  if ((uintptr_t)begin % alignof(skein_function_map) != 0)
    return why.set(SKEIN_EPINNED, "the program's frame maps are not aligned");
  for (size_t at = 0; at < bytes;) {
    auto *map = (const skein_function_map *)(base + at);
    if (const char *fault = fault_of(map, bytes - at))
      return why.set(SKEIN_EPINNED,
                     "the program's frame maps cannot be used: the one at offset %zu is %s; build all of it "
                     "with one skeincc",
                     at, fault);
    ++functions;
    sites += map->site_count;
    at += map->size;
  }
  if (sites == 0)
    return true;

  size_t capacity = 16;
  while (capacity < sites * 2)
    capacity *= 2;
  void *memory = mmap(nullptr, capacity * sizeof(Slot), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return why.set(SKEIN_EMEMORY, "no memory for the index of %zu frame-map sites", sites);
  table = {(Slot *)memory, capacity - 1, 64 - (unsigned)__builtin_ctzll(capacity)};

  for (size_t at = 0; at < bytes;) {
    auto *map = (const skein_function_map *)(base + at);
    const skein_site_map *site = map_sites(map);
    for (unsigned i = 0; i < map->site_count; ++i) {
      uintptr_t pc = map_entry(map) + site[i].return_offset;
      size_t where = table.hash(pc);
      while (table.slots[where].pc != 0 && table.slots[where].pc != pc)
        where = (where + 1) & table.mask;
      Slot &slot = table.slots[where];
      const uint64_t offset = slot.pc == pc ? claimed_twice : (uint32_t)((const unsigned char *)&site[i] - base);
      slot.pc = pc;
      slot.map.store(offset << 32 | (uint32_t)at, std::memory_order_relaxed);
    }
    at += map->size;
  }
  microseconds = now_us() - started;
  return true;
}

Site MapIndex::at(const Slot &slot) const {
  const uint64_t map = slot.map.load(std::memory_order_acquire); // pairs with the release in make_plain
  if (map & slot_made)
    return {plain_of(map)->function, plain_of(map)->site};
  const auto offset = (uint32_t)(map >> 32);
  return {(const skein_function_map *)(base + ((uint32_t)map & ~slot_marks)),
          offset == claimed_twice ? &folded_site : (const skein_site_map *)(base + offset)};
}

// Called under plain_lock. Null: there is no memory.
void *MapIndex::room_for_plain(size_t wanted) const {
  if (plain_chunk == nullptr || plain_chunk_bytes - plain_used < wanted) {
    void *memory = mmap(nullptr, plain_chunk_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
      return nullptr;
    *(unsigned char **)memory = plain_chunk;
    plain_chunk = (unsigned char *)memory;
    plain_used = sizeof plain_chunk;
  }
  void *room = plain_chunk + plain_used;
  plain_used += wanted;
  return room;
}

// Null: a walk has to look at this site in the general way, now or always. This does not wait for the lock, since in
// the child of a fork it may be taken for ever.
const PlainSite *MapIndex::make_plain(Slot &slot) const {
  if (!plain_lock.try_lock())
    return nullptr;
  const PlainSite *made = nullptr;
  const uint64_t map = slot.map.load(std::memory_order_relaxed);
  PlainSite plain = {};
  uint32_t offsets[plain_words_most];
  if (map & slot_made) { // another kernel thread has made it meanwhile
    made = plain_of(map);
  } else if (describe_plain(at(slot), plain, offsets)) {
    const size_t offsets_bytes = plain.words * sizeof *offsets;
    if (auto *room = (unsigned char *)room_for_plain((sizeof plain + offsets_bytes + 7) & ~size_t{7})) {
      memcpy(room, &plain, sizeof plain);
      memcpy(room + offsetof(PlainSite, offsets), offsets, offsets_bytes);
      made = (const PlainSite *)room;
      slot.map.store((uint64_t)(uintptr_t)room | slot_made, std::memory_order_release); // pairs with PlainFinder
    }
  } else {
    slot.map.store(map | slot_special, std::memory_order_relaxed);
  }
  plain_lock.unlock();
  return made;
}

const skein_function_map *MapIndex::find_function(uintptr_t pc) const {
  if (table.slots == nullptr)
    return nullptr;
  for (size_t at = 0; at < bytes;) {
    auto *map = (const skein_function_map *)(base + at);
    if (pc - map_entry(map) < map->code_size)
      return map;
    at += map->size;
  }
  return nullptr;
}

namespace {

// These have no constructor or destructor at run time, since threads may still move while the process exits.
union ProgramMaps {
  MapIndex index;
  constexpr ProgramMaps() : index() {}
  ~ProgramMaps() {}
} program;
union ProgramRefusal {
  Refusal why;
  ProgramRefusal() : why() {}
  ~ProgramRefusal() {}
} program_refusal;
Once program_once;

void index_program() {
  if (__start_skein_maps != nullptr)
    program.index.build(__start_skein_maps, __stop_skein_maps, program_refusal.why);
}

} // namespace

const MapIndex &program_maps() {
  program_once(index_program);
  return program.index;
}

const Refusal &program_maps_refusal() {
  program_maps();
  return program_refusal.why;
}

} // namespace skein
