// Lines of counters, one for each kernel thread; see tally.h. A line outlives its kernel thread, since what it counted
// stays true.
#include "base/tally.h"

namespace skein {

namespace {

constexpr unsigned lines_most = 1024;
constinit TallyLine lines[lines_most];
std::atomic<unsigned> taken{0};

unsigned lines_used() {
  const unsigned n = taken.load(std::memory_order_acquire);
  return n < lines_most ? n : lines_most;
}

} // namespace

__thread TallyLine *tally_line;

TallyLine *tally_line_take() {
  const unsigned n = taken.fetch_add(1, std::memory_order_acq_rel);
  tally_line = &lines[n < lines_most ? n : lines_most - 1];
  if (n >= lines_most - 1)
    tally_line->shared = true; // the last line; its first owner comes here, too, before it counts
  return tally_line;
}

uint64_t tally_sum(Tally which) {
  uint64_t sum = 0;
  for (unsigned i = 0, n = lines_used(); i < n; i++)
    sum += lines[i].counters[static_cast<unsigned>(which)].load(std::memory_order_acquire);
  return sum;
}

void tallies_after_fork() {
  for (unsigned i = 0, n = lines_used(); i < n; i++)
    for (std::atomic<uint64_t> &counter : lines[i].counters)
      counter.store(0, std::memory_order_relaxed);
}

} // namespace skein
