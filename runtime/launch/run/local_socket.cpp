// See local_socket.h.
#include "launch/run/local_socket.h"

#include <cerrno>
#include <cstring>
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

} // namespace

int listen_at(const std::string &path, int type, int backlog) {
  const sockaddr_un place = place_of(path);
  unlink(path.c_str());
  const int listening = socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (listening < 0 || bind(listening, reinterpret_cast<const sockaddr *>(&place), sizeof place) != 0 ||
      chmod(path.c_str(), S_IRUSR | S_IWUSR) != 0 || listen(listening, backlog) != 0) {
    const std::string why = path + ": " + strerror(errno);
    if (listening >= 0)
      close(listening);
    throw why;
  }
  return listening;
}

int let_in_at(int listening) {
  const int socket = accept4(listening, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  ucred peer;
  socklen_t bytes = sizeof peer;
  if (socket < 0 ||
      (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &bytes) == 0 && (peer.uid == geteuid() || peer.uid == 0)))
    return socket;
  close(socket);
  return -1;
}

int connect_at(const std::string &path, int type) {
  const sockaddr_un place = place_of(path);
  const int connected = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);
  if (connected < 0 || connect(connected, reinterpret_cast<const sockaddr *>(&place), sizeof place) == 0)
    return connected;
  const int error = errno;
  close(connected);
  errno = error;
  return -1;
}

} // namespace skein::launch
