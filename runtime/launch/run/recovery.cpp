// Starts of a run's nodes, and what a start has to do with checkpoints; see recovery.h.
#include "launch/run/recovery.h"

#include "launch/run/launcher.h"
#include "launch/run/local_host.h"
#include "launch/run/remote_host.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

namespace skein::launch {

namespace {

/// Changes in the launcher's own process what its nodes are not to have; they get back what there was before.
void settle_own_process(Launch &launch, Course &course) {
  sigset_t handled;
  sigemptyset(&handled);
  for (int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT}) {
    struct sigaction action;
    if (sigaction(number, nullptr, &action) != 0 || action.sa_handler != SIG_IGN)
      sigaddset(&handled, number);
  }
  sigprocmask(SIG_BLOCK, &handled, &launch.signal_mask);
  signal(SIGPIPE, SIG_IGN);
  course.signals = signalfd(-1, &handled, SFD_CLOEXEC | SFD_NONBLOCK);

  // Files that are under way in sockets count against the launcher's limit of open files.
  getrlimit(RLIMIT_NOFILE, &launch.open_files);
  const rlimit generous = {launch.open_files.rlim_max, launch.open_files.rlim_max};
  setrlimit(RLIMIT_NOFILE, &generous);
}

uint64_t random_seed() {
  uint64_t seed = 0;
  while (seed == 0) // which would mean that nothing is random
    if (getrandom(&seed, sizeof seed, 0) != sizeof seed)
      throw std::string("getrandom: ") + strerror(errno);
  return seed;
}

void say_of_run(const std::string &text) { fprintf(stderr, "skein run: %s\n", text.c_str()); }

/// The nodes that are to be started, each with the host that it was on.
std::vector<std::pair<int, std::string>> nodes_to_start(const std::vector<Place> &places, const Course &course) {
  std::vector<std::pair<int, std::string>> nodes;
  if (course.from) {
    for (const NodeRecord &node : course.from->nodes)
      if (node.fate == Fate::there)
        nodes.emplace_back(node.number, node.host);
  } else {
    for (const Place &place : places)
      for (int i = 0; i < place.nodes; i++)
        nodes.emplace_back(static_cast<int>(nodes.size()), place.host);
  }
  return nodes;
}

/// Where the run's nodes are to be in the next start: the places at first, and hosts that have come to the run since.
std::vector<Place> next_places(const std::vector<Place> &first, const Course &course) {
  const auto nodes = nodes_to_start(first, course);
  std::vector<std::string> hosts;
  const auto add = [&](const std::string &host) {
    if (course.lost.count(host) == 0 && std::find(hosts.begin(), hosts.end(), host) == hosts.end())
      hosts.push_back(host);
  };
  for (const Place &place : first)
    add(place.host);
  for (const auto &[number, host] : nodes)
    add(host);
  return placed(nodes, hosts);
}

std::string where_to(const Course &course) {
  if (!course.from)
    return "there is no checkpoint yet, so the run starts again from its beginning";
  return "the run goes back to checkpoint " + std::to_string(course.from->number) +
         (course.from_ms != 0 ? ", of " + std::to_string((clock_ms() - course.from_ms) / 1000) + " s ago"
                              : ", of " + course.from->when);
}

/// What is held is given out: the run is over.
int end_of_run(Course &course, int status) {
  if (course.held) {
    course.held->mark();
    course.held->give_out();
  }
  return status;
}

} // namespace

int run_nodes(Launch launch, const Conduct &conduct, Hosts hosts, Course &course) {
  if (conduct.recover && !course.folder)
    throw std::string("deaths=recover needs a folder for checkpoints, to which the run could go back: `skein run "
                      "--checkpoint DIR`");
  if (course.folder && (hosts.joins > 0 || hosts.by_rank))
    throw std::string("a run with checkpoints cannot have hosts that join by themselves (--joins): nobody could call "
                      "them when the nodes are to be started again; name them with --hosts");
  settle_own_process(launch, course);
  if (conduct.timeout_s > 0)
    course.timeout_at_ms = clock_ms() + static_cast<uint64_t>(conduct.timeout_s) * 1000;
  launch.seed = random_seed();
  launch.fixed = course.folder && launch.same_image;
  if (conduct.recover) {
    course.held = std::make_unique<HeldOutput>(course.folder->path());
    launch.forwarded = true;
  }
  if (hosts.places.empty())
    hosts.places.push_back({"", launch.founders - hosts.joins, {}});
  const std::vector<Place> first = hosts.places;
  launch.several_hosts = course.from ? course.from->several_hosts : first.size() > 1 || !first[0].host.empty();
  if (launch.share_stacks && launch.several_hosts)
    throw std::string(
        "SKEIN_OPTIONS=stacks=shared: only nodes of one host share memory (stacks=auto does for several)");
  const char *const given = getenv("SKEIN_OPTIONS");
  const std::optional<std::string> options = given ? std::optional<std::string>(given) : std::nullopt;
  for (int status = 0;;) {
    if (options) // to which a start adds its own
      setenv("SKEIN_OPTIONS", options->c_str(), 1);
    else
      unsetenv("SKEIN_OPTIONS");
    course.goes_back = false;
    const bool again = ++course.starts > 1;
    if (again || course.from)
      hosts.places = next_places(first, course);
    {
      Launcher launcher(launch, conduct, hosts, course);
      try {
        status = launcher.run();
      } catch (const std::string &why) {
        if (!again)
          throw;
        say_of_run(why);
        launcher.note_lost_hosts();
        course.goes_back = true;
        status = 1;
      }
    } // all processes have ended here
    if (!course.goes_back)
      return end_of_run(course, status);
    if (course.stop_signal != 0)
      return end_of_run(course, 128 + course.stop_signal);
    if (course.recoveries++ == conduct.checkpoints.recoveries) {
      const int times = conduct.checkpoints.recoveries;
      say_of_run("the run has gone back " + std::to_string(times) + (times == 1 ? " time" : " times") +
                 " without a checkpoint in between (--recoveries), and ends");
      return end_of_run(course, status);
    }
    if (next_places(first, course).empty()) {
      say_of_run("no host is left on which the nodes could be, and the run ends");
      return end_of_run(course, status);
    }
    say_of_run(where_to(course));
    if (course.held)
      course.held->drop();
  }
}

// --- what a start has to do with checkpoints -------------------------------------------------------------------------

std::string Launcher::begin_checkpoint(int number) {
  const std::string folder = course_.folder->begin(number);
  disks_.begin(number);
  return folder;
}

void Launcher::has_cut() {
  output_at_cut_ = output_now();
  if (course_.held)
    course_.held->mark();
}

Manifest Launcher::manifest_of(const Checkpoint &checkpoint) const {
  Manifest manifest;
  const HostFacts here = facts_of_this_host();
  manifest.number = checkpoint.number;
  manifest.skein = here.version;
  const time_t now = time(nullptr);
  tm utc;
  char text[32];
  strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
  manifest.when = text;
  manifest.bytes = checkpoint.bytes;
  manifest.pause_ms = checkpoint.pause_ms;
  manifest.took_ms = checkpoint.took_ms;
  manifest.command = launch_.command;
  manifest.command[0] = program_path(launch_.command[0]);
  manifest.build_id = build_id_of(manifest.command[0]);
  char folder[PATH_MAX];
  manifest.folder = getcwd(folder, sizeof folder) ? folder : "";
  manifest.options = options_;
  manifest.numbers = launch_.nodes;
  manifest.founders = launch_.founders;
  manifest.seed = launch_.seed;
  for (const Node &node : nodes_) {
    NodeRecord record{node.number, Fate::there, "", {}};
    if (node.standing == Standing::left)
      record.fate = Fate::left;
    else if (node.standing == Standing::withdrawn)
      record.fate = Fate::did_not_come;
    else if (std::find(checkpoint.nodes.begin(), checkpoint.nodes.end(), node.number) == checkpoint.nodes.end())
      record.fate = Fate::dead;
    for (const RemoteHost *host : elsewhere_)
      if (node.host == host)
        record.host = host->name();
    record.kept_on = disks_.kept_on(node.number);
    manifest.nodes.push_back(std::move(record));
  }
  manifest.several_hosts = launch_.several_hosts;
  manifest.transport = launch_.transport;
  manifest.own_disks = disks_.own();
  manifest.processor = here.instructions;
  manifest.kernel = kernel_release();
  manifest.output = output_at_cut_;
  manifest.output.held = course_.held != nullptr;
  const CheckpointSettings &settings = conduct_.checkpoints;
  manifest.every_s = settings.every_s;
  manifest.keep = settings.keep;
  manifest.patience_s = settings.patience_s;
  manifest.recoveries = settings.recoveries;
  manifest.prefix = launch_.prefix;
  manifest.bind = wanted_.bind || !launch_.cores.empty();
  manifest.mixed = wanted_.mixed;
  manifest.same_image = launch_.same_image;
  manifest.network = wanted_.network;
  manifest.ssh = wanted_.ssh;
  manifest.environment = wanted_.environment;
  return manifest;
}

/// The host, if it is another one than this.
RemoteHost *Launcher::elsewhere(const Host *host) const {
  const auto found = std::find(elsewhere_.begin(), elsewhere_.end(), host);
  return found == elsewhere_.end() ? nullptr : *found;
}

bool Launcher::spread_checkpoint(const Checkpoint &checkpoint) {
  const int number = checkpoint.number;
  if (course_.held)
    course_.held->save(course_.folder->part(number) + "/" + output_name);
  if (!disks_.own())
    return true;
  std::vector<Disks::Located> nodes;
  for (const int node : checkpoint.nodes)
    nodes.push_back({node, elsewhere(nodes_[static_cast<size_t>(node)].host)});
  disks_.spread(number, nodes, course_.held != nullptr, [this, checkpoint](const std::string &why) {
    if (!why.empty())
      return checkpoints_.spread(checkpoint.number, why);
    Checkpoint made = checkpoint;
    made.bytes = disks_.bytes();
    manifest_ = manifest_of(made); // in the launcher's folder it says how long all of this took
    disks_.complete(manifest_, [this, number = checkpoint.number](const std::string &failed) {
      checkpoints_.spread(number, failed);
    });
  });
  return false;
}

void Launcher::complete_checkpoint(Checkpoint &checkpoint) {
  CheckpointFolder &folder = *course_.folder;
  if (disks_.own()) {
    checkpoint.bytes = disks_.bytes();
    manifest_.took_ms = checkpoint.took_ms;
  } else {
    checkpoint.bytes = folder.bytes(checkpoint.number);
    manifest_ = manifest_of(checkpoint);
  }
  const Manifest &manifest = manifest_;
  if (manifest.output.regular)
    fdatasync(STDOUT_FILENO); // a restart goes on behind it
  folder.complete(manifest.number, manifest.to_json());
  course_.from = manifest;
  course_.from_ms = clock_ms();
  course_.recoveries = 0;
  if (course_.held)
    course_.held->give_out();
  const int keep = conduct_.checkpoints.keep;
  const auto pruned = [this, keep](const std::string &why) {
    if (!why.empty() && !over_)
      say("checkpoints before the last " + std::to_string(keep) + " are not removed: " + why);
  };
  disks_.prune(keep, pruned);
  try {
    folder.prune(keep);
  } catch (const std::string &why) {
    pruned(why);
  }
}

void Launcher::drop_checkpoint(int number) {
  course_.folder->drop(number);
  disks_.take_back(number);
}

/// Finds out where the files of checkpoints are, and brings those that nodes are made of to where they start. False: it
/// takes a while, and then the nodes are started.
bool Launcher::disks_are_ready() {
  if (!course_.folder || files_ == Files::there)
    return true;
  if (std::exchange(files_, Files::asked) == Files::asked)
    return false;
  disks_.on_progress = [this] { waiting_since_ms_ = clock_ms(); };
  disks_.open([this](const std::string &why) {
    if (!why.empty())
      return note_files(why);
    checkpoints_.settle(disks_.last_number());
    if (course_.starts == 1 || elsewhere_.empty())
      say_where_files_are();
    gather_files();
  });
  return false;
}

void Launcher::say_where_files_are() {
  const std::string &folder = course_.folder->path();
  if (disks_.shared())
    say("all hosts share the folder of checkpoints " + folder);
  else if (disks_.own())
    say("each host keeps checkpoints in " + folder +
        " on its own disk: the files of its nodes, and copies of a neighbour's");
  else if (course_.from && course_.from->own_disks)
    say("the run is on one host now, and its checkpoints have no copies on another one");
}

void Launcher::gather_files() {
  if (!course_.from)
    return note_files("");
  std::vector<Disks::Located> nodes;
  for (size_t i = 0; i < wanted_.places.size(); i++)
    for (const int node : wanted_.places[i].numbers)
      nodes.push_back({node, elsewhere(hosts_[i].get())});
  disks_.gather(*course_.from, nodes, [this](const std::string &why) { note_files(why); });
}

/// All files are where nodes need them, or `why` they are not. Then it makes no sense to try again.
void Launcher::note_files(const std::string &why) {
  if (over_)
    return;
  if (why.empty()) {
    files_ = Files::there;
    return start_when_all_are_ready();
  }
  if (course_.starts == 1)
    throw why;
  say("the run cannot go back, and ends: " + why);
  note_status(70);
  is_over();
  abandon_unstarted();
}

/// The nodes are made of a checkpoint.
void Launcher::take_up(const Manifest &manifest) {
  launch_.restored = course_.folder->complete(manifest.number);
  launch_.seed = manifest.seed;
  nodes_.resize(manifest.nodes.size());
  for (size_t i = 0; i < nodes_.size(); i++) {
    Node &node = nodes_[i];
    const Fate fate = manifest.nodes[i].fate;
    node.ended = fate != Fate::there;
    node.dead = fate == Fate::dead;
    node.departed = fate == Fate::left; // which those that come later are told
    if (fate == Fate::left)
      node.standing = Standing::left;
    else if (fate == Fate::did_not_come)
      node.standing = Standing::withdrawn;
  }
}

/// The restored run is to have another number of nodes.
void Launcher::reach_number() {
  const auto there =
      static_cast<int>(std::count_if(nodes_.begin(), nodes_.end(), [](const Node &node) { return node.is_there(); }));
  if (there == course_.nodes)
    return;
  say("the run goes on with " + std::to_string(there) + (there == 1 ? " node" : " nodes") + ", and is to have " +
      std::to_string(course_.nodes) + ": " + std::to_string(std::abs(course_.nodes - there)) +
      (course_.nodes < there ? " of them leave" : " more join it"));
  if (const std::string why = changes_.want(course_.nodes); !why.empty())
    say("the run cannot have " + std::to_string(course_.nodes) + " nodes: " + why);
}

/// A node that is killed after main has returned may have had output in its memory, or what another one still needed.
bool Launcher::died_at_the_end(const Node &node, bool killed) const {
  return conduct_.recover && (over_ || node.exiting) && killed && !node.dead && !killing_ && !timed_out_ &&
         stop_signals_ == 0 && node.standing == Standing::member;
}

/// This start has not come to its begin, and can be made again. Hosts that were named by who is waiting for the first
/// start have to answer.
bool Launcher::can_start_again() const {
  return course_.folder && !begun_ && (course_.starts > 1 || (course_.from && started_));
}

/// The run is to start again from the last checkpoint: this start ends at once.
void Launcher::go_back(int status) {
  if (std::exchange(course_.goes_back, true))
    return;
  note_status(status);
  timeout_at_ms_ = kill_at_ms_ = 0;
  killing_ = true;
  signal_all(SIGKILL); // before anybody is told to go on
  is_over();
  abandon_unstarted();
  for (const auto &host : hosts_)
    host->give_up();
}

/// Hosts that cannot be reached any more are not asked again.
void Launcher::note_lost_hosts() {
  for (const RemoteHost *host : elsewhere_)
    if (host->is_gone())
      course_.lost.insert(host->name());
}

} // namespace skein::launch
