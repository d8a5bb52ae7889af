// The launcher's end of the stream to an agent; see remote_host.h.
#include "launch/run/remote_host.h"
#include "launch/run/file_of_node.h"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <fstream>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace skein::launch {

std::string Order::packed() const {
  FrameWriter writer;
  writer << launch.token << launch.seed << launch.nodes << launch.founders << launch.shares << launch.late
         << launch.restored << launch.prefix << launch.monitored << launch.same_image << launch.fixed
         << launch.checkpoints << bind << network << address << folder << options << launch.trace_in
         << launch.trace_mark;
  writer << static_cast<uint32_t>(launch.numbers.size());
  for (const int number : launch.numbers)
    writer << number;
  writer << static_cast<uint32_t>(launch.environment.size());
  for (const auto &[name, value] : launch.environment)
    writer << name << value;
  writer << static_cast<uint32_t>(launch.command.size());
  for (const std::string &argument : launch.command)
    writer << argument;
  return writer.bytes();
}

bool Order::unpack(const std::string &bytes) {
  FrameReader reader(bytes);
  reader >> launch.token >> launch.seed >> launch.nodes >> launch.founders >> launch.shares >> launch.late >>
      launch.restored >> launch.prefix >> launch.monitored >> launch.same_image >> launch.fixed >> launch.checkpoints >>
      bind >> network >> address >> folder >> options >> launch.trace_in >> launch.trace_mark;
  uint32_t count;
  reader >> count;
  launch.numbers.clear();
  while (count-- > 0 && reader.sound())
    reader >> launch.numbers.emplace_back();
  reader >> count;
  while (count-- > 0 && reader.sound()) {
    std::pair<std::string, std::string> variable;
    reader >> variable.first >> variable.second;
    launch.environment.push_back(std::move(variable));
  }
  reader >> count;
  while (count-- > 0 && reader.sound())
    reader >> launch.command.emplace_back();
  launch.several_hosts = launch.forwarded = true;
  return reader.sound() && !launch.command.empty() && launch.nodes > 1 && launch.nodes <= bootstrap::nodes_max &&
         launch.founders >= 1 && launch.founders <= launch.nodes && launch.shares >= 1 && !launch.numbers.empty() &&
         std::all_of(launch.numbers.begin(), launch.numbers.end(),
                     [&](int number) { return number >= 0 && number < launch.nodes; });
}

RemoteHost::RemoteHost(Loop &loop, HostEvents &events, Line line, std::function<void(RemoteHost &)> ready)
    : loop_(loop), events_(events), line_(std::move(line)), on_ready_(std::move(ready)),
      stream_(std::make_unique<Stream>(line_.socket, line_.socket)) {
  stream_->expect_greeting();
  heard_ms_ = told_ms_ = clock_ms();
  loop_.watch(stream_->in(), Loop::Kind::message, [this] { on_stream(); });
}

RemoteHost::~RemoteHost() { hang_up(); }

/// Ends the line, and says how what has carried it ended.
std::string RemoteHost::hang_up() {
  if (stream_)
    loop_.forget(stream_->in());
  stream_.reset();
  if (line_.process == 0)
    return line_.carrier;
  int wait_status = 0;
  for (int tries = 0; waitpid(line_.process, &wait_status, WNOHANG) != line_.process; tries++) {
    if (tries == 100)
      kill(line_.process, SIGKILL);
    usleep(10000);
  }
  line_.process = 0;
  return "`" + line_.carrier + "` " + how_it_ended(wait_status);
}

void RemoteHost::refuse(const std::string &why) {
  if (!stream_)
    return;
  stream_->send({.word = Word::refuse}, why);
  stream_->flush_all(1000);
  hang_up();
  gone_ = true;
}

void RemoteHost::tell(const FrameHeader &header, const void *data, size_t bytes) {
  if (!stream_)
    return;
  stream_->send(header, data, bytes);
  loop_.watch_for_room(stream_->out(), stream_->flush());
}

void RemoteHost::ask(const DiskRequest &request, std::function<void(DiskAnswer &)> then) {
  asked_.push_back(std::move(then));
  if (gone_)
    return answer_none();
  const std::string packed = request.packed();
  tell({.word = Word::disk}, packed.data(), packed.size());
}

/// What was asked for will not be done, as far as is known.
void RemoteHost::answer_none() {
  while (!asked_.empty()) {
    const auto then = std::move(asked_.front());
    asked_.pop_front();
    DiskAnswer none;
    none.failed = "it is lost";
    then(none);
  }
}

void RemoteHost::start(Launch launch) {
  order.launch = std::move(launch);
  for (const int number : order.launch.numbers)
    nodes_[number] = {};
  order.address = address();
  std::string packed = order.packed();
  tell({.word = Word::start}, packed.data(), packed.size());
  explicit_bzero(packed.data(), packed.size());
  explicit_bzero(order.launch.token, sizeof order.launch.token);
}

void RemoteHost::start_late(int node) {
  if (gone_)
    throw "host " + line_.host + " is lost";
  nodes_[node] = {};
  finished_ = false;
  tell({.word = Word::start_late, .node = node});
}

void RemoteHost::complete() { tell({.word = Word::complete}); }

void RemoteHost::on_stream() {
  const bool open = stream_->receive();
  heard_ms_ = clock_ms();
  FrameHeader header;
  std::string data;
  while (stream_ && stream_->next(header, data))
    handle(header, data);
  if (!stream_)
    return;
  if (!open)
    return lost("the connection to it ended");
  loop_.watch_for_room(stream_->out(), stream_->flush());
}

void RemoteHost::handle(const FrameHeader &header, const std::string &data) {
  if (!ready_ && header.word == Word::hello) {
    if (!facts_.unpack(data))
      return fail("host " + line_.host + " has another version of Skein");
    ready_ = true;
    return on_ready_(*this);
  }
  if (header.word == Word::words)
    return events_.on_words("host " + line_.host + ": " + data);
  if (header.word == Word::failed)
    return fail("host " + line_.host + ": " + data);
  if (header.word == Word::disk_done && !asked_.empty()) {
    const auto then = std::move(asked_.front());
    asked_.pop_front();
    DiskAnswer answer;
    if (!answer.unpack(data))
      return fail("host " + line_.host + " has sent what is not understood (another version of Skein?)");
    return then(answer);
  }
  if (header.word == Word::finished) {
    finished_ = true;
    return;
  }
  if (nodes_.count(header.node) == 0)
    return;
  if (header.word == Word::output) { // also the rest of a node that has ended
    if (header.number == STDOUT_FILENO || header.number == STDERR_FILENO)
      events_.on_output(header.node, header.number, data.data(), data.size());
    return;
  }
  if (remote(header.node).way == Way::gone)
    return;
  Remote &node = remote(header.node);
  switch (header.word) {
  case Word::begun:
    node.way = Way::there;
    open_door(header.node);
    if (header.node == 0)
      input_.begin();
    events_.on_begun(header.node);
    break;
  case Word::packet: {
    bootstrap::Packet packet;
    if (data.size() >= sizeof packet.header && data.size() <= sizeof packet) {
      memcpy(&packet, data.data(), data.size());
      events_.on_packet(header.node, packet, data.size() - sizeof packet.header);
    }
    break;
  }
  case Word::monitor:
    monitors_.heard(header.node, header.number, data);
    break;
  case Word::input:
    input_.taken(static_cast<size_t>(header.number));
    break;
  case Word::recording:
    take_recording(header.node, data);
    break;
  case Word::end:
    gone(header.node);
    node.vitals = Vitals();
    events_.on_end(header.node, header.number);
    break;
  case Word::never_there:
    gone(header.node);
    events_.on_never_there(header.node, header.number);
    break;
  case Word::vitals: {
    signs_heard_ = header.number;
    FrameReader reader(data);
    Vitals news;
    uint32_t threads;
    reader >> news.process >> news.there >> news.runnable >> news.disk >> news.stopped >> threads;
    for (; threads > 0 && reader.sound(); threads--) {
      pid_t thread;
      uint64_t ms;
      reader >> thread >> ms;
      news.cpu_ms[thread] = ms;
    }
    if (reader.sound())
      node.vitals = news;
    break;
  }
  default:
    fail("host " + line_.host + " has sent what is not understood (another version of Skein?)");
  }
}

void RemoteHost::show_monitors_in(const std::string &folder) {
  monitors_in_ = folder;
  for (const auto &[number, node] : nodes_)
    if (node.way == Way::there)
      open_door(number);
}

void RemoteHost::open_door(int node) {
  if (monitors_in_.empty())
    return;
  try {
    monitors_.open_door(monitors_in_, node);
  } catch (const std::string &why) {
    events_.on_words("`skein top` cannot see node " + std::to_string(node) + " here: " + why);
  }
}

void RemoteHost::gone(int node) {
  remote(node).way = Way::gone;
  monitors_.close_door(node);
  if (node == 0)
    input_.end();
}

/// A piece of what a node has recorded. Only where the launcher had nodes record, and only for those.
void RemoteHost::take_recording(int node, const std::string &piece) {
  if (order.launch.trace_in.empty())
    return;
  const bool first = recorded_.insert(node).second; // in this life of the run
  std::ofstream file(file_of_node(order.launch.trace_in, node),
                     std::ios::binary | (first ? std::ios::trunc : std::ios::app));
  if (!(file << piece << std::flush) && !std::exchange(recording_failed_, true))
    events_.on_words("what node " + std::to_string(node) + " has recorded cannot be written to " +
                     order.launch.trace_in + ": " + strerror(errno));
}

/// The host is gone, and its nodes with it.
void RemoteHost::lost(const std::string &why) {
  const std::string how = why + " (" + hang_up() + ")";
  gone_ = true;
  if (nodes_.empty() && line_.called)
    return fail((ready_ ? "host " + line_.host + " was lost before it had nodes: "
                        : "no agent could be started on host " + line_.host + ": ") +
                how);
  lose_nodes("host " + line_.host + ": " + how);
  answer_none();
}

/// `why` begins with the host.
void RemoteHost::lose_nodes(const std::string &why) {
  for (auto &[number, node] : nodes_)
    if (node.way != Way::gone) {
      gone(number);
      events_.on_lost(number, "was lost with " + why);
    }
}

/// The host cannot have nodes.
void RemoteHost::fail(const std::string &why) {
  if (!on_failure)
    throw why;
  hang_up();
  gone_ = true;
  if (nodes_.empty())
    on_failure(why);
  else
    lose_nodes(why);
  answer_none();
}

void RemoteHost::send(int node, const void *packet, size_t bytes) {
  tell({.word = Word::packet, .node = node}, packet, bytes);
}

void RemoteHost::signal(int node, int number) { tell({.word = Word::signal, .node = node, .number = number}); }

void RemoteHost::signal_all(int number, bool) { tell({.word = Word::signal_all, .number = number}); }

void RemoteHost::ending() { tell({.word = Word::ending}); }

void RemoteHost::give_up() { tell({.word = Word::give_up}); }

/// What arrives when a link is up again was sent before, seconds ago. It must not be compared with what comes next, as
/// if the node had had all that time to answer.
bool RemoteHost::news_are_late() const {
  return clock_ms() - heard_ms_ >= news_late_ms || signs_ - signs_heard_ > signs_late_most;
}

Vitals RemoteHost::vitals(int node) {
  Remote &which = remote(node);
  which.vitals.unknown = which.way != Way::gone && (which.vitals.process == 0 || news_are_late());
  return which.vitals;
}

void RemoteHost::tick(uint64_t now_ms) {
  if (!stream_)
    return;
  if (now_ms - told_ms_ >= alive_every_ms) {
    told_ms_ = now_ms;
    tell({.word = Word::alive, .number = ++signs_});
  }
  if (ready_ && now_ms - heard_ms_ >= silence_ms)
    lost("nothing has been heard of it for " + std::to_string(silence_ms / 1000) + " s");
}

int RemoteHost::due_ms(uint64_t now_ms) const {
  if (!stream_)
    return -1;
  const uint64_t due = told_ms_ + alive_every_ms;
  return due > now_ms ? static_cast<int>(due - now_ms) : 0;
}

// The nodes, if any were started, have ended, and perhaps not all of their output is here.
void RemoteHost::finish() {
  const uint64_t until = clock_ms() + silence_ms;
  while (stream_ && !nodes_.empty() && !finished_ && !gone_) {
    const uint64_t now = clock_ms();
    pollfd readable = {stream_->in(), POLLIN, 0};
    if (now >= until || poll(&readable, 1, static_cast<int>(until - now)) == 0)
      return;
    on_stream();
  }
}

} // namespace skein::launch
