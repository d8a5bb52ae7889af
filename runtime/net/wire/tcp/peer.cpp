// Peers and their ends; see peer.h.
#include "net/wire/tcp/peer.h"
#include "net/wire/tcp/receiving.h"
#include "net/wire/tcp/sending.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <new>
#include <sys/epoll.h>

namespace skein::tcp {

skein_transport_setup setup;
Security security;
Peer *peers;
int epoll_fd = -1;
std::atomic<unsigned> unsettled{0};
std::atomic<bool> settling{false};
std::atomic<bool> reaping{false};
std::atomic<bool> reporting{false};

uint64_t now_ns() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * second + static_cast<uint64_t>(now.tv_nsec);
}

int fail(char *error, size_t bytes, const char *what) {
  snprintf(error, bytes, "%s: %s", what, strerrordesc_np(errno));
  return -1;
}

[[noreturn]] void out_of_memory(size_t bytes) {
  // Losing a message silently is worse than ending: a thread may be in it.
  fprintf(stderr, "skein: out of memory for a message of %zu bytes\n", bytes);
  abort();
}

Connection *connection_new(int fd, int to) {
  void *memory = malloc(sizeof(Connection));
  if (!memory)
    out_of_memory(sizeof(Connection));
  return new (memory) Connection(security, fd, to);
}

void connection_delete(Connection *line) {
  line->~Connection();
  free(line);
}

void watch(int fd, int operation, uint32_t events, uint64_t what) {
  epoll_event event{};
  event.events = events;
  event.data.u64 = what;
  epoll_ctl(epoll_fd, operation, fd, &event);
}

void let_go(Peer &peer) {
  if (peer.state == State::gone)
    return;
  if (peer.state == State::strange) {
    unsettled.fetch_sub(1, std::memory_order_relaxed);
    settling.store(true, std::memory_order_release);
  }
  peer.state = State::gone;
  drop_all(peer);
  if (peer.line) {
    shutdown(peer.line->fd, SHUT_RDWR);
    reaping.store(true, std::memory_order_release);
  }
}

void ended(Peer &peer, const char *why) {
  acquire(peer);
  if (peer.state != State::gone) {
    let_go(peer);
    peer.why = why;
    peer.unreported = true;
    reporting.store(true, std::memory_order_release);
  }
  release(peer);
}

void reap() {
  for (int i = 0; i < setup.peers; i++) {
    Peer &peer = peers[i];
    acquire(peer);
    Connection *line = nullptr;
    if (peer.state == State::gone) {
      line = peer.line;
      peer.line = nullptr;
    }
    release(peer);
    if (line)
      connection_delete(line);
  }
  find_near();
}

} // namespace skein::tcp
