// One node's process, as its launcher sees it.
#ifndef SKEIN_LAUNCH_COMMAND_CHILD_H
#define SKEIN_LAUNCH_COMMAND_CHILD_H

#include "launch/command/output.h"
#include "launch/command/vitals.h"
#include "net/wire/bootstrap.h"

#include <csignal>
#include <string>
#include <sys/resource.h>
#include <sys/types.h>
#include <vector>

namespace skein::launch {

/// What all nodes of a run have in common.
struct Launch {
  std::vector<std::string> command; // program and arguments
  int nodes = 1;
  bool prefix = false;
  std::vector<int> cores;  // to be dealt out to the nodes; empty: every node runs on all there are
  bool survive = false;    // the run goes on when a node dies
  int start_s = 0;         // how long the run may wait for a node that does not join; 0: for ever
  std::string files_in;    // a folder for the run's files is made there
  bool ucx_files = false;  // UCX's queues are to be among them
  bool monitored = false;  // likewise the sockets of the nodes' monitors
  std::string monitors_in; // that folder; empty: they are not for the launcher to place
  int web = -1;            // the port on which `skein web` is to show the run; -1: none
  std::vector<std::pair<std::string, std::string>> environment; // set unless the user has set it
  uint8_t token[bootstrap::token_bytes] = {};
  std::vector<int> slices; // a memory file per node
  sigset_t signal_mask;    // that of the launcher before it blocked anything
  rlimit open_files;       // likewise
  bool same_image = false; // the program and its libraries shall lie at the same address in all nodes
};

/// The others miss this node; see Launcher::examine.
struct Suspicion {
  uint64_t since_ms = 0; // 0: there is none
  uint64_t moved_ms = 0; // when it was last seen to get on
  uint64_t told_ms = 0;  // when another node said so last
  int by = 0;            // which node said so
  int silences = 0;      // how many times the patience of that node is over
  std::string why;
  Vitals then; // those at the beginning
  uint64_t cpu_ms_last = 0;
};

struct Child {
  int number = 0;
  pid_t pid = 0;
  int pidfd = -1;
  int socket = -1; // -1: none, or closed by the node
  std::vector<Output> outputs;

  std::vector<char> address; // that of its transport; empty until it has joined
  bool joined = false;
  bool met = false;     // it has said hello to all others, and they to it
  int missed_by = -1;   // before that: a node to which it has not said hello
  bool done = false;    // it has stopped talking to the others at the end of the run
  bool exiting = false; // it has announced a call of exit()
  bool dead = false;    // the others have been told that it died
  bool ended = false;
  Suspicion suspicion;
  bool answered = false; // it has answered a ping, in this suspicion or the last

  bool send(const void *packet, size_t bytes) const;
  bool send(const bootstrap::Header &header) const { return send(&header, sizeof header); }
  void signal(int number) const;
  /// Its process is known from here on. Throws a std::string.
  void began(pid_t process);
};

/// Starts node `number`. Throws a std::string.
Child start_child(const Launch &launch, int number);

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

/// Whether the command is the file of a program that can be asked to fork, of this version of Skein.
bool can_fork(const Launch &launch);
/// Starts it. Throws a std::string.
Nursery start_nursery(const Launch &launch);
/// Asks it for node `number`, whose process is known when it has answered (Child::began). Throws a std::string.
Child request_child(const Launch &launch, const Nursery &nursery, int number);

/// "was killed by signal 9 (Killed)" or "ended with status 3", from waitpid.
std::string how_it_ended(int wait_status);
/// The status that a shell would show.
int shell_status(int wait_status);

} // namespace skein::launch

#endif
