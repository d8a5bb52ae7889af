// See monitor_relay.h.
#include "launch/run/monitor_relay.h"
#include "launch/run/file_of_node.h"
#include "launch/run/local_socket.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace skein::launch {

MonitorRelay::~MonitorRelay() {
  while (!doors_.empty())
    close_door(doors_.begin()->first);
  while (!connections_.empty())
    hang_up(connections_.begin()->first);
}

void MonitorRelay::open_door(const std::string &folder, int node) {
  const std::string path = file_of_node(folder, node);
  const int listening = listen_at(path, SOCK_STREAM, 16);
  doors_[node] = {listening, path};
  loop_.watch(listening, Loop::Kind::message, [this, node, listening] {
    const int socket = let_in_at(listening);
    if (socket >= 0 && connections_.size() < connections_most)
      add(node, ++last_, socket);
    else if (socket >= 0)
      close(socket);
  });
}

void MonitorRelay::close_door(int node) {
  const auto door = doors_.find(node);
  if (door == doors_.end())
    return;
  loop_.forget(door->second.listening);
  close(door->second.listening);
  unlink(door->second.path.c_str());
  doors_.erase(door);
  for (auto at = connections_.begin(); at != connections_.end();) {
    const auto [connection, of] = *at++;
    if (of.node == node)
      hang_up(connection);
  }
}

void MonitorRelay::add(int node, int connection, int socket) {
  connections_[connection] = {node, socket, ""};
  loop_.watch(socket, Loop::Kind::message, [this, connection] { serve(connection); });
}

void MonitorRelay::serve(int connection) {
  Connection &one = connections_.at(connection);
  char bytes[1 << 16];
  const ssize_t got = recv(one.socket, bytes, sizeof bytes, MSG_DONTWAIT);
  const bool nothing = got < 0 && (errno == EAGAIN || errno == EINTR);
  if (got > 0)
    send_(one.node, connection, std::string(bytes, static_cast<size_t>(got)));
  if ((got > 0 || nothing) && flush(one))
    return;
  give_up(connection);
}

/// False: the socket takes nothing any more.
bool MonitorRelay::flush(Connection &one) {
  while (!one.waiting.empty()) {
    const ssize_t sent = send(one.socket, one.waiting.data(), one.waiting.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno != EAGAIN && errno != EINTR)
      return false;
    if (sent < 0)
      break;
    one.waiting.erase(0, static_cast<size_t>(sent));
  }
  loop_.watch_for_room(one.socket, !one.waiting.empty());
  return one.waiting.size() <= waiting_most;
}

/// Tells the other end that this one hangs up, and does.
void MonitorRelay::give_up(int connection) {
  send_(connections_.at(connection).node, connection, "");
  hang_up(connection);
}

void MonitorRelay::hang_up(int connection) {
  const auto found = connections_.find(connection);
  if (found == connections_.end())
    return;
  loop_.forget(found->second.socket);
  close(found->second.socket);
  connections_.erase(found);
}

void MonitorRelay::heard(int node, int connection, const std::string &bytes, const std::string &folder) {
  if (bytes.empty())
    return hang_up(connection);
  if (connections_.count(connection) == 0) {
    if (folder.empty())
      return; // the connection has hung up meanwhile
    const int socket = connections_.size() < connections_most
                           ? connect_at(file_of_node(folder, node), SOCK_STREAM | SOCK_NONBLOCK)
                           : -1;
    if (socket < 0)
      return send_(node, connection, "");
    add(node, connection, socket);
  }
  Connection &one = connections_.at(connection);
  one.waiting += bytes;
  if (!flush(one))
    give_up(connection);
}

} // namespace skein::launch
