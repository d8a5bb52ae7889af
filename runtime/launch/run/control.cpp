// The control socket; see control.h.
#include "launch/run/control.h"
#include "launch/run/local_socket.h"

#include <cerrno>
#include <cstring>
#include <sstream>
#include <sys/socket.h>
#include <unistd.h>

namespace skein::launch {

Control::~Control() {
  while (!clients_.empty())
    hang_up(clients_.begin()->first);
  if (listening_ < 0)
    return;
  loop_.forget(listening_);
  close(listening_);
  unlink(path_.c_str());
}

void Control::listen(const std::string &path) {
  listening_ = listen_at(path, SOCK_SEQPACKET, clients_most);
  path_ = path;
  loop_.watch(listening_, Loop::Kind::message, [this] { let_in(); });
}

void Control::let_in() {
  const int socket = let_in_at(listening_);
  if (socket < 0)
    return;
  if (clients_.size() == clients_most) {
    close(socket);
    return;
  }
  const uint64_t client = ++last_;
  clients_[client] = socket;
  loop_.watch(socket, Loop::Kind::message, [this, client] { read_from(client); });
}

void Control::read_from(uint64_t client) {
  char text[control_bytes_most];
  const ssize_t bytes = recv(clients_.at(client), text, sizeof text, 0);
  if (bytes < 0 && (errno == EAGAIN || errno == EINTR))
    return;
  if (bytes <= 0) {
    hang_up(client);
    return on_gone(client);
  }
  std::istringstream line(std::string(text, static_cast<size_t>(bytes)));
  std::vector<std::string> words;
  for (std::string word; line >> word;)
    words.push_back(word);
  on_request(client, words);
}

void Control::answer(uint64_t client, const std::string &text) {
  const auto found = clients_.find(client);
  if (found == clients_.end())
    return;
  const size_t bytes = text.size() < control_bytes_most ? text.size() : control_bytes_most;
  if (send(found->second, text.data(), bytes, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 && errno != EPIPE)
    shutdown(found->second, SHUT_RDWR); // which is noticed as if it had hung up
}

void Control::hang_up(uint64_t client) {
  const auto found = clients_.find(client);
  if (found == clients_.end())
    return;
  loop_.forget(found->second);
  close(found->second);
  clients_.erase(found);
}

int connect_to_launcher(const std::string &folder) {
  const int launcher = connect_at(folder + "/" + control_name, SOCK_SEQPACKET);
  if (launcher < 0)
    throw "the launcher of the run in " + folder + " does not answer: " + strerror(errno);
  return launcher;
}

} // namespace skein::launch
