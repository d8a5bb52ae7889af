// `skein knobs`: the knobs as a table, from the one list in runtime/base/knobs.def.
#include "base/knobs.h"
#include "launch/command/command.h"

#include <cstdio>
#include <memory>

namespace skein::launch {

namespace {

constexpr char description[] = R"(usage: skein knobs [--markdown]

Lists the knobs that SKEIN_OPTIONS=key=value,key=value,… sets, with their values, defaults and meaning.
)";

// A bar as in "relocate|reserve" would end a cell of the table.
std::string in_cell(const char *values) {
  std::string text = values;
  for (size_t bar; (bar = text.find('|')) != std::string::npos;)
    text.replace(bar, 1, ", ");
  return text;
}

int run(bool markdown) {
  if (markdown)
    puts("# Knobs\n\nSet with `SKEIN_OPTIONS=key=value,key=value,…`. A key or value that is not understood ends the "
         "program with status 2.\nPrinted by `skein knobs --markdown` from `runtime/base/knobs.def`.\n\n"
         "| knob | values | default | meaning |\n|---|---|---|---|");
  for (size_t i = 0; i < knob_count; i++) {
    const KnobInfo &knob = knob_table[i];
    if (markdown)
      printf("| `%s` | %s | %s | %s |\n", knob.name, in_cell(knob.values).c_str(), knob.fallback, knob.help);
    else
      printf("%-16s %s\n%-16s values: %s; default: %s\n", knob.name, knob.help, "", knob.values, knob.fallback);
  }
  return 0;
}

Action declare(CLI::App &line) {
  line.description(description);
  auto markdown = std::make_shared<bool>();
  line.add_flag("--markdown", *markdown, "print docs/knobs.md");
  return [markdown] { return run(*markdown); };
}

} // namespace

extern const Command knobs_command = {"knobs", "list what SKEIN_OPTIONS can set", declare};

} // namespace skein::launch
