// A connection to the monitor of one node (monitor/monitor.h).
#ifndef SKEIN_LAUNCH_MONITORS_NODE_SOCKET_H
#define SKEIN_LAUNCH_MONITORS_NODE_SOCKET_H

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace skein::monitors {

using Json = nlohmann::json;

class NodeSocket {
public:
  explicit NodeSocket(std::string path) : path_(std::move(path)) {}
  NodeSocket(const NodeSocket &) = delete;
  NodeSocket(NodeSocket &&other) noexcept;
  ~NodeSocket() { hang_up(); }

  /// Asks, and waits for the answer for so long; connects first if there is no connection. Nothing, if the node does
  /// not answer in time (it is stopped, say) or is gone; what it answers later is not taken for the answer to another
  /// question.
  std::optional<Json> ask(const std::string &request, int patience_ms = 1000);

  const std::string &path() const { return path_; }

private:
  bool connect();
  void hang_up();

  std::string path_;
  int socket_ = -1;
  std::string come_; // of an answer
};

} // namespace skein::monitors

#endif
