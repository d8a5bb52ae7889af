// How the nodes of a host come into being and end; see local_host.h.
#include "launch/run/local_host.h"
#include "os/linux/descriptors.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace skein::launch {

LocalHost::~LocalHost() {
  for (const auto &[number, child] : children_)
    child.signal(SIGKILL);
  nursery_.end();
  for (const auto &[number, child] : children_)
    if (!child.ended && child.pid != 0)
      waitpid(child.pid, nullptr, 0);
}

void LocalHost::start(Launch launch) {
  launch_ = std::move(launch);
  complete_ = !launch_.may_grow();
  const auto add_file = [this](const std::string &name) {
    const int file = memfd_create(name.c_str(), MFD_CLOEXEC);
    if (file < 0)
      throw std::string("memfd_create: ") + strerror(errno);
    launch_.memory_files.push_back(file);
  };
  for (int node = 0; launch_.shares_memory() && node < launch_.nodes; node++)
    add_file("skein-slice-" + std::to_string(node));
  if (launch_.share_stacks)
    add_file("skein-stacks");
  make_folder();
  if (!launch_.restored.empty() || !launch_.same_image || !can_fork(launch_))
    return start_each();
  nursery_ = start_nursery(launch_);
  files_.add(nursery_.pidfd);
  loop_.watch(nursery_.socket, Loop::Kind::nursery, [this] { on_nursery(); });
  loop_.watch(nursery_.pidfd, Loop::Kind::nursery_end, [this] { on_nursery_end(); });
  asked_ = launch_.here();
  int share = 0;
  for (const int number : launch_.numbers)
    keep(request_child(launch_, nursery_, number, share++ % launch_.shares, launch_.late));
}

void LocalHost::start_late(int node) {
  const int share = free_share();
  if (each_alone_)
    return begun(keep(start_child(launch_, node, share, true)));
  if (!nursery_)
    throw "the process that forks the nodes " + how_it_ended(nursery_status_) +
        ", and no other can make more like them";
  keep(request_child(launch_, nursery_, node, share, true));
  asked_++;
}

/// The share of the cores that the fewest nodes have.
int LocalHost::free_share() const {
  std::vector<int> users(static_cast<size_t>(launch_.shares));
  for (const auto &[number, child] : children_)
    users[static_cast<size_t>(child.share)] += !child.ended;
  return static_cast<int>(std::min_element(users.begin(), users.end()) - users.begin());
}

void LocalHost::complete() {
  complete_ = true;
  if (asked_ == 0)
    end_nursery();
  forget_what_starts_nodes();
}

/// The run can do without monitors.
void LocalHost::make_folder() {
  if (launch_.monitored) {
    try {
      files_.make(launch_.files_in.c_str(), launch_.recorded_in);
    } catch (const std::string &why) {
      events_.on_words("`skein top` and `skein web` cannot see this run: " + why);
      return;
    }
  }
  if (launch_.monitored)
    launch_.monitors_in = files_.path();
}

void LocalHost::start_each() {
  each_alone_ = true;
  int share = 0;
  for (const int number : launch_.numbers)
    begun(keep(start_child(launch_, number, share++ % launch_.shares, launch_.late)));
}

Child &LocalHost::keep(Child child) {
  const int number = child.number;
  Child &kept = children_.insert_or_assign(number, std::move(child)).first->second; // where it stays
  if (kept.socket >= 0)
    loop_.watch(kept.socket, Loop::Kind::message, [this, &kept] { on_message(kept); });
  for (Output &output : kept.outputs) {
    output.writes_to([this, number = kept.number](int descriptor, const char *text, size_t bytes) {
      return events_.on_output(number, descriptor, text, bytes);
    });
    loop_.watch(output.descriptor(), Loop::Kind::output, [this, &output] { pump(output); });
  }
  return kept;
}

void LocalHost::pump(Output &output) {
  if (const int descriptor = output.descriptor(); !output.pump() && descriptor >= 0)
    loop_.forget(descriptor);
}

/// The node's process exists.
void LocalHost::begun(Child &child) {
  files_.add(child.pidfd);
  loop_.watch(child.pidfd, Loop::Kind::end, [this, &child] { on_end(child); });
  events_.on_begun(child.number);
  forget_what_starts_nodes();
}

bool LocalHost::all_are_there() const {
  return children_.size() >= launch_.numbers.size() &&
         std::none_of(children_.begin(), children_.end(),
                      [](const auto &any) { return any.second.pid == 0 && !any.second.ended; });
}

void LocalHost::forget_what_starts_nodes() {
  if (!complete_ || !all_are_there())
    return;
  explicit_bzero(launch_.token, sizeof launch_.token); // the nodes have it, and nothing else needs it
  for (int file : launch_.memory_files)
    close(file); // the nodes have them
  launch_.memory_files.clear();
}

/// The nursery has forked a node, or reports that it cannot.
void LocalHost::on_nursery() {
  bootstrap::Forked news;
  while (nursery_ && recv(nursery_.socket, &news, sizeof news, MSG_DONTWAIT) == sizeof news) {
    if (news.header.magic != bootstrap::magic || news.header.version != bootstrap::version ||
        news.header.type != bootstrap::Type::forked || children_.count(news.header.node) == 0)
      throw std::string("the program sent a message that is not understood (another version of Skein?)");
    if (news.header.status > 0) {
      forked(child(news.header.node), news.header.status);
    } else if (none_is_late()) {
      return cannot_fork(strerror(-news.header.status));
    } else {
      events_.on_words("cannot fork node " + std::to_string(news.header.node) + ": " + strerror(-news.header.status));
      never_there(child(news.header.node), 0);
    }
  }
}

/// The nursery reports the new node, or the node itself does, if the nursery is stopped or killed before it can. So the
/// run does not depend on the nursery any more as soon as the last node is there; further ones do.
void LocalHost::forked(Child &child, pid_t process) {
  if (child.pid != 0 || child.ended)
    return;
  child.began(process);
  begun(child);
  if (--asked_ == 0 && complete_)
    end_nursery();
}

void LocalHost::end_nursery() {
  for (int descriptor : {nursery_.socket, nursery_.pidfd})
    if (descriptor >= 0)
      loop_.forget(descriptor);
  nursery_.end();
}

void LocalHost::cannot_fork(const std::string &why) {
  if (asked_ < launch_.here())
    throw "cannot start node " + std::to_string(launch_.numbers[static_cast<size_t>(launch_.here() - asked_)]) + ": " +
        why;
  // No constructor of the program has run: it can be started again, each node by itself.
  end_nursery();
  asked_ = 0;
  for (auto &[number, child] : children_) {
    close_socket(child);
    for (const Output &output : child.outputs)
      loop_.forget(output.descriptor());
  }
  children_.clear();
  start_each();
}

void LocalHost::on_nursery_end() {
  on_nursery();
  for (auto &[number, child] : children_)
    if (nursery_ && child.pid == 0)
      on_message(child);
  int wait_status = 0;
  if (!nursery_ || waitpid(nursery_.pid, &wait_status, WNOHANG) != nursery_.pid)
    return;
  nursery_.pid = 0;
  end_nursery();
  nursery_status_ = wait_status;
  // A node that has been forked has a socket, and will report on it that it is there. The sockets of the others may
  // close a little later: a node has the nursery's own socket, with the requests that are still in it, until it has put
  // its own in the place.
  const auto never_forked = [](const Child &child) { return child.pid == 0 && child.socket < 0 && !child.ended; };
  const auto missing =
      std::count_if(children_.begin(), children_.end(), [&](const auto &any) { return never_forked(any.second); });
  if (missing == 0)
    return;
  const bool started = !WIFEXITED(wait_status) || (WEXITSTATUS(wait_status) != 126 && WEXITSTATUS(wait_status) != 127);
  if (!none_is_late() || (WIFSIGNALED(wait_status) && missing < launch_.here())) // it is too late to start again
    events_.on_words("the process that forks the nodes " + how_it_ended(wait_status));
  else if (started && !ending_)
    return cannot_fork(how_it_ended(wait_status)); // for example, a debugger does not let it fork
  // Else there is no such program, or a library is missing, and it has said so.
  for (auto &[number, child] : children_)
    if (never_forked(child))
      never_there(child, wait_status);
}

/// The node's process is not known, and nothing will tell it.
void LocalHost::never_there(Child &child, int wait_status) {
  child.ended = true;
  asked_--;
  events_.on_never_there(child.number, wait_status);
}

void LocalHost::give_up() {
  ending_ = true;
  end_nursery();
  for (auto &[number, child] : children_)
    if (child.pid == 0 && !child.ended)
      never_there(child, 0);
}

void LocalHost::close_socket(Child &child) {
  loop_.forget(child.socket);
  close(child.socket);
  child.socket = -1;
}

void LocalHost::on_message(Child &child) {
  bootstrap::Packet packet;
  while (child.socket >= 0) {
    Child::Descriptors came;
    const ssize_t bytes = receive_with(child.socket, &packet, sizeof packet, came.data(), came.size(), MSG_DONTWAIT);
    if (bytes < 0 && errno == EAGAIN)
      return;
    if (came[0] >= 0)
      child.keep(came);
    if (bytes < 0 && errno == ECONNRESET) // the node has not read everything; said once, before its last packets
      continue;
    if (bytes <= 0) { // closed: the node is ending, or has replaced itself by another program
      close_socket(child);
      if (child.pid == 0 && !child.ended && !nursery_) {
        if (!ending_)
          events_.on_words("the process that forks the nodes " + how_it_ended(nursery_status_));
        never_there(child, nursery_status_);
      }
      return;
    }
    const size_t data = static_cast<size_t>(bytes) - sizeof packet.header;
    if (bytes < static_cast<ssize_t>(sizeof packet.header) || packet.header.magic != bootstrap::magic ||
        packet.header.version != bootstrap::version)
      events_.on_words("node " + std::to_string(child.number) +
                       " sent a message that is not understood (another version of Skein?)");
    else if (packet.header.type == bootstrap::Type::forked && packet.header.status > 0)
      forked(child, packet.header.status);
    else {
      if (packet.header.type == bootstrap::Type::copied)
        give_all_output(child);
      events_.on_packet(child.number, packet, data);
    }
  }
}

/// A node that has made a copy of itself has written all that the copy does not write again: that goes before, also
/// what is no whole line yet.
void LocalHost::give_all_output(Child &child) {
  for (Output &output : child.outputs) {
    pump(output);
    output.flush();
  }
}

void LocalHost::on_end(Child &child) {
  int wait_status = 0;
  if (child.ended || waitpid(child.pid, &wait_status, WNOHANG) != child.pid)
    return;
  on_message(child);
  child.ended = true;
  loop_.forget(child.pidfd);
  close(child.pidfd);
  child.pidfd = -1;
  child.keep({-1, -1});
  for (Output &output : child.outputs)
    pump(output);
  events_.on_end(child.number, wait_status);
}

/// Where a node of this host is, others are told with the descriptors that belong to its address.
void LocalHost::send(int node, const void *packet, size_t bytes) {
  const auto &header = *static_cast<const bootstrap::Header *>(packet);
  const auto about = header.type == bootstrap::Type::peer ? children_.find(header.node) : children_.end();
  if (about == children_.end())
    child(node).send(packet, bytes);
  else
    child(node).send(packet, bytes, about->second.descriptors);
}

void LocalHost::signal(int node, int number) { child(node).signal(number); }

void LocalHost::signal_all(int number, bool from_terminal) {
  if (from_terminal)
    return;
  if (asked_ > 0)
    nursery_.signal(number);
  for (const auto &[node, child] : children_)
    child.signal(number);
}

Vitals LocalHost::vitals(int node) {
  const Child &which = child(node);
  return vitals_of(which.pid ? which.pid : nursery_.pid);
}

void LocalHost::tick(uint64_t now_ms) {
  files_.settle();
  for (auto &[number, child] : children_)
    for (Output &output : child.outputs)
      output.flush_overdue(now_ms);
}

int LocalHost::due_ms(uint64_t now_ms) const {
  int due = -1;
  for (const auto &[number, child] : children_)
    for (const Output &output : child.outputs)
      if (const int this_ms = output.due_ms(now_ms); this_ms >= 0)
        due = due < 0 ? this_ms : std::min(due, this_ms);
  return due;
}

void LocalHost::finish() {
  for (auto &[number, child] : children_)
    for (Output &output : child.outputs) {
      pump(output);
      output.finish();
    }
}

} // namespace skein::launch
