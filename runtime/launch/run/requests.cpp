// What `skein node` asks of the launcher (control.h), and what it hears of it; see launcher.h.
#include "base/knobs.h"
#include "launch/run/launcher.h"
#include "launch/run/local_host.h"

#include <charconv>
#include <sys/stat.h>

namespace skein::launch {

/// The socket lies beside those of the nodes' monitors.
void Launcher::open_control() {
  std::string folder = local_ ? local_->monitors() : "";
  if (!launch_.monitored && std::string(knobs.monitor_in) != "none") {
    folder = knobs.monitor_in;
    mkdir(folder.c_str(), S_IRWXU); // it may be there
  }
  if (folder.empty())
    return;
  control_ = std::make_unique<Control>(loop_);
  control_->on_request = [this](uint64_t client, const std::vector<std::string> &words) { on_request(client, words); };
  control_->on_gone = [this](uint64_t client) {
    requests_.erase(client);
    changes_.cancel(client);
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
  if (requests_.count(client) != 0)
    refused = "the last request is not done yet";
  else if (words.size() == 2 && words[0] == "add" && number_in(words[1]) && number > 0) {
    requests_[client] = number;
    refused = changes_.add(client, number, "");
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
  const char *const words[] = {"progress", "came", "left", "failed", "over"};
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
    const char *state = "goes on";
    if (node.standing == Standing::withdrawn)
      state = "did not come";
    else if (node.dead || (node.ended && node.standing == Standing::member))
      state = "dead";
    else if (node.standing == Standing::coming)
      state = "comes";
    else if (launch_.nodes > 1 && !begun_)
      state = "has not begun";
    control_->answer(client, "node " + std::to_string(node.number) + " " +
                                 std::to_string(node.ended ? 0 : node.vitals().process) + " " + state);
  }
  control_->hang_up(client);
}

void Launcher::start_late(const std::string &) {
  if (!local_)
    return changes_.cannot_start("the run has no nodes on this host");
  Node &node = nodes_.emplace_back();
  node.number = static_cast<int>(nodes_.size()) - 1;
  node.host = local_;
  living_++;
  changes_.started(node);
  try {
    local_->start_late(node.number);
  } catch (const std::string &why) {
    node.ended = true;
    living_--;
    changes_.on_end(node, "could not be started: " + why);
  }
  if (static_cast<int>(nodes_.size()) == launch_.nodes)
    for (const auto &host : hosts_)
      host->complete();
}

} // namespace skein::launch
