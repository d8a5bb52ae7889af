// Threads that talk to each other are brought together (GDGM, sender). The third seed's balancer knows how much each
// link carries, and moves one thread after the other that uses the busiest (testbed.cpp); this one knows which threads
// talk, and places all of them.
//
//     each node        its load; what its threads have had over each channel      -> report -> decision maker
//     decision maker   the graph of all threads that talk; from time to time, a better placement (thread_placement.h)
//                                                                                 -> orders -> the nodes concerned
//     the node         sends those threads away, as soon as they are ready or wait for a channel
//
// Threads that do not talk have no place where they ought to be. They are shared out as by the testbed: the node with
// most to do sends some of them to the one with least.
//
// Placing is computed by a kernel thread of its own, since it may take some milliseconds, and the one that ticks is the
// network's. There is at most one decision under way. The next one waits until its effect can be seen, and twice as
// long whenever a decision has not made the traffic between nodes cheaper, since some programs talk with others all the
// time.
//
// The decision maker is the node of the highest number that lives. Another one that takes over knows nothing yet, and
// decides when it has heard all nodes for some periods.
#include "balance/makers.h"
#include "balance/metis.h"
#include "base/knobs.h"
#include "base/log.h"
#include "net/run/halting.h"
#include "os/linux/futex.h"
#include "os/linux/own_thread.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>

namespace {

using namespace skein;

constexpr unsigned looks = 10;             // at the load, in a period
constexpr unsigned tries_most = 50;        // of those, until a node gives up what it cannot move
constexpr uint32_t quiet_periods = 32;     // a thread that was silent for so long does not count as one that talks
constexpr unsigned first_periods = 8;      // that are heard before anything is decided
constexpr unsigned settling_periods = 16;  // from the end of a decision to the next one about who talks
constexpr unsigned sharing_periods = 4;    // the same about threads that do not talk
constexpr unsigned patience_most = 64;     // times that
constexpr unsigned good_patience_most = 4; // times that, where nothing was worth moving
constexpr uint32_t share_most = 16;        // threads that do not talk, at once
constexpr unsigned parts_most = 32;        // of a report; what does not fit comes with the next one
constexpr size_t runnable_most = 4096;     // of a node, that are looked at

enum class Kind : uint32_t { report, orders, share, done };

struct Report {
  Kind kind;
  uint32_t load_hundredths;   // ready and running threads, the mean of the period
  uint32_t others_hundredths; // those of them that do not talk
  uint32_t workers;
  uint32_t last; // 1: of this period
  uint32_t count;
  skein_policy_talk talks[(SKEIN_POLICY_MOST - 24) / sizeof(skein_policy_talk)];
};
struct Move {
  uint64_t thread;
  uint32_t to, done;
};
struct Orders {
  Kind kind;
  uint32_t number, count, reserved;
  Move moves[(SKEIN_POLICY_MOST - 16) / sizeof(Move)];
};
static_assert(sizeof(Report) <= SKEIN_POLICY_MOST && sizeof(Orders) <= SKEIN_POLICY_MOST);
struct Share {
  Kind kind;
  uint32_t number, to, threads;
};
struct Done {
  Kind kind;
  uint32_t number, moved;
};

// --- each node -------------------------------------------------------------------------------------------------------

uint64_t period_ns() { return knobs.policy_sample_ms * 1'000'000; }
uint64_t look_ns() { return std::max<uint64_t>(period_ns() / looks, 100'000); }

unsigned looked, load_sum;
uint32_t period;
IdTable<uint32_t> talked; // when each thread of this node did
uint64_t runnable[runnable_most];
Report report_;
Orders orders; // what this node is asked to do
Share share;
int asked_by = -1; // nobody
unsigned tries_left;
uint32_t moved;

int decision_maker() { return highest_living(0, node.count); }

void take_report(int from, const Report &report);
void take_done(int from, const Done &done);

void tell_maker() {
  const int maker = decision_maker();
  if (maker == node.self)
    take_report(maker, report_);
  else
    skein_policy_tell(maker, &report_, offsetof(Report, talks) + report_.count * sizeof *report_.talks);
  report_.count = 0;
}

bool talks(uint64_t thread) {
  const uint32_t *last = talked.find(thread);
  return last && period - *last < quiet_periods;
}

void report_period() {
  period++;
  report_.kind = Kind::report;
  report_.last = 0;
  for (unsigned part = 0; part < parts_most; part++) {
    const size_t count = skein_policy_take_talks(report_.talks, std::size(report_.talks));
    report_.count = static_cast<uint32_t>(count);
    for (size_t i = 0; i < count; i++)
      talked[report_.talks[i].thread] = period;
    if (count < std::size(report_.talks))
      break;
    tell_maker();
  }
  if (period % quiet_periods == 0)
    talked.erase_if([](uint64_t thread, uint32_t) { return !talks(thread); });
  const size_t all = skein_policy_runnable(runnable, runnable_most), seen = std::min(all, runnable_most);
  const auto others = std::count_if(runnable, runnable + seen, [](uint64_t thread) { return !talks(thread); });
  report_.others_hundredths =
      static_cast<uint32_t>(static_cast<size_t>(others) * all * 100 / std::max<size_t>(seen, 1));
  report_.load_hundredths = load_sum * 100 / looks;
  report_.workers = skein_policy_workers();
  report_.last = 1;
  tell_maker();
}

/// Those that do not talk, as many as are wanted and can go.
void try_share() {
  const size_t seen = std::min(skein_policy_runnable(runnable, runnable_most), runnable_most);
  for (size_t i = 0; i < seen && moved < share.threads; i++)
    if (!talks(runnable[i]))
      moved += skein_policy_push_thread(static_cast<int>(share.to), runnable[i]);
}

/// Does what is asked, as far as that is possible now, and says so when it is done or has been tried for long enough.
void try_request() {
  bool all;
  uint32_t number;
  if (share.threads) {
    try_share();
    all = moved > 0; // the rest may be different by now
    number = share.number;
  } else {
    for (uint32_t i = 0; i < orders.count; i++)
      if (Move &move = orders.moves[i];
          !move.done && skein_policy_push_thread(static_cast<int>(move.to), move.thread)) {
        move.done = 1;
        moved++;
      }
    all = moved == orders.count;
    number = orders.number;
  }
  if (!all && tries_left--)
    return;
  const Done done = {Kind::done, number, moved};
  const int to = asked_by;
  asked_by = -1;
  if (to == node.self)
    take_done(to, done);
  else
    skein_policy_tell(to, &done, sizeof done);
}

/// A request of a decision maker that has died ends here.
void begin_request(int from) {
  asked_by = from;
  tries_left = tries_most;
  moved = 0;
  try_request();
}

void begin_orders(int from, const Orders &wanted) {
  memcpy(&orders, &wanted, offsetof(Orders, moves) + wanted.count * sizeof *wanted.moves);
  share.threads = 0;
  begin_request(from);
}

void begin_share(int from, const Share &wanted) {
  share = wanted;
  begin_request(from);
}

// --- the kernel thread that places -----------------------------------------------------------------------------------

// Who owns `job` is what `stage` says: at rest and placed, the tick; wanted, the kernel thread.
enum Stage : uint32_t { at_rest, wanted, placed };
std::atomic<uint32_t> stage{at_rest};
struct Job {
  PlacementProblem problem;
  int node_of[nodes_max]; // of the problem's numbers
  int32_t *to;
  Placed result;
} job = {};
bool placer_runs;
bool unwanted; // what is computed was wanted when the policy was in force before

void *placer_main(void *) {
  pthread_setname_np(pthread_self(), "skein-placer");
  if (const char *missing = metis_load())
    log("policy affinity: threads are placed one by one only, which may bring fewer of them together, since METIS "
        "cannot be loaded: %s. Debian has it in libmetis5",
        missing);
  for (;;) {
    uint32_t now;
    while ((now = stage.load(std::memory_order_acquire)) != wanted) // pairs with the release in begin_placing
      futex_wait(stage, now);
    job.result = place(job.problem, metis_partition, job.to);
    stage.store(placed, std::memory_order_release); // pairs with the acquire in placing_ended
  }
}

void job_free() {
  problem_free(job.problem);
  free(job.to);
  job.to = nullptr;
  stage.store(at_rest, std::memory_order_relaxed);
}

// --- the decision maker ----------------------------------------------------------------------------------------------

struct Known {
  bool fresh;
  float load, others, workers;
};
Known *known; // of each node
Conversations conversations;
uint32_t requests, requests_out, requests_moved; // the latest number; nodes that have not answered it
unsigned periods, answer_until;
unsigned decide_at, patience;      // about who talks
unsigned share_at, share_patience; // about the others
bool sharing;                      // what is under way concerns those
double cut_before_us;
Orders outgoing;

bool under_way() { return requests_out > 0 && periods < answer_until; }

void send_begins(uint32_t nodes, bool shares) {
  sharing = shares;
  requests_out = nodes;
  requests_moved = 0;
  answer_until = periods + 4 + 2 * tries_most / looks;
}

void send_orders(int to) {
  outgoing.kind = Kind::orders;
  outgoing.number = requests;
  if (to == node.self)
    begin_orders(to, outgoing);
  else
    skein_policy_tell(to, &outgoing, offsetof(Orders, moves) + outgoing.count * sizeof *outgoing.moves);
}

/// Fills `outgoing` with what one node is to send away. What does not fit comes with a later decision.
void orders_of(uint32_t number) {
  outgoing.count = 0;
  for (uint32_t i = 0; i < job.problem.threads && outgoing.count < std::size(outgoing.moves); i++)
    if (const Vertex &vertex = job.problem.vertices[i];
        static_cast<uint32_t>(vertex.at) == number && job.to[i] != vertex.at)
      outgoing.moves[outgoing.count++] = {vertex.thread, static_cast<uint32_t>(job.node_of[job.to[i]]), 0};
}

void carry_out() {
  const Placed &result = job.result;
  if (knobs.policy_report)
    report("affinity: %u threads talk; messages between nodes take %.1f %% of a processor, idle workers %.1f %%; %u "
           "moves (%s) leave %.1f %% and %.1f %%",
           job.problem.threads, 100 * result.before.cut_us / job.problem.period_us,
           100 * result.before.idle_us / job.problem.period_us, result.moves,
           !result.moves        ? "none is worth it"
           : result.partitioned ? "METIS"
                                : "one by one",
           100 * result.after.cut_us / job.problem.period_us, 100 * result.after.idle_us / job.problem.period_us);
  if (!result.moves) { // as long as it is good, but others may end, and leave workers idle
    patience = std::min(2 * patience, good_patience_most);
    decide_at = periods + settling_periods * patience;
    return;
  }
  const bool helps = cut_before_us == 0 || result.before.cut_us < 0.9 * cut_before_us;
  patience = helps ? 1 : std::min(2 * patience, patience_most);
  cut_before_us = result.before.cut_us;
  decide_at = periods + settling_periods * patience;
  requests++;
  uint32_t nodes = 0;
  for (uint32_t number = 0; number < job.problem.nodes; number++) {
    orders_of(number);
    nodes += outgoing.count > 0;
  }
  send_begins(nodes, false);
  for (uint32_t number = 0; number < job.problem.nodes; number++) {
    orders_of(number);
    if (outgoing.count)
      send_orders(job.node_of[number]);
  }
}

/// What has been placed is carried out. False: it is not ready.
bool placing_ended() {
  const uint32_t now = stage.load(std::memory_order_acquire); // pairs with the release in placer_main
  if (now == wanted)
    return false;
  if (now == placed) {
    if (!unwanted)
      carry_out();
    unwanted = false;
    job_free();
  }
  return true;
}

void begin_placing() {
  int number_of[nodes_max];
  uint32_t nodes = 0;
  for (int peer = 0; peer < node.count; peer++) {
    number_of[peer] = node_lives(peer) ? static_cast<int>(nodes) : -1;
    if (number_of[peer] >= 0)
      job.node_of[nodes++] = peer;
  }
  if (!conversations.problem(number_of, nodes, job.problem))
    return;
  double talkers_run = 0;
  for (uint32_t number = 0; number < nodes; number++) {
    const Known &of = known[job.node_of[number]];
    job.problem.others[number] = of.others;
    job.problem.workers[number] = of.workers;
    talkers_run += static_cast<double>(std::max(of.load - of.others, 0.0f));
  }
  job.problem.activity = static_cast<float>(std::clamp(talkers_run / job.problem.threads, 0.01, 1.0));
  job.problem.period_us = static_cast<float>(period_ns()) / 1000;
  job.to = static_cast<int32_t *>(malloc(job.problem.threads * sizeof *job.to));
  pthread_t placer;
  if (job.to && !placer_runs && own_thread_start(placer, placer_main) == 0) {
    pthread_detach(placer);
    placer_runs = true;
  }
  if (!job.to || !placer_runs)
    return job_free();
  stage.store(wanted, std::memory_order_release); // pairs with the acquire in placer_main
  futex_wake(stage);
}

/// Threads that do not talk go from the node with most to do to the one with least. True: some do.
bool share_others() {
  int most = -1, least = -1;
  for (int peer = 0; peer < node.count; peer++)
    if (node_lives(peer)) {
      most = most < 0 || known[peer].load > known[most].load ? peer : most;
      least = least < 0 || known[peer].load < known[least].load ? peer : least;
    }
  const float difference = known[most].load - known[least].load;
  if (difference < 2 || known[most].others < 1 || periods < share_at)
    return false;
  share_at = periods + sharing_periods;
  const float threads = std::min(difference / 2, known[most].others);
  const Share wish = {Kind::share, ++requests, static_cast<uint32_t>(least),
                      std::clamp(static_cast<uint32_t>(threads), 1u, share_most)};
  if (knobs.policy_report)
    report("affinity: move %u threads that do not talk from %d to %d", wish.threads, most, least);
  send_begins(1, true);
  if (most == node.self)
    begin_share(most, wish);
  else
    skein_policy_tell(most, &wish, sizeof wish);
  return true;
}

void decide() {
  if (!placing_ended() || under_way() || periods < first_periods)
    return;
  for (int peer = 0; peer < node.count; peer++)
    if (node_lives(peer) && !known[peer].fresh)
      return; // it has not told anything yet
  if (!share_others() && periods >= decide_at)
    begin_placing();
}

void take_report(int from, const Report &report) {
  for (uint32_t i = 0; i < report.count; i++)
    conversations.heard(from, report.talks[i]);
  if (!report.last)
    return;
  Known &of = known[from];
  // One period in which threads happened to wait for each other moves nothing.
  const auto mix = [&](float &value, float now) { value = of.fresh ? value + (now - value) / 4 : now; };
  mix(of.load, static_cast<float>(report.load_hundredths) / 100);
  mix(of.others, static_cast<float>(report.others_hundredths) / 100);
  of.workers = static_cast<float>(std::clamp(report.workers, 1u, 4096u));
  of.fresh = true;
}

void take_done(int, const Done &done) {
  if (!requests_out || done.number != requests)
    return;
  requests_moved += done.moved;
  if (--requests_out)
    return;
  if (sharing) { // where nothing could be moved, nothing will be for a while
    share_patience = requests_moved ? 1 : std::min(2 * share_patience, patience_most);
    share_at = periods + sharing_periods * share_patience;
  }
  if (knobs.policy_report)
    report("affinity: %u threads have moved", requests_moved);
}

// --- what the policy hears -------------------------------------------------------------------------------------------

/// A process that is made of a copy has no kernel thread that places. What it was at is not wanted any more.
void placer_forget() {
  if (stage.load(std::memory_order_relaxed) != at_rest)
    job_free();
  placer_runs = unwanted = false;
}

void affinity_start() {
  node_reborn.add(placer_forget);
  free(known);
  known = nullptr;
  looked = load_sum = 0;
  asked_by = -1;
  requests_out = 0;
  periods = answer_until = decide_at = share_at = 0;
  patience = share_patience = 1;
  cut_before_us = 0;
  conversations.clear();
  talked.clear();
  report_.count = 0;
  unwanted = stage.load(std::memory_order_relaxed) != at_rest;
}

uint64_t affinity_tick(uint64_t) {
  if (!known) {
    known = static_cast<Known *>(calloc(static_cast<size_t>(node.count), sizeof(Known)));
    if (!known)
      fatal("out of memory for what the policy affinity knows of %d nodes", node.count);
  }
  load_sum += skein_policy_load();
  if (asked_by >= 0)
    try_request();
  if (++looked < looks)
    return look_ns();
  report_period();
  looked = load_sum = 0;
  periods++;
  if (decision_maker() == node.self) {
    decide();
    conversations.fade();
  }
  return look_ns();
}

/// A message that may end before its last entries. False: it is none.
template <class T, class Entry> bool body(T &to, const Entry *entries, size_t most, const void *data, size_t bytes) {
  const size_t head = sizeof(T) - most * sizeof(Entry);
  if (bytes < head || bytes > sizeof to)
    return false;
  memcpy(static_cast<void *>(&to), data, bytes);
  return to.count <= most && bytes == head + to.count * sizeof *entries;
}

void affinity_told(int from, const void *data, size_t bytes) {
  static Report report_in;
  static Orders orders_in;
  Kind kind;
  if (!known || bytes < sizeof kind)
    return;
  memcpy(&kind, data, sizeof kind);
  const auto whole = [&](auto &to) { return bytes == sizeof to && (memcpy(&to, data, sizeof to), true); };
  Share share_in;
  Done done;
  if (kind == Kind::report && body(report_in, report_in.talks, std::size(report_in.talks), data, bytes))
    take_report(from, report_in);
  else if (kind == Kind::orders && body(orders_in, orders_in.moves, std::size(orders_in.moves), data, bytes))
    begin_orders(from, orders_in);
  else if (kind == Kind::share && whole(share_in) && share_in.threads &&
           skein_policy_peer(static_cast<int>(share_in.to)))
    begin_share(from, share_in);
  else if (kind == Kind::done && whole(done))
    take_done(from, done);
}

} // namespace

SKEIN_POLICY(affinity, .what = "GDGM, sender", .start = affinity_start, .tick = affinity_tick, .told = affinity_told);
