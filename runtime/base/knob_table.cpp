// The knobs as text: what `skein knobs` and docs/knobs.md print. Apart from the parser, since here a default is the
// text of knobs.def, there a value.
#include "base/knobs.h"

#include <initializer_list>

namespace skein {

namespace {

/// "a, b, c" of a choice list as "a|b|c".
template <size_t N> struct Choices {
  char text[N] = {};
  constexpr Choices(const char (&list)[N]) {
    size_t used = 0;
    for (size_t i = 0; list[i]; i++)
      if (list[i] != ' ')
        text[used++] = list[i] == ',' ? '|' : list[i];
  }
};

/// "64 << 10" as people write it, "64K".
template <uint64_t Value> struct SizeText {
  char text[24] = {};
  constexpr SizeText() {
    uint64_t number = Value;
    char unit = 0;
    for (char next : {'K', 'M', 'G'})
      if (number && number % 1024 == 0) {
        number /= 1024;
        unit = next;
      }
    char reversed[24] = {};
    size_t digits = 0;
    do
      reversed[digits++] = static_cast<char>('0' + number % 10);
    while (number /= 10);
    size_t used = 0;
    while (digits)
      text[used++] = reversed[--digits];
    text[used] = unit;
  }
};

#define CHOICES(...) Choices(#__VA_ARGS__)
#define KNOB_CHOICE(name, type, fallback, choices, help) constexpr auto choices_##name = choices;
#include "base/knobs.def"
#define KNOB_SIZE(name, fallback, help) constexpr SizeText<(fallback)> size_##name;
#include "base/knobs.def"

} // namespace

const KnobInfo knob_table[] = {
#define KNOB_CHOICE(name, type, fallback, choices, help) {#name, choices_##name.text, #fallback, help},
#define KNOB_SWITCH(name, fallback, help) {#name, "on|off", (fallback) ? "on" : "off", help},
#define KNOB_COUNT(name, fallback, help) {#name, "a number", #fallback, help},
#define KNOB_SIZE(name, fallback, help) {#name, "a size (K, M, G)", size_##name.text, help},
#define KNOB_TEXT(name, fallback, help) {#name, "text", fallback, help},
#include "base/knobs.def"
};
const size_t knob_count = sizeof knob_table / sizeof *knob_table;

} // namespace skein
