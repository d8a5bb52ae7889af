// The knobs as text: this is what `skein knobs` and docs/knobs.md print. It is apart from the parser, since a default
// is the text of knobs.def here, and a value there.
#include "base/knobs.h"

#include <initializer_list>

namespace skein {

namespace {

/// "a, b_, c" of a choice list as "a|b|c".
template <size_t N> struct Choices {
  char text[N] = {};
  constexpr Choices(const char (&list)[N]) {
    size_t used = 0;
    for (size_t i = 0; list[i]; i++)
      if (list[i] != ' ' && !(list[i] == '_' && (list[i + 1] == ',' || !list[i + 1])))
        text[used++] = list[i] == ',' ? '|' : list[i];
  }
};

/// The text that is written to the table, at compile time.
struct Text {
  char text[80] = {};
  size_t used = 0;
  constexpr void add(const char *more) {
    while (*more)
      text[used++] = *more++;
  }
  constexpr void add(uint64_t number) {
    char reversed[24] = {};
    size_t digits = 0;
    do
      reversed[digits++] = static_cast<char>('0' + number % 10);
    while (number /= 10);
    while (digits)
      text[used++] = reversed[--digits];
  }
  /// "64 << 10" as people write it, "64K".
  constexpr void add_size(uint64_t number) {
    const char *unit = "";
    for (const char *next : {"K", "M", "G"})
      if (number && number % 1024 == 0) {
        number /= 1024;
        unit = next;
      }
    add(number);
    add(unit);
  }
};

template <uint64_t Value> struct SizeText : Text {
  constexpr SizeText() { add_size(Value); }
};

/// "a number from 1 to 64"; without bounds where every number will do.
template <uint64_t Least, uint64_t Most> struct CountRange : Text {
  constexpr CountRange() {
    add("a number");
    if (Least == 0 && Most == UINT64_MAX)
      return;
    add(" from ");
    add(Least);
    add(" to ");
    add(Most);
  }
};

/// "a size from 16K to 1G", or "0, or a size from 16K to 1G".
template <uint64_t Fallback, uint64_t Least, uint64_t Most> struct SizeRange : Text {
  constexpr SizeRange() {
    add(Fallback == 0 && Least > 0 ? "0, or a size from " : "a size from ");
    add_size(Least);
    add(" to ");
    add_size(Most);
  }
};

#define CHOICES(...) Choices(#__VA_ARGS__)
#define KNOB_CHOICE(name, type, fallback, choices, help)                                                               \
  constexpr auto choices_##name = choices;                                                                             \
  constexpr Choices fallback_##name = #fallback;
#include "base/knobs.def"
#define KNOB_COUNT(name, fallback, least, most, help) constexpr CountRange<(least), (most)> range_##name;
#define KNOB_SIZE(name, fallback, least, most, help)                                                                   \
  constexpr SizeText<(fallback)> size_##name;                                                                          \
  constexpr SizeRange<(fallback), (least), (most)> range_##name;
#include "base/knobs.def"

} // namespace

const KnobInfo knob_table[] = {
#define KNOB_CHOICE(name, type, fallback, choices, help) {#name, choices_##name.text, fallback_##name.text, help},
#define KNOB_SWITCH(name, fallback, help) {#name, "on|off", (fallback) ? "on" : "off", help},
#define KNOB_COUNT(name, fallback, least, most, help) {#name, range_##name.text, #fallback, help},
#define KNOB_SIZE(name, fallback, least, most, help) {#name, range_##name.text, size_##name.text, help},
#define KNOB_TEXT(name, fallback, help) {#name, "text", fallback, help},
#include "base/knobs.def"
};
const size_t knob_count = sizeof knob_table / sizeof *knob_table;

} // namespace skein
