// The launcher's loop: one epoll over signals, ends of processes, bootstrap sockets and output; see launcher.h.
//
// Signals: the nodes stay in our process group, so that a terminal's ^C and ^Z reach them directly; those come from the
// kernel and are not passed on again. Signals sent to us by a process are.
#include "launch/command/launcher.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace skein::launch {

namespace {

enum : uint64_t { what_signal, what_nursery, what_nursery_end, what_end, what_message, what_output, what_error };

void say(const std::string &text) { fprintf(stderr, "skein run: %s\n", text.c_str()); }

} // namespace

Launcher::~Launcher() {
  for (Child &child : children_)
    child.signal(SIGKILL);
  nursery_.end();
}

void Launcher::watch(int descriptor, uint64_t what, int number) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = what << 32 | static_cast<uint32_t>(number);
  if (epoll_ctl(epoll_, EPOLL_CTL_ADD, descriptor, &event) != 0)
    throw std::string("epoll_ctl: ") + strerror(errno);
}

void Launcher::start_children() {
  sigset_t handled;
  sigemptyset(&handled);
  for (int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT})
    sigaddset(&handled, number);
  sigprocmask(SIG_BLOCK, &handled, &launch_.signal_mask);
  signal(SIGPIPE, SIG_IGN);
  signals_ = signalfd(-1, &handled, SFD_CLOEXEC | SFD_NONBLOCK);
  epoll_ = epoll_create1(EPOLL_CLOEXEC);
  watch(signals_, what_signal, 0);

  // Files on their way in sockets count against our limit of open ones.
  getrlimit(RLIMIT_NOFILE, &launch_.open_files);
  rlimit generous = {launch_.open_files.rlim_max, launch_.open_files.rlim_max};
  setrlimit(RLIMIT_NOFILE, &generous);

  if (getrandom(launch_.token, sizeof launch_.token, 0) != sizeof launch_.token)
    throw std::string("getrandom: ") + strerror(errno);
  for (int node = 0; launch_.nodes > 1 && node < launch_.nodes; node++) {
    int file = memfd_create(("skein-slice-" + std::to_string(node)).c_str(), MFD_CLOEXEC);
    if (file < 0)
      throw std::string("memfd_create: ") + strerror(errno);
    launch_.slices.push_back(file);
  }
  children_.reserve(static_cast<size_t>(launch_.nodes));
  living_ = launch_.nodes;
  if (!launch_.same_image || !can_fork(launch_))
    return start_each();
  nursery_ = start_nursery(launch_);
  watch(nursery_.socket, what_nursery, 0);
  watch(nursery_.pidfd, what_nursery_end, 0);
  asked_ = launch_.nodes;
  for (int number = 0; number < launch_.nodes; number++)
    keep(number, request_child(launch_, nursery_, number));
}

void Launcher::start_each() {
  for (int number = 0; number < launch_.nodes; number++) {
    keep(number, start_child(launch_, number));
    begun(children_.back());
  }
}

void Launcher::keep(int number, Child child) {
  children_.push_back(std::move(child));
  Child &kept = children_.back();
  if (kept.socket >= 0)
    watch(kept.socket, what_message, number);
  for (size_t i = 0; i < kept.outputs.size(); i++)
    watch(kept.outputs[i].descriptor(), what_output + i, number);
}

/// Its process is there.
void Launcher::begun(Child &child) {
  watch(child.pidfd, what_end, child.number);
  if (child.number + 1 != launch_.nodes)
    return;
  for (int file : launch_.slices)
    close(file); // the nodes have them
  launch_.slices.clear();
}

/// The nursery has forked a node, or says that it cannot.
void Launcher::on_nursery() {
  bootstrap::Forked news;
  while (nursery_ && recv(nursery_.socket, &news, sizeof news, MSG_DONTWAIT) == sizeof news) {
    if (news.header.magic != bootstrap::magic || news.header.version != bootstrap::version ||
        news.header.type != bootstrap::Type::forked || news.header.node != launch_.nodes - asked_)
      throw std::string("the program sent a message that is not understood (another version of Skein?)");
    if (news.header.status <= 0)
      return cannot_fork(strerror(-news.header.status));
    Child &child = children_[static_cast<size_t>(news.header.node)];
    child.began(news.header.status);
    begun(child);
    if (--asked_ == 0)
      nursery_.end(); // it could fork more, if somebody asked
  }
}

void Launcher::cannot_fork(const char *why) {
  if (asked_ < launch_.nodes)
    throw "cannot start node " + std::to_string(launch_.nodes - asked_) + ": " + why;
  // No constructor of the program has run: it can be started again, each node by itself.
  nursery_.end();
  asked_ = 0;
  for (const Child &child : children_)
    close(child.socket);
  children_.clear();
  start_each();
}

void Launcher::on_nursery_end() {
  on_nursery();
  int wait_status = 0;
  if (!nursery_ || waitpid(nursery_.pid, &wait_status, WNOHANG) != nursery_.pid)
    return;
  nursery_.pid = 0;
  nursery_.end();
  const bool started = !WIFEXITED(wait_status) || (WEXITSTATUS(wait_status) != 126 && WEXITSTATUS(wait_status) != 127);
  if (started && !over_ && stop_signals_ == 0)
    return cannot_fork(how_it_ended(wait_status).c_str()); // where a debugger does not let it fork, say
  note_status(shell_status(wait_status)); // there is no such program, or a library is missing, which it has said
  over_ = true;
  living_ -= asked_;
  asked_ = 0;
  if (living_ > 0)
    end_within(0);
}

int Launcher::run() {
  start_children();
  if (timeout_s_ > 0)
    timeout_at_ms_ = clock_ms() + static_cast<uint64_t>(timeout_s_) * 1000;
  while (living_ > 0)
    step();
  for (Child &child : children_)
    for (Output &output : child.outputs)
      output.finish();
  return status_;
}

int Launcher::wait_ms() const {
  uint64_t now = clock_ms();
  uint64_t wait = UINT64_MAX;
  for (uint64_t deadline : {kill_at_ms_, timeout_at_ms_})
    if (deadline != 0)
      wait = std::min(wait, deadline > now ? deadline - now : 0);
  for (const Child &child : children_)
    for (const Output &output : child.outputs)
      if (int due = output.due_ms(now); due >= 0)
        wait = std::min(wait, static_cast<uint64_t>(due));
  return wait > 1000000 ? -1 : static_cast<int>(wait);
}

void Launcher::step() {
  epoll_event events[64];
  int count = epoll_wait(epoll_, events, 64, wait_ms());
  // Messages before ends: a node's last words explain its end.
  for (uint64_t pass : {what_signal, what_nursery, what_nursery_end, what_output, what_message, what_end})
    for (int i = 0; i < count; i++) {
      uint64_t what = events[i].data.u64 >> 32;
      auto number = static_cast<uint32_t>(events[i].data.u64);
      if (what == what_signal && pass == what_signal)
        on_signal();
      else if (what == what_nursery && pass == what_nursery)
        on_nursery();
      else if (what == what_nursery_end && pass == what_nursery_end)
        on_nursery_end();
      else if (what >= what_output && pass == what_output)
        children_[number].outputs[what - what_output].pump(); // a closed descriptor leaves epoll by itself
      else if (what == what_message && pass == what_message)
        on_message(children_[number]);
      else if (what == what_end && pass == what_end)
        on_end(children_[number]);
    }
  uint64_t now = clock_ms();
  for (Child &child : children_)
    for (Output &output : child.outputs)
      output.flush_overdue(now);
  if (timeout_at_ms_ != 0 && now >= timeout_at_ms_) {
    timeout_at_ms_ = 0;
    say("the time limit of " + std::to_string(timeout_s_) + " s is over");
    note_status(124);
    over_ = true;
    signal_all(SIGTERM);
    end_within(1000);
  }
  if (kill_at_ms_ != 0 && now >= kill_at_ms_) {
    kill_at_ms_ = 0;
    for (const Child &child : children_)
      if (!child.ended && child.pid != 0 && stop_signals_ == 0)
        say("node " + std::to_string(child.number) + " does not end, and is killed");
    signal_all(SIGKILL);
  }
}

void Launcher::on_signal() {
  signalfd_siginfo info;
  while (read(signals_, &info, sizeof info) == sizeof info) {
    auto number = static_cast<int>(info.ssi_signo);
    bool from_terminal = info.ssi_code == SI_KERNEL;
    if (!from_terminal)
      signal_all(number);
    if (number == SIGTSTP)
      raise(SIGSTOP); // we go on after SIGCONT
    if (number == SIGINT || number == SIGTERM || number == SIGHUP || number == SIGQUIT)
      if (++stop_signals_ == 2)
        end_within(0); // asked twice: no more patience
  }
}

void Launcher::on_message(Child &child) {
  bootstrap::Packet packet;
  while (child.socket >= 0) {
    ssize_t bytes = recv(child.socket, &packet, sizeof packet, MSG_DONTWAIT);
    if (bytes < 0 && (errno == EAGAIN || errno == EINTR))
      return;
    if (bytes <= 0) { // closed: the node is ending, or has replaced itself by another program
      close(child.socket);
      child.socket = -1;
      return;
    }
    if (bytes >= static_cast<ssize_t>(sizeof packet.header) && packet.header.magic == bootstrap::magic &&
        packet.header.version == bootstrap::version)
      handle(child, packet, static_cast<size_t>(bytes) - sizeof packet.header);
    else
      say("node " + std::to_string(child.number) +
          " sent a message that is not understood (another version of Skein?)");
  }
}

void Launcher::handle(Child &child, const bootstrap::Packet &packet, size_t bytes) {
  using bootstrap::Type;
  switch (packet.header.type) {
  case Type::address:
    child.address.assign(packet.bytes, packet.bytes + bytes);
    child.joined = true;
    introduce();
    break;
  case Type::met:
    child.met = true;
    if (std::all_of(children_.begin(), children_.end(), [](const Child &any) { return any.met; }))
      for (Child &other : children_)
        other.send({.type = Type::begin});
    break;
  case Type::finish:
    over_ = true;
    timeout_at_ms_ = 0;
    for (Child &other : children_)
      other.send({.type = Type::end, .status = packet.header.status});
    end_within(grace_ms);
    break;
  case Type::done:
    child.done = true;
    leave_when_all_are_done();
    break;
  case Type::exiting:
    child.exiting = true;
    if (!over_) {
      over_ = true;
      note_status(packet.header.status);
      tell_others(child, Type::quit, packet.header.status, "");
      end_within(grace_ms);
    }
    break;
  case Type::suspect: {
    int number = packet.header.node;
    if (number < 0 || number >= launch_.nodes || over_)
      break;
    Child &suspect = children_[static_cast<size_t>(number)];
    std::string why(packet.bytes, bytes);
    say("node " + std::to_string(number) + " " + why + ", says node " + std::to_string(child.number));
    died(suspect, 128 + SIGKILL, why);
    suspect.signal(SIGKILL);
    break;
  }
  default:
    say("node " + std::to_string(child.number) + " sent a message of an unknown type");
  }
}

// All have joined: tell each where the others are.
void Launcher::introduce() {
  if (!std::all_of(children_.begin(), children_.end(), [](const Child &child) { return child.joined; }))
    return;
  for (const Child &to : children_) {
    for (const Child &about : children_) {
      bootstrap::Packet packet;
      packet.header = {.type = bootstrap::Type::peer, .node = about.number};
      memcpy(packet.bytes, about.address.data(), about.address.size());
      to.send(&packet, sizeof packet.header + about.address.size());
    }
    to.send({.type = bootstrap::Type::start});
  }
}

void Launcher::leave_when_all_are_done() {
  bool all =
      std::all_of(children_.begin(), children_.end(), [](const Child &child) { return child.done || child.ended; });
  if (!all || leaving_)
    return;
  leaving_ = true;
  for (const Child &child : children_)
    child.send({.type = bootstrap::Type::leave});
}

void Launcher::on_end(Child &child) {
  int wait_status = 0;
  if (child.ended || waitpid(child.pid, &wait_status, WNOHANG) != child.pid)
    return;
  on_message(child);
  child.ended = true;
  living_--;
  epoll_ctl(epoll_, EPOLL_CTL_DEL, child.pidfd, nullptr);
  close(child.pidfd);
  child.pidfd = -1;
  for (Output &output : child.outputs)
    output.pump();

  std::string name = "node " + std::to_string(child.number);
  if (launch_.nodes == 1) {
    note_status(shell_status(wait_status));
    return;
  }
  bool anybody_joined = std::any_of(children_.begin(), children_.end(), [](const Child &c) { return c.joined; });
  if (child.dead && !over_) {
    // the others know, and go on
  } else if (over_ || child.exiting) {
    if (!child.dead)
      note_status(shell_status(wait_status));
    leave_when_all_are_done();
  } else if (!child.joined && WIFEXITED(wait_status) && (WEXITSTATUS(wait_status) != 0 || anybody_joined)) {
    say(name + " " + how_it_ended(wait_status) + " before it had joined the run");
    note_status(WEXITSTATUS(wait_status) != 0 ? WEXITSTATUS(wait_status) : 1);
    over_ = true;
    tell_others(child, bootstrap::Type::quit, status_, "");
    end_within(stop_signals_ ? 500 : grace_ms);
  } else if (child.joined || WIFSIGNALED(wait_status)) {
    std::string how = how_it_ended(wait_status);
    say(name + " " + how);
    int status = shell_status(wait_status);
    status = status != 0 ? status : 1;
    if (stop_signals_ > 0) { // we passed that signal on ourselves: nothing to explain
      note_status(status);
      over_ = true;
      end_within(grace_ms);
    } else {
      died(child, status, how);
    }
  } // else: not a Skein program, and it ended well
}

void Launcher::died(Child &child, int status, const std::string &how) {
  if (child.dead)
    return;
  child.dead = true;
  tell_others(child, bootstrap::Type::died, 0, how);
  if (launch_.survive && child.number != 0)
    return;
  note_status(status);
  over_ = true;
  end_within(grace_ms);
}

void Launcher::tell_others(const Child &about, bootstrap::Type type, int status, const std::string &text) {
  bootstrap::Packet packet;
  packet.header = {.type = type, .node = about.number, .status = status};
  size_t bytes = std::min(text.size(), sizeof packet.bytes);
  memcpy(packet.bytes, text.data(), bytes);
  for (const Child &child : children_)
    if (&child != &about && !child.ended)
      child.send(&packet, sizeof packet.header + bytes);
}

void Launcher::signal_all(int number) {
  if (asked_ > 0)
    nursery_.signal(number);
  for (const Child &child : children_)
    child.signal(number);
}

void Launcher::end_within(int milliseconds) {
  uint64_t at = clock_ms() + static_cast<uint64_t>(milliseconds);
  if (kill_at_ms_ == 0 || at < kill_at_ms_)
    kill_at_ms_ = at;
}

void Launcher::note_status(int status) {
  if (status_ == 0)
    status_ = status;
}

} // namespace skein::launch
