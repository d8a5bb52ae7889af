// The course of a run over several starts of its nodes: from the beginning of the program, or from a checkpoint; with
// deaths=recover again and again, whenever a node dies. Each start has a Launcher of its own, which knows of no other;
// what they have in common is here.
//
// Invariants
//  * Nodes are started only when all of the last start have ended, or are cut off on a host that is lost. Those have
//    another token, so nothing that they still send is believed, and write under numbers that are never used again.
//  * A start of a checkpoint's nodes that does not come to its begin, because a node dies, hangs or does not come, is
//    made again, also in a `skein restart` without deaths=recover: nothing has happened yet that could be done twice.
//    So is any start but the first. A node that ends by itself before it has joined says why, and would do so again:
//    it ends the run.
//  * A run goes back to a checkpoint of its own, or of the run that it restarts; never to one that an earlier run has
//    left in the folder.
// docs/models/recovery.pml is a model of such a run, with deaths of nodes and of the launcher at any moment.
//
// Rejected: to let the nodes that live go back, too, each by itself, which saves their start: a checkpoint is of all
// nodes, and what a node that lives has told others, or holds of them, must be forgotten to the last byte, which the
// end of its process does.
#ifndef SKEIN_LAUNCH_RUN_RECOVERY_H
#define SKEIN_LAUNCH_RUN_RECOVERY_H

#include "launch/run/checkpoint_folder.h"
#include "launch/run/held_output.h"

#include <memory>
#include <optional>
#include <set>

namespace skein::launch {

struct Launch;
struct Conduct;
struct Hosts;

struct CheckpointSettings {
  std::string folder; // empty: there are to be none
  int every_s = 0;    // 0: only when asked for
  int keep = 3;       // so many are kept
  int patience_s = 60;
  int recoveries = 5; // in a row, without a checkpoint in between
};

/// What outlives one start of the nodes.
struct Course {
  std::unique_ptr<CheckpointFolder> folder; // null: there are no checkpoints
  std::unique_ptr<HeldOutput> held;         // null: output is given out at once
  std::optional<Manifest> from;             // what the nodes are to be made of; none: the beginning of the program
  uint64_t from_ms = 0;                     // when that was complete; 0: before this command began
  int nodes = 0;                            // `skein restart -n`: so many there are to be,
  int nodes_at = 0;                         // when the nodes have been made of the checkpoint with this number

  int signals = -1;           // a signalfd
  uint64_t timeout_at_ms = 0; // 0: never
  int starts = 0;             // so far, with the present one
  int recoveries = 0;         // since the last checkpoint
  int stop_signal = 0;        // by which the run was asked to end
  bool goes_back = false;     // this start has been ended, to be followed by another one
  std::set<std::string> lost; // hosts that are not used any more
};

/// Makes the whole run, and returns its exit status. Throws a std::string if it could not even start.
int run_nodes(Launch launch, const Conduct &conduct, Hosts hosts, Course &course);

} // namespace skein::launch

#endif
