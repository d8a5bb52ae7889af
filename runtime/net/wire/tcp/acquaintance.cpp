// How nodes come to know each other; see acquaintance.h.
#include "net/wire/tcp/acquaintance.h"
#include "net/wire/tcp/receiving.h"
#include "net/wire/tcp/sending.h"

#include <arpa/inet.h>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

namespace skein::tcp {

Address own_address;

namespace {

constexpr unsigned strangers_most = 64, accepts_a_look = 16;
constexpr uint64_t greeting_ns = 5 * second, patience_ns = 60 * second;
constexpr uint64_t first_retry_ns = second / 1000, longest_retry_ns = second / 20;
constexpr long tick_ns = 5000000; // while not all have connected
constexpr int backlog = 1024;

int listener = -1, timer = -1;
Connection *strangers;   // in their handshake, oldest first
unsigned stranger_count; // of those, that have not shown that they know the key
uint32_t next_id;

void set_line(Peer &peer, Connection *line) {
  acquire(peer);
  peer.line = line;
  release(peer);
}

/// The other side of `line` has proved that it is `peer`.
void establish(Peer &peer, Connection *line) {
  const int number = static_cast<int>(&peer - peers);
  acquire(peer);
  const bool welcome = peer.state == State::strange;
  if (welcome) {
    peer.line = line;
    peer.state = State::open;
    peer.stage = static_cast<char *>(malloc(stage_bytes));
    peer.input = static_cast<char *>(malloc(input_bytes));
    if (!peer.stage || !peer.input)
      out_of_memory(stage_bytes + input_bytes);
    watch(line->fd, EPOLL_CTL_MOD, EPOLLIN, static_cast<uint64_t>(number));
    send_waiting(peer);
    unsettled.fetch_sub(1, std::memory_order_relaxed);
    settling.store(true, std::memory_order_release);
  }
  release(peer);
  if (!welcome) {
    if (peer.line != line) // else it is closed with its peer
      connection_delete(line);
    return;
  }
  find_near();
  serve_greeted(number);
}

void retry_later(Peer &peer) {
  peer.retry_ns = peer.retry_ns ? peer.retry_ns * 2 : first_retry_ns;
  if (peer.retry_ns > longest_retry_ns)
    peer.retry_ns = longest_retry_ns;
  peer.retry_at_ns = now_ns() + peer.retry_ns;
}

/// What sockets take for an Address. Returns its length; 0: the address is of no family that is known here.
socklen_t to_socket(const Address &from, SocketAddress &to) {
  memset(&to, 0, sizeof to);
  to.any.sa_family = from.family;
  if (from.family == AF_INET) {
    to.four.sin_port = from.port;
    memcpy(&to.four.sin_addr, from.host, sizeof to.four.sin_addr);
    return sizeof to.four;
  }
  to.six.sin6_port = from.port;
  memcpy(&to.six.sin6_addr, from.host, sizeof to.six.sin6_addr);
  return from.family == AF_INET6 ? sizeof to.six : 0;
}

/// Begins to connect to a peer. If that fails, it is tried again later.
void begin_connecting(Peer &peer) {
  const int fd = socket(peer.address.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP);
  if (fd < 0) {
    peer.why = strerrordesc_np(errno);
    return retry_later(peer);
  }
  const bool connected = ::connect(fd, &peer.address.any, peer.address_bytes) == 0;
  if (!connected && errno != EINPROGRESS) {
    peer.why = strerrordesc_np(errno);
    ::close(fd);
    return retry_later(peer);
  }
  Connection *line = connection_new(fd, static_cast<int>(&peer - peers));
  line->since_ns = now_ns();
  set_line(peer, line);
  watch(fd, EPOLL_CTL_ADD, EPOLLOUT, static_cast<uint64_t>(&peer - peers)); // when it is connected
}

void take_from_strangers(const Connection *line) {
  for (Connection **at = &strangers; *at; at = &(*at)->next)
    if (*at == line) {
      *at = line->next;
      break;
    }
}

/// Closes the connection of a stranger. Null: without a word.
void put_out(Connection *line, const char *why) {
  take_from_strangers(line);
  if (!line->vouched)
    stranger_count--;
  if (why && setup.note) {
    char text[160];
    snprintf(text, sizeof text, "a connection from outside was refused: %s", why);
    setup.note(setup.context, text);
  }
  connection_delete(line);
}

void greet_half_open(Connection *line) {
  const bool known = line->vouched;
  const Connection::Greeting greeting = line->greet();
  if (line->vouched && !known) {
    stranger_count--;
    // Of connections that claim to be one peer, only the newest stays: somebody may send recorded beginnings again.
    for (Connection *other = strangers; other; other = other->next)
      if (other != line && other->vouched && other->peer == line->peer) {
        put_out(other, nullptr);
        break;
      }
  }
  if (greeting == Connection::Greeting::done) {
    take_from_strangers(line);
    establish(peers[line->peer], line);
  } else if (greeting == Connection::Greeting::failed) {
    put_out(line, line->ended());
  } else {
    watch(line->fd, EPOLL_CTL_MOD, greeting == Connection::Greeting::wants_input ? EPOLLIN : EPOLLOUT,
          from_stranger | line->id);
  }
}

/// Reads a numeric address. False: it is not one, or that of no interface in particular.
bool parse_listen(const char *text, Address &address) {
  constexpr uint8_t unspecified[sizeof address.host] = {};
  address = {};
  if (inet_pton(AF_INET, text, address.host) == 1)
    address.family = AF_INET;
  else if (inet_pton(AF_INET6, text, address.host) == 1)
    address.family = AF_INET6;
  return address.family && memcmp(address.host, unspecified, sizeof unspecified) != 0;
}

int listen_for_others(char *error, size_t error_bytes) {
  if (!parse_listen(setup.listen, own_address)) {
    snprintf(error, error_bytes, "'%s' is not the numeric address of one interface (tcp_listen)", setup.listen);
    return -1;
  }
  SocketAddress address;
  socklen_t bytes = to_socket(own_address, address);
  listener = socket(own_address.family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP);
  const int on = 1;
  if (listener < 0 || setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0)
    return fail(error, error_bytes, "socket");
  if (bind(listener, &address.any, bytes) != 0)
    return fail(error, error_bytes, setup.listen);
  if (listen(listener, backlog) != 0 || getsockname(listener, &address.any, &bytes) != 0)
    return fail(error, error_bytes, "listen");
  own_address.port = own_address.family == AF_INET ? address.four.sin_port : address.six.sin6_port;
  watch(listener, EPOLL_CTL_ADD, EPOLLIN, from_listener);
  return 0;
}

} // namespace

int acquaintance_open(char *error, size_t error_bytes) {
  timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
  const itimerspec ticks = {{0, tick_ns}, {0, tick_ns}};
  if (timer < 0 || timerfd_settime(timer, 0, &ticks, nullptr) != 0)
    return fail(error, error_bytes, "timerfd");
  watch(timer, EPOLL_CTL_ADD, EPOLLIN, from_timer);
  return setup.self > 0 ? listen_for_others(error, error_bytes) : 0;
}

int connect_to(Peer &peer, const void *address, size_t bytes, char *error, size_t error_bytes) {
  Address at;
  if (bytes != sizeof at) {
    snprintf(error, error_bytes, "its address has %zu bytes", bytes);
    return -1;
  }
  memcpy(&at, address, sizeof at);
  peer.address_bytes = to_socket(at, peer.address);
  if (!peer.address_bytes) {
    snprintf(error, error_bytes, "its address is not understood");
    return -1;
  }
  peer.give_up_ns = now_ns() + patience_ns;
  peer.wanted = true;
  begin_connecting(peer);
  return 0;
}

void greet_peer(Peer &peer) {
  Connection *line = peer.line;
  if (!line || peer.state != State::strange)
    return;
  switch (line->greet()) {
  case Connection::Greeting::done:
    return establish(peer, line);
  case Connection::Greeting::wants_input:
    return watch(line->fd, EPOLL_CTL_MOD, EPOLLIN, static_cast<uint64_t>(&peer - peers));
  case Connection::Greeting::wants_output:
    return watch(line->fd, EPOLL_CTL_MOD, EPOLLOUT, static_cast<uint64_t>(&peer - peers));
  case Connection::Greeting::failed:
    peer.why = line->ended();
    set_line(peer, nullptr);
    connection_delete(line);
    return retry_later(peer);
  }
}

void greet_stranger(uint32_t id) {
  for (Connection *line = strangers; line; line = line->next)
    if (line->id == id)
      return greet_half_open(line);
}

void accept_some() {
  if (listener < 0)
    return;
  for (unsigned i = 0; i < accepts_a_look; i++) {
    const int fd = accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) {
      if (errno == EAGAIN || errno == ECONNABORTED || errno == EINTR)
        return;
      // There are no descriptors or no memory: no connection is accepted before the next tick.
      watch(listener, EPOLL_CTL_MOD, 0, from_listener);
      return;
    }
    if (stranger_count == strangers_most)
      for (Connection *oldest = strangers; oldest; oldest = oldest->next)
        if (!oldest->vouched) {
          put_out(oldest, "too many have connected and said nothing");
          break;
        }
    Connection *line = connection_new(fd, -1);
    line->id = next_id++;
    line->since_ns = now_ns();
    Connection **end = &strangers;
    while (*end)
      end = &(*end)->next;
    *end = line;
    stranger_count++;
    watch(fd, EPOLL_CTL_ADD, EPOLLIN, from_stranger | line->id);
    greet_half_open(line); // its first bytes are mostly there already
  }
}

void tick() {
  if (timer < 0)
    return;
  uint64_t expirations;
  [[maybe_unused]] const ssize_t got = read(timer, &expirations, sizeof expirations);
  const uint64_t now = now_ns();
  while (strangers && now - strangers->since_ns > greeting_ns)
    put_out(strangers, "it has not introduced itself in time");
  if (listener >= 0)
    watch(listener, EPOLL_CTL_MOD, EPOLLIN, from_listener);
  for (int i = 0; i < setup.peers; i++) {
    Peer &peer = peers[i];
    acquire(peer);
    const bool trying = peer.wanted && peer.state == State::strange;
    release(peer);
    if (!trying)
      continue;
    if (now > peer.give_up_ns) {
      ended(peer, peer.why ? peer.why : "it cannot be reached");
    } else if (Connection *line = peer.line; line && now - line->since_ns > greeting_ns) {
      peer.why = "it does not answer";
      set_line(peer, nullptr);
      connection_delete(line);
      retry_later(peer);
    } else if (!line && now >= peer.retry_at_ns) {
      begin_connecting(peer);
    }
  }
}

void settle() {
  settling.store(false, std::memory_order_relaxed);
  if (unsettled.load(std::memory_order_relaxed))
    return;
  if (listener >= 0)
    ::close(listener);
  if (timer >= 0)
    ::close(timer);
  listener = timer = -1;
  while (strangers)
    put_out(strangers, nullptr);
}

void acquaintance_forget() {
  listener = timer = -1;
  while (Connection *line = strangers) {
    strangers = line->next;
    line->forget_socket();
    connection_delete(line);
  }
  stranger_count = 0;
  own_address = {};
}

void acquaintance_abandon() {
  for (Connection *line = strangers; line; line = line->next)
    ::close(line->fd);
  for (int fd : {listener, timer})
    if (fd >= 0)
      ::close(fd);
}

} // namespace skein::tcp
