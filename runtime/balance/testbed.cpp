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
// In a large run one decision maker has too much to hear: with SKEIN_OPTIONS=policy_group=N each N nodes with
// neighbouring numbers have one of their own, and the makers tell each other how much their groups have to do. What
// they decide is decisions.h.
//
// A decision maker is the node of the highest number of its group that lives, so another one takes over when it dies:
// it has no state but the latest summaries, which come anew with each period.
#include "balance/decisions.h"
#include "balance/makers.h"
#include "base/knobs.h"
#include "base/log.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <type_traits>

namespace {

using skein::node;
using skein::nodes_max;

constexpr unsigned looks = 10;      // at the load, in a sample period
constexpr unsigned tries_most = 25; // of those, until a request is given up
constexpr unsigned answer_periods = 4 + 2 * tries_most / looks;

enum class Kind : uint32_t { summary, request, done, digest };

struct Summary {
  Kind kind;
  skein::NodeSummary of;
};
struct Digest {
  Kind kind;
  skein::GroupDigest of;
};
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

int group_size() { return skein::knobs.policy_group ? static_cast<int>(skein::knobs.policy_group) : node.count; }
int groups() { return (node.count + group_size() - 1) / group_size(); }
/// -1: all nodes of the group are dead.
int maker_of(int group) {
  return skein::highest_living(group * group_size(), std::min((group + 1) * group_size(), node.count));
}
int own_group() { return node.self / group_size(); }
int decision_maker() { return maker_of(own_group()); }

void take_summary(int from, const Summary &summary);
void take_done(int from, const Done &done);
void begin_request(int from, const Request &request);

template <class T> void tell(int to, const T &what) {
  if (to != node.self)
    skein_policy_tell(to, &what, sizeof what);
  else if constexpr (std::is_same_v<T, Summary>)
    take_summary(node.self, what);
  else if constexpr (std::is_same_v<T, Done>)
    take_done(node.self, what);
  else if constexpr (std::is_same_v<T, Request>)
    begin_request(node.self, what);
}

void summarise() {
  Summary told = {Kind::summary, {load_sum * 100 / looks, 0, {}}};
  skein::NodeSummary &summary = told.of;
  for (int peer = 0; peer < node.count; peer++) {
    const uint64_t so_far = skein_policy_talks(peer);
    const auto messages = static_cast<uint32_t>(so_far - told_before[peer]);
    told_before[peer] = so_far;
    if (!messages)
      continue;
    const auto end = summary.links + skein::links_told;
    skein::LinkTraffic *place =
        summary.count < skein::links_told
            ? &summary.links[summary.count++]
            : std::min_element(summary.links, end, [](auto &a, auto &b) { return a.messages < b.messages; });
    if (place->messages < messages)
      *place = {static_cast<uint32_t>(peer), messages};
  }
  tell(decision_maker(), told);
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
  if (wanted_by >= 0 || !skein_policy_peer(static_cast<int>(request.to)))
    return tell(from, Done{Kind::done, request.number, 0}); // another one is under way, or its node has died
  wanted = request;
  wanted_by = from;
  tries_left = tries_most;
  sent = 0;
  try_request();
}

// --- the decision maker ----------------------------------------------------------------------------------------------

skein::Maker maker;
bool begun;
struct Asked {
  skein::Wish wish;
  uint32_t number; // 0: nothing
};
Asked asked[1 + skein::digest_nodes]; // [0]: within the group; across: the latest ones
uint32_t requests;
uint64_t began_ns, now_ns;

/// The log has the form of Figure 41.
void log_sample() {
  if (!skein::knobs.policy_report)
    return;
  char links[400], loads[400];
  size_t at = 0, to = 0;
  uint64_t sum = 0, count = 0;
  double load = 0;
  const int first = own_group() * group_size(), end = std::min(first + group_size(), node.count);
  for (int a = first; a < end; a++) {
    if (to + 16 < sizeof loads)
      to += static_cast<size_t>(snprintf(loads + to, sizeof loads - to, " %.1f", maker.load(a)));
    load += maker.load(a);
    for (int b = a + 1; b < end; b++, count++) {
      sum += maker.link(a, b);
      if (at + 16 < sizeof links)
        at += static_cast<size_t>(snprintf(links + at, sizeof links - at, " %u", maker.link(a, b)));
    }
  }
  skein::report("TIM: %llu", static_cast<unsigned long long>((now_ns - began_ns) / 1'000'000));
  skein::report("LNK:%s (av %llu)", links, static_cast<unsigned long long>(count ? sum / count : 0));
  skein::report("RQL:%s (av %.1f)", loads, load / (end - first));
}

void request(Asked &place, const skein::Wish &wish) {
  place = {wish, ++requests};
  const Request message = {Kind::request, place.number, static_cast<uint32_t>(wish.to), wish.threads};
  if (skein::knobs.policy_report) {
    char why[64] = "to share it";
    if (wish.link_a >= 0)
      snprintf(why, sizeof why, "to quieten link %d-%d", wish.link_a, wish.link_b);
    else if (wish.to / group_size() != own_group())
      snprintf(why, sizeof why, "to share it with group %d", wish.to / group_size());
    skein::report("move work of %u threads from %d to %d %s (mig #%u)", wish.threads, wish.from, wish.to, why,
                  place.number);
  }
  tell(wish.from, message);
}

void decide() {
  maker.next_period(answer_periods);
  const int first = own_group() * group_size(), end = std::min(first + group_size(), node.count);
  for (int peer = first; peer < end; peer++)
    if (!skein::node_lives(peer))
      maker.forget(peer);
  log_sample();
  if (skein::Wish wish; maker.within(wish))
    request(asked[0], wish);
  if (groups() == 1)
    return;
  if (Digest digest = {Kind::digest, {}}; maker.period() % skein::digest_periods == 0 && maker.own_digest(digest.of))
    for (int group = 0; group < groups(); group++)
      if (const int other = maker_of(group); group != own_group() && other >= 0)
        skein_policy_tell(other, &digest, sizeof digest);
  skein::Wish wishes[skein::digest_nodes];
  for (unsigned i = 0, count = maker.across(wishes); i < count; i++)
    if (skein::node_lives(static_cast<int>(wishes[i].to)))
      request(asked[1 + i], wishes[i]);
}

void take_summary(int from, const Summary &summary) { maker.summary(from, summary.of); }

void take_done(int from, const Done &done) {
  for (Asked &place : asked)
    if (place.number && done.number == place.number) {
      place.number = 0;
      maker.answered(place.wish, done.threads);
      if (skein::knobs.policy_report)
        skein::report("mig #%u: %u threads left %d, time %llu", done.number, done.threads, from,
                      static_cast<unsigned long long>((now_ns - began_ns) / 1'000'000));
    }
}

// --- what the policy hears -------------------------------------------------------------------------------------------

void testbed_start() {
  maker.end();
  begun = false;
  looked = load_sum = 0;
  wanted_by = -1;
  memset(static_cast<void *>(asked), 0, sizeof asked);
  for (int peer = 0; peer < node.count; peer++)
    told_before[peer] = skein_policy_talks(peer);
}

uint64_t testbed_tick(uint64_t now) {
  now_ns = now;
  if (!begun) {
    const int first = own_group() * group_size();
    if (!maker.begin(first, std::min(first + group_size(), node.count), static_cast<uint32_t>(own_group()),
                     static_cast<uint32_t>(groups())))
      skein::fatal("out of memory for what the policy testbed knows of %d nodes", node.count);
    begun = true;
    began_ns = now;
  }
  load_sum += skein_policy_load();
  if (wanted_by >= 0)
    try_request();
  if (++looked == looks) {
    summarise();
    looked = load_sum = 0;
    if (decision_maker() == node.self)
      decide();
  }
  return look_ns();
}

void testbed_told(int from, const void *data, size_t bytes) {
  Kind kind;
  if (!begun || bytes < sizeof kind)
    return;
  memcpy(&kind, data, sizeof kind);
  const auto body = [&](auto &to) { return bytes == sizeof to && (memcpy(&to, data, sizeof to), true); };
  Summary summary;
  Request request;
  Done done;
  Digest digest;
  if (kind == Kind::summary && body(summary))
    take_summary(from, summary);
  else if (kind == Kind::request && body(request))
    begin_request(from, request);
  else if (kind == Kind::done && body(done))
    take_done(from, done);
  else if (kind == Kind::digest && body(digest) && digest.of.nodes <= static_cast<uint32_t>(group_size()))
    maker.digest(digest.of);
}

} // namespace

SKEIN_POLICY(testbed, .what = "GDGM, sender", .start = testbed_start, .tick = testbed_tick, .told = testbed_told);
