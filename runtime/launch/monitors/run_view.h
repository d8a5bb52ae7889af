// A run as it is seen from outside: what its nodes answer, look by look, and what has changed between two looks.
#ifndef SKEIN_LAUNCH_MONITORS_RUN_VIEW_H
#define SKEIN_LAUNCH_MONITORS_RUN_VIEW_H

#include "launch/monitors/node_socket.h"

#include <map>
#include <string>
#include <vector>

namespace skein::monitors {

/// A figure of nodes.
struct FigureInfo {
  const char *name;   // in what a node answers
  const char *metric; // for OpenMetrics
  bool counts;        // it only grows: what matters is how fast
  const char *unit;   // of the metric; "": none
  const char *help;
};
extern const std::vector<FigureInfo> figure_table;

struct Link {
  int to;
  bool alive;
  double channel_messages, threads;                     // so far
  double channel_messages_per_s = 0, threads_per_s = 0; // since the last look
};

/// 0 if it is not known.
inline double figure_of(const std::map<std::string, double> &figures, const char *name) {
  const auto at = figures.find(name);
  return at == figures.end() ? 0 : at->second;
}

struct NodeView {
  int number = 0;
  bool answers = false;                 // otherwise what follows is what it said last
  Json figures;                         // its answer to `figures`; null if it never answered
  std::map<std::string, double> values; // of figure_table
  std::map<std::string, double> per_s;  // of those that count, since the last look
  std::vector<Link> links;
  double cpu_percent = 0; // of one core
};

/// Threads of one function, on all nodes.
struct FunctionView {
  uint64_t running = 0, ready = 0, waiting = 0, other = 0;
};
/// By the function's name, from the answers to RunView::threads.
std::map<std::string, FunctionView> by_function(const std::vector<Json> &nodes);

class RunView {
public:
  explicit RunView(std::string folder) : folder_(std::move(folder)) {}

  /// Asks all nodes that there are. `moves`: also which threads have moved since the last look.
  void look(bool moves);
  /// Asks all nodes for their threads, each for at most so many. What is not answered is missing.
  std::vector<Json> threads(int most);
  /// Asks one node. An error is what the node says, or that it does not answer.
  std::optional<std::string> push(int at, uint64_t thread, int to);
  std::optional<std::string> balancing(bool on);
  std::optional<std::string> choose_policy(const std::string &name);

  const std::vector<NodeView> &nodes() const { return views_; }
  /// The folder is gone, or no node is left of those that were there.
  bool over() const;
  std::string program() const;
  std::string policy() const;

private:
  void find_nodes();
  static void compare(NodeView &view, const Json &before);
  std::optional<std::string> order(NodeSocket &node, const std::string &request);
  /// Of some node, for the whole run.
  std::optional<std::string> order_run(const std::string &request);

  std::string folder_;
  std::map<int, NodeSocket> sockets_;
  std::vector<NodeView> views_;
  bool seen_ = false; // at least one node has answered
};

} // namespace skein::monitors

#endif
