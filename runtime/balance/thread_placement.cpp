// Where threads that talk are best placed; see thread_placement.h.
#include "balance/thread_placement.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace skein {

namespace {

// What a message between nodes takes more of the processors than one within a node, on both sides together, where there
// are many at once; what a move takes; and within which time a move has to pay.
constexpr float message_us = 3, kib_us = 0.3f;
constexpr double move_us = 100, horizon_us = 2e6;

constexpr float fading = 1.0f / 8; // of what was said, in each period
constexpr float forgotten_us = 0.05f;
constexpr double least_saving = 0.2; // of the present cost
constexpr double least_cost = 0.01;  // of the time of one processor
constexpr double tolerance = 0.1;    // a node may have that much more than its share
constexpr int passes_most = 8;

uint64_t key_of(uint64_t thread, uint64_t channel) {
  const uint64_t key = (thread * UINT64_C(0x9e3779b97f4a7c15)) ^ (channel * UINT64_C(0xc2b2ae3d27d4eb4f) + 1);
  return key ? key : 1;
}

template <class T> T *array_of(size_t count) { return static_cast<T *>(calloc(count ? count : 1, sizeof(T))); }

/// How many threads can run on each node, and how much of what the workers could do that wastes.
class Loads {
public:
  explicit Loads(const PlacementProblem &problem) : problem_(problem), load_(array_of<float>(problem.nodes)) {
    for (uint32_t node = 0; node < problem.nodes; node++) {
      sum_ += problem.others[node] + 0.0;
      workers_ += problem.workers[node] + 0.0;
    }
    sum_ += problem.activity * static_cast<double>(problem.threads);
  }
  ~Loads() { free(load_); }
  Loads(const Loads &) = delete;
  Loads &operator=(const Loads &) = delete;
  explicit operator bool() const { return load_; }

  void set(const int32_t *at) {
    memcpy(load_, problem_.others, problem_.nodes * sizeof *load_);
    for (uint32_t i = 0; i < problem_.threads; i++)
      load_[at[i]] += problem_.activity;
  }
  void move(int32_t from, int32_t to) {
    load_[from] -= problem_.activity;
    load_[to] += problem_.activity;
  }
  int32_t least() const {
    int32_t best = 0;
    for (int32_t node = 1; node < static_cast<int32_t>(problem_.nodes); node++)
      if (load_[node] - problem_.workers[node] < load_[best] - problem_.workers[best])
        best = node;
    return best;
  }
  /// In the long run the node with most threads for each worker is ready last, and the others wait.
  double idle_us() const {
    const double mean = workers_ > 0 ? std::max(sum_ / workers_, 1.0) : 1.0;
    double most = mean;
    for (uint32_t node = 0; node < problem_.nodes; node++)
      most = std::max(most, static_cast<double>(load_[node] / std::max(problem_.workers[node], 1.0f)));
    return std::min(sum_, workers_) * std::max(1 - mean / most - tolerance, 0.0) * problem_.period_us;
  }

private:
  const PlacementProblem &problem_;
  float *load_;
  double sum_ = 0, workers_ = 0;
};

double cut_us(const PlacementProblem &problem, const int32_t *at) {
  double sum = 0;
  for (uint32_t i = 0; i < problem.threads; i++)
    for (uint32_t edge = problem.first[i]; edge < problem.first[i + 1]; edge++)
      if (at[problem.neighbours[edge].vertex] != at[i])
        sum += problem.neighbours[edge].us + 0.0;
  return sum / 2; // each edge stands with both of its ends
}

/// Moves one thread after the other to where that saves most, until none does.
void improve(const PlacementProblem &problem, Loads &loads, int32_t *at) {
  auto *towards = array_of<float>(problem.nodes); // what a thread has with those of each node
  if (!towards)
    return;
  loads.set(at);
  bool changed = true;
  for (int pass = 0; pass < passes_most && changed; pass++) {
    changed = false;
    for (uint32_t i = 0; i < problem.threads; i++) {
      const int32_t from = at[i], least = loads.least();
      const Neighbour *begin = problem.neighbours + problem.first[i], *end = problem.neighbours + problem.first[i + 1];
      for (const Neighbour *other = begin; other < end; other++)
        towards[at[other->vertex]] += other->us;
      const double idle = loads.idle_us();
      int32_t best = from;
      double best_saving = least_cost * move_us; // less is no reason
      const auto consider = [&](int32_t to) {
        if (to == from)
          return;
        loads.move(from, to);
        const double saving = static_cast<double>(towards[to] - towards[from]) + idle - loads.idle_us();
        loads.move(to, from);
        if (saving > best_saving) {
          best = to;
          best_saving = saving;
        }
      };
      consider(least);
      for (const Neighbour *other = begin; other < end; other++)
        if (towards[at[other->vertex]] > towards[from])
          consider(at[other->vertex]);
      for (const Neighbour *other = begin; other < end; other++)
        towards[at[other->vertex]] = 0;
      if (best != from) {
        loads.move(from, best);
        at[i] = best;
        changed = true;
      }
    }
  }
  free(towards);
}

/// Parts have no names. Each gets the node that holds most of it already: the largest overlap first.
bool name_parts(const PlacementProblem &problem, int32_t *part) {
  const uint32_t nodes = problem.nodes;
  auto *overlap = array_of<uint32_t>(static_cast<size_t>(nodes) * nodes); // of part and node
  auto *name = array_of<int32_t>(nodes);
  auto *taken = array_of<bool>(nodes);
  const bool possible = overlap && name && taken;
  if (possible) {
    for (uint32_t i = 0; i < problem.threads; i++)
      overlap[static_cast<uint32_t>(part[i]) * nodes + static_cast<uint32_t>(problem.vertices[i].at)]++;
    std::fill(name, name + nodes, -1);
    for (uint32_t round = 0; round < nodes; round++) {
      uint32_t best_part = nodes, best_node = nodes;
      for (uint32_t p = 0; p < nodes; p++)
        for (uint32_t n = 0; name[p] < 0 && n < nodes; n++)
          if (!taken[n] && (best_part == nodes || overlap[p * nodes + n] > overlap[best_part * nodes + best_node])) {
            best_part = p;
            best_node = n;
          }
      name[best_part] = static_cast<int32_t>(best_node);
      taken[best_node] = true;
    }
    for (uint32_t i = 0; i < problem.threads; i++)
      part[i] = name[part[i]];
  }
  free(overlap);
  free(name);
  free(taken);
  return possible;
}

uint32_t moves_of(const PlacementProblem &problem, const int32_t *at) {
  uint32_t moves = 0;
  for (uint32_t i = 0; i < problem.threads; i++)
    moves += at[i] != problem.vertices[i].at;
  return moves;
}

PlacementCost cost_of(const PlacementProblem &problem, Loads &loads, const int32_t *at) {
  loads.set(at);
  return {cut_us(problem, at), loads.idle_us()};
}

} // namespace

// --- what is known ---------------------------------------------------------------------------------------------------

void Conversations::heard(int node, const skein_policy_talk &talk) {
  if (!talk.thread || !talk.channel)
    return;
  Use &use = uses_[key_of(talk.thread, talk.channel)];
  Place &place = places_[talk.thread];
  if (talk.here || !place.uses)
    place.node = node;
  place.uses += !use.thread;
  use.thread = talk.thread;
  use.channel = talk.channel;
  use.us += fading * (static_cast<float>(talk.messages) * message_us + static_cast<float>(talk.bytes) / 1024 * kib_us);
}

void Conversations::fade() {
  uses_.each([](uint64_t, Use &use) { use.us -= use.us * fading; });
  uses_.erase_if([&](uint64_t, const Use &use) {
    if (use.us >= forgotten_us)
      return false;
    if (Place *place = places_.find(use.thread); place && !--place->uses)
      places_.erase(use.thread);
    return true;
  });
}

void Conversations::moved(uint64_t thread, int node) {
  if (Place *place = places_.find(thread))
    place->node = node;
}

void Conversations::clear() {
  uses_.clear();
  places_.clear();
}

bool Conversations::problem(const int *number_of, uint32_t nodes, PlacementProblem &to) {
  struct Channel { // its users are one after the other in `users`
    uint32_t users, first, busiest;
  };
  struct User {
    uint32_t vertex;
    float us;
  };
  IdTable<uint32_t> numbers; // 1 + the vertex of each thread
  IdTable<Channel> channels;
  const size_t uses = uses_.size();
  auto *users = array_of<User>(uses);
  to = {};
  to.vertices = array_of<Vertex>(uses);
  to.others = array_of<float>(nodes);
  to.workers = array_of<float>(nodes);
  to.nodes = nodes;
  const auto place_of = [&](const Use &use) {
    const Place *place = places_.find(use.thread);
    return place ? number_of[place->node] : -1;
  };
  bool whole = users && to.vertices && to.others && to.workers;
  if (whole) {
    uses_.each([&](uint64_t, const Use &use) {
      if (place_of(use) >= 0)
        channels[use.channel].users++;
    });
    uint32_t at = 0;
    channels.each([&](uint64_t, Channel &channel) {
      channel.first = at;
      at += channel.users;
      channel.users = 0;
    });
    uses_.each([&](uint64_t, const Use &use) {
      if (const int place = place_of(use); place >= 0) {
        uint32_t &number = numbers[use.thread];
        if (!number) {
          to.vertices[to.threads] = {use.thread, place};
          number = ++to.threads;
        }
        Channel &channel = *channels.find(use.channel);
        users[channel.first + channel.users] = {number - 1, use.us};
        if (use.us > users[channel.first + channel.busiest].us)
          channel.busiest = channel.users;
        channel.users++;
      }
    });
    // Edges are written in two walks: first counted at their ends, then put where those begin.
    const auto each_edge = [&](auto &&edge) {
      channels.each([&](uint64_t, const Channel &channel) {
        const User *of = users + channel.first, &hub = of[channel.busiest];
        for (uint32_t i = 0; i < channel.users; i++)
          if (of[i].vertex != hub.vertex)
            edge(hub.vertex, of[i].vertex, of[i].us);
      });
    };
    to.first = array_of<uint32_t>(to.threads + size_t{2});
    if ((whole = to.first)) {
      each_edge([&](uint32_t a, uint32_t b, float) {
        to.first[a + 2]++;
        to.first[b + 2]++;
      });
      for (uint32_t i = 1; i < to.threads + 2; i++)
        to.first[i] += to.first[i - 1];
      to.neighbours = array_of<Neighbour>(to.first[to.threads + 1]);
    }
    if ((whole = to.neighbours))
      each_edge([&](uint32_t a, uint32_t b, float us) {
        to.neighbours[to.first[a + 1]++] = {b, us};
        to.neighbours[to.first[b + 1]++] = {a, us};
      });
  }
  free(users);
  numbers.clear();
  channels.clear();
  if (!whole || !to.threads)
    problem_free(to);
  return to.threads != 0;
}

void problem_free(PlacementProblem &problem) {
  free(problem.vertices);
  free(problem.first);
  free(problem.neighbours);
  free(problem.others);
  free(problem.workers);
  problem = {};
}

// --- decisions -------------------------------------------------------------------------------------------------------

PlacementCost placement_cost(const PlacementProblem &problem, const int32_t *at) {
  Loads loads(problem);
  return loads ? cost_of(problem, loads, at) : PlacementCost{};
}

bool placement_is_good(const PlacementCost &cost, float period_us) { return cost.sum() < least_cost * period_us; }

Placed place(const PlacementProblem &problem, Partitioner partition, int32_t *to) {
  const uint32_t threads = problem.threads;
  for (uint32_t i = 0; i < threads; i++)
    to[i] = problem.vertices[i].at;
  Loads loads(problem);
  auto *other = array_of<int32_t>(threads);
  Placed result = {};
  if (loads && other) {
    result.before = result.after = cost_of(problem, loads, to);
    double best = 0; // saved in the horizon, without what the moves cost
    const auto consider = [&](bool partitioned) {
      improve(problem, loads, other);
      const PlacementCost cost = cost_of(problem, loads, other);
      const uint32_t moves = moves_of(problem, other);
      const double saved = result.before.sum() - cost.sum();
      const double gain = saved * horizon_us / static_cast<double>(problem.period_us) - moves * move_us;
      if (!moves || gain <= best || saved < least_saving * result.before.sum())
        return;
      best = gain;
      result.moves = moves;
      result.partitioned = partitioned;
      result.after = cost;
      memcpy(to, other, threads * sizeof *to);
    };
    if (!placement_is_good(result.before, problem.period_us)) {
      memcpy(other, to, threads * sizeof *other);
      consider(false);
      if (partition && problem.nodes > 1 && threads > 1 && partition(problem, other) && name_parts(problem, other))
        consider(true);
    }
  }
  free(other);
  return result;
}

} // namespace skein
