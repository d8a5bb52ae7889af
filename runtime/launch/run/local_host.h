// The nodes on this host: their processes, sockets and output, and the folder of their files.
//
// Promises
//  * No node outlives the process that started it, whatever happens to any process. Nor do files of shared memory.
//  * The nodes are forked from one process (start_fork.cpp) where the program can do that; else, or if that fails
//    before the first one, each is started by itself. Nodes that come later are started as the first ones were, or not
//    at all: they have to lie at the same addresses.
#ifndef SKEIN_LAUNCH_RUN_LOCAL_HOST_H
#define SKEIN_LAUNCH_RUN_LOCAL_HOST_H

#include "launch/run/child.h"
#include "launch/run/host.h"
#include "launch/run/loop.h"
#include "launch/run/run_folder.h"

#include <map>

namespace skein::launch {

class LocalHost final : public Host {
public:
  LocalHost(Loop &loop, HostEvents &events) : loop_(loop), events_(events) {}
  LocalHost(const LocalHost &) = delete;
  ~LocalHost() override;

  void start(Launch launch) override;
  void start_late(int node) override;
  void complete() override;
  void send(int node, const void *packet, size_t bytes) override;
  void signal(int node, int number) override;
  void signal_all(int number, bool from_terminal) override;
  void ending() override { ending_ = true; }
  void give_up() override;
  Vitals vitals(int node) override;
  void tick(uint64_t now_ms) override;
  int due_ms(uint64_t now_ms) const override;
  void finish() override;

  /// The folder of the nodes' monitors; empty: there is none, or the launcher does not place them.
  const std::string &monitors() const { return launch_.monitors_in; }

private:
  Child &child(int node) { return children_.at(node); }
  void make_folder();
  void start_each();
  Child &keep(Child child);
  int free_share() const;
  bool all_are_there() const;
  bool none_is_late() const { return children_.size() <= launch_.numbers.size(); }
  void forget_what_starts_nodes();
  void begun(Child &child);
  void on_nursery();
  void forked(Child &child, pid_t process);
  void never_there(Child &child, int wait_status);
  void end_nursery();
  void on_nursery_end();
  void cannot_fork(const std::string &why);
  void on_message(Child &child);
  void on_end(Child &child);
  void pump(Output &output);
  void give_all_output(Child &child);
  void close_socket(Child &child);

  Loop &loop_;
  HostEvents &events_;
  Launch launch_;
  RunFolder files_;
  Nursery nursery_;               // for a run whose nodes are forked from it
  int nursery_status_ = 0;        // how that ended, from waitpid
  std::map<int, Child> children_; // by their numbers
  int asked_ = 0;                 // the nodes that were asked for and are not there yet
  bool each_alone_ = false;       // nodes are not forked from the nursery
  bool complete_ = true;          // no further node will be asked for
  bool ending_ = false;
};

} // namespace skein::launch

#endif
