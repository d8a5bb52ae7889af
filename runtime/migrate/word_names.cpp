// See word_names.h. The section is found once, and stays mapped. A program that refuses many moves, under relocation
// stress for example, asks for the same few functions again and again, so the records of these are kept.
#include "migrate/word_names.h"

#include "abi/source_words.h"
#include "base/once.h"
#include "thread/loaded_program.h"

#include <atomic>
#include <initializer_list>
#include <new>
#include <stdio.h>
#include <string.h>

namespace skein {

namespace {

struct Section {
  const char *begin = nullptr;
  const char *end = nullptr;
  uintptr_t bias = 0;
} section;
Once section_once;

void find_section() {
  alignas(ProgramFile) static unsigned char storage[sizeof(ProgramFile)]; // never destroyed: a move may be refused late
  const auto *file = new (storage) ProgramFile;
  if (const ElfW(Shdr) *found = file->section(SKEIN_SOURCE_WORDS_SECTION)) {
    section.begin = file->at(found->sh_offset);
    section.end = section.begin + found->sh_size;
    section.bias = LoadedProgram().bias();
  }
}

// The record of the function; null: there is none.
const char *find_record(const skein_function_map *function) {
  const uintptr_t entry = map_entry(function) - section.bias;
  for (const char *at = section.begin; (size_t)(section.end - at) >= sizeof(skein_source_function);) {
    skein_source_function head;
    memcpy(&head, at, sizeof head);
    if (head.size < sizeof head || head.size > (size_t)(section.end - at))
      return nullptr; // it is damaged
    if (head.entry == entry)
      return at;
    at += head.size;
  }
  return nullptr;
}

const char *record_of(const skein_function_map *function) {
  static std::atomic<const char *> known[64]; // each says itself which function it is of
  std::atomic<const char *> &slot = known[((uintptr_t)function >> 3) % 64];
  if (const char *record = slot.load(std::memory_order_relaxed)) {
    skein_source_function head;
    memcpy(&head, record, sizeof head);
    if (head.entry == map_entry(function) - section.bias)
      return record;
  }
  const char *record = find_record(function);
  if (record != nullptr)
    slot.store(record, std::memory_order_relaxed);
  return record;
}

// One group of words with its texts.
struct Group {
  skein_source_words words;
  const char *name = "", *type = "", *inlined = "";
  size_t offset = 0; // of the word in the group
};

// The next text of a record that ends at `end`; null if it is damaged.
const char *next_text(const char *&at, const char *end) {
  const char *text = at;
  const auto *nul = (const char *)memchr(at, 0, (size_t)(end - at));
  if (nul == nullptr)
    return nullptr;
  at = nul + 1;
  return text;
}

// The smallest group that contains the word.
bool find_group(Frame frame, uintptr_t word, Group &best) {
  const char *at = record_of(frame.function);
  if (at == nullptr)
    return false;
  skein_source_function head;
  memcpy(&head, at, sizeof head);
  const char *end = at + head.size;
  at += sizeof head;
  bool found = false;
  for (uint32_t i = 0; i < head.count; ++i) {
    Group group;
    if ((size_t)(end - at) < sizeof group.words)
      return found;
    memcpy(&group.words, at, sizeof group.words);
    at += sizeof group.words;
    for (const char **text : {&group.name, &group.type, &group.inlined})
      if ((*text = next_text(at, end)) == nullptr)
        return found;
    const uintptr_t base = group.words.base == SKEIN_BASE_CFA  ? frame.cfa
                           : group.words.base == SKEIN_BASE_SP ? frame.sp
                                                               : frame.bp;
    group.offset = word - (base + (uintptr_t)(intptr_t)group.words.offset);
    if (group.offset >= group.words.bytes || (found && group.words.bytes >= best.words.bytes))
      continue;
    best = group;
    found = true;
  }
  return found;
}

} // namespace

WordName word_name(Frame frame, uintptr_t at) {
  WordName name;
  section_once(find_section);
  Group group;
  if (frame.function == nullptr || !find_group(frame, at, group)) {
    snprintf(name.text, sizeof name.text, "%s", frame_name(frame).text);
    return name;
  }
  char what[170], inside[32] = "";
  if (group.words.bytes > sizeof(uintptr_t))
    snprintf(inside, sizeof inside, ", byte %zu", group.offset);
  if (*group.name == 0)
    snprintf(what, sizeof what, "a value of line %u", group.words.line);
  else if (*group.inlined == 0)
    snprintf(what, sizeof what, "`%.60s` (%.60s%s)", group.name, group.type, inside);
  else
    snprintf(what, sizeof what, "`%.50s` (%.50s%s) of the inlined `%.30s`", group.name, group.type, inside,
             group.inlined);
  snprintf(name.text, sizeof name.text, "%s in %s", what, frame_name(frame).text);
  return name;
}

} // namespace skein
