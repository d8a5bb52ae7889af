// Knobs are what a user may set with SKEIN_OPTIONS=key=value,key=value,… The list with its help texts is knobs.def.
// This header makes a struct of it, knobs.cpp the parser, and `skein knobs` the table for people.
//
// A key that does not exist, and a value that is not understood or out of range, ends the program with status 2 before
// anything ran: a mistyped knob that is silently ignored, or a value that is silently bounded, would make a measurement
// lie.
#ifndef SKEIN_BASE_KNOBS_H
#define SKEIN_BASE_KNOBS_H

#include <cstddef>
#include <cstdint>

namespace skein {

#define KNOB_CHOICE(name, type, fallback, choices, help) enum class type : uint8_t choices;
#define CHOICES(...) {__VA_ARGS__}
#define KNOB_SWITCH(name, fallback, help)
#define KNOB_COUNT(name, fallback, least, most, help)
#define KNOB_SIZE(name, fallback, least, most, help)
#define KNOB_TEXT(name, fallback, help)
#include "base/knobs.def"

/// The values in force. Read-only after start.
struct Knobs {
#define KNOB_CHOICE(name, type, fallback, choices, help) type name = type::fallback;
#define KNOB_SWITCH(name, fallback, help) bool name = fallback;
#define KNOB_COUNT(name, fallback, least, most, help) uint64_t name = fallback;
#define KNOB_SIZE(name, fallback, least, most, help) uint64_t name = fallback;
#define KNOB_TEXT(name, fallback, help) const char *name = fallback;
#include "base/knobs.def"
};
extern Knobs knobs;

/// One row of the table, as text.
struct KnobInfo {
  const char *name;
  const char *values; // "on|off", "a number from 0 to 1024", …
  const char *fallback;
  const char *help;
};
extern const KnobInfo knob_table[];
extern const size_t knob_count;

/// Sets knobs from "key=value,key=value". Returns 0, or 2 with a message in `error` (knobs set so far stay set).
/// `wanted`: only knobs of which this is true are set, and the others are checked for their names; null: all are.
int knobs_parse(const char *options, char *error, size_t error_bytes, bool (*wanted)(const char *name) = nullptr);

/// In a process that is made of a copy (base/reborn.h): sets what its own environment says of those knobs that another
/// run of the same processes may have different. A mistake ends the process with status 2.
void knobs_reborn();

/// The same from the environment. Also checks whether these values go together and the reports can be written.
int knobs_from_environment(char *error, size_t error_bytes);

/// The same; a mistake ends the process with status 2.
void knobs_start();

} // namespace skein

#endif
