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

// Whether the function, and below the site, is as simple as a PlainSite requires.
bool is_simple(const skein_function_map *map) {
  for (unsigned which : {SKEIN_SAVED_RBX, SKEIN_SAVED_RBP})
    if (8 * (uint32_t)map->saved[which] > map->frame_size)
      return false;
  return (map->flags & ~SKEIN_MAP_LARGE) == 0 && map->frame_size <= INT32_MAX;
}

// Writes down what a walk does at a plain site. False: the site is not plain.
bool describe_plain(const Site &at, PlainSite &to, uint32_t (&offsets)[plain_words_most]) {
  const skein_function_map &function = *at.function;
  const MapTables tables(at.function);
  const SiteFacts facts = site_facts(at, tables);
  if (facts.pin != SKEIN_PIN_NONE || facts.va_pointers != 0 || !is_simple(at.function))
    return false;
  uint64_t extent = 0;
  uint32_t words = 0;
  const auto add_all = [&](unsigned kind) {
    const bool fit = each_live(at.function, tables, facts.live, [&](const skein_local_map &local) {
      if (local.kind != kind || local.count == 0)
        return true;
      const int64_t first = (local.base == SKEIN_BASE_CFA ? (int64_t)function.frame_size : 0) + local.offset;
      const bool bytewise = local.count > 1 && local.stride < 8;
      if (first < 0 || bytewise || local.count > plain_words_most - words)
        return false;
      const uint64_t end = (uint64_t)first + (uint64_t)(local.count - 1) * local.stride + 8;
      extent = end > extent ? end : extent;
      for (unsigned word = 0; word < local.count; ++word)
        offsets[words++] = (uint32_t)first + word * local.stride;
      return true;
    });
    return fit && extent <= INT32_MAX;
  };
  if (!add_all(SKEIN_LOCAL_POINTER))
    return false;
  to.pointers = (uint16_t)words;
  if (!add_all(SKEIN_LOCAL_AMBIGUOUS))
    return false;
  to.words = (uint16_t)words;
  to.extent = (uint32_t)extent;
  to.function = at.function;
  to.site = at.number;
  to.frame_size = function.frame_size;
  to.rbx = 8 * (uint32_t)function.saved[SKEIN_SAVED_RBX];
  to.rbp = 8 * (uint32_t)function.saved[SKEIN_SAVED_RBP];
  to.alignment_log2 = function.alignment_log2;
  return true;
}

} // namespace

MapIndex::~MapIndex() {
  if (table.slots != nullptr)
    munmap(table.slots, index_bytes());
  while (plain_chunk != nullptr) {
    auto *previous = *(unsigned char **)plain_chunk;
    munmap(plain_chunk, plain_chunk_bytes);
    plain_chunk = previous;
  }
}

bool MapIndex::build(const void *begin, const void *end, Refusal &why) {
  double started = now_us();
  base = (const unsigned char *)begin;
  bytes = (size_t)((const unsigned char *)end - base);

  if ((uintptr_t)begin % alignof(skein_function_map) != 0)
    return why.set(SKEIN_EPINNED, "the program's frame maps are not aligned");
  for (size_t at = 0; at < bytes;) {
    auto *map = (const skein_function_map *)(base + at);
    if (const char *fault = map_fault(map, bytes - at))
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
    for (unsigned i = 0; i < map->site_count; ++i) {
      uintptr_t pc = map_entry(map) + site_return(map, i);
      size_t where = table.hash(pc);
      while (table.slots[where].pc != 0 && table.slots[where].pc != pc)
        where = (where + 1) & table.mask;
      Slot &slot = table.slots[where];
      const uint64_t number = slot.pc == pc ? Site::folded : i;
      slot.pc = pc;
      slot.map.store(number << 32 | (uint32_t)at, std::memory_order_relaxed);
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
  return {(const skein_function_map *)(base + ((uint32_t)map & ~slot_marks)), (uint32_t)(map >> 32)};
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
  constexpr ~ProgramMaps() {}
} program;
union ProgramRefusal {
  Refusal why;
  constexpr ProgramRefusal() : why() {}
  constexpr ~ProgramRefusal() {}
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
