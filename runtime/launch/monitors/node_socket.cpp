#include "launch/monitors/node_socket.h"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace skein::monitors {

NodeSocket::NodeSocket(NodeSocket &&other) noexcept
    : path_(std::move(other.path_)), socket_(std::exchange(other.socket_, -1)), come_(std::move(other.come_)) {}

void NodeSocket::hang_up() {
  if (socket_ >= 0)
    close(socket_);
  socket_ = -1;
  come_.clear();
}

bool NodeSocket::connect() {
  if (socket_ >= 0)
    return true;
  sockaddr_un place{};
  place.sun_family = AF_UNIX;
  if (path_.size() >= sizeof place.sun_path)
    return false;
  memcpy(place.sun_path, path_.c_str(), path_.size());
  socket_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (socket_ >= 0 && ::connect(socket_, reinterpret_cast<const sockaddr *>(&place), sizeof place) == 0)
    return true;
  hang_up();
  return false;
}

std::optional<Json> NodeSocket::ask(const std::string &request, int patience_ms) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::milliseconds(patience_ms);
  const std::string line = request + '\n';
  if (!connect())
    return {};
  if (send(socket_, line.data(), line.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(line.size())) {
    hang_up();
    return {};
  }
  size_t newline;
  while ((newline = come_.find('\n')) == std::string::npos) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    pollfd readable = {socket_, POLLIN, 0};
    char bytes[1 << 16];
    const ssize_t got =
        left > 0 && poll(&readable, 1, static_cast<int>(left)) >= 0 ? recv(socket_, bytes, sizeof bytes, 0) : 0;
    if (got > 0) {
      come_.append(bytes, static_cast<size_t>(got));
    } else if (got == 0 || (errno != EAGAIN && errno != EINTR) || left <= 0) {
      hang_up();
      return {};
    }
  }
  Json answer = Json::parse(come_.begin(), come_.begin() + static_cast<ptrdiff_t>(newline), nullptr, false);
  come_.erase(0, newline + 1);
  if (answer.is_object())
    return answer;
  hang_up();
  return {};
}

} // namespace skein::monitors
