// The launcher: starts the nodes of a run and stays with them until the last one has ended.
//
// Promises
//  * No node outlives the run, whatever happens to any process, the launcher included. Nor do files of shared memory.
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
#ifndef SKEIN_LAUNCH_COMMAND_LAUNCHER_H
#define SKEIN_LAUNCH_COMMAND_LAUNCHER_H

#include "launch/command/child.h"
#include "launch/command/run_folder.h"

namespace skein::launch {

class Launcher {
public:
  Launcher(Launch launch, int timeout_s) : launch_(std::move(launch)), timeout_s_(timeout_s) {}
  Launcher(const Launcher &) = delete;
  ~Launcher();

  /// Makes the whole run, and returns its exit status. Throws a std::string if it could not even start.
  int run();

private:
  /// The kind of event of the epoll, in the upper half of its data.
  enum : uint64_t { what_signal, what_nursery, what_nursery_end, what_end, what_message, what_output, what_error };

  void watch(int descriptor, uint64_t what, int number);
  void step();
  int wait_ms() const;
  void on_signal();
  void on_message(Child &child);
  void handle(Child &child, const bootstrap::Packet &packet, size_t bytes);
  void on_end(Child &child);
  void died(Child &child, int status, const std::string &how);
  void leave_when_all_are_done();
  void tell_others(const Child &about, bootstrap::Type type, int status, const std::string &text);
  void signal_all(int number);
  void end_within(int milliseconds);
  void note_status(int status);
  static void say(const std::string &text);
  static std::string name_of(const Child &child);

  // starting.cpp
  void start_children();
  void make_folder();
  void start_web();
  void end_web();
  void start_each();
  void keep(int number, Child child);
  void begun(Child &child);
  void on_nursery();
  void forked(Child &child, pid_t process);
  void never_there(Child &child);
  void end_nursery();
  void on_nursery_end();
  void cannot_fork(const char *why);
  bool anybody_joined() const;
  void introduce();
  void begin_when_all_have_met();
  void watch_start();
  std::string who_is_missing() const;

  // suspicions.cpp
  void rejected(Child &child, int by, const std::string &why);
  void suspected(Child &child, int by, int silences, const std::string &why);
  void examine(Child &child);
  bool is_deaf(const Child &child) const;
  bool watches_stopped() const;
  void watch_stopped();

  static constexpr int grace_ms = 3500;
  static constexpr uint64_t start_patience_ms = 5000; // then the launcher says which nodes are missing
  static constexpr uint64_t examine_every_ms = 250;
  static constexpr uint64_t look_every_ms = 500;   // whether all are stopped
  static constexpr uint64_t stuck_ms = 1500;       // without a sign of life in /proc, for a node that sleeps
  static constexpr uint64_t stuck_disk_ms = 30000; // for one that waits for a disk
  static constexpr uint64_t heedless_ms = 2000;    // that a thread has had of a processor, without an answer
  static constexpr int silences_most = 3;          // for a node that answers the launcher
  uint64_t silence_ms() const;                     // the nodes' patience

  Launch launch_;
  int timeout_s_;
  int epoll_ = -1;
  int signals_ = -1;
  RunFolder files_;
  pid_t web_ = 0;          // `skein web`, if it was asked for
  Nursery nursery_;        // for a run whose nodes it forks
  int nursery_status_ = 0; // how that ended, from waitpid
  std::vector<Child> children_;
  int living_ = 0; // nodes that run, or are about to
  int asked_ = 0;  // of those, the ones that were asked for and are not there yet
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
  uint64_t stopped_ms_ = 0;    // for how long they have been, without the time in which the launcher was stopped, too
  uint64_t looked_ms_ = 0;     // the last look
  uint64_t kill_at_ms_ = 0;    // 0: never
  bool killing_ = false;       // that time has come: a node that turns up now is killed, too
  uint64_t timeout_at_ms_ = 0; // 0: never
};

} // namespace skein::launch

#endif
