// `skein maps`: reads the frame maps of a linked program from its file, as the runtime would at start, and tells what
// they say: how large they are, which calls pin a thread and why. The format is runtime/abi/frame_map.h (docs/abi.md).
#include "abi/source_words.h"
#include "launch/command/command.h"
#include "launch/command/elf_file.h"
#include "migrate/map_decoder.h"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>

namespace skein::launch {

namespace {

constexpr char description[] = R"(usage: skein maps [--sites] [--pinned] program

Decodes the frame maps in a program compiled by skeincc: functions, calls that may migrate (sites), bytes of map per
site, and the sites where a thread is pinned, by reason. Addresses are those of the file.
)";

constexpr char footer[] = R"(Status 1 if the maps are damaged or of another version.
)";

/// One function map, copied out of the file.
struct Function {
  std::vector<uint32_t> bytes; // of words, so that it is aligned
  uint64_t address;            // of the map in memory
  std::string name, file;

  const skein_function_map &map() const { return *reinterpret_cast<const skein_function_map *>(bytes.data()); }
};

Function read_function(const ElfFile &program, uint64_t offset, uint64_t address, uint64_t left) {
  Function function;
  function.address = address;
  skein_function_map head;
  if (left < sizeof head)
    throw std::string("the last map is truncated");
  program.copy(&head, offset, sizeof head);
  if (head.version != SKEIN_ABI_VERSION)
    throw "a map has version " + std::to_string(head.version) + ", this program reads version " +
        std::to_string(SKEIN_ABI_VERSION);
  if (head.size > left || head.size < sizeof head)
    throw std::string("the sizes of a map contradict each other");
  function.bytes.resize((head.size + sizeof(uint32_t) - 1) / sizeof(uint32_t));
  program.copy(function.bytes.data(), offset, head.size);
  if (const char *fault = map_fault(&function.map(), head.size))
    throw "a map is " + std::string(fault);
  auto field = [&](size_t at, int32_t difference) { return address + at + static_cast<uint64_t>(int64_t{difference}); };
  function.name = program.string_at(field(offsetof(skein_function_map, name), head.name));
  function.file = head.file ? program.string_at(field(offsetof(skein_function_map, file), head.file)) : "?";
  return function;
}

/// What words of a function's frame are in the source, by base and offset of their first one.
using Names = std::map<std::pair<unsigned, int32_t>, std::string>;

/// The names of all functions, by the address of the function. Empty: the program was compiled without -g.
std::map<uint64_t, Names> read_names(const ElfFile &program) {
  std::map<uint64_t, Names> all;
  const std::optional<GElf_Shdr> section = program.section(SKEIN_SOURCE_WORDS_SECTION);
  if (!section || (section->sh_flags & SHF_COMPRESSED))
    return all;
  for (uint64_t at = section->sh_offset, end = at + section->sh_size; at < end;) {
    skein_source_function head;
    program.copy(&head, at, sizeof head);
    if (head.size < sizeof head || head.size > end - at)
      throw std::string("a record of " SKEIN_SOURCE_WORDS_SECTION " has a wrong size");
    Names &names = all[head.entry];
    uint64_t next = at + sizeof head;
    for (uint32_t i = 0; i < head.count; i++) {
      skein_source_words words;
      program.copy(&words, next, sizeof words);
      next += sizeof words;
      std::string texts[3];
      for (std::string &text : texts) {
        text = program.text_at(next);
        next += text.size() + 1;
      }
      const auto &[name, type, inlined] = texts;
      std::string &known = names[{words.base, words.offset}];
      known = name.empty() ? "value of line " + std::to_string(words.line) : "`" + name + "` (" + type + ")";
      if (!inlined.empty())
        known += " of `" + inlined + "`";
    }
    at += head.size;
  }
  return all;
}

void print_site(const Function &function, uint32_t number, const Names &names) {
  const skein_function_map &map = function.map();
  const MapTables tables(&map);
  const SiteFacts facts = site_facts({&map, number}, tables);
  const uint64_t entry = function.address + static_cast<uint64_t>(int64_t{map.entry});
  printf("  0x%llx %s:%u", static_cast<unsigned long long>(entry + site_return(&map, number)), function.file.c_str(),
         site_line({&map, number}));
  if (facts.pin != SKEIN_PIN_NONE) {
    printf(" pinned: %s\n", skein_pin_text(facts.pin));
    return;
  }
  const char *separator = "";
  each_live(&map, tables, facts.live, [&](const skein_local_map &local) {
    static const char *const bases[] = {"CFA", "SP", "BP"};
    static const char *const kinds[] = {"", " ambiguous", " block", " ambiguous block"};
    printf("%s %s%+d", separator, bases[local.base], local.offset);
    if (local.count != 1)
      printf("[%u]", local.count);
    printf("%s", kinds[local.kind]);
    if (auto named = names.find({local.base, local.offset}); named != names.end())
      printf(" %s", named->second.c_str());
    separator = ",";
    return true;
  });
  if (facts.va_pointers)
    printf(" variadic pointers: %#x", facts.va_pointers);
  puts("");
}

struct Options {
  bool sites = false, pinned = false;
  std::string program;
};

int run(const Options &options) {
  const std::string &path = options.program;
  const bool list_sites = options.sites, list_pinned = options.pinned;
  try {
    ElfFile program(path);
    const std::optional<GElf_Shdr> section = program.section(SKEIN_MAPS_SECTION);
    if (!section) {
      printf("%s has no frame maps (nothing in it was compiled by skeincc, or no call may migrate)\n", path.c_str());
      return 0;
    }
    size_t functions = 0, sites = 0, pinned = 0;
    std::map<unsigned, size_t> reasons;
    std::map<uint64_t, Names> names = list_sites ? read_names(program) : std::map<uint64_t, Names>();
    for (uint64_t at = 0; at < section->sh_size;) {
      Function function = read_function(program, section->sh_offset + at, section->sh_addr + at, section->sh_size - at);
      at += function.map().size;
      functions++;
      const Names &own = names[function.address + static_cast<uint64_t>(int64_t{function.map().entry})];
      bool header_shown = false;
      for (uint32_t number = 0; number < function.map().site_count; number++) {
        const unsigned pin = site_facts({&function.map(), number}).pin;
        const bool stays = pin != SKEIN_PIN_NONE;
        sites++;
        if (stays) {
          pinned++;
          reasons[pin]++;
        }
        if (!list_sites && !(list_pinned && stays))
          continue;
        if (!header_shown)
          printf("%s: frame %u bytes, %u sites\n", function.name.c_str(), function.map().frame_size,
                 unsigned{function.map().site_count});
        header_shown = true;
        print_site(function, number, own);
      }
    }
    printf("functions       %zu\nsites           %zu\nbytes of map    %llu\n", functions, sites,
           static_cast<unsigned long long>(section->sh_size));
    if (sites)
      printf("bytes per site  %.1f\n", static_cast<double>(section->sh_size) / static_cast<double>(sites));
    printf("pinned sites    %zu\n", pinned);
    for (const auto &[reason, count] : reasons)
      printf("  %6zu  %s\n", count, skein_pin_text(reason));
    return 0;
  } catch (const std::string &message) {
    fprintf(stderr, "skein maps: %s: %s\n", path.c_str(), message.c_str());
    return 1;
  }
}

Action declare(CLI::App &line) {
  auto options = std::make_shared<Options>();
  line.description(description)->footer(footer);
  line.add_flag("--sites", options->sites,
                "list every site with what is live there; of a program compiled\nwith -g, by its name");
  line.add_flag("--pinned", options->pinned, "list only the pinned sites");
  line.add_option("program", options->program)->required();
  return [options] { return run(*options); };
}

} // namespace

extern const Command maps_command = {"maps", "show the frame maps of a program", declare};

} // namespace skein::launch
