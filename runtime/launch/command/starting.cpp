// How the nodes of a run come into being, and when the run begins; see launcher.h.
#include "launch/command/launcher.h"
#include "launch/command/runs.h"
#include "launch/command/vitals.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace skein::launch {

static std::string seconds(uint64_t ms) { return std::to_string(ms / 1000) + " s"; }

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

  // Files that are under way in sockets count against the launcher's limit of open files.
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
  make_folder();
  started_ms_ = clock_ms();
  children_.reserve(static_cast<size_t>(launch_.nodes));
  living_ = launch_.nodes;
  if (!launch_.same_image || !can_fork(launch_))
    return start_each();
  nursery_ = start_nursery(launch_);
  files_.add(nursery_.pidfd);
  waiting_since_ms_ = started_ms_; // this is a program of Skein's
  watch(nursery_.socket, what_nursery, 0);
  watch(nursery_.pidfd, what_nursery_end, 0);
  asked_ = launch_.nodes;
  for (int number = 0; number < launch_.nodes; number++)
    keep(number, request_child(launch_, nursery_, number));
}

/// The run needs the folder for UCX. Without monitors it can do.
void Launcher::make_folder() {
  if (launch_.ucx_files) {
    files_.make(launch_.files_in.c_str());
    launch_.environment.insert(launch_.environment.begin(), {"UCX_POSIX_DIR", files_.path()}); // the first one wins
  } else if (launch_.monitored) {
    try {
      files_.make(launch_.files_in.c_str());
    } catch (const std::string &why) {
      say("`skein top` and `skein web` cannot see this run: " + why);
      return;
    }
  }
  if (launch_.monitored)
    launch_.monitors_in = files_.path();
}

/// Starts `skein web` as a child, which ends with the run.
void Launcher::start_web() {
  if (launch_.web < 0 || launch_.monitors_in.empty())
    return;
  const std::vector<std::string> command =
      monitor_command({"web", launch_.monitors_in, "127.0.0.1", std::to_string(launch_.web)});
  const pid_t launcher = getpid();
  web_ = fork();
  if (web_ < 0)
    throw std::string("cannot fork: ") + strerror(errno);
  if (web_ > 0)
    return;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  sigprocmask(SIG_SETMASK, &launch_.signal_mask, nullptr);
  if (getppid() == launcher) {
    try {
      become(command);
    } catch (const std::string &why) {
      say(why);
    }
  }
  _exit(127);
}

void Launcher::end_web() {
  if (web_ <= 0)
    return;
  kill(web_, SIGTERM);
  waitpid(web_, nullptr, 0);
  web_ = 0;
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

/// The node's process exists.
void Launcher::begun(Child &child) {
  files_.add(child.pidfd);
  watch(child.pidfd, what_end, child.number);
  if (stop_signal_ != 0) // it did not exist yet when the launcher was told
    child.signal(stop_signal_);
  if (killing_)
    child.signal(SIGKILL);
  if (children_.size() < static_cast<size_t>(launch_.nodes) ||
      std::any_of(children_.begin(), children_.end(), [](const Child &any) { return any.pid == 0; }))
    return;
  explicit_bzero(launch_.token, sizeof launch_.token); // the nodes have it, and nothing else needs it
  for (int file : launch_.slices)
    close(file); // the nodes have them
  launch_.slices.clear();
}

/// The nursery has forked a node, or reports that it cannot.
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

/// The nursery reports the new node, or the node itself does, if the nursery is stopped or killed before it can. So the
/// run does not depend on the nursery any more as soon as the last node is there.
void Launcher::forked(Child &child, pid_t process) {
  if (child.pid != 0 || child.ended)
    return;
  child.began(process);
  begun(child);
  if (--asked_ == 0)
    end_nursery(); // it could still fork more if it were asked
}

/// The keeper of files has a copy of the descriptor (run_folder.h). So if this one were only closed, it would stay in
/// the epoll, and the launcher would be told of the end again and again as long as the run lasts.
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
  // A node that has been forked has a socket, and will report on it that it is there. The sockets of the others may
  // close a little later: a node has the nursery's own socket, with the requests that are still in it, until it has put
  // its own in the place.
  const auto never_forked = [](const Child &child) { return child.pid == 0 && child.socket < 0; };
  const auto missing = std::count_if(children_.begin(), children_.end(), never_forked);
  if (missing == 0)
    return;
  const bool started = !WIFEXITED(wait_status) || (WEXITSTATUS(wait_status) != 126 && WEXITSTATUS(wait_status) != 127);
  if (WIFSIGNALED(wait_status) && missing < launch_.nodes) // it is too late to start again
    say("the process that forks the nodes " + how_it_ended(wait_status));
  else if (started && !over_ && stop_signals_ == 0)
    return cannot_fork(how_it_ended(wait_status).c_str()); // for example, a debugger does not let it fork
  note_status(shell_status(wait_status)); // there is no such program, or a library is missing, and it has said so
  for (Child &child : children_)
    if (never_forked(child))
      never_there(child);
}

/// The node's process is not known, and nothing will tell it: the run is over.
void Launcher::never_there(Child &child) {
  child.ended = true;
  living_--;
  asked_--;
  over_ = true;
  if (!killing_)
    end_within(0);
}

bool Launcher::anybody_joined() const {
  return std::any_of(children_.begin(), children_.end(), [](const Child &child) { return child.joined; });
}

// The limit counts from the first node that waits for others, if the program may be none of Skein's, or a debugger runs
// before it: those may run as long as they like.
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

// The nodes that have not joined, if there are any. Otherwise those to which others wait to say hello; and only the
// stopped ones, if there are any, since the others may only wait for these.
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

// All nodes have joined that will: tells each where the others are.
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

} // namespace skein::launch
