// What `skein node` asks of the launcher (control.h), and what it hears of it; see launcher.h.
#include "base/knobs.h"
#include "launch/command/command.h"
#include "launch/run/launcher.h"
#include "launch/run/local_host.h"
#include "launch/run/remote_host.h"

#include <algorithm>
#include <charconv>
#include <sys/stat.h>

namespace skein::launch {

/// The socket lies beside those of the nodes' monitors, or alone if no node is on this host.
void Launcher::open_control() {
  std::string folder;
  if (!launch_.monitored && std::string(knobs.monitor_in) != "none") {
    folder = knobs.monitor_in;
    mkdir(folder.c_str(), S_IRWXU); // it may be there
  } else if (launch_.monitored && local_) {
    folder = local_->monitors();
  } else if (launch_.monitored) {
    try {
      control_folder_.make(run_folder_parent(), "");
      folder = control_folder_.path();
    } catch (const std::string &why) {
      say("`skein node` cannot reach this run: " + why);
    }
  }
  if (folder.empty())
    return;
  if (launch_.monitored) {
    monitors_in_ = folder;
    for (RemoteHost *host : elsewhere_)
      host->show_monitors_in(folder);
  }
  control_ = std::make_unique<Control>(loop_);
  control_->on_request = [this](uint64_t client, const std::vector<std::string> &words) { on_request(client, words); };
  control_->on_gone = [this](uint64_t client) {
    requests_.erase(client);
    changes_.cancel(client);
    checkpoints_.cancel(client);
  };
  try {
    control_->listen(folder + "/" + control_name);
  } catch (const std::string &why) {
    say("`skein node` cannot reach this run: " + why);
    control_.reset();
  }
}

void Launcher::on_request(uint64_t client, const std::vector<std::string> &words) {
  std::string refused = "the request is not understood (another version of Skein?)";
  int number = 0;
  const auto number_in = [&](const std::string &word) {
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    return error == std::errc() && end == word.data() + word.size();
  };
  if (words.size() == 1 && words[0] == "list")
    return list_nodes(client);
  if (words.size() == 1 && words[0] == "last")
    return tell_last_checkpoint(client);
  if (requests_.count(client) != 0)
    refused = "the last request is not done yet";
  else if ((words.size() == 2 || words.size() == 3) && words[0] == "add" && number_in(words[1]) && number > 0) {
    const std::string host = words.size() == 3 ? words[2] : "";
    requests_[client] = number;
    refused = find_host(host) || may_call(host) ? changes_.add(client, number, host) : no_such_host(host);
  } else if (words.size() > 1 && words[0] == "drain" && std::all_of(words.begin() + 1, words.end(), number_in)) {
    std::vector<int> numbers;
    for (size_t i = 1; i < words.size() && number_in(words[i]); i++)
      numbers.push_back(number);
    requests_[client] = static_cast<int>(numbers.size());
    refused = changes_.drain(client, numbers);
  } else if (words.size() == 1 && words[0] == "checkpoint") {
    requests_[client] = 1;
    refused = checkpoints_.ask(client);
  }
  if (refused.empty()) {
    if (!begun_ && !over_)
      control_->answer(client, "progress -1 waits until the run has begun");
    return;
  }
  control_->answer(client, "refused -1 " + refused);
  requests_.erase(client);
  control_->hang_up(client);
}

void Launcher::tell(uint64_t asker, News news, int node, const std::string &text) {
  const char *const words[] = {"progress", "came", "left", "kept", "failed", "over"};
  if (asker == Changes::program || !control_)
    return;
  control_->answer(asker, std::string(words[static_cast<size_t>(news)]) + " " + std::to_string(node) + " " + text);
  if (news == News::progress || --requests_[asker] > 0)
    return;
  requests_.erase(asker);
  control_->hang_up(asker);
}

void Launcher::list_nodes(uint64_t client) {
  control_->answer(client, "numbers " + std::to_string(launch_.nodes) + " " + std::to_string(launch_.founders));
  for (const Node &node : nodes_) {
    std::string state = changes_.leaving(node);
    if (node.standing == Standing::withdrawn)
      state = "did not come";
    else if (node.standing == Standing::left)
      state = state_left;
    else if (node.dead || (node.ended && node.standing == Standing::member))
      state = "dead";
    else if (node.standing == Standing::coming)
      state = "comes";
    else if (launch_.nodes > 1 && !begun_)
      state = "has not begun";
    else if (state.empty())
      state = "goes on";
    const auto elsewhere = std::find(elsewhere_.begin(), elsewhere_.end(), node.host);
    control_->answer(client, "node " + std::to_string(node.number) + " " +
                                 std::to_string(node.ended ? 0 : node.vitals().process) + " " +
                                 (elsewhere == elsewhere_.end() ? "." : (*elsewhere)->name()) + " " + state);
  }
  control_->hang_up(client);
}

/// For `skein status`: what there is to say of the run's checkpoints; nothing, if it has none.
void Launcher::tell_last_checkpoint(uint64_t client) {
  const auto tell = [&](const std::string &word, int number, const std::string &rest) {
    control_->answer(client, word + " " + std::to_string(number) + " " + rest);
  };
  if (course_.folder) {
    tell("folder", -1, course_.folder->path());
    if (const Checkpoint &last = checkpoints_.last(); last.number != 0)
      tell("kept", last.number,
           std::to_string(last.bytes) + " " + std::to_string(last.pause_ms) + " " + std::to_string(last.took_ms) + " " +
               std::to_string(clock_ms() - checkpoints_.last_at_ms()));
    else if (course_.from)
      tell("from", course_.from->number, course_.from->when);
    if (!checkpoints_.failed().empty())
      tell("failed", -1, checkpoints_.failed());
  }
  control_->hang_up(client);
}

/// A program may ask again and again for what it cannot have: the user is told once.
void Launcher::on_program_request(int nodes) {
  if (over_ || nodes < 1)
    return;
  const std::string why = changes_.want(nodes);
  const std::string text = "the program has asked for " + std::to_string(nodes) + " nodes: " + why;
  if (!why.empty() && text != program_refused_)
    say(program_refused_ = text);
}

/// The run's host of that name, if it has one and that has not been lost; empty: the launcher's.
Host *Launcher::find_host(const std::string &name) const {
  if (name.empty())
    return local_;
  for (RemoteHost *host : elsewhere_)
    if (host->name() == name && !host->is_gone())
      return host;
  return nullptr;
}

/// Whether another host can be called by ssh: nodes of a run on one host listen for nobody else.
bool Launcher::may_call(const std::string &host) const { return !host.empty() && launch_.several_hosts; }

std::string Launcher::no_such_host(const std::string &host) const {
  if (!host.empty())
    return "the run is on one host, and its nodes listen for nobody on host " + host +
           ": only a run that was started on several hosts (--hosts, --listen) can have nodes on others";
  return "the run has no nodes on the host of its `skein run`: name another one (HOST:N)";
}

void Launcher::start_late(const std::string &host) {
  if (Host *const where = find_host(host))
    return start_late_on(*where);
  for (const auto &guest : guests_) // one that has come by itself
    if (guest && guest->name() == host && guest->is_ready() && !guest->is_gone())
      return on_late_host(*guest);
  if (came_.count(host) != 0)
    return changes_.cannot_start("host " + host + " has gone again");
  if (!may_call(host))
    return changes_.cannot_start(no_such_host(host));
  call_late(host);
}

/// A node with the next number, which is about to be started.
Node &Launcher::next_node(Host &host) {
  Node &node = nodes_.emplace_back();
  node.number = static_cast<int>(nodes_.size()) - 1;
  node.host = &host;
  living_++;
  return node;
}

/// Starts another node on a host of the run.
void Launcher::start_late_on(Host &host) {
  Node &node = next_node(host);
  changes_.started(node);
  try {
    host.start_late(node.number);
  } catch (const std::string &why) {
    node.ended = true;
    living_--;
    changes_.on_end(node, "could not be started: " + why);
  }
  all_may_be_there();
}

/// The last number may have been taken: then nothing is kept that nodes are started with.
void Launcher::all_may_be_there() {
  if (static_cast<int>(nodes_.size()) < launch_.nodes)
    return;
  for (const auto &host : hosts_)
    host->complete();
  explicit_bzero(launch_.token, sizeof launch_.token);
  if (door_)
    door_->shut();
}

/// Calls a host that the run does not have yet.
void Launcher::call_late(const std::string &host) {
  HostEvents &events = *this;
  try {
    Line line = call_by_ssh(host, wanted_.ssh, "'" + program_directory() + "/skein' agent");
    auto guest = std::make_unique<RemoteHost>(loop_, events, std::move(line),
                                              [this](RemoteHost &ready) { on_late_host(ready); });
    guest->on_failure = [this, host](const std::string &why) {
      if (changes_.waits_for(host))
        changes_.cannot_start(why);
    };
    guests_.push_back(std::move(guest));
  } catch (const std::string &why) {
    changes_.cannot_start(why);
  }
}

/// A host that the run does not have yet has told what it is like. It gets the next node.
void Launcher::on_late_host(RemoteHost &guest) {
  const std::string host = guest.name();
  if (over_ || !changes_.waits_for(host))
    return guest.refuse("it is not waited for any more");
  if (const std::string why = why_not_together(facts_of_this_host(), host, guest.facts(), wanted_.mixed);
      !why.empty()) {
    guest.refuse(why);
    return changes_.cannot_start(why);
  }
  if (!course_.folder)
    return give_late_node(guest);
  const bool first = !disks_.own() && !disks_.shared();
  disks_.open(guest, [this, &guest, host, first](const std::string &why) {
    if (!over_ && why.empty() && changes_.waits_for(host)) {
      checkpoints_.settle(disks_.last_number());
      if (first)
        say_where_files_are();
      return give_late_node(guest);
    }
    if (!guest.is_gone())
      guest.refuse(why.empty() ? "it is not waited for any more" : why);
    if (!why.empty() && changes_.waits_for(host))
      changes_.cannot_start(why);
  });
}

/// The host becomes one of the run, and gets the next node.
void Launcher::give_late_node(RemoteHost &guest) {
  take_in(guest, 1);
  Node &node = next_node(guest);
  Launch launch = launch_;
  launch.numbers = {node.number};
  launch.shares = 1;
  launch.late = true;
  launch.restored.clear();
  give_order(guest, std::move(launch));
  changes_.started(node);
  all_may_be_there();
}

} // namespace skein::launch
