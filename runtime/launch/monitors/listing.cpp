#include "launch/monitors/listing.h"

#include "launch/monitors/run_view.h"
#include "launch/monitors/text_view.h"

#include <algorithm>
#include <cstdio>

namespace skein::monitors {

namespace {

constexpr int some_node_is_silent = 1, run_is_over = 3;

/// A duration: 12.3 s, 4:05, 1:02:03, 3 d 01:02.
std::string duration(double seconds) {
  char text[40];
  const auto whole = static_cast<long>(seconds);
  if (whole < 60)
    snprintf(text, sizeof text, "%.1f s", seconds);
  else if (whole < 3600)
    snprintf(text, sizeof text, "%ld:%02ld", whole / 60, whole % 60);
  else if (whole < 86400)
    snprintf(text, sizeof text, "%ld:%02ld:%02ld", whole / 3600, whole / 60 % 60, whole % 60);
  else
    snprintf(text, sizeof text, "%ld d %02ld:%02ld", whole / 86400, whole / 3600 % 24, whole / 60 % 60);
  return text;
}

/// How many numbers of nodes the run has given out; 0 if nobody says so.
int nodes_of(const RunView &view) {
  size_t nodes = view.nodes().size();
  for (const NodeView &node : view.nodes())
    if (node.figures.is_object())
      nodes = std::max(nodes, node.figures.value("nodes", size_t{0}));
  return static_cast<int>(nodes);
}

int answering(const RunView &view) {
  return static_cast<int>(
      std::count_if(view.nodes().begin(), view.nodes().end(), [](const NodeView &node) { return node.answers; }));
}

double sum(const RunView &view, const char *figure) {
  double sum = 0;
  for (const NodeView &node : view.nodes())
    sum += figure_of(node.values, figure);
  return sum;
}

/// Whether a node that answers says that this one is dead.
bool known_as_dead(const RunView &view, int number) {
  for (const NodeView &node : view.nodes())
    if (node.answers)
      for (const Link &link : node.links)
        if (link.to == number && !link.alive)
          return true;
  return false;
}

const char *state_of(const FoundRun &run, const RunView &view, int number) {
  if (run.left.count(number) != 0)
    return "has left";
  if (known_as_dead(view, number))
    return "dead";
  for (const NodeView &node : view.nodes())
    if (node.number == number)
      return node.answers ? "goes on" : "does not answer";
  return "has not begun";
}

} // namespace

int list_runs(const std::vector<FoundRun> &runs, bool json) {
  if (!json)
    printf("%8s %8s %12s %8s  %s\n", "run", "nodes", "age", "threads", "command");
  for (const FoundRun &run : runs) {
    RunView view(run.folder);
    view.look(false);
    const int all = nodes_of(view) - static_cast<int>(run.left.size()), answer = answering(view);
    const double threads = sum(view, "threads_living");
    if (json) {
      const Json line = {{"run", run.launcher}, {"folder", run.folder}, {"age_s", run.age_s},  {"nodes", all},
                         {"answering", answer}, {"threads", threads},   {"command", run.words}};
      printf("%s\n", line.dump().c_str());
      continue;
    }
    const std::string nodes =
        answer == all ? std::to_string(all) : std::to_string(answer) + " of " + std::to_string(all);
    printf("%8d %8s %12s %8s  %s\n", run.launcher, nodes.c_str(), duration(run.age_s).c_str(), shortly(threads).c_str(),
           run.words.c_str());
  }
  return 0;
}

int show_status(const FoundRun &run, bool json) {
  RunView view(run.folder);
  view.look(false);
  const int all = nodes_of(view), there = all - static_cast<int>(run.left.size()), answer = answering(view);
  if (all == 0 || (answer == 0 && view.over())) {
    fprintf(stderr, "skein status: the run in %s is over, or has not begun\n", run.folder.c_str());
    return run_is_over;
  }
  if (!json) {
    printf("%s, %d nodes, policy %s", view.program().c_str(), there, view.policy().c_str());
    if (run.launcher)
      printf(", for %s: %s", duration(run.age_s).c_str(), run.words.c_str());
    printf("\n%4s %8s  %s%-16s %8s %8s %6s %10s\n", "node", "process", run.hosts.empty() ? "" : "host         ", "",
           "threads", "ready", "busy", "cpu");
  }
  for (int number = 0; number < all; number++) {
    const NodeView unknown{};
    const auto known = std::find_if(view.nodes().begin(), view.nodes().end(),
                                    [&](const NodeView &node) { return node.number == number; });
    const NodeView &node = known == view.nodes().end() ? unknown : *known;
    const char *state = state_of(run, view, number);
    const auto value = [&](const char *name) { return figure_of(node.values, name); };
    const int process = node.figures.is_object() ? node.figures.value("process", 0) : 0;
    const auto elsewhere = run.hosts.find(number);
    const std::string host = elsewhere == run.hosts.end() ? "" : elsewhere->second;
    if (json) {
      Json line = {{"node", number},
                   {"process", process},
                   {"state", state},
                   {"threads", value("threads_living")},
                   {"ready", value("threads_ready")},
                   {"workers_busy", value("workers_busy")},
                   {"workers", value("workers")},
                   {"cpu_s", value("cpu_us") / 1e6}};
      if (!host.empty())
        line["host"] = host;
      printf("%s\n", line.dump().c_str());
      continue;
    }
    printf("%4d %8d  %-*s%-16s %8s %8s %6s %10s\n", number, process, run.hosts.empty() ? 0 : 13, host.c_str(), state,
           shortly(value("threads_living")).c_str(), shortly(value("threads_ready")).c_str(),
           (shortly(value("workers_busy")) + "/" + shortly(value("workers"))).c_str(),
           duration(value("cpu_us") / 1e6).c_str());
  }
  return answer == there ? 0 : some_node_is_silent;
}

} // namespace skein::monitors
