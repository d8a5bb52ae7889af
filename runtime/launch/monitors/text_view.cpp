#include "launch/monitors/text_view.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>

namespace skein::monitors {

namespace {

constexpr size_t links_most = 12; // that are listed

[[gnu::format(printf, 1, 2)]] std::string format(const char *how, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, how);
  vsnprintf(text, sizeof text, how, arguments);
  va_end(arguments);
  return text;
}

} // namespace

std::string shortly(double value) {
  const char *unit = "";
  for (const char *next : {"k", "M", "G", "T"}) {
    if (value < 999.5)
      break;
    value /= 1000;
    unit = next;
  }
  return format(*unit && value < 99.95 ? "%.1f%s" : "%.0f%s", value, unit);
}

namespace {

double key(const NodeView &node, Order order) {
  switch (order) {
  case Order::cpu:
    return node.cpu_percent;
  case Order::threads:
    return figure_of(node.values, "threads_living");
  case Order::ready:
    return figure_of(node.values, "threads_ready");
  case Order::moves:
    return figure_of(node.per_s, "threads_sent") + figure_of(node.per_s, "threads_received");
  default:
    return -node.number;
  }
}

/// Equal ones stay in their order. (std::stable_sort of this C++ library is deprecated in parts, which clang says.)
template <class Row, class Key> void largest_first(std::vector<Row> &rows, Key &&key_of) {
  std::vector<std::pair<double, size_t>> places;
  for (size_t i = 0; i < rows.size(); i++)
    places.emplace_back(-key_of(rows[i]), i);
  std::sort(places.begin(), places.end());
  std::vector<Row> sorted;
  for (const auto &[negative, place] : places)
    sorted.push_back(std::move(rows[place]));
  rows = std::move(sorted);
}

void add_nodes(std::vector<Line> &lines, const RunView &run, Order order) {
  std::vector<const NodeView *> nodes;
  for (const NodeView &node : run.nodes())
    nodes.push_back(&node);
  largest_first(nodes, [&](const NodeView *node) { return key(*node, order); });
  lines.push_back(
      {"node   cpu%  busy  threads   ready  made/s  sent/s  come/s stolen/s refused channel/s  bytes/s", true});
  for (const NodeView *node : nodes) {
    const auto value = [&](const char *name) { return figure_of(node->values, name); };
    const auto per_s = [&](const char *name) { return shortly(figure_of(node->per_s, name)); };
    lines.push_back({format(
        "%4d %6.0f %5s %8s %7s %7s %7s %7s %8s %7s %9s %8s%s", node->number, node->cpu_percent,
        format("%.0f/%.0f", value("workers_busy"), value("workers")).c_str(), shortly(value("threads_living")).c_str(),
        shortly(value("threads_ready")).c_str(), per_s("threads_spawned").c_str(), per_s("threads_sent").c_str(),
        per_s("threads_received").c_str(), per_s("threads_stolen").c_str(), shortly(value("moves_refused")).c_str(),
        per_s("channels_sent").c_str(),
        shortly(figure_of(node->per_s, "bytes_sent") + figure_of(node->per_s, "bytes_received")).c_str(),
        node->answers ? "" : "  does not answer")});
  }
}

void add_links(std::vector<Line> &lines, const RunView &run) {
  struct Row {
    int from;
    Link link;
  };
  std::vector<Row> rows;
  for (const NodeView &node : run.nodes())
    for (const Link &link : node.links)
      if (link.threads_per_s > 0 || link.channel_messages_per_s > 0)
        rows.push_back({node.number, link});
  if (rows.empty())
    return;
  largest_first(rows, [](const Row &row) { return row.link.threads_per_s + row.link.channel_messages_per_s; });
  lines.push_back({""});
  lines.push_back({"link         threads/s  channel messages/s", true});
  for (size_t i = 0; i < rows.size() && i < links_most; i++)
    lines.push_back(
        {format("%3d to %-3d %11s %19s", rows[i].from, rows[i].link.to, shortly(rows[i].link.threads_per_s).c_str(),
                shortly(rows[i].link.channel_messages_per_s).c_str())});
  if (rows.size() > links_most)
    lines.push_back({format("and %zu more", rows.size() - links_most)});
}

void add_functions(std::vector<Line> &lines, const std::vector<Json> &nodes) {
  const std::map<std::string, FunctionView> functions = by_function(nodes);
  std::vector<std::pair<std::string, FunctionView>> rows(functions.begin(), functions.end());
  largest_first(rows, [](const auto &row) {
    const FunctionView &threads = row.second;
    return static_cast<double>(threads.running + threads.ready + threads.waiting + threads.other);
  });
  const auto places = [](uint64_t threads) { return shortly(static_cast<double>(threads)); };
  lines.push_back({""});
  lines.push_back({"threads by function                running    ready  waiting   moving", true});
  for (const auto &[name, threads] : rows)
    lines.push_back(
        {format("%-32.32s %9s %8s %8s %8s", name.c_str(), places(threads.running).c_str(),
                places(threads.ready).c_str(), places(threads.waiting).c_str(), places(threads.other).c_str())});
}

void add_threads(std::vector<Line> &lines, const std::vector<Json> &nodes) {
  lines.push_back({""});
  lines.push_back({"id               node state        function                 moves   stack  waits in", true});
  for (const Json &node : nodes) {
    for (const Json &thread : node.value("threads", Json::array()))
      lines.push_back(
          {format("%-16llu %4d %-12s %-24.24s %5d %7s  %s%s%s",
                  static_cast<unsigned long long>(thread.value("id", uint64_t{0})), node.value("node", 0),
                  thread.value("state", "").c_str(), thread.value("function", "").c_str(), thread.value("moves", 0),
                  shortly(thread.value("stack_bytes", 0.0)).c_str(), thread.value("waits_in", "").c_str(),
                  thread.contains("name") ? "  " : "", thread.value("name", "").c_str())});
    const double more = node.value("all", 0.0) - static_cast<double>(node.value("threads", Json::array()).size());
    if (more > 0)
      lines.push_back({format("and %s more on node %d", shortly(more).c_str(), node.value("node", 0))});
  }
}

} // namespace

std::vector<Line> text_view(const RunView &run, Order order, Below what, const std::vector<Json> &below) {
  std::vector<Line> lines;
  add_nodes(lines, run, order);
  add_links(lines, run);
  if (what == Below::functions)
    add_functions(lines, below);
  if (what == Below::threads)
    add_threads(lines, below);
  return lines;
}

} // namespace skein::monitors
