// Which node this process is. The room net sets it once, before the first thread is created. A process alone is node 0
// of 1.
//
// A run has `count` numbers for nodes. Those of the founders, from 0 on, are taken at its start; nodes that come later
// get the next ones, and no number is used twice. Whether a node is there now, the link knows (link_alive).
#ifndef SKEIN_BASE_NODE_H
#define SKEIN_BASE_NODE_H

#include <cstdint>

namespace skein {

struct Node {
  int self = 0;
  int count = 1;     // of numbers
  uint64_t seed = 0; // random, the same on all nodes of a run; 0 alone
  int founders = 1;  // nodes at the start of the run
  int taken = 1;     // numbers that have been given to nodes so far, as far as this node knows: nodes_taken
  int stacks = -1;   // the memory file of stacks that all nodes share (stacks=shared), until it is mapped; -1: none
  int shares = 1;    // so many parts of the host's cores, one of which is this node's (`skein run --bind`)
};
extern Node node;
/// How many of so many nodes of one host have the cores on which this one may run.
inline uint32_t nodes_on_same_cores(int nodes) {
  return static_cast<uint32_t>((nodes + node.shares - 1) / node.shares);
}
inline int nodes_taken() { return __atomic_load_n(&node.taken, __ATOMIC_ACQUIRE); }
inline void nodes_taken_set(int taken) { __atomic_store_n(&node.taken, taken, __ATOMIC_RELEASE); }

/// As many as there are slices of shared memory.
inline constexpr int nodes_max = 512;

/// Nodes that have left the run, as far as this one knows (net/run/leaving.h).
extern bool nodes_left[nodes_max];
inline bool node_has_left(int number) {
  return static_cast<unsigned>(number) < nodes_max && __atomic_load_n(&nodes_left[number], __ATOMIC_ACQUIRE);
}
/// Which node keeps what ids, handles and addresses of node `number` name: that node, or, once it has left the run,
/// node 0, its heir.
inline int keeper_of(int number) { return __builtin_expect(node_has_left(number), 0) ? 0 : number; }

} // namespace skein

#endif
