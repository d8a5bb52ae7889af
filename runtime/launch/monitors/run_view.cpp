// Looking; see run_view.h. A node that does not answer keeps its last figures, and does not delay the others by more
// than its patience.
#include "launch/monitors/run_view.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <set>

namespace skein::monitors {

namespace fs = std::filesystem;

const std::vector<FigureInfo> figure_table = {
    {"threads_living", "skein_threads_living", false, "", "Threads that live on the node."},
    {"threads_ready", "skein_threads_ready", false, "", "Threads that are ready and wait for a worker."},
    {"workers", "skein_workers", false, "", "Kernel threads that run threads."},
    {"workers_busy", "skein_workers_busy", false, "", "Workers that have a thread."},
    {"cpu_us", "skein_cpu_seconds", true, "seconds", "Processor time of the process."},
    {"threads_spawned", "skein_threads_spawned", true, "", "Threads that were made on the node."},
    {"threads_ended", "skein_threads_ended", true, "", "Threads that have ended on the node."},
    {"threads_sent", "skein_threads_sent", true, "", "Threads that have left the node."},
    {"threads_received", "skein_threads_received", true, "", "Threads that have come to the node."},
    {"threads_stolen", "skein_threads_stolen", true, "", "Of these, threads that the node had asked for."},
    {"moves_refused", "skein_moves_refused", true, "", "Moves of threads that were refused."},
    {"bytes_sent", "skein_images_sent_bytes", true, "bytes", "Bytes of threads that have left the node."},
    {"bytes_received", "skein_images_received_bytes", true, "bytes", "Bytes of threads that have come to the node."},
    {"pointers_relocated", "skein_pointers_relocated", true, "", "Pointers that were changed when threads came."},
    {"channels_sent", "skein_channels_sent", true, "", "Messages over channels to other nodes."},
};

namespace {

double number_in(const Json &object, const char *name) {
  const auto at = object.find(name);
  return at != object.end() && at->is_number() ? at->get<double>() : 0;
}

std::string text_in(const Json &object, const char *name) {
  const auto at = object.is_object() ? object.find(name) : object.end();
  return at != object.end() && at->is_string() ? at->get<std::string>() : "";
}

} // namespace

std::map<std::string, FunctionView> by_function(const std::vector<Json> &nodes) {
  std::map<std::string, FunctionView> functions;
  for (const Json &node : nodes)
    for (const Json &group : node.value("functions", Json::array())) {
      FunctionView &function = functions[group.value("function", "")];
      function.running += group.value("running", uint64_t{0});
      function.ready += group.value("ready", uint64_t{0});
      function.waiting += group.value("waiting", uint64_t{0});
      function.other += group.value("other", uint64_t{0});
    }
  return functions;
}

void RunView::find_nodes() {
  std::error_code error;
  std::set<int> there;
  for (const auto &entry : fs::directory_iterator(folder_, error)) {
    int number, end = 0;
    const std::string name = entry.path().filename().string();
    if (sscanf(name.c_str(), "node-%d%n", &number, &end) != 1 || end != static_cast<int>(name.size()))
      continue;
    there.insert(number);
    sockets_.try_emplace(number, entry.path().string());
  }
  // A node that has left the run has removed its socket. When all have done so, the run is over.
  for (auto socket = sockets_.begin(); socket != sockets_.end();)
    socket = there.empty() || there.count(socket->first) != 0 ? std::next(socket) : sockets_.erase(socket);
}

void RunView::compare(NodeView &view, const Json &before) {
  for (const FigureInfo &figure : figure_table)
    view.values[figure.name] = number_in(view.figures, figure.name);
  const double seconds = before.is_object() ? (number_in(view.figures, "ns") - number_in(before, "ns")) / 1e9 : 0;
  const auto rate = [&](double now, double then) { return seconds > 0 ? std::max(0.0, now - then) / seconds : 0; };
  for (const FigureInfo &figure : figure_table)
    if (figure.counts)
      view.per_s[figure.name] = seconds > 0 ? rate(view.values[figure.name], number_in(before, figure.name)) : 0;
  view.cpu_percent = view.per_s["cpu_us"] / 1e4;
  view.links.clear();
  const Json none = Json::array();
  const Json &links = view.figures.contains("links") ? view.figures["links"] : none;
  const Json &old_links = before.is_object() && before.contains("links") ? before["links"] : none;
  for (size_t i = 0; i < links.size(); i++) {
    const Json &link = links[i];
    Link now{static_cast<int>(number_in(link, "node")), link.value("alive", false), number_in(link, "channel_messages"),
             number_in(link, "threads")};
    if (i < old_links.size()) {
      now.channel_messages_per_s = rate(now.channel_messages, number_in(old_links[i], "channel_messages"));
      now.threads_per_s = rate(now.threads, number_in(old_links[i], "threads"));
    }
    view.links.push_back(now);
  }
}

void RunView::look(bool moves) {
  find_nodes();
  std::vector<NodeView> old = std::move(views_);
  views_.clear();
  for (auto &[number, socket] : sockets_) {
    const auto known =
        std::find_if(old.begin(), old.end(), [&](const NodeView &view) { return view.number == number; });
    NodeView view = known != old.end() ? std::move(*known) : NodeView{};
    view.number = number;
    std::string request = "figures";
    if (moves) // from here on: not those that the node knows from before
      if (const Json &before = view.figures; before.is_object() && before.contains("moves_noted"))
        request += ' ' + std::to_string(before["moves_noted"].get<uint64_t>());
    std::optional<Json> answer = socket.ask(request);
    view.answers = answer.has_value();
    if (answer) {
      const Json before = std::exchange(view.figures, std::move(*answer));
      compare(view, before);
      seen_ = true;
    } else {
      view.per_s.clear();
      view.cpu_percent = 0;
    }
    views_.push_back(std::move(view));
  }
}

std::vector<Json> RunView::threads(int most) {
  std::vector<Json> all;
  for (auto &[number, socket] : sockets_)
    if (std::optional<Json> answer = socket.ask("threads " + std::to_string(most)))
      all.push_back(std::move(*answer));
  return all;
}

std::optional<std::string> RunView::order(NodeSocket &node, const std::string &request) {
  const std::optional<Json> answer = node.ask(request);
  if (!answer)
    return "the node does not answer";
  if (answer->value("ok", false))
    return {};
  return text_in(*answer, "error");
}

std::optional<std::string> RunView::push(int at, uint64_t thread, int to) {
  const auto node = sockets_.find(at);
  if (node == sockets_.end())
    return "there is no node " + std::to_string(at);
  return order(node->second, "push " + std::to_string(thread) + ' ' + std::to_string(to));
}

std::optional<std::string> RunView::order_run(const std::string &request) {
  for (const NodeView &view : views_)
    if (view.answers)
      return order(sockets_.at(view.number), request);
  return "no node answers";
}

std::optional<std::string> RunView::balancing(bool on) { return order_run(on ? "balancing on" : "balancing off"); }

std::optional<std::string> RunView::choose_policy(const std::string &name) { return order_run("policy " + name); }

bool RunView::over() const {
  std::error_code error;
  if (!fs::is_directory(folder_, error))
    return true;
  return seen_ && std::none_of(views_.begin(), views_.end(), [&](const NodeView &view) {
           return view.answers || fs::exists(sockets_.at(view.number).path(), error);
         });
}

std::string RunView::program() const {
  for (const NodeView &view : views_)
    if (const std::string program = text_in(view.figures, "program"); !program.empty())
      return program;
  return "";
}

std::string RunView::policy() const {
  for (const NodeView &view : views_)
    if (view.answers)
      return text_in(view.figures, "policy") + (view.figures.value("balancing", false) ? "" : " (off)");
  return "";
}

} // namespace skein::monitors
