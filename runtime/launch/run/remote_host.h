// The nodes on another host: a line to an agent there (line.h, agent.h), which starts them and reports on them.
//
// Promises
//  * Whatever ends the line (the agent, what carries it, that host, the network between) is the end of its nodes, too:
//    the agent kills them, or cannot, since they are as cut off as itself; they are lost here at once.
//  * A host that is silent for `silence_ms`, although its agent reports twice a second, counts as lost.
#ifndef SKEIN_LAUNCH_RUN_REMOTE_HOST_H
#define SKEIN_LAUNCH_RUN_REMOTE_HOST_H

#include "launch/run/child.h"
#include "launch/run/disk.h"
#include "launch/run/far_input.h"
#include "launch/run/host.h"
#include "launch/run/host_facts.h"
#include "launch/run/line.h"
#include "launch/run/loop.h"
#include "launch/run/monitor_relay.h"
#include "launch/run/stream.h"

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <vector>

namespace skein::launch {

/// What the launcher asks an agent for.
struct Order {
  Launch launch; // without cores and folders, which are the other host's own
  bool bind = false;
  std::string network; // in which its nodes listen (host_facts.h)
  std::string address; // if that is empty: under this one
  std::string folder;  // where the program is to run
  std::string options; // SKEIN_OPTIONS

  std::string packed() const;
  /// False: it is none.
  bool unpack(const std::string &bytes);
};

class RemoteHost final : public Host {
public:
  /// `ready` is called when the facts are known.
  RemoteHost(Loop &loop, HostEvents &events, Line line, std::function<void(RemoteHost &)> ready);
  RemoteHost(const RemoteHost &) = delete;
  ~RemoteHost() override;

  const std::string &name() const { return line_.host; }
  /// That by which the launcher has reached it, or from which it has come; empty: unknown.
  std::string address() const { return line_.called ? facts_.address : address_of(line_.host); }
  bool is_gone() const { return gone_; }
  /// Tells the agent that it is not wanted, and why.
  void refuse(const std::string &why);
  bool is_ready() const { return ready_; }
  const HostFacts &facts() const { return facts_; }
  /// To be set before `start`, apart from the launch.
  Order order;
  /// Shows the monitors of the nodes here, also of those that come later (monitor_relay.h). `folder`: of the run.
  void show_monitors_in(const std::string &folder);
  /// Of a host that comes to a running run: called with the reason, in words, why it cannot have nodes. Without this
  /// function such a reason is thrown as a std::string, since a run cannot start without its hosts.
  std::function<void(const std::string &)> on_failure;

  /// Has something done with the folder of checkpoints there; `then` is called when it was, or the host is lost.
  void ask(const DiskRequest &request, std::function<void(DiskAnswer &)> then);

  void start(Launch launch) override;
  void start_late(int node) override;
  void complete() override;
  void send(int node, const void *packet, size_t bytes) override;
  void signal(int node, int number) override;
  void signal_all(int number, bool from_terminal) override;
  void ending() override;
  void give_up() override;
  Vitals vitals(int node) override;
  void tick(uint64_t now_ms) override;
  int due_ms(uint64_t now_ms) const override;
  void finish() override;

private:
  enum class Way : uint8_t { asked, there, gone };
  struct Remote {
    Way way = Way::asked;
    Vitals vitals;
  };
  Remote &remote(int node) { return nodes_.at(node); }
  void open_door(int node);
  void gone(int node);
  void take_recording(int node, const std::string &piece);
  void tell(const FrameHeader &header, const void *data = nullptr, size_t bytes = 0);
  void on_stream();
  void handle(const FrameHeader &header, const std::string &data);
  void lost(const std::string &why);
  void answer_none();
  void fail(const std::string &why);
  void lose_nodes(const std::string &why);
  std::string hang_up();

  static constexpr uint64_t silence_ms = 15000;
  bool news_are_late() const;
  static constexpr uint64_t news_late_ms = 1500; // then the last vitals say nothing about now
  static constexpr int32_t signs_late_most = 2;  // more signs of life are on their way: the vitals were, too
  static constexpr uint64_t alive_every_ms = 1000;

  Loop &loop_;
  HostEvents &events_;
  Line line_;
  std::function<void(RemoteHost &)> on_ready_;
  std::unique_ptr<Stream> stream_;
  HostFacts facts_;
  std::map<int, Remote> nodes_; // by their numbers; empty until they are to be started
  std::string monitors_in_;     // empty: they are not shown
  MonitorRelay monitors_{loop_, [this](int node, int connection, const std::string &bytes) {
                           tell({.word = Word::monitor, .node = node, .number = connection}, bytes.data(),
                                bytes.size());
                         }};
  InputSource input_{
      loop_, [this](const std::string &bytes) { tell({.word = Word::input, .node = 0}, bytes.data(), bytes.size()); }};
  std::deque<std::function<void(DiskAnswer &)>> asked_;
  bool ready_ = false, gone_ = false, finished_ = false;
  std::set<int> recorded_; // nodes that have sent of what they have recorded
  bool recording_failed_ = false;
  uint64_t heard_ms_ = 0, told_ms_ = 0;
  int32_t signs_ = 0,
          signs_heard_ = 0; // signs of life that were sent, and how many the agent had heard by its last news
};

} // namespace skein::launch

#endif
