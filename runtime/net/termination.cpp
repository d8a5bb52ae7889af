// Rounds of counting; see termination.h.
#include "net/termination.h"
#include "net/link.h"
#include "net/progress.h"
#include "os/linux/futex.h"
#include "sched/sched.h"

#include <algorithm>
#include <atomic>

namespace skein {

namespace {

constexpr uint64_t wait_least = 200000, wait_most = 20000000; // ns

std::atomic<uint64_t> created{0}, ended{0}; // on this node; main is counted by main_ended instead
std::atomic<bool> main_over{false};         // as far as this node knows

// Node 0, in handlers and the progress thread's tick, which exclude each other by `lock`.
struct Round {
  uint64_t number = 0;
  int missing = 0; // answers
  uint64_t created = 0, ended = 0;
};
SpinLock lock{Rank::net};
Round round;
uint64_t ended_before = UINT64_MAX; // sum of the round before
uint64_t next_round_ns, wait_ns = wait_least;
bool finished;
void (*when_finished)(int status);

void on_thread_created(Thread *) { created.fetch_add(1, std::memory_order_seq_cst); }

void on_thread_ended(Thread *thread) {
  if (thread->id != main_id)
    ended.fetch_add(1, std::memory_order_seq_cst);
  else if (node.self != 0)
    link_tell<MainEndedMessage>(0, static_cast<int64_t>(static_cast<int>(thread->result)));
}

void on_main_ended(Arrival &arrival) { main_ended(static_cast<int>(arrival.body<MainEndedMessage>().status)); }

/// This node is empty or main has ended (which node 0 learns first).
void check() {
  if (node.self != 0) {
    if (main_over.load(std::memory_order_relaxed))
      link_tell<QuietMessage>(0);
    return;
  }
  if (!main_has_ended())
    return;
  if (!main_over.exchange(true))
    for (int peer = 1; peer < node.count; peer++)
      link_tell<QuietMessage>(peer);
  {
    Guard guard(lock);
    wait_ns = wait_least;
    next_round_ns = 0;
  }
  progress_wake_within(0);
}

void on_quiet(Arrival &) {
  if (node.self != 0) {
    main_over.store(true, std::memory_order_relaxed);
    if (threads_living() == 0)
      link_tell<QuietMessage>(0);
    return;
  }
  Guard guard(lock);
  wait_ns = wait_least;
  next_round_ns = 0; // the tick comes after this drive
}

void on_count(Arrival &arrival) {
  link_tell<CountedMessage>(arrival.from, arrival.body<CountMessage>().round, created.load(std::memory_order_seq_cst),
                            ended.load(std::memory_order_seq_cst));
}

void begin_round() {
  uint64_t number;
  {
    Guard guard(lock);
    number = ++round.number;
    round.missing = node.count - 1;
    round.created = created.load(std::memory_order_seq_cst);
    round.ended = ended.load(std::memory_order_seq_cst);
  }
  for (int peer = 1; peer < node.count; peer++)
    link_tell<CountMessage>(peer, number);
}

void on_counted(Arrival &arrival) {
  const auto &answer = arrival.body<CountedMessage>();
  uint64_t wait = 0;
  {
    Guard guard(lock);
    if (answer.round != round.number || round.missing == 0)
      return;
    round.created += answer.created;
    round.ended += answer.ended;
    if (--round.missing > 0)
      return;
    finished = ended_before == round.created;
    // The second of two rounds follows at once if it may be the last.
    if (round.created != round.ended) {
      wait = wait_ns;
      wait_ns = std::min(2 * wait_ns, wait_most);
    }
    next_round_ns = clock_ns() + wait;
    ended_before = round.ended;
  }
  if (finished)
    when_finished(main_status());
  else
    progress_wake_within(wait);
}

} // namespace

void termination_start(void (*over)(int status)) {
  when_finished = over;
  link_handle<CountMessage>(on_count);
  link_handle<CountedMessage>(on_counted);
  link_handle<QuietMessage>(on_quiet);
  link_handle<MainEndedMessage>(on_main_ended);
  events.thread_created.add(on_thread_created);
  events.thread_ended.add(on_thread_ended);
  events.termination_check = check;
}

uint64_t termination_tick(uint64_t now) {
  if (node.self != 0 || !main_has_ended())
    return UINT64_MAX;
  {
    Guard guard(lock);
    if (finished || round.missing > 0)
      return UINT64_MAX; // the answers will wake us
    if (now < next_round_ns)
      return next_round_ns - now;
  }
  begin_round();
  return UINT64_MAX;
}

} // namespace skein
