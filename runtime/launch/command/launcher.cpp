// The launcher's loop: one epoll over signals, ends of processes, bootstrap sockets and output; see launcher.h. How
// nodes start is in starting.cpp, and which ones are given up in suspicions.cpp.
//
// Signals: the nodes stay in the launcher's process group, so that a terminal's ^C and ^Z reach them directly. Those
// signals come from the kernel and are not passed on again. Signals that a process sends to the launcher are passed on,
// and so is the hangup of a terminal whose session the launcher leads, of which the kernel tells no other process. A
// signal that was ignored when the launcher started (nohup) stays ignored.
#include "launch/command/launcher.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace skein::launch {

namespace {

/// Whether the reader of the launcher's output has gone.
bool nobody_reads() {
  for (int descriptor : {STDOUT_FILENO, STDERR_FILENO}) {
    pollfd output = {descriptor, 0, 0};
    if (poll(&output, 1, 0) == 1 && (output.revents & (POLLERR | POLLHUP)))
      return true;
  }
  return false;
}

} // namespace

void Launcher::say(const std::string &text) { fprintf(stderr, "skein run: %s\n", text.c_str()); }

std::string Launcher::name_of(const Child &child) { return "node " + std::to_string(child.number); }

Launcher::~Launcher() {
  end_web();
  for (Child &child : children_)
    child.signal(SIGKILL);
  nursery_.end();
  for (Child &child : children_)
    if (!child.ended && child.pid != 0)
      waitpid(child.pid, nullptr, 0);
}

void Launcher::watch(int descriptor, uint64_t what, int number) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = what << 32 | static_cast<uint32_t>(number);
  if (epoll_ctl(epoll_, EPOLL_CTL_ADD, descriptor, &event) != 0)
    throw std::string("epoll_ctl: ") + strerror(errno);
}

int Launcher::run() {
  start_children();
  start_web();
  if (timeout_s_ > 0)
    timeout_at_ms_ = clock_ms() + static_cast<uint64_t>(timeout_s_) * 1000;
  while (living_ > 0)
    step();
  for (Child &child : children_)
    for (Output &output : child.outputs)
      output.finish();
  if (launch_.nodes > 1 && status_ == 0 && !anybody_joined())
    say("no node has joined the run: " + launch_.command[0] +
        " was not linked by skeincc, or started no program that " + "was. It ran " + std::to_string(launch_.nodes) +
        " times, each on its own");
  return status_;
}

int Launcher::wait_ms() const {
  uint64_t now = clock_ms();
  uint64_t wait = UINT64_MAX;
  for (uint64_t deadline : {kill_at_ms_, timeout_at_ms_})
    if (deadline != 0)
      wait = std::min(wait, deadline > now ? deadline - now : 0);
  if (launch_.nodes > 1 && !begun_ && !over_) {
    if (!missing_told_)
      wait = std::min(wait, started_ms_ + start_patience_ms - std::min(now, started_ms_ + start_patience_ms));
    if (waiting_since_ms_ != 0 && launch_.start_s != 0) {
      const uint64_t end = waiting_since_ms_ + static_cast<uint64_t>(launch_.start_s) * 1000;
      wait = std::min(wait, end - std::min(now, end));
    }
  }
  for (const Child &child : children_)
    if (child.suspicion.since_ms != 0)
      wait = std::min(wait, examine_every_ms);
  if (watches_stopped())
    wait = std::min(wait, looked_ms_ + look_every_ms - std::min(now, looked_ms_ + look_every_ms));
  for (const Child &child : children_)
    for (const Output &output : child.outputs)
      if (int due = output.due_ms(now); due >= 0)
        wait = std::min(wait, static_cast<uint64_t>(due));
  return wait > 1000000 ? -1 : static_cast<int>(wait);
}

void Launcher::step() {
  epoll_event events[64];
  int count = epoll_wait(epoll_, events, 64, wait_ms());
  files_.settle();
  // Messages come before ends, since the last messages of a node explain its end.
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
  watch_start();
  for (Child &child : children_)
    examine(child);
  watch_stopped();
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
    killing_ = true;
    for (const Child &child : children_)
      if (!child.ended && child.pid != 0 && stop_signals_ == 0)
        say("node " + std::to_string(child.number) + " does not end, and is killed");
    signal_all(SIGKILL);
  }
}

/// Until SIGCONT; but not if the kernel does not let the nodes stop either, since no shell could let them go on (their
/// process group is orphaned).
static void stop_like_the_nodes() {
  sigset_t stop;
  sigemptyset(&stop);
  sigaddset(&stop, SIGTSTP);
  raise(SIGTSTP);
  sigprocmask(SIG_UNBLOCK, &stop, nullptr);
  sigprocmask(SIG_BLOCK, &stop, nullptr);
}

void Launcher::on_signal() {
  signalfd_siginfo info;
  while (read(signals_, &info, sizeof info) == sizeof info) {
    auto number = static_cast<int>(info.ssi_signo);
    bool from_terminal = info.ssi_code == SI_KERNEL;
    if (!from_terminal || (number == SIGHUP && getsid(0) == getpid()))
      signal_all(number);
    if (number == SIGTSTP)
      stop_like_the_nodes();
    if (number == SIGINT || number == SIGTERM || number == SIGHUP || number == SIGQUIT) {
      stop_signal_ = number;
      if (++stop_signals_ == 2)
        end_within(0); // asked twice: no more patience
    }
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
      if (child.pid == 0 && !child.ended && !nursery_) {
        if (!over_)
          say("the process that forks the nodes " + how_it_ended(nursery_status_));
        note_status(shell_status(nursery_status_));
        never_there(child);
      }
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
    if (waiting_since_ms_ == 0)
      waiting_since_ms_ = clock_ms();
    introduce();
    break;
  case Type::met:
    child.met = true;
    begin_when_all_have_met();
    break;
  case Type::misses:
    if (packet.header.node >= 0 && packet.header.node < launch_.nodes)
      children_[static_cast<size_t>(packet.header.node)].missed_by = child.number;
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
  case Type::suspect:
    if (packet.header.node >= 0 && packet.header.node < launch_.nodes)
      suspected(children_[static_cast<size_t>(packet.header.node)], child.number, packet.header.status,
                std::string(packet.bytes, bytes));
    break;
  case Type::rejects:
    if (packet.header.node >= 0 && packet.header.node < launch_.nodes)
      rejected(children_[static_cast<size_t>(packet.header.node)], child.number, std::string(packet.bytes, bytes));
    break;
  case Type::alive:
    child.answered = true;
    break;
  case Type::forked:
    if (packet.header.status > 0)
      forked(child, packet.header.status);
    break;
  default:
    say("node " + std::to_string(child.number) + " sent a message of an unknown type");
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

  const std::string name = name_of(child);
  if (launch_.nodes == 1) {
    note_status(shell_status(wait_status));
    return;
  }
  if (child.dead && !over_) {
    // the others know, and go on
  } else if (over_ || child.exiting) {
    if (!child.dead)
      note_status(shell_status(wait_status));
    leave_when_all_are_done();
  } else if (WIFSIGNALED(wait_status) && WTERMSIG(wait_status) == SIGPIPE && nobody_reads()) {
    // It ended as any program does whose reader has seen enough (| head): there is nothing to explain.
    note_status(shell_status(wait_status));
    over_ = true;
    tell_others(child, bootstrap::Type::quit, 0, "");
    end_within(grace_ms);
  } else if (!child.joined && WIFEXITED(wait_status) && (WEXITSTATUS(wait_status) != 0 || anybody_joined())) {
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
    if (stop_signals_ > 0) { // the launcher has passed that signal on: there is nothing to explain
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
  if (launch_.survive && child.number != 0) {
    introduce();
    begin_when_all_have_met();
    return;
  }
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
