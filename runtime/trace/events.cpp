// The tables of events.h, and the names of classes as people write them.
#include "trace/events.h"

#include <cstring>

namespace skein {

const TraceEventInfo trace_event_table[trace_event_count] = {
    {"none", "", {}, ""},
#define WORD(name, type) {#name, TraceWord::type}
#define NONE {nullptr, TraceWord::none}
#define TRACE_EVENT(name, class_, a, b, c, help) {#name, #class_, {a, b, c}, help},
#include "trace/events.def"
};

const TraceClassInfo trace_class_table[] = {
#define TRACE_CLASS(name, help) {#name, help},
#include "trace/events.def"
};
const size_t trace_class_count = sizeof trace_class_table / sizeof *trace_class_table;

bool trace_classes_parse(const char *text, uint32_t &classes, const char *&unknown, int &length) {
  classes = 0;
  for (const char *at = text; *at;) {
    const size_t bytes = strcspn(at, "+");
    const auto is = [&](const char *name) { return strlen(name) == bytes && !strncmp(at, name, bytes); };
    bool known = is("none");
    if (is("all")) {
      known = true;
      classes |= trace_classes_all;
    }
    for (size_t i = 0; i < trace_class_count && !known; i++)
      if (is(trace_class_table[i].name)) {
        known = true;
        classes |= 1u << i;
      }
    if (!known) {
      unknown = at;
      length = static_cast<int>(bytes);
      return false;
    }
    at += bytes + (at[bytes] == '+');
  }
  return true;
}

} // namespace skein
