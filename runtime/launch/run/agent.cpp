// The agent; see agent.h.
//
// It must not end before its nodes have, nor they outlive it: when the stream ends, or the launcher says nothing for
// `silence_ms`, it kills them. That is sooner than the launcher gives up a silent host (remote_host.h). So if the
// network is cut, the nodes that are cut off have ended before the others go on without them. A launcher that is
// stopped by ^Z says so first; one that is stopped otherwise for longer than that has lost its nodes here.
#include "launch/run/agent.h"

#include "base/knobs.h"
#include "launch/command/command.h"
#include "launch/run/disk.h"
#include "launch/run/far_input.h"
#include "launch/run/far_trace.h"
#include "launch/run/host_facts.h"
#include "launch/run/local_host.h"
#include "launch/run/monitor_relay.h"
#include "launch/run/remote_host.h"
#include "launch/run/stream.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <set>
#include <sys/resource.h>
#include <unistd.h>

namespace skein::launch {

namespace {

class Agent final : HostEvents {
public:
  Agent(int in, int out, const Guest &guest) : guest_(guest), stream_(in, out), host_(loop_, *this) {}

  int serve() {
    signal(SIGPIPE, SIG_IGN);
    stream_.greet();
    HostFacts facts = facts_of_this_host();
    facts.places = guest_.places;
    facts.rank = guest_.rank;
    stream_.send({.word = Word::hello}, facts.packed());
    loop_.watch(stream_.in(), Loop::Kind::message, [this] { on_stream(); });
    heard_ms_ = clock_ms();
    while (open_) {
      if (!stream_.flush_all(paused_ ? -1 : static_cast<int>(silence_ms)))
        break;
      const uint64_t now = clock_ms(), due = reported_ms_ + report_every_ms;
      int wait_ms = due > now ? static_cast<int>(due - now) : 0;
      if (const int host_ms = host_.due_ms(now); host_ms >= 0)
        wait_ms = std::min(wait_ms, host_ms);
      loop_.step(wait_ms);
      tick();
    }
    if (living_ > 0 || !started_)
      status_ = 1; // those that live are killed with the host
    return status_;
  }

private:
  void on_stream() {
    open_ = stream_.receive();
    FrameHeader header;
    std::string data;
    while (stream_.next(header, data))
      handle(header, data);
    heard_ms_ = clock_ms(); // a disk may have taken its time
  }

  void handle(const FrameHeader &header, const std::string &data) {
    const bool known = nodes_.count(header.node) != 0;
    switch (header.word) {
    case Word::start:
      start(data);
      break;
    case Word::start_late:
      if (started_ && !known)
        start_late(header.node);
      break;
    case Word::complete:
      host_.complete();
      break;
    case Word::disk:
      on_disk_request(data);
      break;
    case Word::packet:
      if (known)
        host_.send(header.node, data.data(), data.size());
      break;
    case Word::signal:
      if (known)
        host_.signal(header.node, header.number);
      break;
    case Word::signal_all:
      paused_ = header.number == SIGTSTP || (paused_ && header.number != SIGCONT);
      host_.signal_all(header.number, false);
      break;
    case Word::ending:
      host_.ending();
      break;
    case Word::give_up:
      host_.give_up();
      break;
    case Word::refuse:
      fprintf(stderr, "skein join: %s\n", data.c_str());
      open_ = false;
      break;
    case Word::input:
      input_.heard(data);
      break;
    case Word::monitor:
      if (known && !host_.monitors().empty())
        monitors_.heard(header.node, header.number, data, host_.monitors());
      break;
    case Word::alive:
      signs_ = header.number;
      break;
    default:
      break;
    }
  }

  void start(const std::string &data) {
    Order order;
    try {
      if (started_ || !order.unpack(data))
        throw std::string("the launcher has sent what is not understood (another version of Skein?)");
      prepare(order);
      nodes_.insert(order.launch.numbers.begin(), order.launch.numbers.end());
      living_ = order.launch.here();
      started_ = true;
      if (nodes_.count(0) != 0)
        input_.open();
      host_.start(std::move(order.launch));
    } catch (const std::string &why) {
      stream_.send({.word = Word::failed}, why);
    }
  }

  void on_disk_request(const std::string &data) {
    DiskRequest request;
    DiskAnswer answer;
    if (request.unpack(data))
      answer = disk_.perform(request);
    else
      answer.failed = "the launcher has sent what is not understood (another version of Skein?)";
    stream_.send({.word = Word::disk_done}, answer.packed());
  }

  void start_late(int node) {
    nodes_.insert(node);
    living_++;
    try {
      host_.start_late(node);
    } catch (const std::string &why) {
      on_words(why);
      on_never_there(node, 0);
    }
  }

  /// Adds what is this host's own.
  void prepare(Order &order) {
    Launch &launch = order.launch;
    if (!guest_.program.empty()) {
      launch.command.erase(launch.command.begin());
      launch.command.insert(launch.command.begin(), guest_.program.begin(), guest_.program.end());
    } else if (chdir(order.folder.c_str()) != 0) {
      throw "cannot enter " + order.folder + ", where the run was started: " + strerror(errno);
    }
    const std::string network = guest_.network.empty() ? order.network : guest_.network;
    const std::string address = network.empty() ? order.address : address_in(network);
    if (address.empty())
      throw std::string("sshd does not tell the address of this host (SSH_CONNECTION): name the network (--network)");
    trace_.begin(launch.trace_in, launch.trace_mark);
    const std::string options = (order.options.empty() ? "" : order.options + ",") + "tcp_listen=" + address +
                                (trace_.folder().empty() ? "" : ",trace_in=" + trace_.folder());
    setenv("SKEIN_OPTIONS", options.c_str(), 1);
    launch.environment.emplace_back(bootstrap::transport_variable, transport_library("tcp"));
    if (launch.checkpoints)
      add_checkpoint_environment(launch.environment);
    if (order.bind) {
      launch.cores = usable_cores();
      if (launch.cores.size() < static_cast<size_t>(launch.shares))
        throw "--bind: there are " + std::to_string(launch.cores.size()) + " cores for " +
            std::to_string(launch.shares) + " nodes";
    }
    launch.files_in = run_folder_parent();
    launch.recorded_in = trace_.folder();
    sigprocmask(SIG_SETMASK, nullptr, &launch.signal_mask);
    getrlimit(RLIMIT_NOFILE, &launch.open_files);
    const rlimit generous = {launch.open_files.rlim_max, launch.open_files.rlim_max};
    setrlimit(RLIMIT_NOFILE, &generous);
  }

  void tick() {
    const uint64_t now = clock_ms();
    host_.tick(now);
    if (now - reported_ms_ >= report_every_ms) {
      reported_ms_ = now;
      report();
    }
    if (!paused_ && now - heard_ms_ >= silence_ms) {
      fprintf(stderr, "skein agent: the launcher has said nothing for %d s; the nodes here are killed\n",
              static_cast<int>(silence_ms / 1000));
      open_ = false;
    }
  }

  /// The vitals of all nodes; or a sign of life, if there are none.
  void report() {
    if (living_ == 0)
      return stream_.send({.word = Word::vitals, .node = -1, .number = signs_});
    for (const int node : nodes_) {
      const Vitals vitals = host_.vitals(node);
      FrameWriter writer;
      writer << vitals.process << vitals.there << vitals.runnable << vitals.disk << vitals.stopped
             << static_cast<uint32_t>(vitals.cpu_ms.size());
      for (const auto &[thread, ms] : vitals.cpu_ms)
        writer << thread << ms;
      stream_.send({.word = Word::vitals, .node = node, .number = signs_}, writer.bytes());
    }
  }

  void on_packet(int node, const bootstrap::Packet &packet, size_t bytes) override {
    stream_.send({.word = Word::packet, .node = node}, &packet, sizeof packet.header + bytes);
  }
  void on_begun(int node) override { stream_.send({.word = Word::begun, .node = node}); }
  bool on_output(int node, int descriptor, const char *text, size_t bytes) override {
    stream_.send({.word = Word::output, .node = node, .number = descriptor}, text, bytes);
    return true;
  }
  void on_end(int node, int wait_status) override {
    status_ = status_ != 0 ? status_ : shell_status(wait_status);
    if (node == 0)
      input_.close();
    trace_.hand_over(node, [&](const std::string &piece) {
      stream_.send({.word = Word::recording, .node = node}, piece);
      return stream_.flush_all(static_cast<int>(silence_ms));
    });
    stream_.send({.word = Word::end, .node = node, .number = wait_status});
    one_less();
  }
  void on_never_there(int node, int wait_status) override {
    stream_.send({.word = Word::never_there, .node = node, .number = wait_status});
    one_less();
  }
  void on_lost(int, const std::string &) override {} // no host of its own is elsewhere
  void on_words(const std::string &text) override { stream_.send({.word = Word::words}, text); }

  void one_less() {
    if (--living_ > 0)
      return;
    host_.finish();
    stream_.send({.word = Word::finished});
  }

  static constexpr uint64_t report_every_ms = 500;
  static constexpr uint64_t silence_ms = 10000;

  const Guest &guest_;
  Loop loop_;
  Stream stream_;
  LocalHost host_;
  MonitorRelay monitors_{loop_, [this](int node, int connection, const std::string &bytes) {
                           stream_.send({.word = Word::monitor, .node = node, .number = connection}, bytes);
                         }};
  InputPipe input_{
      loop_, [this](size_t bytes) { stream_.send({.word = Word::input, .number = static_cast<int32_t>(bytes)}); }};
  FarTrace trace_;
  Disk disk_;
  std::set<int> nodes_; // those that were ever here
  int living_ = 0, status_ = 0;
  bool started_ = false, open_ = true;
  bool paused_ = false; // the run is stopped by ^Z, and the launcher with it
  uint64_t heard_ms_ = 0, reported_ms_ = 0;
  int32_t signs_ = 0; // signs of life of the launcher
};

} // namespace

int serve_launcher(int in, int out, const Guest &guest) {
  try {
    return Agent(in, out, guest).serve();
  } catch (const std::string &why) {
    fprintf(stderr, "skein agent: %s\n", why.c_str());
    return 70;
  }
}

} // namespace skein::launch
