// The transport over TCP sockets: one connection between each two nodes, on which nothing is read as a message before
// the other side has proved that it knows the run's secret (connection.h), and nothing is believed after it (frames.h).
// acquaintance.h says how connections come about. This file is the table, and the looks that `progress` takes.
//
// Sending. A message leaves in the call that sends it, if no other waits. Small messages are copied behind each other
// into the *stage*, which is one record of TLS or one part of a gather write, so what has queued up leaves together. A
// large message goes in parts, with small ones in between. A sender that finds the peer's lock taken leaves the message
// in its *inbox*, and the thread that holds the lock sends it: so no sender sleeps for another's system call.
//
// Receiving belongs to the kernel thread that is inside of `progress`, which takes the lock only for TLS. It sleeps on
// the epoll descriptor, which is level-triggered: what has not been read keeps it readable.
//
// The reader reports the end of a connection once (`lost`), after all that had arrived has been delivered.
//
// No C++ library here: like libskein.a this object may be loaded into a C program.
#include "net/wire/tcp/acquaintance.h"
#include "net/wire/tcp/receiving.h"
#include "net/wire/tcp/sending.h"
#include "net/wire/transport_symbol.h"

#include <cstdio>
#include <cstdlib>
#include <new>
#include <sys/epoll.h>
#include <unistd.h>

namespace skein::tcp {

namespace {

bool closed;

void handle(uint64_t what, unsigned &happened) {
  if (what == from_listener)
    accept_some();
  else if (what == from_timer)
    tick();
  else if (what >= from_stranger)
    greet_stranger(static_cast<uint32_t>(what));
  else if (peers[what].state == State::strange)
    greet_peer(peers[what]);
  else
    happened += serve(static_cast<int>(what));
}

unsigned look_everywhere() {
  epoll_event events[64];
  unsigned happened = 0;
  const int count = epoll_wait(epoll_fd, events, 64, 0);
  for (int i = 0; i < count; i++)
    handle(events[i].data.u64, happened);
  return happened;
}

unsigned look_at_events() {
  unsigned happened = 0;
  if (reaping.exchange(false, std::memory_order_acquire))
    reap();
  if (settling.load(std::memory_order_acquire))
    settle();
  if (unsettled.load(std::memory_order_relaxed) == 0 && serve_near(happened))
    return happened;
  return look_everywhere();
}

unsigned progress(unsigned looks) {
  if (closed)
    return 0;
  unsigned count = 0;
  look_repeatedly(looks, [&] {
    count = look_at_events();
    return count || reporting.load(std::memory_order_relaxed);
  });
  count += arrived.deliver(arrived.take(), setup);
  if (reporting.exchange(false, std::memory_order_acquire))
    for (int i = 0; i < setup.peers; i++)
      if (peers[i].unreported) {
        peers[i].unreported = false;
        setup.lost(setup.context, i, peers[i].why);
        count++;
      }
  return count;
}

int open(const skein_transport_setup *wanted, char *error, size_t error_bytes) {
  setup = *wanted;
  security.secret = setup.secret;
  security.self = setup.self;
  security.peers = setup.peers;
  security.sealed = setup.sealed;
  if (!security_open(security, error, error_bytes))
    return -1;
  const size_t bytes = static_cast<size_t>(setup.peers) * sizeof(Peer);
  void *memory = aligned_alloc(alignof(Peer), bytes);
  if (!memory)
    return fail(error, error_bytes, "open");
  peers = static_cast<Peer *>(memory);
  for (int i = 0; i < setup.peers; i++)
    new (peers + i) Peer;
  peers[setup.self].state = State::gone;
  unsettled.store(static_cast<unsigned>(setup.peers - 1), std::memory_order_relaxed);
  epoll_fd = epoll_create1(EPOLL_CLOEXEC);
  if (epoll_fd < 0)
    return fail(error, error_bytes, "epoll");
  return acquaintance_open(error, error_bytes);
}

void address(skein_transport_address *own) { *own = {&own_address, sizeof own_address, {-1, -1}}; }

int connect(int number, const skein_transport_address *remote, char *error, size_t error_bytes) {
  Peer &peer = peers[number];
  acquire(peer);
  const State state = peer.state;
  release(peer);
  if (state == State::gone || state == State::open || number < setup.self) { // the other one connects
    if (state != State::gone)
      return 0;
    snprintf(error, error_bytes, "its connection has ended");
    return -1;
  }
  return connect_to(peer, remote->bytes, remote->count, error, error_bytes);
}

int send(int to, void *message, size_t bytes) { return result_of_send(post(to, message, bytes), message); }
int lend(int to, void *message, size_t bytes) { return result_of_lend(post(to, message, bytes)); }

int wait_fd() { return epoll_fd; }

int arm() {
  return arrived.empty() && !reporting.load(std::memory_order_relaxed) && !reaping.load(std::memory_order_relaxed) &&
         !settling.load(std::memory_order_relaxed);
}

void disconnect(int number) {
  Peer &peer = peers[number];
  acquire(peer);
  let_go(peer);
  release(peer);
}

unsigned pending() {
  unsigned count = 0;
  for (int i = 0; i < setup.peers; i++) {
    Peer &peer = peers[i];
    acquire(peer);
    collect(peer);
    if (!peer.blocked)
      send_waiting(peer);
    count += peer.waiting;
    release(peer);
  }
  return count;
}

void close() {
  for (int i = 0; i < setup.peers; i++)
    disconnect(i);
  reap();
  settle();
  closed = true;
  // The peers stay, all of them gone now, for threads that are about to send.
}

void leave() {
  // Not for ever, since a signal handler that calls exit() may have interrupted the holder of a lock. A thread that
  // sends later does not sleep for the lock, but leaves its message in an inbox.
  for (int i = 0; i < setup.peers; i++)
    peers[i].lock.try_lock_for(second);
}

void abandon() {
  for (int i = 0; i < setup.peers; i++)
    if (peers[i].line)
      ::close(peers[i].line->fd);
  acquaintance_abandon();
  ::close(epoll_fd);
}

int forget() {
  acquaintance_forget();
  receiving_forget();
  for (int i = 0; i < setup.peers; i++) {
    Peer &peer = peers[i];
    peer.lock.reset();
    collect(peer);
    drop_all(peer);
    free(peer.stage);
    free(peer.input);
    if (peer.line) {
      peer.line->forget_socket();
      connection_delete(peer.line);
    }
    peer.~Peer();
  }
  free(peers);
  peers = nullptr;
  security_forget(security);
  epoll_fd = -1;
  for (std::atomic<bool> *flag : {&settling, &reaping, &reporting})
    flag->store(false, std::memory_order_relaxed);
  closed = false;
  return 0;
}

constexpr skein_transport table = SKEIN_TRANSPORT_TABLE("tcp");

} // namespace

} // namespace skein::tcp

SKEIN_TRANSPORT_DEFINE(skein::tcp::table)
