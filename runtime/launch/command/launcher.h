// The launcher: starts the nodes of a run and stays with them until the last one has ended.
//
// Promises
//  * No node outlives the run, whatever happens to whom, the launcher included.
//  * The status is the first non-zero one in time (128 + signal for a killed node), else 0; 124 after a timeout.
//  * A death is told to the survivors at once; they say what was lost and end; who has not ended `grace_ms` later is
//    killed. So everything is over less than 5 s after a death. With deaths=survive they go on, unless it was node 0,
//    and the death does not count as the run's status.
#ifndef SKEIN_LAUNCH_COMMAND_LAUNCHER_H
#define SKEIN_LAUNCH_COMMAND_LAUNCHER_H

#include "launch/command/child.h"

namespace skein::launch {

class Launcher {
public:
  Launcher(Launch launch, int timeout_s) : launch_(std::move(launch)), timeout_s_(timeout_s) {}
  Launcher(const Launcher &) = delete;
  ~Launcher();

  /// The whole run; returns its exit status. Throws a std::string if it could not even start.
  int run();

private:
  void watch(int descriptor, uint64_t what, int number);
  void start_children();
  void start_each();
  void keep(int number, Child child);
  void begun(Child &child);
  void on_nursery();
  void on_nursery_end();
  void cannot_fork(const char *why);
  void step();
  int wait_ms() const;

  void on_signal();
  void on_message(Child &child);
  void handle(Child &child, const bootstrap::Packet &packet, size_t bytes);
  void on_end(Child &child);
  void died(Child &child, int status, const std::string &how);
  void introduce();
  void leave_when_all_are_done();

  void tell_others(const Child &about, bootstrap::Type type, int status, const std::string &text);
  void signal_all(int number);
  void end_within(int milliseconds);
  void note_status(int status);

  static constexpr int grace_ms = 3500;

  Launch launch_;
  int timeout_s_;
  int epoll_ = -1;
  int signals_ = -1;
  Nursery nursery_; // of a run whose nodes it forks
  std::vector<Child> children_;
  int living_ = 0; // nodes that run, or are about to
  int asked_ = 0;  // of those, asked for and not there yet
  int status_ = 0;
  bool over_ = false;          // the run is over, one way or another: further ends are no news
  bool leaving_ = false;       // everybody was told to leave
  int stop_signals_ = 0;       // how often somebody asked us to stop
  uint64_t kill_at_ms_ = 0;    // 0: never
  uint64_t timeout_at_ms_ = 0; // 0: never
};

} // namespace skein::launch

#endif
