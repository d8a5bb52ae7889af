// Where threads that talk to each other are best placed: the decisions of the policy `affinity` (affinity.cpp), as pure
// code that knows no clock, no network and no thread.
//
// *Conversations* are what all nodes have reported: how much each thread has had over each channel, faded from period
// to period, and where the thread was seen last. A *placement problem* is a graph made of that. Its vertices are the
// threads that talk, and an edge carries what it costs, in microseconds of processor time a period, if its two threads
// are on different nodes. Two users of a channel are joined by one edge. More than two are each joined to the busiest
// of them, which mostly is the one that all others send to, or hear from.
//
// The cost of a placement is what its cut edges cost, and what idle workers would have done: if a node has more threads
// that can run than the mean, and more than it has workers, then in the long run the others wait for it.
//
// place() compares three placements: the present one; what moving one thread after the other makes of it; and a new
// partition of the graph by METIS, with its parts given to the nodes that hold most of them already, improved in the
// same way. The first has the advantage: another one is taken only if it saves a fifth of the cost, and within some
// seconds as much as its moves cost.
//
// Rejected: METIS alone (it finds an equally good partition that is another one each time, so threads would never come
// to rest); moving one thread after the other alone (half a ring here and half there is as good as it gets, since each
// single move leaves the cut as it is).
#ifndef SKEIN_BALANCE_THREAD_PLACEMENT_H
#define SKEIN_BALANCE_THREAD_PLACEMENT_H

#include "base/id_table.h"

#include <skein/policy.h>

#include <cstdint>

namespace skein {

/// A thread that talks, and where it is. The nodes of a problem are numbered from 0, without those that are dead.
struct Vertex {
  uint64_t thread;
  int32_t at;
};
struct Neighbour {
  uint32_t vertex;
  float us; // a period, if they are on different nodes
};

/// Owns its arrays, which free() of problem_free gives back.
struct PlacementProblem {
  uint32_t threads = 0, nodes = 0;
  Vertex *vertices = nullptr;
  uint32_t *first = nullptr; // of each vertex in `neighbours`, and the end
  Neighbour *neighbours = nullptr;
  float *others = nullptr;  // of each node: threads that can run and do not talk, the mean
  float *workers = nullptr; // of each node
  float activity = 1;       // of a thread that talks: which part of the time it can run
  float period_us = 0;
};
void problem_free(PlacementProblem &problem);

/// What all threads have had over channels.
class Conversations {
public:
  void heard(int node, const skein_policy_talk &talk);
  /// At the end of each period: what was said lately counts most, and what has faded is forgotten.
  void fade();
  /// The thread has been sent there.
  void moved(uint64_t thread, int node);
  void clear();
  /// `number_of[node]`: the node's number in the problem, or -1 if it is dead; threads that were seen there are left
  /// out. Arrays of the nodes are allocated, and stay 0. False: without memory, or nobody talks.
  bool problem(const int *number_of, uint32_t nodes, PlacementProblem &to);

private:
  struct Use {
    uint64_t thread, channel;
    float us;
  };
  struct Place {
    int32_t node;
    uint32_t uses; // of uses_, so many are the thread's
  };
  IdTable<Use> uses_; // by a mixture of both ids
  IdTable<Place> places_;
};

/// Cuts the graph into as many parts of about the same number of vertices as there are nodes; `part` gets a number for
/// each vertex. False: it cannot.
using Partitioner = bool (*)(const PlacementProblem &problem, int32_t *part);

struct PlacementCost {
  double cut_us, idle_us; // a period
  double sum() const { return cut_us + idle_us; }
};
/// Of a node for each vertex.
PlacementCost placement_cost(const PlacementProblem &problem, const int32_t *at);

/// Whether looking for a better placement is worth while at all.
bool placement_is_good(const PlacementCost &cost, float period_us);

struct Placed {
  uint32_t moves;   // 0: all stay
  bool partitioned; // the partitioner's was the best
  PlacementCost before, after;
};
/// Writes the node of each vertex to `to`, the present one if that is to stay.
Placed place(const PlacementProblem &problem, Partitioner partition, int32_t *to);

} // namespace skein

#endif
