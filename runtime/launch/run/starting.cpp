// How a run starts, and when it begins; see launcher.h.
#include "launch/run/launcher.h"

#include "launch/command/command.h"
#include "launch/command/runs.h"
#include "launch/run/local_host.h"
#include "launch/run/remote_host.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

namespace skein::launch {

static std::string seconds(uint64_t ms) { return std::to_string(ms / 1000) + " s"; }
static std::string nodes_in_words(int nodes) { return std::to_string(nodes) + (nodes == 1 ? " node" : " nodes"); }

Launcher::Launcher(Launch launch, const Conduct &conduct, Hosts hosts, Course &course)
    : launch_(std::move(launch)), conduct_(conduct), wanted_(std::move(hosts)), course_(course) {}

void Launcher::start_hosts() {
  loop_.watch(course_.signals, Loop::Kind::signal, [this] { on_signal(); });
  if (getrandom(launch_.token, sizeof launch_.token, 0) != sizeof launch_.token)
    throw std::string("getrandom: ") + strerror(errno);
  started_ms_ = clock_ms();
  living_ = course_.from ? static_cast<int>(course_.from->nodes_there().size()) : launch_.founders;
  changes_.settle(launch_.nodes, conduct_.start_s);
  if (course_.folder) {
    name_of_this_host_ = facts_of_this_host().name;
    disks_.on_words = [this](const std::string &text) { say(text); };
    disks_.settle(*course_.folder, program_path(launch_.command[0]));
    checkpoints_.settle(course_.folder->last_number(), conduct_.checkpoints.every_s, conduct_.checkpoints.patience_s,
                        (silences_most + 1) * silence_ms());
  }
  if (wanted_.places.empty())
    wanted_.places.push_back({"", launch_.founders - wanted_.joins});
  launch_.several_hosts =
      launch_.several_hosts || wanted_.places.size() > 1 || !wanted_.places[0].host.empty() || wanted_.joins > 0;
  // This is a program of Skein's, and the nodes wait for each other.
  if (launch_.several_hosts || course_.from || (launch_.same_image && can_fork(launch_)))
    waiting_since_ms_ = started_ms_;
  reach_hosts();
  start_when_all_are_ready();
}

/// Calls the hosts, which takes a while for those that are elsewhere.
void Launcher::reach_hosts() {
  HostEvents &events = *this;
  nodes_.reserve(static_cast<size_t>(launch_.nodes)); // they never move
  nodes_.resize(static_cast<size_t>(launch_.founders));
  if (course_.from)
    take_up(*course_.from);
  for (const Place &place : wanted_.places) {
    if (place.host.empty()) {
      auto local = std::make_unique<LocalHost>(loop_, events);
      local_ = local.get();
      add_host(std::move(local), place.nodes);
    } else {
      Line line = call_by_ssh(place.host, wanted_.ssh, "'" + program_directory() + "/skein' agent");
      auto remote = std::make_unique<RemoteHost>(loop_, events, std::move(line),
                                                 [this](RemoteHost &) { start_when_all_are_ready(); });
      elsewhere_.push_back(remote.get());
      add_host(std::move(remote), place.nodes);
    }
  }
  if (wanted_.joins > 0)
    open_door();
}

void Launcher::add_host(std::unique_ptr<Host> host, int nodes) {
  hosts_.push_back(std::move(host));
  counts_.push_back(nodes);
}

void Launcher::open_door() {
  door_ = std::make_unique<Door>(loop_, wanted_.listen, wanted_.key_file);
  for (const int descriptor : wanted_.for_door)
    close(descriptor);
  door_->on_open = [this](const std::string &at) {
    if (!wanted_.by_rank)
      say("waits for " + nodes_in_words(wanted_.joins) + ": skein join " + at + " --key-file " + wanted_.key_file);
  };
  door_->on_line = [this](Line line) {
    HostEvents &events = *this;
    guests_.push_back(
        std::make_unique<RemoteHost>(loop_, events, std::move(line), [this](RemoteHost &guest) { let_in(guest); }));
  };
}

/// A guest has shown what its host is like. It becomes a host of the run, or is sent away.
void Launcher::let_in(RemoteHost &guest) {
  if (started_ && !over_ && launch_.may_grow())
    return let_in_late(guest);
  const int left = wanted_.joins - joined_;
  std::string why = why_not_together(facts_of_this_host(), guest.name(), guest.facts(), wanted_.mixed);
  if (started_ || over_ || left == 0)
    why = "the run has all the nodes that it has waited for";
  else if (guest.facts().places < 1)
    why = "it offers no nodes";
  if (!why.empty()) {
    say("host " + guest.name() + " is sent away: " + why);
    return guest.refuse(why);
  }
  const int nodes = std::min(guest.facts().places, left);
  joined_ += nodes;
  if (!wanted_.by_rank)
    say("host " + guest.name() + " (" + guest.facts().name + ") has joined with " + std::to_string(nodes) +
        (nodes == 1 ? " node" : " nodes"));
  take_in(guest, nodes);
  start_when_all_are_ready();
}

/// Makes a guest a host of the run.
void Launcher::take_in(RemoteHost &guest, int nodes) {
  for (auto &one : guests_)
    if (one.get() == &guest) {
      elsewhere_.push_back(&guest);
      if (!monitors_in_.empty())
        guest.show_monitors_in(monitors_in_);
      add_host(std::move(one), nodes); // see_guests_off removes what is left here
      break;
    }
}

/// A guest comes by itself to a run that goes on. As many nodes are started there as it offers, and the run has numbers
/// for.
void Launcher::let_in_late(RemoteHost &guest) {
  std::string why = why_not_together(facts_of_this_host(), guest.name(), guest.facts(), wanted_.mixed);
  int nodes = guest.facts().places;
  while (nodes > 1 && !changes_.why_not(nodes).empty())
    nodes--;
  if (why.empty())
    why = nodes < 1 ? "it offers no nodes" : changes_.why_not(nodes);
  if (!why.empty()) {
    say("host " + guest.name() + " is sent away: " + why);
    return guest.refuse(why);
  }
  say("host " + guest.name() + " (" + guest.facts().name + ") has come, for " + nodes_in_words(nodes));
  guest.on_failure = [this](const std::string &failed) { say(failed); };
  came_.insert(guest.name());
  changes_.add(Changes::program, nodes, guest.name());
}

/// Has a host start its nodes of the launch.
void Launcher::give_order(RemoteHost &host, Launch launch) {
  char folder[4096];
  if (!getcwd(folder, sizeof folder))
    throw std::string("getcwd: ") + strerror(errno);
  launch.environment = wanted_.environment;
  host.order.bind = wanted_.bind;
  host.order.network = wanted_.network;
  host.order.folder = folder;
  host.order.options = options_;
  host.start(std::move(launch));
}

/// Forgets guests that have gone, and hosts that have joined and gone before the run has begun: others may come. Not to
/// be called from their own functions.
void Launcher::see_guests_off() {
  guests_.erase(
      std::remove_if(guests_.begin(), guests_.end(), [](const auto &guest) { return !guest || guest->is_gone(); }),
      guests_.end());
  for (size_t i = hosts_.size(); i-- > 0 && !started_;) {
    const auto found = std::find(elsewhere_.begin(), elsewhere_.end(), hosts_[i].get());
    if (found == elsewhere_.end() || !(*found)->is_gone())
      continue;
    say("host " + (*found)->name() + " has gone again");
    joined_ -= counts_[i];
    elsewhere_.erase(found);
    hosts_.erase(hosts_.begin() + static_cast<ptrdiff_t>(i));
    counts_.erase(counts_.begin() + static_cast<ptrdiff_t>(i));
  }
}

void Launcher::start_when_all_are_ready() {
  if (started_ || over_ || stop_signals_ > 0 ||
      !std::all_of(elsewhere_.begin(), elsewhere_.end(), [](const RemoteHost *host) { return host->is_ready(); }))
    return;
  if (joined_ < wanted_.joins)
    return;
  const HostFacts here = elsewhere_.empty() ? HostFacts() : facts_of_this_host();
  for (const RemoteHost *host : elsewhere_)
    if (const std::string why = why_not_together(here, host->name(), host->facts(), wanted_.mixed); !why.empty())
      throw why;
  for (const RemoteHost *host : elsewhere_)
    if (host->is_gone())
      return; // it will be seen off
  if (!disks_are_ready())
    return;
  started_ = true;
  if (door_ && !launch_.may_grow())
    door_->shut();
  if (wanted_.by_rank)
    order_by_rank();
  int number = 0;
  for (size_t i = 0; i < hosts_.size(); i++) {
    for (const int of_place : i < wanted_.places.size() ? wanted_.places[i].numbers : std::vector<int>())
      nodes_[static_cast<size_t>(of_place)].host = hosts_[i].get();
    for (int j = 0; j < counts_[i] && wanted_.places[0].numbers.empty(); j++)
      nodes_[static_cast<size_t>(number++)].host = hosts_[i].get();
  }
  for (size_t i = 0; i < nodes_.size(); i++)
    nodes_[i].number = static_cast<int>(i);
  if (const char *options = getenv("SKEIN_OPTIONS"))
    options_ = options;
  if (local_ && !elsewhere_.empty())
    setenv("SKEIN_OPTIONS", (options_ + (options_.empty() ? "" : ",") + "tcp_listen=" + own_address()).c_str(), 1);
  for (const auto &host : hosts_) {
    Launch launch = launch_;
    launch.numbers.clear();
    for (const Node &node : nodes_)
      if (node.host == host.get())
        launch.numbers.push_back(node.number);
    launch.shares = launch.here();
    if (host.get() == local_)
      local_->start(std::move(launch));
    else
      give_order(static_cast<RemoteHost &>(*host), std::move(launch));
  }
  if (!launch_.may_grow() || !launch_.several_hosts)
    explicit_bzero(launch_.token, sizeof launch_.token); // else hosts that come later are to get it
  open_control();
  start_web();
}

/// Each host has one node, of which it has told the number; node 0 is here.
void Launcher::order_by_rank() {
  std::sort(hosts_.begin() + 1, hosts_.end(), [](const auto &one, const auto &other) {
    return static_cast<const RemoteHost *>(one.get())->facts().rank <
           static_cast<const RemoteHost *>(other.get())->facts().rank;
  });
}

/// The address under which nodes on other hosts reach those on this one.
std::string Launcher::own_address() const {
  if (!wanted_.network.empty())
    return address_in(wanted_.network);
  std::string own;
  for (const RemoteHost *host : elsewhere_) {
    const std::string address = host->address().empty() ? "" : address_towards(host->address());
    if (address.empty() || (!own.empty() && address != own))
      throw(address.empty() ? "the address of host " + host->name() + " is not known"
                            : "the hosts are in different networks: this host has " + own + " for one and " + address +
                                  " for " + host->name()) +
          "; name the network in which all can reach each other (--network)";
    own = address;
  }
  return own;
}

/// The run ends before the hosts have been told to start nodes: there are none.
void Launcher::abandon_unstarted() {
  if (!started_)
    living_ = 0;
}

/// Starts `skein web` as a child, which ends with the run.
void Launcher::start_web() {
  if (conduct_.web < 0 || monitors_in_.empty())
    return;
  const std::vector<std::string> command =
      monitor_command({"web", monitors_in_, "127.0.0.1", std::to_string(conduct_.web)});
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

bool Launcher::anybody_joined() const {
  return std::any_of(nodes_.begin(), nodes_.end(), [](const Node &node) { return node.joined; });
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
                  " is perhaps no program of skeincc); node 0: " + nodes_[0].vitals().words());
  }
  if (waiting_since_ms_ == 0 || conduct_.start_s == 0 ||
      now < waiting_since_ms_ + static_cast<uint64_t>(conduct_.start_s) * 1000)
    return;
  say("the run has not begun within " + std::to_string(conduct_.start_s) + " s (SKEIN_OPTIONS=start_s=)" +
      (can_start_again() ? ": " : ", and ends: ") + who_is_missing());
  if (can_start_again()) {
    for (const RemoteHost *host : elsewhere_)
      if (!host->is_ready()) // nor will it be next time
        course_.lost.insert(host->name());
    return go_back(70);
  }
  note_status(70);
  is_over();
  killing_ = true;
  abandon_unstarted();
  signal_all(SIGKILL);
  for (const auto &host : hosts_)
    host->give_up();
}

// The nodes that have not joined, if there are any. Otherwise those to which others wait to say hello; and only the
// stopped ones, if there are any, since the others may only wait for these.
std::string Launcher::who_is_missing() const {
  std::string text;
  int more = 0;
  auto add = [&](const Node &node, const std::string &what, const Vitals &vitals) {
    if (text.size() > 400)
      more++;
    else
      text += (text.empty() ? "" : "; ") + name_of(node) + " (process " + std::to_string(vitals.process) + ") " + what +
              ": " + vitals.words();
  };
  if (!started_) {
    for (const RemoteHost *host : elsewhere_)
      if (!host->is_ready())
        text += (text.empty() ? "host " : "; host ") + host->name() + " has not answered";
    if (text.empty() && files_ == Files::asked)
      text = "files of checkpoints have not come to where nodes are to be made of them";
    if (joined_ < wanted_.joins)
      text += (text.empty() ? "" : "; ") + nodes_in_words(wanted_.joins - joined_) + " did not join";
    return text;
  }
  for (const Node &node : nodes_)
    if (!node.joined && !node.ended)
      add(node, node.begun ? "has not joined" : "has not been forked", node.vitals());
  if (text.empty())
    for (const Node &node : nodes_)
      if (const Vitals vitals = node.vitals(); !node.ended && vitals.stopped)
        add(node, "has not said hello", vitals);
  if (text.empty())
    for (const Node &node : nodes_)
      if (node.missed_by >= 0 && !node.ended)
        add(node, "has not authenticated itself to node " + std::to_string(node.missed_by), node.vitals());
  if (text.empty())
    for (const Node &node : nodes_)
      if (!node.met && !node.ended)
        add(node, "has not said hello to all", node.vitals());
  return text + (more > 0 ? "; and " + std::to_string(more) + " more" : "");
}

// All nodes have joined that will: tells each where the others are.
void Launcher::introduce() {
  if (introduced_ || over_ ||
      !std::all_of(nodes_.begin(), nodes_.end(), [](const Node &node) { return node.joined || !node.is_expected(); }))
    return;
  introduced_ = true;
  for (const Node &to : nodes_) {
    for (const Node &about : nodes_)
      if (about.is_expected())
        to.send_peer(about);
    to.send({.type = bootstrap::Type::start});
  }
}

void Launcher::begin_when_all_have_met() {
  if (begun_ || over_ ||
      !std::all_of(nodes_.begin(), nodes_.end(), [](const Node &any) { return any.met || !any.is_expected(); }))
    return;
  begun_ = true;
  for (const Node &node : nodes_)
    node.send({.type = bootstrap::Type::begin});
  changes_.begin();
  checkpoints_.begin(clock_ms());
  if (course_.from && course_.from->number == course_.nodes_at)
    reach_number();
}

} // namespace skein::launch
