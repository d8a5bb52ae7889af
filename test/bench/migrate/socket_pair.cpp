// Ping-pong over a bare TCP connection on the loopback device (pair.h). This shows what the kernel takes, when nothing
// is sent but the bytes, whose number both sides know. Sleeping is poll().
#include "pair.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>

namespace {

class Way {
public:
  Way(int socket, bool first) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t bytes = sizeof address;
    const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in other{};
    if (!first && (bind(fd, reinterpret_cast<sockaddr *>(&address), sizeof address) || listen(fd, 1) ||
                   getsockname(fd, reinterpret_cast<sockaddr *>(&address), &bytes)))
      fail("socket_pair", "cannot listen");
    exchange(socket, &address, sizeof address, &other, sizeof other);
    if (first ? connect(fd, reinterpret_cast<sockaddr *>(&other), sizeof other)
              : (fd_ = accept(fd, nullptr, nullptr)) < 0)
      fail("socket_pair", "cannot connect");
    if (first)
      fd_ = fd;
    const int on = 1;
    setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  }
  void send(size_t bytes) {
    memory_.resize(std::max(memory_.size(), bytes));
    for (size_t at = 0; at < bytes;) {
      const ssize_t sent = ::send(fd_, memory_.data() + at, bytes - at, MSG_NOSIGNAL);
      if (sent < 0)
        fail("socket_pair", "cannot send");
      at += static_cast<size_t>(sent);
    }
  }
  void receive(size_t bytes, bool sleeping) {
    memory_.resize(std::max(memory_.size(), bytes));
    for (size_t at = 0; at < bytes;) {
      const ssize_t got = recv(fd_, memory_.data() + at, bytes - at, MSG_DONTWAIT);
      pollfd entry{fd_, POLLIN, 0};
      if (got > 0)
        at += static_cast<size_t>(got);
      else if (got == 0)
        fail("socket_pair", "the other side is gone");
      else if (sleeping)
        poll(&entry, 1, -1);
    }
  }
  void finish() {}

private:
  int fd_ = -1;
  std::vector<char> memory_;
};

} // namespace

int main(int argc, char **argv) { return play_pair<Way>(argc, argv); }
