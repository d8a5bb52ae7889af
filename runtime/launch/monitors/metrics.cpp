#include "launch/monitors/metrics.h"

#include <cstring>
#include <sstream>

namespace skein::monitors {

namespace {

std::string quoted(const std::string &text) {
  std::string result = "\"";
  for (const char c : text)
    result += c == '"' || c == '\\' ? std::string("\\") + c : c == '\n' ? "\\n" : std::string(1, c);
  return result + '"';
}

} // namespace

std::string metrics(const RunView &run) {
  std::ostringstream out;
  out.precision(15);
  out << "# TYPE skein_run info\n# HELP skein_run What runs.\nskein_run_info{program=" << quoted(run.program())
      << ",policy=" << quoted(run.policy()) << "} 1\n";
  out << "# TYPE skein_node_answers gauge\n# HELP skein_node_answers Whether the node has answered.\n";
  for (const NodeView &node : run.nodes())
    out << "skein_node_answers{node=\"" << node.number << "\"} " << (node.answers ? 1 : 0) << '\n';
  for (const FigureInfo &figure : figure_table) {
    out << "# TYPE " << figure.metric << (figure.counts ? " counter\n" : " gauge\n");
    if (*figure.unit)
      out << "# UNIT " << figure.metric << ' ' << figure.unit << '\n';
    out << "# HELP " << figure.metric << ' ' << figure.help << '\n';
    for (const NodeView &node : run.nodes())
      if (const auto at = node.values.find(figure.name); at != node.values.end())
        out << figure.metric << (figure.counts ? "_total" : "") << "{node=\"" << node.number << "\"} "
            << (!strcmp(figure.name, "cpu_us") ? at->second / 1e6 : at->second) << '\n';
  }
  const auto links = [&](const char *name, const char *help, double Link::*value) {
    out << "# TYPE " << name << " counter\n# HELP " << name << ' ' << help << '\n';
    for (const NodeView &node : run.nodes())
      for (const Link &link : node.links)
        out << name << "_total{node=\"" << node.number << "\",to=\"" << link.to << "\"} " << link.*value << '\n';
  };
  links("skein_link_threads", "Threads that have gone from one node to another.", &Link::threads);
  links("skein_link_channel_messages", "Messages over channels from one node to another.", &Link::channel_messages);
  out << "# EOF\n";
  return out.str();
}

} // namespace skein::monitors
