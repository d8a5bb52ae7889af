// What a program records itself (skein/trace.h), and what the library records for it.
#include "trace/trace.h"

#include "abi/trace_calls.h"
#include "base/node.h"
#include "thread/thread.h"
#include "trace/recorder.h"

#include <skein/trace.h>

namespace skein {

static_assert(SKEIN_TRACE_CHANNELS == TraceClass::channels && SKEIN_TRACE_PROGRAM == TraceClass::program);

namespace {

uint64_t running_id() {
  const Thread *self = thread_current();
  return self ? self->id : 0;
}

} // namespace

void (*recorder_classes_tell)(uint32_t classes);

extern "C" void __skein_trace_program(unsigned what, const char *name, int64_t value) {
  static constexpr TraceEvent events[] = {TraceEvent::mark, TraceEvent::begin, TraceEvent::end, TraceEvent::counter};
  trace_record(events[what], running_id(), static_cast<uint64_t>(value), trace_name(name), 0);
}

extern "C" void __skein_trace_channel(unsigned what, uint64_t channel, uint32_t bytes, uint32_t code) {
  static constexpr TraceEvent events[] = {TraceEvent::sends,    TraceEvent::sent,    TraceEvent::receives,
                                          TraceEvent::received, TraceEvent::selects, TraceEvent::selected};
  trace_record(events[what], running_id(), channel, bytes, static_cast<uint16_t>(code));
}

extern "C" int skein_trace_classes_set(const char *text) {
  uint32_t classes;
  const char *unknown;
  int length;
  Thread *self = thread_current();
  if (!trace_classes_parse(text, classes, unknown, length))
    return self ? thread_error(self, SKEIN_ETHREAD, "skein_trace_classes_set: there is no class \"%.*s\"", length,
                               unknown)
                : SKEIN_ETHREAD;
  if (!recorder_runs())
    return self ? thread_error(self, SKEIN_ENODE,
                               "skein_trace_classes_set: this run records no events (`skein run --trace FILE`, or "
                               "SKEIN_OPTIONS=trace_in=FOLDER)")
                : SKEIN_ENODE;
  recorder_classes_set(classes);
  if (recorder_classes_tell)
    recorder_classes_tell(classes);
  return SKEIN_OK;
}

} // namespace skein
