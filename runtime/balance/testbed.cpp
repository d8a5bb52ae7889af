// The Testbed's balancer (GDGM, sender): one node, the *decision maker*, gets a summary of each node's load in each
// sample period, and sends at most one request at a time; the node that gets it chooses the thread (candidates.cpp),
// and reports back. (The Testbed, section 4.2.)
//
//     each node        mean load, messages over channels to each other node      -> summary -> decision maker
//     decision maker   one node has more to do than another: move work, and as many threads as make them equal
//                      else one link carries much more than the mean, or all carry much: move a thread that uses it, to
//                      the end of the link that has less to do
//     the node         sends what fits best; tries again at its next ticks if nothing is ready; gives up after some
//
// The seed's migration period was as long as a move could take at worst, 570 ms, since it had no answer. Here the
// answer ends it. Where nothing could be moved, the next request waits for twice as long; and so does the next one for
// the sake of a link if the last one has not made the busiest link quieter, since in some programs nothing does.
//
// The decision maker is the node of the highest number that lives, so another one takes over when it dies: it has no
// state but the latest summaries, which come anew with each period.
#include "balance/makers.h"
#include "base/knobs.h"
#include "base/log.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>

namespace {

using skein::node;
using skein::nodes_max;

constexpr unsigned looks = 10;         // at the load, in a sample period
constexpr unsigned tries_most = 25;    // of those, until a request is given up
constexpr unsigned links_told = 16;    // the busiest ones of a node
constexpr uint32_t quiet_messages = 8; // in a period: a link that carries fewer is left alone
constexpr unsigned patience_most = 64; // sample periods

enum class Kind : uint32_t { summary, request, done };

struct Traffic {
  uint32_t peer, messages;
};
struct Summary {
  Kind kind;
  uint32_t load_hundredths; // ready and running threads, the mean of the period
  uint32_t count, reserved;
  Traffic links[links_told]; // what this node has sent in the period
};
static_assert(sizeof(Summary) <= 256);
struct Request { // of what uses the link to that node, if anything does
  Kind kind;
  uint32_t number, to, threads;
};
struct Done {
  Kind kind;
  uint32_t number, threads;
};

// --- each node -------------------------------------------------------------------------------------------------------

uint64_t look_ns() { return std::max<uint64_t>(skein::knobs.policy_sample_ms * 1'000'000 / looks, 100'000); }

unsigned looked, load_sum;
uint64_t told_before[nodes_max]; // messages to each node, at the end of the last period
Request wanted;                  // what this node is asked to do
int wanted_by = -1;              // nobody
unsigned tries_left, sent;

int decision_maker() { return skein::highest_living(0, node.count); }

void take_summary(int from, const Summary &summary);
void take_done(int from, const Done &done);

template <class T> void tell(int to, const T &what) {
  if (to != node.self)
    skein_policy_tell(to, &what, sizeof what);
  else if constexpr (std::is_same_v<T, Summary>)
    take_summary(node.self, what);
  else if constexpr (std::is_same_v<T, Done>)
    take_done(node.self, what);
}

void summarise() {
  Summary summary = {Kind::summary, load_sum * 100 / looks, 0, 0, {}};
  for (int peer = 0; peer < node.count; peer++) {
    const uint64_t so_far = skein_policy_talks(peer);
    const auto messages = static_cast<uint32_t>(so_far - told_before[peer]);
    told_before[peer] = so_far;
    if (!messages)
      continue;
    Traffic *place = summary.count < links_told ? &summary.links[summary.count++]
                                                : std::min_element(
                                                      summary.links, summary.links + links_told,
                                                      [](auto &a, auto &b) { return a.messages < b.messages; });
    if (place->messages < messages)
      *place = {static_cast<uint32_t>(peer), messages};
  }
  tell(decision_maker(), summary);
}

/// Does what is asked, as far as that is possible now.
void try_request() {
  const int to = static_cast<int>(wanted.to);
  while (sent < wanted.threads && skein_policy_push_talker(to, to))
    sent++;
  if (sent == 0 && tries_left--)
    return; // the next time a thread is ready
  const int asked_by = wanted_by;
  wanted_by = -1;
  tell(asked_by, Done{Kind::done, wanted.number, sent});
}

void begin_request(int from, const Request &request) {
  wanted = request;
  wanted_by = from;
  tries_left = tries_most;
  sent = 0;
  try_request();
}

// --- the decision maker ----------------------------------------------------------------------------------------------

struct Known {
  bool fresh;
  uint32_t load_hundredths;
  uint32_t sent[nodes_max]; // to each node, in the last period
};
Known *known; // of each node
uint32_t requests;
bool under_way;
unsigned periods, patience = 1, waits_until, answer_until;
unsigned link_patience = 1, link_waits_until;
uint32_t link_before; // what the busiest link carried when something was moved because of it
uint64_t began_ns, now_ns;

double load_of(int peer) { return known[peer].load_hundredths / 100.0; }
uint32_t link_of(int a, int b) { return known[a].sent[b] + known[b].sent[a]; }

/// The log has the form of Figure 41.
void log_sample() {
  if (!skein::knobs.policy_report)
    return;
  char links[400], loads[400];
  size_t at = 0, to = 0;
  uint64_t sum = 0, count = 0;
  double load = 0;
  for (int a = 0; a < node.count; a++) {
    if (to + 16 < sizeof loads)
      to += static_cast<size_t>(snprintf(loads + to, sizeof loads - to, " %.1f", load_of(a)));
    load += load_of(a);
    for (int b = a + 1; b < node.count; b++, count++) {
      sum += link_of(a, b);
      if (at + 16 < sizeof links)
        at += static_cast<size_t>(snprintf(links + at, sizeof links - at, " %u", link_of(a, b)));
    }
  }
  skein::report("TIM: %llu", static_cast<unsigned long long>((now_ns - began_ns) / 1'000'000));
  skein::report("LNK:%s (av %llu)", links, static_cast<unsigned long long>(count ? sum / count : 0));
  skein::report("RQL:%s (av %.1f)", loads, load / node.count);
}

void request(int from, int to, uint32_t threads, const char *why) {
  under_way = true;
  answer_until = periods + 4 + 2 * tries_most / looks;
  const Request wish = {Kind::request, ++requests, static_cast<uint32_t>(to), threads};
  if (skein::knobs.policy_report)
    skein::report("move work of %u threads from %d to %d %s (mig #%u)", threads, from, to, why, requests);
  if (from == node.self)
    begin_request(node.self, wish);
  else
    skein_policy_tell(from, &wish, sizeof wish);
}

void decide() {
  int most = -1, least = -1, a = -1, b = -1;
  uint64_t messages = 0, links = 0;
  for (int peer = 0; peer < node.count; peer++) {
    if (peer != node.self && !skein_policy_peer(peer))
      continue;
    if (!known[peer].fresh)
      return; // it has not told anything yet
    most = most < 0 || load_of(peer) > load_of(most) ? peer : most;
    least = least < 0 || load_of(peer) < load_of(least) ? peer : least;
    for (int other = peer + 1; other < node.count; other++) {
      links++;
      messages += link_of(peer, other);
      if (a < 0 || link_of(peer, other) > link_of(a, b)) {
        a = peer;
        b = other;
      }
    }
  }
  if (most < 0 || under_way || periods < waits_until)
    return;
  const double difference = load_of(most) - load_of(least);
  if (difference >= 2)
    return request(most, least, static_cast<uint32_t>(std::clamp(difference / 2, 1.0, 16.0)), "to share it");
  if (a < 0 || link_of(a, b) < quiet_messages || link_of(a, b) < messages / links)
    return;
  if (periods < link_waits_until)
    return;
  const bool helped = link_of(a, b) < link_before - link_before / 5;
  link_patience = !link_before || helped ? 1 : std::min(2 * link_patience, patience_most);
  link_before = link_of(a, b);
  link_waits_until = periods + 1 + link_patience;
  const bool from_b = load_of(b) > load_of(a);
  char why[64];
  snprintf(why, sizeof why, "to quieten link %d-%d", a, b);
  from_b ? request(b, a, 1, why) : request(a, b, 1, why);
}

void take_summary(int from, const Summary &summary) {
  Known &of = known[from];
  // Half of it is what was before, so that one period in which threads happened to wait for each other moves nothing.
  of.load_hundredths = of.fresh ? (of.load_hundredths + summary.load_hundredths) / 2 : summary.load_hundredths;
  of.fresh = true;
  memset(of.sent, 0, sizeof of.sent);
  for (uint32_t i = 0; i < std::min(summary.count, links_told); i++)
    if (summary.links[i].peer < static_cast<uint32_t>(node.count))
      of.sent[summary.links[i].peer] = summary.links[i].messages;
}

void take_done(int from, const Done &done) {
  if (!under_way || done.number != requests)
    return;
  under_way = false;
  if (skein::knobs.policy_report)
    skein::report("mig #%u: %u threads left %d, time %llu", done.number, done.threads, from,
                  static_cast<unsigned long long>((now_ns - began_ns) / 1'000'000));
  // Where nothing could be moved, nothing will be for a while.
  patience = done.threads ? 1 : std::min(2 * patience, patience_most);
  waits_until = periods + patience;
}

// --- what the policy hears -------------------------------------------------------------------------------------------

void testbed_start() {
  free(known);
  known = nullptr;
  looked = load_sum = 0;
  wanted_by = -1;
  under_way = false;
  periods = waits_until = answer_until = link_waits_until = 0;
  patience = link_patience = 1;
  link_before = 0;
  for (int peer = 0; peer < node.count; peer++)
    told_before[peer] = skein_policy_talks(peer);
}

uint64_t testbed_tick(uint64_t now) {
  now_ns = now;
  if (!known) {
    known = static_cast<Known *>(calloc(static_cast<size_t>(node.count), sizeof(Known)));
    if (!known)
      skein::fatal("out of memory for what the policy testbed knows of %d nodes", node.count);
    began_ns = now;
  }
  load_sum += skein_policy_load();
  if (wanted_by >= 0)
    try_request();
  if (++looked == looks) {
    summarise();
    looked = load_sum = 0;
    periods++;
    if (under_way && periods >= answer_until)
      under_way = false; // that node has died, or is late
    if (decision_maker() == node.self) {
      log_sample();
      decide();
    }
  }
  return look_ns();
}

void testbed_told(int from, const void *data, size_t bytes) {
  Kind kind;
  if (!known || bytes < sizeof kind)
    return;
  memcpy(&kind, data, sizeof kind);
  const auto body = [&](auto &to) { return bytes == sizeof to && (memcpy(&to, data, sizeof to), true); };
  Summary summary;
  Request request;
  Done done;
  if (kind == Kind::summary && body(summary))
    take_summary(from, summary);
  else if (kind == Kind::request && body(request) && wanted_by < 0 && skein_policy_peer(static_cast<int>(request.to)))
    begin_request(from, request);
  else if (kind == Kind::done && body(done))
    take_done(from, done);
}

} // namespace

SKEIN_POLICY(testbed, .what = "GDGM, sender", .start = testbed_start, .tick = testbed_tick, .told = testbed_told);
