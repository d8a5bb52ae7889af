// Lines and their lives; see copies.h.
#include "dsm/copies.h"
#include "base/knobs.h"
#include "base/log.h"
#include "dsm/access.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <sys/mman.h>

namespace skein {

static constexpr unsigned ways = 8;

Line *Copies::set_of(uint64_t number) { return lines + (number * UINT64_C(0x9e3779b97f4a7c15) >> 20) % sets * ways; }

Line *Copies::find(uint64_t number) {
  Line *set = set_of(number);
  for (unsigned way = 0; way < ways; way++)
    if (set[way].number == number)
      return &set[way];
  return nullptr;
}

static bool pinned(const Line &line) { return line.flights || line.again || line.dirty.any(); }

Line *Copies::claim(uint64_t number) {
  if (Line *found = find(number))
    return found;
  Line *set = set_of(number), *victim = nullptr;
  for (unsigned i = 0; i < ways && (!victim || victim->number); i++) {
    Line *way = &set[(hand + i) % ways];
    if (!way->number || (!victim && !pinned(*way)))
      victim = way;
  }
  hand++;
  if (!victim)
    return nullptr;
  written_evicted = std::max(written_evicted, victim->written);
  const bool listed = victim->listed;
  Line *next = victim->next_dirty;
  memset(victim, 0, offsetof(Line, data));
  victim->number = number;
  victim->written = written_evicted; // this line may have been here before, and have been evicted
  victim->listed = listed;           // launch_all takes it off the list
  victim->next_dirty = next;
  return victim;
}

uint64_t Copies::written_of(uint64_t number) {
  const Line *line = find(number);
  return line ? line->written : written_evicted;
}

bool Copies::readable(const Line *line, uint64_t from, uint64_t to, CacheMode mode) const {
  if (!line)
    return false;
  Mask good = line->dirty;
  good.add(line->flying);
  if (mode == CacheMode::constant || line->epoch == epoch.load(std::memory_order_relaxed))
    good.add(line->have);
  return good.all(from, to);
}

bool Copies::all_of(uint64_t begin, uint64_t end, CacheMode mode) const {
  return modes.all(begin, end, [mode](uint8_t other) { return other == static_cast<uint8_t>(mode); });
}

CacheMode Copies::mode_of(uint64_t begin, uint64_t end) const {
  const auto mode = static_cast<CacheMode>(modes.at(begin));
  return mode != CacheMode::none && all_of(begin, end, mode) ? mode : CacheMode::none;
}

void Copies::keep(uint64_t begin, const char *data, uint64_t bytes, CacheMode mode, uint64_t asked_epoch,
                  uint64_t asked_writes) {
  for (uint64_t at = begin, end = begin + bytes; at < end;) {
    const uint64_t number = number_of(at), from = at % line_bytes;
    const uint64_t to = std::min(line_bytes, from + (end - at));
    if (written_of(number) <= asked_writes)
      if (Line *line = claim(number); line && (mode == CacheMode::constant || line->epoch <= asked_epoch)) {
        if (line->epoch != asked_epoch && mode != CacheMode::constant) {
          line->have = {};
          line->epoch = asked_epoch;
        }
        for (uint64_t i = from; i < to; i++)
          if (!line->dirty.at(i) && !line->flying.at(i)) {
            line->data[i] = data[at - begin + i - from];
            line->have.set(i, i + 1);
          }
      }
    at += to - from;
  }
}

void Copies::written_through(uint64_t to, const char *from, uint64_t bytes) {
  writes++;
  written_evicted = writes; // for the lines that are not here
  for (uint64_t at = to, end = to + bytes; at < end;) {
    const uint64_t first = at % line_bytes, last = std::min(line_bytes, first + (end - at));
    if (Line *line = find(number_of(at))) {
      copy_words(line->data + first, from + (at - to), last - first);
      line->written = writes;
    }
    at += last - first;
  }
}

void Copies::set_mode(uint64_t begin, uint64_t bytes, CacheMode mode, bool make) {
  modes.set(begin, begin + bytes, static_cast<uint8_t>(mode));
  if (!make)
    return;
  if (!lines) {
    sets = std::max<uint64_t>(knobs.shared_cache / (sizeof(Line) * ways), 1);
    void *memory = mmap(nullptr, sets * ways * sizeof(Line), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
      fatal("no memory for copies of shared memory (SKEIN_OPTIONS=shared_cache=)");
    lines = static_cast<Line *>(memory);
  }
  // What is being fetched will not be kept, and copies are forgotten.
  written_evicted = ++writes;
  const uint64_t first = number_of(begin), last = number_of(begin + bytes - 1);
  const auto forget = [this](Line &line) {
    line.have = {};
    line.written = writes;
  };
  if (last - first < sets * ways) {
    for (uint64_t number = first; number <= last; number++)
      if (Line *line = find(number))
        forget(*line);
  } else {
    for (Line *line = lines; line < lines + sets * ways; line++)
      if (line->number >= first && line->number <= last)
        forget(*line);
  }
}

} // namespace skein
