// The control socket; see control.h.
#include "launch/run/control.h"

#include <cerrno>
#include <cstring>
#include <sstream>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace skein::launch {

namespace {

sockaddr_un place_of(const std::string &path) {
  sockaddr_un place{};
  place.sun_family = AF_UNIX;
  if (path.size() >= sizeof place.sun_path)
    throw "the name of the folder is too long for a socket: " + path;
  memcpy(place.sun_path, path.c_str(), path.size());
  return place;
}

/// Only the same user, or root.
bool may_ask(int socket) {
  ucred peer;
  socklen_t bytes = sizeof peer;
  return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &bytes) == 0 && (peer.uid == geteuid() || peer.uid == 0);
}

} // namespace

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
  const sockaddr_un place = place_of(path);
  unlink(path.c_str()); // of a run that was killed
  const int listening = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (listening < 0 || bind(listening, reinterpret_cast<const sockaddr *>(&place), sizeof place) != 0 ||
      chmod(path.c_str(), S_IRUSR | S_IWUSR) != 0 || ::listen(listening, clients_most) != 0) {
    const std::string why = path + ": " + strerror(errno);
    if (listening >= 0)
      close(listening);
    throw why;
  }
  path_ = path;
  listening_ = listening;
  loop_.watch(listening_, Loop::Kind::message, [this] { let_in(); });
}

void Control::let_in() {
  const int socket = accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (socket < 0)
    return;
  if (clients_.size() == clients_most || !may_ask(socket)) {
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
  const std::string path = folder + "/" + control_name;
  const sockaddr_un place = place_of(path);
  const int launcher = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  if (launcher < 0 || connect(launcher, reinterpret_cast<const sockaddr *>(&place), sizeof place) != 0) {
    const std::string why = strerror(errno);
    if (launcher >= 0)
      close(launcher);
    throw "the launcher of the run in " + folder + " does not answer: " + why;
  }
  return launcher;
}

} // namespace skein::launch
