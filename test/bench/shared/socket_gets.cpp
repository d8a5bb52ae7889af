// Gets and puts of 8 bytes over a bare TCP connection, to a process that does nothing but answer. This shows what the
// kernel takes, and is the second yardstick of the remote rows of `skein bench shared --remote`. A request and its
// answer have 24 bytes each. 64 outstanding requests travel together, in one call of send, and so do their answers.
//
//   socket_gets COUNT     prints "GET_NS GETS PUT_NS PUTS", as ucx_gets does
#include "migrate/pair.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

namespace {

constexpr size_t outstanding = 64;
constexpr int warm_up = 2000;

struct Request {
  uint64_t put, index, value;
};

uint64_t memory[outstanding];

int connection(int socket, bool first) {
  sockaddr_in address{}, other{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t bytes = sizeof address;
  int fd = ::socket(AF_INET, SOCK_STREAM, 0);
  if (!first && (bind(fd, reinterpret_cast<sockaddr *>(&address), sizeof address) || listen(fd, 1) ||
                 getsockname(fd, reinterpret_cast<sockaddr *>(&address), &bytes)))
    fail("socket_gets", "cannot listen");
  exchange(socket, &address, sizeof address, &other, sizeof other);
  if (first ? connect(fd, reinterpret_cast<sockaddr *>(&other), sizeof other) : (fd = accept(fd, nullptr, nullptr)) < 0)
    fail("socket_gets", "cannot connect");
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return fd;
}

void send_all(int fd, const Request *requests, size_t count) {
  if (send(fd, requests, count * sizeof *requests, MSG_NOSIGNAL) != static_cast<ssize_t>(count * sizeof *requests))
    fail("socket_gets", "cannot send");
}

/// Waits actively until `count` have come. The end of the connection ends this process.
void receive_all(int fd, Request *requests, size_t count) {
  for (size_t at = 0; at < count * sizeof *requests;) {
    const ssize_t got = recv(fd, reinterpret_cast<char *>(requests) + at, count * sizeof *requests - at, MSG_DONTWAIT);
    if (got == 0)
      _exit(0);
    if (got > 0)
      at += static_cast<size_t>(got);
  }
}

[[noreturn]] void answer(int fd) {
  static Request requests[outstanding];
  for (size_t have = 0;;) {
    const ssize_t got = recv(fd, reinterpret_cast<char *>(requests) + have, sizeof requests - have, MSG_DONTWAIT);
    if (got == 0)
      _exit(0);
    if (got < 0)
      continue;
    have += static_cast<size_t>(got);
    const size_t count = have / sizeof *requests;
    for (size_t i = 0; i < count; i++) {
      uint64_t &word = memory[requests[i].index % outstanding];
      if (requests[i].put)
        word = requests[i].value;
      requests[i].value = word;
    }
    if (count)
      send_all(fd, requests, count);
    have -= count * sizeof *requests;
    memmove(requests, requests + count, have);
  }
}

double latency(int fd, uint64_t put, int count) {
  std::vector<double> times;
  for (int i = -warm_up; i < count; i++) {
    Request request = {put, 0, 7};
    const double begin = now_ns();
    send_all(fd, &request, 1);
    receive_all(fd, &request, 1);
    if (i >= 0)
      times.push_back(now_ns() - begin);
    if (request.value != 7)
      fail("socket_gets", "another value");
  }
  std::nth_element(times.begin(), times.begin() + count / 2, times.end());
  return times[static_cast<size_t>(count / 2)];
}

double rate(int fd, uint64_t put, int rounds) {
  static Request requests[outstanding];
  const double begin = now_ns();
  for (int i = 0; i < rounds; i++) {
    for (size_t j = 0; j < outstanding; j++)
      requests[j] = {put, j, 7};
    send_all(fd, requests, outstanding);
    receive_all(fd, requests, outstanding);
  }
  return 1e9 * rounds * static_cast<double>(outstanding) / (now_ns() - begin);
}

} // namespace

int main(int argc, char **argv) {
  const int count = argc > 1 ? atoi(argv[1]) : 0;
  if (count < 1)
    fail("usage", "socket_gets COUNT");
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends))
    fail("socketpair", "refused");
  const pid_t child = fork();
  if (child < 0)
    fail("fork", "refused");
  prctl(PR_SET_PDEATHSIG, SIGKILL); // in the parent, too, since its own parent may be killed
  const bool first = child != 0;
  close(ends[first ? 1 : 0]);
  for (uint64_t &word : memory)
    word = 7;
  const int fd = connection(ends[first ? 0 : 1], first);
  if (!first)
    answer(fd);
  for (const uint64_t put : {UINT64_C(0), UINT64_C(1)}) {
    const double one = latency(fd, put, count);
    rate(fd, put, count / 4);
    printf("%.0f %.0f\n", one, rate(fd, put, count / 4));
  }
  return 0;
}
