// The node's load, and samples of it for recordings; see load.h.
#include "sched/load.h"

#include "base/tally.h"
#include "sched/bundle.h"
#include "sched/worker.h"
#include "thread/table.h"
#include "trace/recorder.h"
#include "trace/trace.h"

#include <ctime>

namespace skein {

namespace {

uint64_t cpu_us() {
  timespec used;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<uint64_t>(used.tv_sec) * 1'000'000 + static_cast<uint64_t>(used.tv_nsec) / 1000;
}

void sample_load() {
  const auto sample = [](TraceLoad which, uint64_t value) {
    trace_record(TraceEvent::sample, 0, value, 0, static_cast<uint16_t>(which));
  };
  const Load load = load_now();
  sample(TraceLoad::threads, load.threads);
  sample(TraceLoad::ready, load.ready);
  sample(TraceLoad::busy, load.busy);
  sample(TraceLoad::cpu_us, load.cpu_us);
  sample(TraceLoad::sent, tally_sum(Tally::sent));
  sample(TraceLoad::received, statistics.threads_received.load(std::memory_order_relaxed));
}

/// A thread that goes a quick way meets none of the places where scheduling is recorded.
void classes_change(uint32_t classes) { long_way(long_trace, classes & (TraceClass::scheduling | TraceClass::ready)); }

} // namespace

Load load_now() { return {threads_living(), threads_ready(), workers_running() - workers_resting(), cpu_us()}; }

void load_start() {
  recorder_classes_change = classes_change;
  recorder_samples = sample_load;
  classes_change(__skein_trace_classes);
}

} // namespace skein
