// The launcher: has the nodes of a run started, on this host or on several (host.h), and stays with them until the last
// one has ended. What it keeps is the state of the run; processes, sockets and files are the hosts' matter.
//
// Promises
//  * A run begins or ends: when a node has joined, the others have `start_s` to do so, too. Before that time is over,
//    the launcher says which nodes are missing.
//  * The status is the first non-zero one in time (128 + signal for a killed node), else 0; 124 after a timeout.
//  * A death is told to the survivors at once; they say what was lost and end, and those that have not ended `grace_ms`
//    later are killed. So everything is over less than 5 s after a death. With deaths=survive they go on, unless it was
//    node 0, and the death does not count as the run's status. A node that dies before the run has begun is not waited
//    for.
//  * A node that is late is not dead. A node that others have not heard of is examined: if it is stopped by a signal,
//    or stuck, it is killed; while it runs or waits for a core, it is waited for. If all that live are stopped, no node
//    is left to miss them, and the launcher notices by itself. A launcher that is stopped does nothing of this, and the
//    run cannot end without it: everything goes on with SIGCONT, and is over with SIGKILL.
//  * With --checkpoint there are copies of all nodes from time to time (checkpoints.h). With deaths=recover a death
//    ends all nodes, and they start again from the last of these, or from the beginning (recovery.h).
//  * Nodes may come and leave in mid-run (changes.h), which `skein node` asks for (control.h), or the program. One that
//    does not come changes nothing, and the end of one that has left is no death, however it ends.
#ifndef SKEIN_LAUNCH_COMMAND_LAUNCHER_H
#define SKEIN_LAUNCH_COMMAND_LAUNCHER_H

#include "launch/run/changes.h"
#include "launch/run/checkpoints.h"
#include "launch/run/child.h"
#include "launch/run/control.h"
#include "launch/run/disks.h"
#include "launch/run/host.h"
#include "launch/run/loop.h"
#include "launch/run/placement.h"
#include "launch/run/recovery.h"
#include "launch/run/run_folder.h"
#include "launch/run/run_node.h"

#include <map>
#include <memory>
#include <set>
#include <vector>

namespace skein::launch {

/// How the launcher is to treat the run.
struct Conduct {
  bool survive = false; // the run goes on when a node dies
  bool recover = false; // it goes back to the last checkpoint
  CheckpointSettings checkpoints;
  int start_s = 0;   // how long the run may wait for a node that does not join; 0: for ever
  int timeout_s = 0; // it ends then; 0: never
  int web = -1;      // the port on which `skein web` is to show the run; -1: none
};

/// Where the nodes are to be, and what is needed to get there. No places and no joins: all on this host.
struct Hosts {
  std::vector<Place> places;
  std::vector<std::string> ssh;                                 // the command that takes a host and a command
  std::string network;                                          // in which the nodes are to listen; empty: found out
  bool mixed = false;                                           // processors may have different instructions
  bool bind = false;                                            // each node has cores of its own
  int joins = 0;                                                // nodes that are to come by `skein join`
  std::string listen, key_file;                                 // for these
  std::vector<int> for_door;                                    // descriptors that only the door needs
  bool by_rank = false;                                         // they have numbers already, and say nothing of it
  std::vector<std::pair<std::string, std::string>> environment; // variables for the nodes on other hosts
};

class Door;
class LocalHost;
class RemoteHost;

class Launcher final : HostEvents, ChangesOwner, CheckpointsOwner {
public:
  /// `course` outlives it.
  Launcher(Launch launch, const Conduct &conduct, Hosts hosts, Course &course);
  Launcher(const Launcher &) = delete;
  ~Launcher();

  /// Makes the whole run, and returns its exit status. Throws a std::string if it could not even start. If a death ends
  /// it, and the run is to go back, the course says so.
  int run();
  /// For the next start.
  void note_lost_hosts();

private:
  void step();
  int wait_ms() const;
  void on_signal();
  void on_packet(int number, const bootstrap::Packet &packet, size_t bytes) override;
  void on_begun(int number) override;
  bool on_output(int number, int descriptor, const char *text, size_t bytes) override;
  void on_end(int number, int wait_status) override;
  void on_never_there(int number, int wait_status) override;
  void on_lost(int number, const std::string &how) override;
  void on_words(const std::string &text) override { say(text); }
  void died(Node &node, int status, const std::string &how);
  void leave_when_all_are_done();
  void tell_others(const Node &about, bootstrap::Type type, int status, const std::string &text);
  void signal_all(int number, bool from_terminal = false);
  void is_over();
  void end_within(int milliseconds);
  void note_status(int status);
  void say(const std::string &text) override;

  // requests.cpp
  void open_control();
  void on_request(uint64_t client, const std::vector<std::string> &words);
  void list_nodes(uint64_t client);
  void on_program_request(int nodes);
  void tell_last_checkpoint(uint64_t client);
  void start_late(const std::string &host) override;
  Node &next_node(Host &host);
  void start_late_on(Host &host);
  void call_late(const std::string &host);
  void on_late_host(RemoteHost &guest);
  void give_late_node(RemoteHost &guest);
  Host *find_host(const std::string &name) const;
  bool may_call(const std::string &host) const;
  std::string no_such_host(const std::string &host) const;
  void all_may_be_there();
  void tell(uint64_t asker, News news, int node, const std::string &text) override;

  // starting.cpp
  void start_hosts();
  void reach_hosts();
  void add_host(std::unique_ptr<Host> host, int nodes);
  void open_door();
  void let_in(RemoteHost &guest);
  void let_in_late(RemoteHost &guest);
  void take_in(RemoteHost &guest, int nodes);
  void give_order(RemoteHost &host, Launch launch);
  void see_guests_off();
  void order_by_rank();
  void start_when_all_are_ready();
  std::string own_address() const;
  void abandon_unstarted();
  void start_web();
  void end_web();
  bool anybody_joined() const;
  void introduce();
  void begin_when_all_have_met();
  void watch_start();
  std::string who_is_missing() const;

  // recovery.cpp
  std::string begin_checkpoint(int number) override;
  void has_cut() override;
  void complete_checkpoint(Checkpoint &checkpoint) override;
  void drop_checkpoint(int number) override;
  Manifest manifest_of(const Checkpoint &checkpoint) const;
  void take_up(const Manifest &manifest);
  bool died_at_the_end(const Node &node, bool killed) const;
  bool spread_checkpoint(const Checkpoint &checkpoint) override;
  bool disks_are_ready();
  void gather_files();
  void note_files(const std::string &why);
  void say_where_files_are();
  RemoteHost *elsewhere(const Host *host) const;
  bool can_start_again() const;
  void go_back(int status);
  void reach_number();

  // suspicions.cpp
  void rejected(Node &node, int by, const std::string &why);
  void suspected(Node &node, int by, int silences, const std::string &why);
  void watch_parted();
  void examine(Node &node);
  bool is_deaf(const Node &node) const;
  bool watches_stopped() const;
  void watch_stopped();

  static constexpr uint64_t start_patience_ms = 5000; // then the launcher says which nodes are missing
  static constexpr uint64_t examine_every_ms = 250;
  static constexpr uint64_t look_every_ms = 500;   // whether all are stopped
  static constexpr uint64_t stuck_ms = 1500;       // without a sign of life in /proc, for a node that sleeps
  static constexpr uint64_t stuck_disk_ms = 30000; // for one that waits for a disk
  static constexpr uint64_t heedless_ms = 2000;    // that a thread has had of a processor, without an answer
  static constexpr int silences_most = 3;          // for a node that answers the launcher
  uint64_t silence_ms() const;                     // the nodes' patience

  Loop loop_;
  Launch launch_;
  Conduct conduct_;
  Hosts wanted_;
  Course &course_;
  pid_t web_ = 0;                                   // `skein web`, if it was asked for
  std::vector<std::unique_ptr<Host>> hosts_;        // in the order of their nodes
  std::vector<int> counts_;                         // the nodes of each
  LocalHost *local_ = nullptr;                      // the one of them that is this host, if nodes are here
  std::vector<RemoteHost *> elsewhere_;             // the others
  std::unique_ptr<Door> door_;                      // for hosts that join
  std::vector<std::unique_ptr<RemoteHost>> guests_; // they have come in, and are no hosts of the run (yet)
  std::set<std::string> came_;                      // of these, hosts that came to the run when it had begun
  int joined_ = 0;                                  // nodes that are to be on hosts that have joined
  bool started_ = false;                            // all hosts were told to start their nodes
  std::string options_;                             // SKEIN_OPTIONS, as the user has given them
  std::vector<Node> nodes_;                         // all that there are, or have been; with room for all numbers
  Changes changes_{nodes_, *this};
  Checkpoints checkpoints_{nodes_, changes_, *this};
  OutputRecord output_at_cut_;
  Manifest manifest_; // of the checkpoint that is being completed
  std::string name_of_this_host_;
  Disks disks_{elsewhere_, name_of_this_host_};
  enum class Files : uint8_t { unknown, asked, there } files_ = Files::unknown; // that nodes are made of
  RunFolder control_folder_; // for the socket of that, if no node is on this host
  std::string monitors_in_;  // the folder in which all nodes' monitors can be seen; empty: there is none
  std::unique_ptr<Control> control_;
  std::map<uint64_t, int> requests_; // of changes that each client waits for
  std::string program_refused_;      // what the user was told last of the program's requests
  int living_ = 0;                   // nodes that run, or are about to
  int status_ = 0;
  bool over_ = false;             // the run is over in one way or another, and further ends are no news
  bool leaving_ = false;          // all nodes were told to leave
  bool introduced_ = false;       // all nodes know where the others are
  bool begun_ = false;            // all nodes were told to begin
  bool missing_told_ = false;     // which nodes have not joined
  bool late_told_ = false;        // that a node is late
  uint64_t started_ms_ = 0;       // when the nodes were started
  uint64_t waiting_since_ms_ = 0; // since when nodes wait, or are due, to begin; 0: it may be no program of Skein's
  int stop_signals_ = 0;          // how often the launcher was asked to stop
  int stop_signal_ = 0;           // the last one
  bool all_stopped_ = false;      // all nodes that live were stopped at the last look
  uint64_t stopped_cpu_ms_ = 0;   // what they had had of a processor when they were first seen stopped
  uint64_t stopped_ms_ = 0; // for how long they have been, without the time in which the launcher was stopped, too
  uint64_t looked_ms_ = 0;  // the last look
  bool timed_out_ = false;
  uint64_t kill_at_ms_ = 0;    // 0: never
  bool killing_ = false;       // that time has come: a node that turns up now is killed, too
  uint64_t timeout_at_ms_ = 0; // 0: never
};

} // namespace skein::launch

#endif
