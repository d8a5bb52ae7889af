// The model of `makers`; see makers.h and makers.c.
//
// A node has a number of threads, of which it runs one at a time. While it has any, they end at random, one in ten
// seconds on the average, and for each that ends another one begins: on a node of a sixteenth of all that changes from
// second to second. So there are four threads for each node all the time, and a tenth of a thread for each node and
// second begins where others are, and should go elsewhere. In the beginning all threads are on the first sixteenth.
//
// A maker is a server that handles one message after the other, in the order in which they come; a period that ends is
// a message to itself.
#include "makers.h"

#include "balance/decisions.h"

#include <skein/statistics.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <vector>

namespace {

// What a maker is busy with, in seconds: to receive a message of the policy or to send one, as the network's kernel
// thread does (`skein bench migrate`: an active message takes 1 to 3 µs on either side), and to look at one node when
// it decides.
constexpr double message_s = 2e-6, look_s = 3e-9;

constexpr double threads_of_node = 4, life_s = 10;
constexpr unsigned hot_part = 16;
constexpr unsigned answer_periods = 8; // as testbed.cpp waits

enum class Kind { summary, period, done, digest };
struct Message {
  double came;
  Kind kind;
  unsigned from; // node, or group
  uint32_t load; // of a summary
  uint64_t request;
};
struct Request {
  skein::Wish wish;
  unsigned group;
  uint32_t moved;
};
struct Group {
  skein::Maker maker;
  std::deque<Message> messages;
  skein::GroupDigest digest;
  double busy = 0;
  uint64_t requests = 0, handled = 0;
  double waited = 0; // messages, until they were handled
};
struct Node {
  uint32_t threads = 0;
  skein_stream stream;
};

unsigned group_size;
std::vector<Node> nodes;
std::vector<Group> groups;
std::vector<Request> requests;
double steady_since;

struct Noted {
  double now, misplaced;
};
std::vector<Noted> noted;
skein_tally misplaced_steady;

unsigned group_of(unsigned node) { return node / group_size; }

/// Where a thread begins at this time.
unsigned hot_node(skein_stream &stream, double now) {
  const unsigned all = static_cast<unsigned>(nodes.size()), part = std::max(all / hot_part, 1u);
  const unsigned which = static_cast<unsigned>(now) * 7 % std::min(all, hot_part);
  return (which * part + skein_stream_below(&stream, part)) % all;
}

/// Which part of the threads would have to be elsewhere.
double misplaced() {
  double sum = 0, above = 0;
  for (const Node &node : nodes)
    sum += node.threads;
  const double mean = sum / static_cast<double>(nodes.size());
  for (const Node &node : nodes)
    above += std::max(node.threads - mean, 0.0);
  return sum > 0 ? above / sum : 0;
}

} // namespace

unsigned makers_begin(unsigned count, unsigned group) {
  group_size = group ? group : count;
  nodes.resize(count);
  groups.resize((count + group_size - 1) / group_size);
  for (unsigned i = 0; i < count; i++)
    nodes[i].stream = skein_stream_make(1, i);
  const unsigned part = std::max(count / hot_part, 1u);
  for (unsigned i = 0; i < static_cast<unsigned>(threads_of_node * count); i++)
    nodes[i % part].threads++;
  for (unsigned i = 0; i < groups.size(); i++)
    if (!groups[i].maker.begin(static_cast<int>(i * group_size),
                               static_cast<int>(std::min((i + 1) * group_size, count)), i,
                               static_cast<uint32_t>(groups.size())))
      return 0;
  return static_cast<unsigned>(groups.size());
}

unsigned makers_node_period(unsigned number, double now) {
  Node &node = nodes[number];
  if (node.threads && skein_stream_uniform(&node.stream) < MAKERS_PERIOD / life_s) {
    node.threads--;
    nodes[hot_node(node.stream, now)].threads++;
  }
  groups[group_of(number)].messages.push_back({now + MAKERS_LATENCY, Kind::summary, number, node.threads * 100, 0});
  return group_of(number);
}

void makers_maker_period(unsigned group, double now) {
  groups[group].messages.push_back({now, Kind::period, group, 0, 0});
}

double makers_handling(unsigned number, double now) {
  Group &group = groups[number];
  const Message &message = group.messages.front();
  double takes = message_s;
  if (message.kind == Kind::period) {
    takes = look_s * group_size;
    if (group.maker.period() % skein::digest_periods == 0)
      takes += message_s * static_cast<double>(groups.size() - 1);
  }
  const double waits = std::max(message.came - now, 0.0);
  group.busy += takes;
  group.waited += now + waits + takes - message.came;
  group.handled++;
  return waits + takes;
}

unsigned makers_handled(unsigned number, double now, uint64_t *begun, int *digest) {
  Group &group = groups[number];
  const Message message = group.messages.front();
  group.messages.pop_front();
  *digest = 0;
  if (message.kind == Kind::summary) {
    group.maker.summary(static_cast<int>(message.from), {message.load, 0, {}});
  } else if (message.kind == Kind::digest) {
    group.maker.digest(groups[message.from].digest);
  } else if (message.kind == Kind::done) {
    group.maker.answered(requests[message.request].wish, requests[message.request].moved);
  } else {
    group.maker.next_period(answer_periods);
    skein::Wish wishes[1 + skein::digest_nodes];
    unsigned count = group.maker.within(wishes[0]);
    *digest = group.maker.period() % skein::digest_periods == 0 && group.maker.own_digest(group.digest);
    count += group.maker.across(wishes + count);
    for (unsigned i = 0; i < count; i++) {
      requests.push_back({wishes[i], number, 0});
      begun[i] = requests.size() - 1;
    }
    group.requests += count;
    return count;
  }
  (void)now;
  return 0;
}

void makers_request_comes(uint64_t number) {
  Request &request = requests[number];
  Node &from = nodes[static_cast<size_t>(request.wish.from)];
  // The thread that runs is not sent away.
  request.moved = std::min(request.wish.threads, from.threads ? from.threads - 1 : 0);
  from.threads -= request.moved;
}

unsigned makers_request_done(uint64_t number, double now) {
  const Request &request = requests[number];
  nodes[static_cast<size_t>(request.wish.to)].threads += request.moved;
  groups[request.group].messages.push_back({now + MAKERS_LATENCY, Kind::done, request.group, 0, number});
  return request.group;
}

void makers_digest_comes(unsigned from, unsigned to, double now) {
  groups[to].messages.push_back({now + MAKERS_LATENCY, Kind::digest, from, 0, 0});
}

void makers_note(double now) {
  noted.push_back({now, misplaced()});
  if (steady_since > 0)
    skein_tally_add(&misplaced_steady, noted.back().misplaced);
}

void makers_steady(double now) {
  steady_since = now;
  for (Group &group : groups) {
    group.busy = group.waited = 0;
    group.requests = group.handled = 0;
  }
}

/// misplaced in the beginning, after 1, 2, 5 seconds, and in the steady part; then requests a second, how busy the
/// busiest maker is, how late it hears, and how many messages wait.
void makers_print(double now) {
  const auto at = [](double when) {
    double value = 0;
    for (const Noted &note : noted)
      if (note.now <= when + 1e-9)
        value = note.misplaced;
    return value;
  };
  double busy = 0, late = 0;
  uint64_t sum = 0, waiting = 0;
  for (const Group &group : groups) {
    busy = std::max(busy, group.busy / (now - steady_since));
    late = std::max(late, group.handled ? group.waited / static_cast<double>(group.handled) : 0);
    sum += group.requests;
    waiting += group.messages.size();
  }
  printf("%zu,%zu,%.4f,%.4f,%.4f,%.4f,%.1f,%.4f,%.6f,%llu\n", nodes.size(), groups.size(), at(0), at(1), at(5),
         misplaced_steady.mean, static_cast<double>(sum) / (now - steady_since), busy, late,
         static_cast<unsigned long long>(waiting));
}
