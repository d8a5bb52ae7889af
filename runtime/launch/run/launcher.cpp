// What the launcher does with what it hears from signals, nodes and hosts; see launcher.h. How nodes start is in
// starting.cpp, and which ones are given up in suspicions.cpp.
//
// Signals: this host's nodes stay in the launcher's process group, so that a terminal's ^C and ^Z reach them directly.
// Those signals come from the kernel and are not passed on again. Signals that a process sends to the launcher are
// passed on, and so is the hangup of a terminal whose session the launcher leads, of which the kernel tells no other
// process. A signal that was ignored when the launcher started (nohup) stays ignored.
#include "launch/run/launcher.h"

#include "launch/run/local_host.h"
#include "launch/run/remote_host.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <poll.h>
#include <sys/signalfd.h>
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

Launcher::~Launcher() {
  loop_.forget(course_.signals);
  end_web();
  control_.reset();
  guests_.clear(); // while the loop, which they use, is there
  hosts_.clear();
}

int Launcher::run() {
  timeout_at_ms_ = course_.timeout_at_ms;
  start_hosts();
  while (living_ > 0)
    step();
  for (const auto &host : hosts_)
    host->finish();
  if (launch_.nodes > 1 && status_ == 0 && !anybody_joined())
    say("no node has joined the run: " + launch_.command[0] +
        " was not linked by skeincc, or started no program that was. It ran " +
        (launch_.founders == 1 ? "once" : std::to_string(launch_.founders) + " times, each on its own"));
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
    if (waiting_since_ms_ != 0 && conduct_.start_s != 0) {
      const uint64_t end = waiting_since_ms_ + static_cast<uint64_t>(conduct_.start_s) * 1000;
      wait = std::min(wait, end - std::min(now, end));
    }
  }
  for (const Node &node : nodes_)
    if (node.suspicion.since_ms != 0)
      wait = std::min(wait, examine_every_ms);
    else if (node.parted && node.is_there())
      wait = std::min(wait, silence_ms());
  if (watches_stopped())
    wait = std::min(wait, looked_ms_ + look_every_ms - std::min(now, looked_ms_ + look_every_ms));
  for (const int due : {changes_.due_ms(now), checkpoints_.due_ms(now)})
    if (due >= 0)
      wait = std::min(wait, static_cast<uint64_t>(due));
  for (const auto &host : hosts_)
    if (const int due = host->due_ms(now); due >= 0)
      wait = std::min(wait, static_cast<uint64_t>(due));
  for (const auto &guest : guests_)
    if (const int due = guest ? guest->due_ms(now) : -1; due >= 0)
      wait = std::min(wait, static_cast<uint64_t>(due));
  return wait > 1000000 ? -1 : static_cast<int>(wait);
}

void Launcher::step() {
  loop_.step(wait_ms());
  const uint64_t now = clock_ms();
  for (size_t i = 0; i < hosts_.size(); i++) // a host that is lost may make room for another one
    hosts_[i]->tick(now);
  control_folder_.settle();
  see_guests_off();
  for (size_t i = 0; i < guests_.size(); i++)
    if (guests_[i])
      guests_[i]->tick(now);
  watch_start();
  changes_.tick(now);
  checkpoints_.tick(now);
  for (Node &node : nodes_)
    examine(node);
  watch_parted();
  watch_stopped();
  if (timeout_at_ms_ != 0 && now >= timeout_at_ms_) {
    timeout_at_ms_ = 0;
    say("the time limit of " + std::to_string(conduct_.timeout_s) + " s is over");
    note_status(124);
    timed_out_ = true;
    is_over();
    abandon_unstarted();
    signal_all(SIGTERM);
    end_within(1000);
  }
  if (kill_at_ms_ != 0 && now >= kill_at_ms_) {
    kill_at_ms_ = 0;
    killing_ = true;
    for (const Node &node : nodes_)
      if (!node.ended && node.begun && node.standing != Standing::withdrawn && stop_signals_ == 0)
        say("node " + std::to_string(node.number) + " does not end, and is killed");
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
  while (read(course_.signals, &info, sizeof info) == sizeof info) {
    auto number = static_cast<int>(info.ssi_signo);
    const bool hangup_for_us = number == SIGHUP && getsid(0) == getpid();
    signal_all(number, info.ssi_code == SI_KERNEL && !hangup_for_us);
    if (number == SIGTSTP)
      stop_like_the_nodes();
    if (number == SIGINT || number == SIGTERM || number == SIGHUP || number == SIGQUIT) {
      stop_signal_ = course_.stop_signal = number;
      changes_.close("the run was asked to end by signal " + std::to_string(number));
      for (const auto &host : hosts_)
        host->ending();
      if (!started_)
        note_status(128 + number);
      abandon_unstarted();
      if (++stop_signals_ == 2)
        end_within(0); // asked twice: no more patience
    }
  }
}

void Launcher::on_begun(int number) {
  Node &node = nodes_[static_cast<size_t>(number)];
  node.begun = true;
  if (stop_signal_ != 0) // it did not exist yet when the launcher was told
    node.signal(stop_signal_);
  if (killing_ || node.standing == Standing::withdrawn)
    node.signal(SIGKILL);
}

/// The run is over, unless it has begun without that node.
void Launcher::on_never_there(int number, int wait_status) {
  Node &node = nodes_[static_cast<size_t>(number)];
  node.ended = true;
  living_--;
  if (changes_.on_end(node, "could not be started" + (wait_status != 0 ? ": it " + how_it_ended(wait_status) : "")))
    return;
  if ((conduct_.recover || can_start_again()) && WIFSIGNALED(wait_status) && !over_ &&
      !killing_) // with the process that forks the nodes
    return go_back(shell_status(wait_status));
  note_status(shell_status(wait_status));
  is_over();
  if (!killing_)
    end_within(0);
}

bool Launcher::on_output(int, int descriptor, const char *text, size_t bytes) {
  if (course_.held && descriptor == STDOUT_FILENO)
    return course_.held->hold(text, bytes);
  return write_all(descriptor, text, bytes);
}

void Launcher::on_packet(int number, const bootstrap::Packet &packet, size_t bytes) {
  Node &node = nodes_[static_cast<size_t>(number)];
  using bootstrap::Type;
  if (changes_.on_packet(node, packet, bytes) || checkpoints_.on_packet(node, packet, bytes))
    return;
  const bool about_known = packet.header.node >= 0 && packet.header.node < static_cast<int>(nodes_.size());
  switch (packet.header.type) {
  case Type::address:
    node.joins_at(packet, bytes);
    if (waiting_since_ms_ == 0)
      waiting_since_ms_ = clock_ms();
    introduce();
    break;
  case Type::met:
    node.met = true;
    begin_when_all_have_met();
    break;
  case Type::misses:
    if (about_known)
      nodes_[static_cast<size_t>(packet.header.node)].missed_by = node.number;
    break;
  case Type::finish:
    is_over();
    timeout_at_ms_ = 0;
    for (const Node &other : nodes_)
      if (other.standing == Standing::member)
        other.send({.type = Type::end, .status = packet.header.status});
    end_within(grace_ms);
    break;
  case Type::done:
    node.done = true;
    leave_when_all_are_done();
    break;
  case Type::exiting:
    node.exiting = true;
    if (!over_) {
      is_over();
      note_status(packet.header.status);
      tell_others(node, Type::quit, packet.header.status, "");
      end_within(grace_ms);
    }
    break;
  case Type::suspect:
    if (about_known)
      suspected(nodes_[static_cast<size_t>(packet.header.node)], node.number, packet.header.status,
                std::string(packet.bytes, bytes));
    break;
  case Type::rejects:
    if (about_known)
      rejected(nodes_[static_cast<size_t>(packet.header.node)], node.number, std::string(packet.bytes, bytes));
    break;
  case Type::request:
    on_program_request(packet.header.status);
    break;
  case Type::alive:
    node.answers_ping();
    break;
  default:
    say("node " + std::to_string(node.number) + " sent a message of an unknown type");
  }
}

void Launcher::leave_when_all_are_done() {
  bool all = std::all_of(nodes_.begin(), nodes_.end(),
                         [](const Node &node) { return node.done || node.ended || node.standing != Standing::member; });
  if (!all || leaving_)
    return;
  leaving_ = true;
  for (const Node &node : nodes_)
    if (node.standing == Standing::member)
      node.send({.type = bootstrap::Type::leave});
}

void Launcher::on_end(int number, int wait_status) {
  Node &node = nodes_[static_cast<size_t>(number)];
  node.ended = true;
  living_--;
  const std::string name = name_of(node), how = how_it_ended(wait_status);
  if (launch_.nodes == 1) {
    note_status(shell_status(wait_status));
    return;
  }
  // It ended as any program does whose reader has seen enough (| head): there is nothing to explain, nor to do again.
  const bool unread = WIFSIGNALED(wait_status) && WTERMSIG(wait_status) == SIGPIPE && nobody_reads();
  if (changes_.on_end(node, node.standing == Standing::coming ? how + " before it had joined the run" : how,
                      wait_status == 0)) {
    if (over_)
      leave_when_all_are_done();
  } else if (died_at_the_end(node, WIFSIGNALED(wait_status) && !unread)) {
    say(name + " " + how + " before it had ended");
    go_back(shell_status(wait_status));
  } else if (node.dead && !over_) {
    // the others know, and go on
  } else if (over_ || node.exiting) {
    if (!node.dead)
      note_status(shell_status(wait_status));
    leave_when_all_are_done();
  } else if (unread) {
    note_status(shell_status(wait_status));
    is_over();
    tell_others(node, bootstrap::Type::quit, 0, "");
    end_within(grace_ms);
  } else if (!node.joined && WIFEXITED(wait_status) && (WEXITSTATUS(wait_status) != 0 || anybody_joined())) {
    say(name + " " + how + " before it had joined the run");
    note_status(WEXITSTATUS(wait_status) != 0 ? WEXITSTATUS(wait_status) : 1);
    is_over();
    tell_others(node, bootstrap::Type::quit, status_, "");
    end_within(stop_signals_ ? 500 : grace_ms);
  } else if (node.joined || WIFSIGNALED(wait_status)) {
    say(name + " " + how);
    int status = shell_status(wait_status);
    status = status != 0 ? status : 1;
    if (stop_signals_ > 0) { // the launcher has passed that signal on: there is nothing to explain
      note_status(status);
      is_over();
      end_within(grace_ms);
    } else {
      died(node, status, how);
    }
  } // else: not a Skein program, and it ended well
}

void Launcher::on_lost(int number, const std::string &how) {
  Node &node = nodes_[static_cast<size_t>(number)];
  node.ended = true;
  living_--;
  note_lost_hosts();
  if (died_at_the_end(node, true)) {
    say(name_of(node) + " " + how);
    return go_back(128 + SIGKILL);
  }
  if (over_)
    return leave_when_all_are_done();
  if (changes_.on_end(node, how))
    return;
  if (!node.dead)
    say(name_of(node) + " " + how);
  died(node, 128 + SIGKILL, how);
}

void Launcher::died(Node &node, int status, const std::string &how) {
  if (node.dead || changes_.on_death(node, how))
    return;
  node.dead = true;
  if ((conduct_.recover || can_start_again()) && !over_)
    return go_back(status);
  checkpoints_.on_death(node, how);
  tell_others(node, bootstrap::Type::died, 0, how);
  if (conduct_.survive && node.number != 0) {
    introduce();
    begin_when_all_have_met();
    return;
  }
  note_status(status);
  is_over();
  end_within(grace_ms);
}

void Launcher::tell_others(const Node &about, bootstrap::Type type, int status, const std::string &text) {
  for (const Node &node : nodes_)
    if (&node != &about && node.hears_of_others())
      node.send_text({.type = type, .node = about.number, .status = status}, text);
}

void Launcher::signal_all(int number, bool from_terminal) {
  for (const auto &host : hosts_)
    host->signal_all(number, from_terminal);
}

void Launcher::is_over() {
  over_ = true;
  changes_.over();
  checkpoints_.over();
  for (const auto &host : hosts_)
    host->ending();
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
