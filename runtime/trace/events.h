// The events of a trace as tables, made of events.def: for the runtime, which records them, and for `skein trace`,
// which reads them.
#ifndef SKEIN_TRACE_EVENTS_H
#define SKEIN_TRACE_EVENTS_H

#include <cstddef>
#include <cstdint>

namespace skein {

/// Classes of events are bits, so that any of them can be on.
enum class TraceClassNumber : uint8_t {
#define TRACE_CLASS(name, help) name,
#include "trace/events.def"
};
struct TraceClass {
#define TRACE_CLASS(name, help) static constexpr uint32_t name = 1u << static_cast<unsigned>(TraceClassNumber::name);
#include "trace/events.def"
};

enum class TraceEvent : uint16_t {
  none, // so that a record of zeros is none
#define TRACE_EVENT(name, class_, a, b, c, help) name,
#include "trace/events.def"
};

/// Of which class each event is, by its number.
inline constexpr uint32_t trace_class_of[] = {
    0,
#define TRACE_EVENT(name, class_, a, b, c, help) TraceClass::class_,
#include "trace/events.def"
};
inline constexpr size_t trace_event_count = sizeof trace_class_of / sizeof *trace_class_of;

/// What a word of an event is.
enum class TraceWord : uint8_t {
  none,
  number,
  signed_, // two's complement
  bytes,
  address,
  node,
  code,     // SKEIN_E*
  channel,  // the handle
  function, // its address; the text is in the file
  text,     // of the runtime: its distance from a place in the program (recorder.h); the text is in the file
  name,     // of the program: a number; the text is in the file
  message,  // its number on the way from one node to the other, and its type << 16
  load,     // a TraceLoad
};

/// One row of the table.
struct TraceEventInfo {
  const char *name;
  const char *class_name;
  struct Word {
    const char *name; // null: the event has no such word
    TraceWord type;
  } words[3]; // a, b, c
  const char *help;
};
extern const TraceEventInfo trace_event_table[trace_event_count];

struct TraceClassInfo {
  const char *name;
  const char *help;
};
extern const TraceClassInfo trace_class_table[];
extern const size_t trace_class_count;

/// The figures of a node's load.
enum class TraceLoad : uint16_t {
  threads,  // that live here
  ready,    // in queues
  busy,     // workers that have a thread
  cpu_us,   // microseconds of processor time of the process so far
  sent,     // threads that have left so far
  received, // threads that have arrived so far
};
inline constexpr const char *trace_load_names[] = {"threads", "ready", "busy workers", "CPU time", "sent", "received"};
inline constexpr size_t trace_load_count = sizeof trace_load_names / sizeof *trace_load_names;

/// Reads "scheduling+moves", "all", "none". False: `unknown`, of that many characters, is no class.
bool trace_classes_parse(const char *text, uint32_t &classes, const char *&unknown, int &length);
inline constexpr uint32_t trace_classes_all = [] {
  uint32_t all = 0;
  for (uint32_t bit : trace_class_of)
    all |= bit;
  return all;
}();

} // namespace skein

#endif
