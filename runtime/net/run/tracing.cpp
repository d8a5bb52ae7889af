// Switching classes of events for the whole run, and comparing clocks; see tracing.h. Each node asks node 0 what time
// it is. The answer was given between question and answer (Cristian's algorithm), and `skein trace` makes the most of
// many of them (launch/traces/folder.h). Nodes of one host have one clock, and there the answers only confirm it.
#include "net/run/tracing.h"
#include "base/log.h"
#include "base/node.h"
#include "net/run/halting.h"
#include "net/run/newcomers.h"
#include "net/wire/link.h"
#include "trace/recorder.h"
#include "trace/trace.h"

namespace skein {

namespace {

void on_classes(Arrival &arrival) {
  recorder_classes_set(static_cast<uint32_t>(arrival.body<TraceClassesMessage>().classes));
}

void tell_classes(uint32_t classes) {
  for (int peer = 0; peer < node.count; peer++)
    if (peer != node.self && link_alive(peer))
      link_tell<TraceClassesMessage>(peer, uint64_t{classes});
}

void on_met(int newcomer) {
  if (node.self == 0 && recorder_runs())
    link_tell<TraceClassesMessage>(newcomer, uint64_t{trace_classes()});
}

/// In the recorder's kernel thread, which does not get here once it has halted.
bool ask_clock() {
  if (node.self == 0 || !link_alive(0) || net_is_silent())
    return false;
  link_tell<ClockMessage>(0, recorder_clock_ns());
  return true;
}

const char *busy(char *, size_t) { return recorder_halts() ? nullptr : "writes events to its trace"; }
HaltPart halt_part = {busy, recorder_go_on, nullptr};

/// The file and the recorder were the former process's.
void on_reborn() {
  if (recorder_runs() && node.self == 0)
    log("the trace ends at the checkpoint of which this run is made");
  recorder_forget();
}

void on_clock(Arrival &arrival) {
  link_tell<ClockToldMessage>(arrival.from, arrival.body<ClockMessage>().asked_ns, recorder_clock_ns());
}

void on_clock_told(Arrival &arrival) {
  const auto &told = arrival.body<ClockToldMessage>();
  recorder_peer_clock(told.asked_ns, told.there_ns, recorder_clock_ns());
}

} // namespace

void tracing_start() {
  link_handle<TraceClassesMessage>(on_classes);
  link_handle<ClockMessage>(on_clock);
  link_handle<ClockToldMessage>(on_clock_told);
  node_met.add(on_met);
  node_reborn.add(on_reborn);
  halt_part_add(halt_part);
  recorder_classes_tell = tell_classes;
  recorder_asks_clock = ask_clock;
}

} // namespace skein
