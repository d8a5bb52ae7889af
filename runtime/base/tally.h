// Counters that are counted up all the time, by all kernel threads, and read rarely. Each kernel thread has cache
// lines of its own for all of them, so counting is an ordinary addition; reading sums up the lines.
//
// Two counters often make the number of things that exist: so many begun, so many gone. A kernel thread that reads
// while others count must not miss one that exists. So `tally_left` reads all that are gone before all that have begun:
// it can find too many for a moment, but never too few.
#ifndef SKEIN_BASE_TALLY_H
#define SKEIN_BASE_TALLY_H

#include <atomic>
#include <cstdint>

namespace skein {

enum class Tally : uint8_t {
  begun,   // threads of this node: records in the table
  gone,    //   … ended, or departed
  spawned, // here, for the statistics
  ended,
  put,         // ready threads given to a bundle
  got,         //   … that let go of them
  put_started, // those that have a stack
  got_started,
  sent, // threads that left for another node, for the statistics
  sent_bytes,
  sent_lending,  // of them: those whose memory was lent (net/messages/lent_memory.h)
  sent_in_place, // likewise, whose stack stayed where it is (stacks=shared)
  parked,        // threads (thread/parked.h)
  parked_bytes,
  unparked,
};
inline constexpr unsigned tally_kinds = 15;

struct alignas(64) TallyLine {
  std::atomic<uint64_t> counters[tally_kinds];
  bool shared = false; // used by all kernel threads for which no line was left
};

/// The line of this kernel thread, or null before it first counts.
extern __thread TallyLine *tally_line;
TallyLine *tally_line_take();

inline TallyLine &tally_mine() {
  TallyLine *line = tally_line;
  return __builtin_expect(!line, 0) ? *tally_line_take() : *line;
}
/// To a line that only this kernel thread writes. release: a reader that sees that something is gone sees that it had
/// begun (the acquire in tally_sum).
inline void tally_own(TallyLine &line, Tally which, uint64_t by) {
  std::atomic<uint64_t> &counter = line.counters[static_cast<unsigned>(which)];
  counter.store(counter.load(std::memory_order_relaxed) + by, std::memory_order_release);
}
inline void tally_in(TallyLine &line, Tally which, uint64_t by = 1) {
  if (__builtin_expect(line.shared, 0))
    line.counters[static_cast<unsigned>(which)].fetch_add(by, std::memory_order_release);
  else
    tally_own(line, which, by);
}
/// Counts one in each.
template <class... Kinds> inline void tally_each_in(TallyLine &line, Kinds... which) {
  if (__builtin_expect(line.shared, 0))
    (tally_in(line, which), ...);
  else
    (tally_own(line, which, 1), ...);
}
inline void tally(Tally which, uint64_t by = 1) { tally_in(tally_mine(), which, by); }

uint64_t tally_sum(Tally which);
inline uint64_t tally_left(Tally begun, Tally gone) {
  const uint64_t less = tally_sum(gone);
  return tally_sum(begun) - less;
}

/// In the child of a fork, where nothing of what was counted exists any more.
void tallies_after_fork();

} // namespace skein

#endif
