// Starting the process of a node, and what it and the one that started it have of each other.
#ifndef SKEIN_LAUNCH_COMMAND_CHILD_H
#define SKEIN_LAUNCH_COMMAND_CHILD_H

#include "launch/run/output.h"
#include "net/wire/bootstrap.h"

#include <array>
#include <csignal>
#include <string>
#include <sys/resource.h>
#include <sys/types.h>
#include <vector>

namespace skein::launch {

/// What the nodes of a run on one host have in common.
struct Launch {
  std::vector<std::string> command; // program and arguments
  int nodes = 1;                    // numbers for nodes that the run has: those of its founders, and of more to come
  int founders = 1;                 // nodes at the run's start
  std::vector<int> numbers = {0};   // those of the nodes on this host when it is started
  int shares = 1;                   // in how many equal parts the cores are dealt out
  bool late = false;                // the run has begun before this host was started
  std::string restored;             // the folder of the checkpoint that these nodes are made of; empty: they are new
  bool several_hosts = false;       // there are nodes on other hosts
  bool prefix = false;              // each line of output begins with the node's number
  bool forwarded = false;           // output goes through LocalHost, prefix or not
  std::vector<int> cores;           // to be dealt out to the nodes; empty: every node runs on all there are
  std::string files_in;             // a folder for the run's files is made there
  std::string recorded_in;          // a folder that is removed with it; empty: there is none
  bool checkpoints = false;         // of the run are made
  std::string transport;            // how nodes talk, as `skein run --transport` has it
  bool monitored = false;           // likewise the sockets of the nodes' monitors
  std::string monitors_in;          // that folder; empty: they are not for the launcher to place
  std::string trace_in, trace_mark; // where nodes record, and a mark in that folder (far_trace.h); empty: nowhere
  std::vector<std::pair<std::string, std::string>> environment; // set unless the user has set it
  uint8_t token[bootstrap::token_bytes] = {};
  std::vector<int> memory_files; // that nodes get: a slice of shared memory per number, and with share_stacks stacks
  bool share_stacks = false;     // all nodes have the same memory for stacks
  sigset_t signal_mask;          // that of the launcher before it blocked anything
  rlimit open_files;             // likewise
  bool same_image = false;       // the program and its libraries shall lie at the same address in all nodes
  bool fixed = false; // and nodes that come to the run once it has been restored shall, too: nothing is random
  uint64_t seed = 0;  // from which the places of memory follow that are the same in all nodes

  /// Whether each node can map the shared memory of all others.
  bool shares_memory() const { return nodes > 1 && !several_hosts; }
  int here() const { return static_cast<int>(numbers.size()); }
  /// Whether nodes can come to the run.
  bool may_grow() const { return nodes > founders; }
};

/// One node's process, as the process that started it sees it.
struct Child {
  int number = 0;
  int share = 0; // of the cores
  pid_t pid = 0;
  int pidfd = -1;
  int socket = -1; // -1: none, or closed by the node
  std::vector<Output> outputs;
  bool ended = false;
  /// Those that came last from the node, which belong to its address: -1 for none.
  using Descriptors = std::array<int, bootstrap::address_descriptors_max>;
  Descriptors descriptors = {-1, -1};

  /// Closes those that it has, for others or none.
  void keep(const Descriptors &others);
  bool send(const void *packet, size_t bytes, const Descriptors &along = {-1, -1}) const;
  void signal(int number) const;
  /// Its process is known from here on. Throws a std::string.
  void began(pid_t process);
};

/// Starts node `number`, on a share of the cores. `late`: the run has begun. Throws a std::string.
Child start_child(const Launch &launch, int number, int share, bool late);

/// The process that forks the nodes of a run (launch/start_fork.cpp): the program, loaded once, and no node itself.
struct Nursery {
  pid_t pid = 0;
  int pidfd = -1;
  int socket = -1;

  explicit operator bool() const { return pid != 0; }
  void signal(int number) const;
  /// Ends it: the run is over, or it is not needed any more.
  void end();
};

/// The file that execvp would start. Empty: there is none.
std::string found_program(const std::string &name);
/// Whether the command is the file of a program that can be asked to fork, of this version of Skein.
bool can_fork(const Launch &launch);
/// Starts it. Throws a std::string.
Nursery start_nursery(const Launch &launch);
/// Asks it for node `number`, whose process is known when it has answered (Child::began). Throws a std::string.
Child request_child(const Launch &launch, const Nursery &nursery, int number, int share, bool late);

/// "was killed by signal 9 (Killed)" or "ended with status 3", from waitpid.
std::string how_it_ended(int wait_status);
/// The status that a shell would show.
int shell_status(int wait_status);

} // namespace skein::launch

#endif
