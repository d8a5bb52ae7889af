// The launcher's loop: one epoll over signals, ends of processes, bootstrap sockets and output; see launcher.h.
//
// Signals: the nodes stay in our process group, so that a terminal's ^C and ^Z reach them directly; those come from the
// kernel and are not passed on again. Signals sent to us by a process are, and so is the hangup of a terminal whose
// session we lead, of which the kernel tells nobody else. What whoever started us wants to be ignored (nohup) is.
#include "launch/command/launcher.h"
#include "base/knobs.h"
#include "launch/command/vitals.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <poll.h>
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

/// Whether whoever read our output has gone.
bool nobody_reads() {
  for (int descriptor : {STDOUT_FILENO, STDERR_FILENO}) {
    pollfd output = {descriptor, 0, 0};
    if (poll(&output, 1, 0) == 1 && (output.revents & (POLLERR | POLLHUP)))
      return true;
  }
  return false;
}

std::string name_of(const Child &child) { return "node " + std::to_string(child.number); }

std::string seconds(uint64_t ms) { return std::to_string(ms / 1000) + " s"; }

} // namespace

Launcher::~Launcher() {
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

void Launcher::start_children() {
  sigset_t handled;
  sigemptyset(&handled);
  for (int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT}) {
    struct sigaction action;
    if (sigaction(number, nullptr, &action) != 0 || action.sa_handler != SIG_IGN)
      sigaddset(&handled, number);
  }
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
  if (!launch_.files_in.empty()) {
    files_.make(launch_.files_in.c_str());
    launch_.environment.insert(launch_.environment.begin(), {"UCX_POSIX_DIR", files_.path()}); // the first one wins
  }
  started_ms_ = clock_ms();
  children_.reserve(static_cast<size_t>(launch_.nodes));
  living_ = launch_.nodes;
  if (!launch_.same_image || !can_fork(launch_))
    return start_each();
  nursery_ = start_nursery(launch_);
  files_.add(nursery_.pidfd);
  waiting_since_ms_ = started_ms_; // this is a program of ours
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
  files_.add(child.pidfd);
  watch(child.pidfd, what_end, child.number);
  if (stop_signal_ != 0) // it was not there yet when we were told
    child.signal(stop_signal_);
  if (killing_)
    child.signal(SIGKILL);
  if (children_.size() < static_cast<size_t>(launch_.nodes) ||
      std::any_of(children_.begin(), children_.end(), [](const Child &any) { return any.pid == 0; }))
    return;
  explicit_bzero(launch_.token, sizeof launch_.token); // the nodes have it, and nobody else is to
  for (int file : launch_.slices)
    close(file); // the nodes have them
  launch_.slices.clear();
}

/// The nursery has forked a node, or says that it cannot.
void Launcher::on_nursery() {
  bootstrap::Forked news;
  while (nursery_ && recv(nursery_.socket, &news, sizeof news, MSG_DONTWAIT) == sizeof news) {
    if (news.header.magic != bootstrap::magic || news.header.version != bootstrap::version ||
        news.header.type != bootstrap::Type::forked || news.header.node < 0 || news.header.node >= launch_.nodes)
      throw std::string("the program sent a message that is not understood (another version of Skein?)");
    if (news.header.status <= 0)
      return cannot_fork(strerror(-news.header.status));
    forked(children_[static_cast<size_t>(news.header.node)], news.header.status);
  }
}

/// The nursery says so, or the node itself, if that is stopped or killed before it can. So the run does not depend on
/// it any more as soon as the last node is there.
void Launcher::forked(Child &child, pid_t process) {
  if (child.pid != 0 || child.ended)
    return;
  child.began(process);
  begun(child);
  if (--asked_ == 0)
    end_nursery(); // it could fork more, if somebody asked
}

/// The keeper of files has a copy of the descriptor (run_folder.h), so that closing ours alone would leave it in the
/// epoll, and the launcher would be told of this end again and again as long as the run lasts.
void Launcher::end_nursery() {
  for (int descriptor : {nursery_.socket, nursery_.pidfd})
    if (descriptor >= 0)
      epoll_ctl(epoll_, EPOLL_CTL_DEL, descriptor, nullptr);
  nursery_.end();
}

void Launcher::cannot_fork(const char *why) {
  if (asked_ < launch_.nodes)
    throw "cannot start node " + std::to_string(launch_.nodes - asked_) + ": " + why;
  // No constructor of the program has run: it can be started again, each node by itself.
  end_nursery();
  asked_ = 0;
  for (const Child &child : children_)
    close(child.socket);
  children_.clear();
  start_each();
}

void Launcher::on_nursery_end() {
  on_nursery();
  for (Child &child : children_)
    if (nursery_ && child.pid == 0)
      on_message(child);
  int wait_status = 0;
  if (!nursery_ || waitpid(nursery_.pid, &wait_status, WNOHANG) != nursery_.pid)
    return;
  nursery_.pid = 0;
  end_nursery();
  nursery_status_ = wait_status;
  // Whoever has been forked has a socket, and will say on it that it is there. The others' may close a little later: a
  // node has the nursery's own, with the requests that are still in it, until it has put its own in the place.
  const auto never_forked = [](const Child &child) { return child.pid == 0 && child.socket < 0; };
  const auto missing = std::count_if(children_.begin(), children_.end(), never_forked);
  if (missing == 0)
    return;
  const bool started = !WIFEXITED(wait_status) || (WEXITSTATUS(wait_status) != 126 && WEXITSTATUS(wait_status) != 127);
  if (WIFSIGNALED(wait_status) && missing < launch_.nodes) // too late to start again
    say("the process that forks the nodes " + how_it_ended(wait_status));
  else if (started && !over_ && stop_signals_ == 0)
    return cannot_fork(how_it_ended(wait_status).c_str()); // where a debugger does not let it fork, say
  note_status(shell_status(wait_status)); // there is no such program, or a library is missing, which it has said
  for (Child &child : children_)
    if (never_forked(child))
      never_there(child);
}

/// Its process is not known, and nobody will tell: the run is over.
void Launcher::never_there(Child &child) {
  child.ended = true;
  living_--;
  asked_--;
  over_ = true;
  if (!killing_)
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

void Launcher::on_signal() {
  signalfd_siginfo info;
  while (read(signals_, &info, sizeof info) == sizeof info) {
    auto number = static_cast<int>(info.ssi_signo);
    bool from_terminal = info.ssi_code == SI_KERNEL;
    if (!from_terminal || (number == SIGHUP && getsid(0) == getpid()))
      signal_all(number);
    if (number == SIGTSTP)
      raise(SIGSTOP); // we go on after SIGCONT
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

// A node has sent another what cannot be: it is damaged, and nobody can tell what else it will do.
void Launcher::rejected(Child &child, int by, const std::string &why) {
  if (over_ || child.dead || child.ended)
    return;
  say(name_of(child) + " " + why + ", says node " + std::to_string(by));
  died(child, 128 + SIGKILL, why);
  child.signal(SIGKILL);
}

// Others have not heard of a node for a while. It may be dead, or late: look at it, and ask it.
void Launcher::suspected(Child &child, int by, int silences, const std::string &why) {
  if (over_ || child.dead || child.ended)
    return;
  Suspicion &suspicion = child.suspicion;
  if (suspicion.since_ms == 0) {
    suspicion.then = vitals_of(child.pid);
    suspicion.since_ms = suspicion.moved_ms = clock_ms();
    suspicion.cpu_ms_last = suspicion.then.cpu_ms_of_all();
    if (silences <= 1)
      child.answered = false;
    child.send({.type = bootstrap::Type::ping});
  }
  suspicion.told_ms = clock_ms();
  suspicion.by = by;
  suspicion.silences = silences;
  suspicion.why = why;
  examine(child);
}

// It is dead if it is stopped; if it sleeps and does not answer; if a thread has had seconds of a processor and it does
// not answer; if it answers us, but nothing of it reaches the other for several times its patience. Else it is waited
// for.
void Launcher::examine(Child &child) {
  Suspicion &suspicion = child.suspicion;
  if (suspicion.since_ms == 0)
    return;
  if (over_ || child.dead || child.ended) {
    suspicion.since_ms = 0;
    return;
  }
  const uint64_t now = clock_ms();
  const Vitals vitals = vitals_of(child.pid);
  const uint64_t cpu_ms = vitals.cpu_ms_of_all();
  if (vitals.runnable || cpu_ms != suspicion.cpu_ms_last)
    suspicion.moved_ms = now;
  suspicion.cpu_ms_last = cpu_ms;
  const uint64_t still_ms = now - suspicion.moved_ms;
  std::string verdict;
  if (vitals.stopped || !vitals.there) {
    verdict = vitals.words();
  } else if (child.answered) {
    if (suspicion.silences < silences_most) {
      suspicion.since_ms = 0; // if it was only late, the other hears of it now, too
      return;
    }
    Child &other = children_[static_cast<size_t>(suspicion.by)];
    if (is_deaf(other)) {
      suspicion.since_ms = 0;
      const std::string why = "hears nobody any more";
      say(name_of(other) + " " + why + ", though they answer `skein run`");
      died(other, 128 + SIGKILL, why);
      other.signal(SIGKILL);
      return;
    }
    verdict = "it answers `skein run`, but nothing of it reaches that node";
  } else if (still_ms >= (vitals.disk ? stuck_disk_ms : stuck_ms)) {
    verdict = vitals.words() + std::string(", and does not answer");
  } else if (vitals.cpu_ms_most_since(suspicion.then) >= heedless_ms) {
    // Its threads share what it gets, so its progress thread would have had as much, if it wanted to.
    verdict = "it runs, and does not answer (a handler that does not return?)";
  } else {
    if (!late_told_ && now - suspicion.since_ms >= heedless_ms) {
      late_told_ = true;
      say(name_of(child) + " is late: node " + std::to_string(suspicion.by) + " says that it " + suspicion.why +
          ", but " + vitals.words() + ". It is waited for");
    }
    return;
  }
  suspicion.since_ms = 0;
  say(name_of(child) + " " + suspicion.why + ", says node " + std::to_string(suspicion.by) + ": " + verdict);
  died(child, 128 + SIGKILL, suspicion.why + " (" + verdict + ")");
  child.signal(SIGKILL);
}

// Nobody misses anybody before the begin (watch_start) and without heartbeats. A run of one node is its user's alone:
// no node waits for it, and it may be stopped and go on like any other program.
bool Launcher::watches_stopped() const { return launch_.nodes > 1 && begun_ && !over_ && knobs.heartbeat_ms != 0; }

// A node that is stopped is missed by others, unless it is the last one, or these are stopped, too. So the launcher
// looks for itself whether all that live are stopped and stay so, for as long as a node would have waited. Who computes
// or sleeps is none of its business; nor is who gets on between two looks (cpulimit, say, stops and wakes it).
void Launcher::watch_stopped() {
  if (!watches_stopped())
    return;
  const uint64_t now = clock_ms();
  if (now < looked_ms_ + look_every_ms)
    return;
  // A gap between two looks counts as one at most: in a longer one we were stopped ourselves (^Z).
  const uint64_t gap_ms = std::min(now - looked_ms_, look_every_ms);
  looked_ms_ = now;
  uint64_t cpu_ms = 0;
  for (const Child &child : children_) {
    if (child.dead || child.ended)
      continue;
    const Vitals vitals = vitals_of(child.pid);
    if (!vitals.stopped || vitals.runnable) {
      all_stopped_ = false;
      return;
    }
    cpu_ms += vitals.cpu_ms_of_all();
  }
  if (!all_stopped_ || cpu_ms != stopped_cpu_ms_) {
    all_stopped_ = true;
    stopped_cpu_ms_ = cpu_ms;
    stopped_ms_ = 0;
    return;
  }
  stopped_ms_ += gap_ms;
  if (stopped_ms_ < silence_ms())
    return;
  for (Child &child : children_) {
    if (child.dead || child.ended)
      continue;
    say(name_of(child) + " is stopped, and no node is left to miss it");
    died(child, 128 + SIGKILL, "is stopped");
    child.signal(SIGKILL);
  }
}

uint64_t Launcher::silence_ms() const { return std::max<uint64_t>(3000, 15 * knobs.heartbeat_ms); }

// Of two nodes of which one does not hear the other, which is to blame? The one that hears none of several; of two that
// are alone, not node 0, which can go on. (A node that is killed while it writes into another one's queue of shared
// memory leaves an entry there that is never complete, and UCX reads nothing behind it.)
bool Launcher::is_deaf(const Child &child) const {
  int missed = 0, living = 0;
  for (const Child &other : children_)
    if (&other != &child && !other.dead && !other.ended) {
      living++;
      missed += other.answered && other.suspicion.by == child.number && other.suspicion.silences > 1 &&
                clock_ms() - other.suspicion.told_ms < 2 * silence_ms();
    }
  return missed == living && (living > 1 || child.number != 0);
}

bool Launcher::anybody_joined() const {
  return std::any_of(children_.begin(), children_.end(), [](const Child &child) { return child.joined; });
}

// The limit counts from the first node that waits for others, of what may be a program that is not Skein's, or a
// debugger before it: those may run as long as they like.
void Launcher::watch_start() {
  if (launch_.nodes == 1 || begun_ || over_)
    return;
  const uint64_t now = clock_ms();
  if (!missing_told_ && now >= started_ms_ + start_patience_ms) {
    missing_told_ = true;
    say(waiting_since_ms_ != 0
            ? "the run has not begun after " + seconds(now - started_ms_) + ": " + who_is_missing()
            : "no node has joined the run after " + seconds(now - started_ms_) + " (" + launch_.command[0] +
                  " is perhaps no program of skeincc); node 0: " + vitals_of(children_[0].pid).words());
  }
  if (waiting_since_ms_ == 0 || launch_.start_s == 0 ||
      now < waiting_since_ms_ + static_cast<uint64_t>(launch_.start_s) * 1000)
    return;
  say("the run has not begun within " + std::to_string(launch_.start_s) +
      " s (SKEIN_OPTIONS=start_s=), and ends: " + who_is_missing());
  note_status(70);
  over_ = true;
  killing_ = true;
  signal_all(SIGKILL);
  end_nursery();
  for (Child &child : children_)
    if (child.pid == 0 && !child.ended)
      never_there(child);
}

// Of those who have not joined: they. Else those to whom others wait to say hello; the stopped ones, if there are any,
// since the others may only wait for these.
std::string Launcher::who_is_missing() const {
  std::string text;
  int more = 0;
  auto add = [&](const Child &child, const char *what, const Vitals &vitals) {
    if (text.size() > 400)
      more++;
    else
      text += (text.empty() ? "" : "; ") + name_of(child) + " (process " +
              std::to_string(child.pid ? child.pid : nursery_.pid) + ") " + what + ": " + vitals.words();
  };
  for (const Child &child : children_)
    if (!child.joined && !child.ended)
      add(child, child.pid != 0 ? "has not joined" : "has not been forked",
          vitals_of(child.pid ? child.pid : nursery_.pid));
  if (text.empty())
    for (const Child &child : children_)
      if (const Vitals vitals = vitals_of(child.pid); !child.ended && vitals.stopped)
        add(child, "has not said hello", vitals);
  if (text.empty())
    for (const Child &child : children_)
      if (child.missed_by >= 0 && !child.ended)
        add(child, ("has not authenticated itself to node " + std::to_string(child.missed_by)).c_str(),
            vitals_of(child.pid));
  if (text.empty())
    for (const Child &child : children_)
      if (!child.met && !child.ended)
        add(child, "has not said hello to all", vitals_of(child.pid));
  return text + (more > 0 ? "; and " + std::to_string(more) + " more" : "");
}

// All have joined that will: tell each where the others are.
void Launcher::introduce() {
  if (introduced_ || over_ ||
      !std::all_of(children_.begin(), children_.end(), [](const Child &child) { return child.joined || child.dead; }))
    return;
  introduced_ = true;
  for (const Child &to : children_) {
    for (const Child &about : children_) {
      if (about.dead)
        continue;
      bootstrap::Packet packet;
      packet.header = {.type = bootstrap::Type::peer, .node = about.number};
      memcpy(packet.bytes, about.address.data(), about.address.size());
      to.send(&packet, sizeof packet.header + about.address.size());
    }
    to.send({.type = bootstrap::Type::start});
  }
}

void Launcher::begin_when_all_have_met() {
  if (begun_ || over_ ||
      !std::all_of(children_.begin(), children_.end(), [](const Child &any) { return any.met || any.dead; }))
    return;
  begun_ = true;
  for (const Child &child : children_)
    child.send({.type = bootstrap::Type::begin});
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
    // As of any program whose reader has seen enough (| head): nothing to explain.
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
