// What a decision maker decides, as pure code that knows no clock, no network and no thread: the policy `testbed`
// (testbed.cpp) uses it, and so does a simulation of ten thousand nodes (test/bench/simulation/makers_model.cpp).
//
// A Maker decides for a *group* of nodes with neighbouring numbers, which may be all of the run. Time is counted in
// sample periods. In each, every node of the group sends a summary, and then the maker may ask one of them to send
// threads to another one: from the node with most to do to the one with least; or, where loads are nearly equal, a
// thread that uses the busiest link, to the end of the link that has less to do. The next request waits until that one
// is answered. (The Testbed, section 4.2.)
//
// Between groups, load is all that counts. Makers tell each other a *digest* of their groups every `digest_periods`. A
// group with more to do for each node than another one gives: its nodes with most to do are asked to send threads to
// those of the other group with least. So that not all give to the same one, they are ranked by their mean load, and
// the one with most gives to the one with least, the second to the last but one, and so on; makers that know the same
// digests find the same ranks, without a word more. (The Testbed proposes decision makers of groups for large machines
// in its conclusion, and leaves open how groups share.)
//
// Rejected: makers of makers in a tree (the root knows sums only, and a group's nodes are reached through all levels);
// a group that asks others for load (an idle group would have to be told by all first whether they have any).
#ifndef SKEIN_BALANCE_DECISIONS_H
#define SKEIN_BALANCE_DECISIONS_H

#include <cstddef>
#include <cstdint>

namespace skein {

inline constexpr unsigned links_told = 16; // the busiest ones of a node
inline constexpr unsigned digest_nodes = 4;
inline constexpr unsigned digest_periods = 8;

struct LinkTraffic {
  uint32_t peer, messages;
};
/// Of a node, in a period.
struct NodeSummary {
  uint32_t load_hundredths;      // ready and running threads, the mean of the period
  uint32_t count;                // of links
  LinkTraffic links[links_told]; // what this node has sent
};
/// Of a group.
struct GroupDigest {
  uint32_t group, nodes;        // that live; 0: nothing is known
  uint32_t load_hundredths;     // the mean
  uint32_t least[digest_nodes]; // those with least to do, least first
  uint32_t loads_hundredths[digest_nodes];
};

/// A node is to send threads to another one.
struct Wish {
  int from, to;
  uint32_t threads;
  int link_a, link_b; // because of that link; -1: to share the load
};

class Maker {
public:
  /// Of the nodes from `first` on and below `end`; `groups`: how many there are in the run, and which this is. False:
  /// no memory.
  bool begin(int first, int end, uint32_t group, uint32_t groups);
  void end();

  void summary(int node, const NodeSummary &summary);
  /// The node has died: nothing is known of it, and nothing is waited for.
  void forget(int node);
  void digest(const GroupDigest &digest);
  /// A request has been answered: so many threads have left.
  void answered(const Wish &wish, uint32_t threads);

  /// A period is over. What is not answered by now never will be, if it is `answer_periods` old.
  void next_period(unsigned answer_periods);
  /// What is to be done now within the group. False: nothing.
  bool within(Wish &wish);
  /// The group's own digest; to be asked every digest_periods. False: not all nodes are known yet.
  bool own_digest(GroupDigest &to) const;
  /// What is to be done now for other groups: at most digest_nodes wishes. Returns how many.
  unsigned across(Wish *wishes);

  // For the log.
  double load(int node) const { return of(node).load_hundredths / 100.0; }
  uint32_t link(int a, int b) const;
  unsigned period() const { return period_; }

private:
  struct Known {
    bool fresh, dead;
    uint32_t load_hundredths, count;
    LinkTraffic links[links_told];
  };
  bool mine(int node) const { return node >= first_ && node < end_; }
  const Known &of(int node) const { return known_[node - first_]; }
  uint32_t sent(int from, int to) const;
  bool all_known() const;
  bool share(Wish &wish);
  bool quieten(Wish &wish);

  int first_ = 0, end_ = 0;
  uint32_t group_ = 0, groups_ = 0;
  Known *known_ = nullptr;
  GroupDigest *digests_ = nullptr;
  unsigned *digest_came_ = nullptr; // in which period
  uint32_t *ranks_ = nullptr;
  unsigned period_ = 0;
  bool under_way_ = false;
  unsigned asked_ = 0, waits_until_ = 0, patience_ = 1;
  unsigned across_until_ = 0;
  unsigned link_waits_until_ = 0, link_patience_ = 1;
  uint32_t link_before_ = 0; // what the busiest link carried when something was moved because of it
};

} // namespace skein

#endif
