// What a launcher and its agent on another host say to each other comes from a host that may be in somebody else's
// hands. This is a libFuzzer target for both ends (launch/run/stream.h): the launcher's (remote_host.h), with all that
// frames lead to there, and what the agent takes out of frames before it acts.
//
// Whatever the bytes are: no crash, nothing read or written out of bounds (AddressSanitizer), every refusal in words,
// and no file touched but those that the launcher has for that host. test/fuzz/decoder.py runs it.
//
// An input is one byte, which says for which end it is, and frames: a byte for the word, one for the node, two for the
// number, two for how many bytes follow, and these; so mutations keep frames whole.
#include "launch/command/command.h"
#include "launch/run/host_facts.h"
#include "launch/run/remote_host.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sys/socket.h>
#include <unistd.h>

using namespace skein::launch;

std::string skein::launch::checkpoint_library() { return ""; } // files of checkpoints have a fuzzer of their own

namespace {

namespace fs = std::filesystem;

[[noreturn]] void wrong(const char *what) {
  fprintf(stderr, "agent_frames: %s\n", what);
  abort();
}

struct Frame {
  FrameHeader header;
  std::string data;
};

std::vector<Frame> frames_in(const uint8_t *bytes, size_t size) {
  std::vector<Frame> frames;
  for (size_t at = 0; at + 6 <= size;) {
    const uint8_t *head = bytes + at;
    const size_t length = std::min<size_t>(head[4] | head[5] << 8, size - at - 6);
    frames.push_back({{.word = static_cast<Word>(head[0] % 32),
                       .node = head[1] == 255 ? -1 : head[1] % 8,
                       .number = static_cast<int16_t>(head[2] | head[3] << 8)},
                      std::string(reinterpret_cast<const char *>(head + 6), length)});
    at += 6 + length;
  }
  return frames;
}

/// What becomes of the nodes of a host that may say anything.
class Events final : public HostEvents {
public:
  void on_packet(int node, const skein::bootstrap::Packet &, size_t bytes) override {
    if (bytes > sizeof(skein::bootstrap::Packet))
      wrong("a packet is longer than a packet");
    of(node);
  }
  void on_begun(int node) override { of(node); }
  bool on_output(int node, int descriptor, const char *text, size_t bytes) override {
    if (descriptor != STDOUT_FILENO && descriptor != STDERR_FILENO)
      wrong("a host writes to a descriptor of the launcher's own");
    sum += bytes ? static_cast<unsigned char>(text[0]) + static_cast<unsigned char>(text[bytes - 1]) : 0;
    return of(node);
  }
  void on_end(int node, int) override { ends(node); }
  void on_never_there(int node, int) override { ends(node); }
  void on_lost(int node, const std::string &how) override {
    if (how.empty())
      wrong("a node is lost without a reason");
    ends(node);
  }
  void on_words(const std::string &) override {}
  unsigned sum = 0;

private:
  bool of(int node) {
    if (node < 1 || node > 2)
      wrong("a host speaks of a node that is not its own");
    return true;
  }
  /// Twice would make the launcher count wrongly.
  void ends(int node) {
    of(node);
    if (ended_[node])
      wrong("a node has ended twice");
    ended_[node] = true;
  }
  bool ended_[3] = {};
};

std::string folder; // of the run's trace and monitors

void to_launcher(const std::vector<Frame> &frames) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    wrong("there are no sockets");
  Loop loop;
  Events events;
  Stream agent(ends[1], ends[1]);
  agent.greet();
  try {
    RemoteHost host(loop, events, Line{.host = "far", .socket = ends[0], .carrier = "a fuzzer", .called = true},
                    [](RemoteHost &) {});
    host.order.launch.trace_in = folder;
    Launch launch;
    launch.command = {"program"};
    launch.nodes = 3;
    launch.numbers = {1, 2};
    launch.trace_in = folder;
    host.start(std::move(launch));
    host.show_monitors_in(folder);
    DiskRequest request;
    request.what = DiskRequest::What::begin;
    for (int i = 0; i < 3; i++)
      host.ask(request, [](DiskAnswer &) {});
    host.on_failure = [](const std::string &why) {
      if (why.empty())
        wrong("a host is given up without a reason");
    };
    for (const Frame &frame : frames) {
      agent.send(frame.header, frame.data);
      agent.flush();
      loop.step(0);
      agent.receive();
      FrameHeader header;
      std::string data;
      while (agent.next(header, data)) {
      }
      for (const int node : {1, 2})
        host.vitals(node);
    }
    host.tick(clock_ms());
  } catch (const std::string &why) {
    if (why.empty())
      wrong("a refusal without words");
  }
  for (const auto &entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename();
    if (name != "node-1" && name != "node-2")
      wrong("a host has made a file that is not one of its nodes'");
    fs::remove(entry.path());
  }
}

void to_agent(const std::vector<Frame> &frames) {
  for (const Frame &frame : frames) {
    Order order;
    HostFacts facts;
    DiskRequest request;
    DiskAnswer answer;
    if (order.unpack(frame.data) && order.launch.command.empty())
      wrong("an order without a program");
    facts.unpack(frame.data);
    answer.unpack(frame.data);
    if (!request.unpack(frame.data) || request.what == DiskRequest::What::open)
      continue;
    const std::string before = folder + "/outside";
    std::ofstream(before) << "as it was";
    {
      CheckpointFolder checkpoints(folder + "/checkpoints");
      Disk disk(checkpoints);
      disk.perform(request);
    }
    std::string text;
    std::getline(std::ifstream(before), text);
    const auto entries = std::distance(fs::directory_iterator(folder), fs::directory_iterator());
    if (text != "as it was" || entries != 2)
      wrong("a file outside of the folder of checkpoints is not as it was");
    fs::remove_all(folder + "/checkpoints");
    fs::remove(before);
  }
}

} // namespace

extern "C" int LLVMFuzzerInitialize(int *, char ***) {
  signal(SIGPIPE, SIG_IGN); // as in the launcher and the agent
  char name[] = "/tmp/skein-frames-XXXXXX";
  folder = mkdtemp(name);
  atexit([] { fs::remove_all(folder); });
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  if (size == 0)
    return 0;
  const std::vector<Frame> frames = frames_in(bytes + 1, size - 1);
  if (bytes[0] % 2)
    to_agent(frames);
  else
    to_launcher(frames);
  return 0;
}
