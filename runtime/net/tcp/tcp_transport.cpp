// The transport over TCP sockets: one connection between each two nodes, on which nothing is read as a message before
// the other side has proved that it knows the run's secret (connection.h), and nothing is believed after it (frames.h).
//
// Who connects. A node listens for those with smaller numbers, on the one address that it was told (loopback by
// default), and closes that socket as soon as all of them have connected, or are dead: during the run nothing listens.
// Until then strangers may come. What they can reach is the handshake, and of that `strangers_most` at a time: one more
// puts out the one that has waited longest. Who has shown with its first bytes that it knows the key is not put out by
// strangers. A handshake has `greeting_ns`, whoever makes it; a peer whose connection was refused tries again.
//
// Sending. A message leaves in the call that sends it, if nothing is before it; small ones are copied behind each other
// into the *stage*, which is one record of TLS or one part of a gather write, so what has queued up leaves together. A
// large one goes in parts, and small ones in between. Who finds the peer's lock taken leaves the message in its
// *inbox*, and whoever holds the lock takes care of it: so nobody sleeps for somebody else's system call.
//
// Receiving belongs to who is inside of `progress`, who takes the lock only for TLS. With up to `near_most` peers each
// look is a recv on each; else one on the peer that was heard last, and epoll for the others. To sleep there is the
// epoll descriptor, level-triggered: whatever has not been read keeps it readable.
//
// The end of a connection is told once (`lost`), by who reads, after all that had arrived has been delivered.
//
// No C++ library here: like libskein.a this object may be loaded into a C program.
#include "net/arrived.h"
#include "net/tcp/connection.h"
#include "net/tcp/frames.h"
#include "os/linux/mutex.h"

#include <arpa/inet.h>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <netinet/in.h>
#include <new>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

namespace skein::tcp {

namespace {

constexpr size_t stage_bytes = 16384; // what a record of TLS holds
constexpr size_t copied_most = 4096;  // plain: larger ones are gathered where they lie
constexpr size_t input_bytes = 2 * (frame_most + sizeof(FrameHeader));
/// Of a large message: a whole number of records, with the header.
constexpr size_t part_bytes = frame_most - sizeof(FrameHeader);

constexpr unsigned near_most = 3;
constexpr unsigned strangers_most = 64, accepts_a_look = 16;
constexpr uint64_t second = 1000000000;
constexpr uint64_t greeting_ns = 5 * second, patience_ns = 60 * second;
constexpr uint64_t first_retry_ns = second / 1000, longest_retry_ns = second / 20;
constexpr long tick_ns = 5000000; // while not all have connected
constexpr int backlog = 1024;

/// Events of epoll: a peer by its number, or
constexpr uint64_t from_listener = UINT64_C(1) << 32, from_timer = UINT64_C(2) << 32, from_stranger = UINT64_C(3) << 32;

struct Outgoing {
  Outgoing *next;
  char *message; // from malloc
  size_t bytes;
};

struct Queue {
  Outgoing *first = nullptr, *last = nullptr;
  void append(Outgoing *one) {
    one->next = nullptr;
    if (first)
      last->next = one;
    else
      first = one;
    last = one;
  }
  Outgoing *take() {
    Outgoing *one = first;
    if (one)
      first = one->next;
    return one;
  }
};

enum class State : uint8_t { strange, open, gone };

struct alignas(64) Peer {
  Mutex lock; // for all up to `reader`
  State state = State::strange;
  bool blocked = false;       // its socket is full: epoll says when it is not
  bool broken = false;        // nothing can be sent any more; what had come before may still be read
  Connection *line = nullptr; // the reader closes it
  Queue small, large;         // not begun
  Outgoing *parted = nullptr; // the large one that is under way
  size_t parted_at = 0;       // what of it has been staged
  char *stage = nullptr;      // frames that leave next
  size_t stage_at = 0, stage_end = 0;
  char *direct = nullptr; // then this, which lies in a message
  size_t direct_left = 0;
  char *direct_message = nullptr;         // to be freed after that
  unsigned staged = 0;                    // messages that end in the stage
  unsigned waiting = 0;                   // messages that have not left, apart from the inbox
  std::atomic<Outgoing *> inbox{nullptr}; // last one first; without the lock

  // The reader's
  FrameReader reader;
  char *input = nullptr;
  size_t input_end = 0;
  bool unreported = false; // its connection has ended
  const char *why = nullptr;

  // While it is strange
  bool wanted = false; // we connect to it
  sockaddr_storage address;
  socklen_t address_bytes = 0;
  uint64_t retry_at_ns = 0, retry_ns = 0, give_up_ns = 0;
};

/// An address as nodes send it to each other by their launcher.
struct Address {
  uint16_t family; // AF_INET, AF_INET6; 0: nobody connects to this node
  uint16_t port;   // these two as the network has them
  uint8_t host[16];
};
static_assert(sizeof(Address) == 20);

skein_transport_setup setup;
Security security;
Peer *peers;
Arrived arrived;
Address own_address;
int epoll_fd = -1, listener = -1, timer = -1;
Connection *strangers;   // half-open, oldest first
unsigned stranger_count; // that have not been vouched for
uint32_t next_id;
std::atomic<unsigned> unsettled{0}; // peers that are neither open nor gone
std::atomic<bool> settling{false};  // some have become so
std::atomic<bool> reaping{false};   // connections of those that are gone wait to be closed
std::atomic<bool> reporting{false}; // somebody's `unreported` is set
int near[near_most];                // all open peers, if there are few enough
unsigned near_count;
bool all_near;
int last_heard = -1;
bool closed;

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

// Sending: all under the peer's lock ----------------------------------------------------------------------------------

void drop_all(Peer &peer) {
  for (Queue *queue : {&peer.small, &peer.large})
    while (Outgoing *one = queue->take()) {
      free(one->message);
      free(one);
    }
  if (peer.parted) {
    free(peer.parted->message);
    free(peer.parted);
    peer.parted = nullptr;
  }
  free(peer.direct_message);
  peer.direct_message = peer.direct = nullptr;
  peer.direct_left = peer.stage_at = peer.stage_end = 0;
  peer.staged = peer.waiting = 0;
}

void put_header(Peer &peer, FrameKind kind, size_t bytes) {
  const FrameHeader header = {static_cast<uint32_t>(bytes), kind, {}};
  memcpy(peer.stage + peer.stage_end, &header, sizeof header);
  peer.stage_end += sizeof header;
}

/// Copies the beginning of something to the stage and leaves the rest where it lies. Sealed: as much as there is room;
/// a record more would take longer than the copy.
void put(Peer &peer, char *bytes, size_t count) {
  const size_t room = stage_bytes - peer.stage_end;
  const size_t copied = security.sealed || count <= copied_most ? (count < room ? count : room) : 0;
  memcpy(peer.stage + peer.stage_end, bytes, copied);
  peer.stage_end += copied;
  peer.direct = bytes + copied;
  peer.direct_left = count - copied;
}

/// Puts a message that travels whole on the stage. True: all of it is there, and the message is not needed any more.
bool put_whole(Peer &peer, char *message, size_t bytes) {
  put_header(peer, FrameKind::whole, bytes);
  put(peer, message, bytes);
  if (peer.direct_left == 0) {
    peer.staged++;
    return true;
  }
  peer.direct_message = message;
  return false;
}

/// The next frames, small messages first. False: there is nothing to send.
bool compose(Peer &peer) {
  while (peer.direct_left == 0 && peer.small.first &&
         stage_bytes - peer.stage_end >= sizeof(FrameHeader) + (peer.stage_end ? peer.small.first->bytes : 0)) {
    Outgoing *one = peer.small.take();
    if (put_whole(peer, one->message, one->bytes))
      free(one->message);
    free(one);
  }
  if (peer.direct_left == 0 && stage_bytes - peer.stage_end >= 2 * sizeof(FrameHeader) + sizeof(uint64_t)) {
    if (!peer.parted && (peer.parted = peer.large.take())) {
      const uint64_t total = peer.parted->bytes;
      put_header(peer, FrameKind::begin, sizeof total);
      memcpy(peer.stage + peer.stage_end, &total, sizeof total);
      peer.stage_end += sizeof total;
      peer.parted_at = 0;
    }
    if (Outgoing *parted = peer.parted) {
      const size_t left = parted->bytes - peer.parted_at, count = left < part_bytes ? left : part_bytes;
      put_header(peer, FrameKind::part, count);
      put(peer, parted->message + peer.parted_at, count);
      peer.parted_at += count;
      if (count == left) {
        peer.direct_message = parted->message; // even if all of it is on the stage
        free(parted);
        peer.parted = nullptr;
      }
    }
  }
  return peer.stage_end || peer.direct_left;
}

/// Sends what there is, until the socket is full. What cannot be sent any more is dropped; who reads will find the end
/// of the connection, too, and say so.
void advance(Peer &peer) {
  while (peer.stage_end || peer.direct_left || compose(peer)) {
    while (peer.stage_at < peer.stage_end || peer.direct_left) {
      iovec parts[2];
      int count = 0;
      if (peer.stage_at < peer.stage_end)
        parts[count++] = {peer.stage + peer.stage_at, peer.stage_end - peer.stage_at};
      if (peer.direct_left)
        parts[count++] = {peer.direct, peer.direct_left};
      size_t sent = peer.line->write(parts, count, peer.parted != nullptr);
      if (sent == 0) {
        if (peer.line->ended()) {
          drop_all(peer);
          peer.broken = true;
        } else if (!peer.blocked) {
          peer.blocked = true;
          watch(peer.line->fd, EPOLL_CTL_MOD, EPOLLIN | EPOLLOUT, static_cast<uint64_t>(&peer - peers));
        }
        return;
      }
      const size_t staged = peer.stage_end - peer.stage_at, of_stage = sent < staged ? sent : staged;
      peer.stage_at += of_stage;
      sent -= of_stage;
      peer.direct += sent;
      peer.direct_left -= sent;
    }
    peer.waiting -= peer.staged;
    peer.staged = 0;
    peer.stage_at = peer.stage_end = 0;
    if (peer.direct_message) {
      free(peer.direct_message);
      peer.direct_message = nullptr;
      peer.waiting--;
    }
  }
  if (peer.blocked) {
    peer.blocked = false;
    watch(peer.line->fd, EPOLL_CTL_MOD, EPOLLIN, static_cast<uint64_t>(&peer - peers));
  }
}

/// What others have left in the inbox, in the order in which they came.
void collect(Peer &peer) {
  Outgoing *turned = nullptr;
  for (Outgoing *one = peer.inbox.exchange(nullptr, std::memory_order_acq_rel); one;) {
    Outgoing *next = one->next;
    one->next = turned;
    turned = one;
    one = next;
  }
  while (turned) {
    Outgoing *one = turned;
    turned = one->next;
    if (peer.state == State::gone || peer.broken) {
      free(one->message);
      free(one);
      continue;
    }
    peer.waiting++;
    (one->bytes > frame_most ? peer.large : peer.small).append(one);
  }
}

void send_waiting(Peer &peer) {
  if (peer.state == State::open && !peer.broken)
    advance(peer);
}

/// Frees the lock. What came to the inbox meanwhile is ours: either its sender sees the lock free, or we see it.
void release(Peer &peer) {
  for (;;) {
    peer.lock.unlock();
    std::atomic_thread_fence(std::memory_order_seq_cst); // pairs with the one in post
    if (!peer.inbox.load(std::memory_order_relaxed) || !peer.lock.try_lock())
      return;
    collect(peer);
    if (!peer.blocked)
      send_waiting(peer);
  }
}

/// Whoever holds the lock is in a system call, or in TLS, for some microseconds, unless it has lost its core.
void acquire(Peer &peer) {
  for (unsigned i = 0; i < 1000; i++) {
    if (peer.lock.try_lock())
      return;
    __builtin_ia32_pause();
  }
  peer.lock.lock();
}

/// What became of a message: it has been copied, it belongs to the transport now, or there is no such peer.
enum class Posted { copied, kept, nobody };

Outgoing *outgoing(void *message, size_t bytes) {
  auto *one = static_cast<Outgoing *>(malloc(sizeof(Outgoing)));
  if (!one)
    out_of_memory(bytes);
  *one = {nullptr, static_cast<char *>(message), bytes};
  return one;
}

/// `later`: more will follow at once, from the same caller.
Posted post(int to, void *message, size_t bytes, bool later = false) {
  Peer &peer = peers[to];
  if (!peer.lock.try_lock()) {
    Outgoing *one = outgoing(message, bytes);
    one->next = peer.inbox.load(std::memory_order_relaxed);
    while (!peer.inbox.compare_exchange_weak(one->next, one, std::memory_order_release, std::memory_order_relaxed))
      ;
    std::atomic_thread_fence(std::memory_order_seq_cst); // pairs with the one in release
    if (peer.lock.try_lock()) {
      collect(peer);
      if (!peer.blocked)
        send_waiting(peer);
      release(peer);
    }
    return Posted::kept;
  }
  if (peer.inbox.load(std::memory_order_acquire))
    collect(peer);
  if (peer.state == State::gone || peer.broken) {
    release(peer);
    return Posted::nobody;
  }
  Posted posted = Posted::kept;
  peer.waiting++;
  if (!later && peer.state == State::open && bytes <= frame_most && peer.waiting == 1) {
    if (put_whole(peer, static_cast<char *>(message), bytes))
      posted = Posted::copied;
  } else {
    (bytes > frame_most ? peer.large : peer.small).append(outgoing(message, bytes));
  }
  if (!later && !peer.blocked)
    send_waiting(peer);
  release(peer);
  return posted;
}

// Ends ----------------------------------------------------------------------------------------------------------------

/// Under the lock. Nothing goes to this peer any more, and nothing that comes from it is looked at.
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

/// The reader's: the connection is over, which is to be reported.
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

void find_near() {
  near_count = 0;
  all_near = true;
  for (int i = 0; i < setup.peers; i++)
    if (i != setup.self && peers[i].state == State::open) {
      if (near_count == near_most)
        all_near = false;
      else
        near[near_count++] = i;
    }
}

/// Closes the connections of those that are gone.
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

// Receiving -----------------------------------------------------------------------------------------------------------

/// Takes the messages of one peer out of the stream. Answers leave together, with the last one.
class Sink {
public:
  explicit Sink(int from) : from_(from) {}
  ~Sink() { answer(false); }
  Sink(const Sink &) = delete;

  bool whole(const char *message, size_t bytes) {
    count++;
    skein_transport_answer reply = {-1, nullptr, 0};
    if (setup.at_once && setup.at_once(setup.context, from_, message, bytes, &reply)) {
      if (reply.message) {
        answer(true);
        reply_ = reply;
      }
      return true;
    }
    Incoming *incoming = arrived.expect(from_, bytes);
    if (!incoming)
      out_of_memory(bytes);
    memcpy(incoming->message, message, bytes);
    arrived.append(incoming);
    return true;
  }
  bool large(char *message, uint64_t bytes) {
    count++;
    if (!arrived.adopt(from_, message, bytes))
      out_of_memory(bytes);
    return true;
  }
  unsigned count = 0;

private:
  void answer(bool later) {
    if (reply_.message && post(reply_.to, reply_.message, reply_.bytes, later) != Posted::kept)
      free(reply_.message);
    reply_.message = nullptr;
  }
  const int from_;
  skein_transport_answer reply_ = {-1, nullptr, 0};
};

/// Messages out of what is in `input`. False: the peer has broken the rules.
bool digest(Peer &peer, Sink &sink) {
  size_t used = 0;
  const char *wrong = peer.reader.take(peer.input, peer.input_end, used, sink);
  if (wrong)
    return ended(peer, wrong), false;
  peer.input_end -= used;
  if (peer.input_end && used)
    memmove(peer.input, peer.input + used, peer.input_end);
  return true;
}

/// Reads what TLS makes of what has been filled in.
void read_sealed(Peer &peer, Sink &sink) {
  for (;;) {
    size_t room, bytes;
    char *direct = peer.reader.direct(room);
    acquire(peer);
    bytes = peer.state == State::open ? direct
                                            ? peer.line->read(direct, room)
                                            : peer.line->read(peer.input + peer.input_end, input_bytes - peer.input_end)
                                      : 0;
    release(peer);
    if (bytes == 0)
      return;
    if (direct) {
      peer.reader.take(nullptr, bytes, room, sink);
      continue;
    }
    peer.input_end += bytes;
    if (!digest(peer, sink))
      return;
  }
}

void read_plain(Peer &peer, Sink &sink, unsigned &happened) {
  size_t room;
  char *direct = peer.reader.direct(room);
  iovec parts[2] = {{direct, room}, {peer.input + peer.input_end, input_bytes - peer.input_end}};
  size_t bytes = direct ? peer.line->read(parts, 2) : peer.line->read(parts + 1, 1);
  if (bytes == 0)
    return;
  happened++;
  if (direct) {
    size_t used;
    const size_t of_part = bytes < room ? bytes : room;
    peer.reader.take(nullptr, of_part, used, sink);
    bytes -= of_part;
  }
  peer.input_end += bytes;
  digest(peer, sink);
}

/// One recv of one peer. Returns how much happened.
unsigned serve(int number) {
  Peer &peer = peers[number];
  Connection *line = peer.line;
  if (!line || peer.state != State::open)
    return 0;
  unsigned happened = 0;
  {
    Sink sink(number);
    if (!security.sealed) {
      read_plain(peer, sink, happened);
    } else if (line->fill()) {
      happened++;
      read_sealed(peer, sink);
    }
    happened += sink.count;
  }
  if (happened)
    last_heard = number;
  if (peer.blocked) {
    acquire(peer);
    send_waiting(peer);
    release(peer);
  }
  if (const char *why = line->ended()) {
    // A writer may have found it first; then there may be more to read.
    if (!happened) {
      ended(peer, why);
      happened++;
    }
  }
  return happened;
}

// While not all have connected ----------------------------------------------------------------------------------------

/// Of a peer that is strange; null: none.
void set_line(Peer &peer, Connection *line) {
  acquire(peer);
  peer.line = line;
  release(peer);
}

/// The other side of `line` is who it says.
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
  Sink sink(number);
  if (security.sealed) // what came together with the end of the handshake
    read_sealed(peer, sink);
}

void retry_later(Peer &peer) {
  peer.retry_ns = peer.retry_ns ? peer.retry_ns * 2 : first_retry_ns;
  if (peer.retry_ns > longest_retry_ns)
    peer.retry_ns = longest_retry_ns;
  peer.retry_at_ns = now_ns() + peer.retry_ns;
}

/// The handshake of a connection that we have made, as far as it goes.
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

/// Begins to connect to a peer. What does not work now is tried again.
void begin(Peer &peer) {
  const int fd = socket(peer.address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP);
  if (fd < 0) {
    peer.why = strerrordesc_np(errno);
    return retry_later(peer);
  }
  const bool connected = ::connect(fd, reinterpret_cast<sockaddr *>(&peer.address), peer.address_bytes) == 0;
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

void put_out(Connection *line, const char *why) {
  for (Connection **at = &strangers; *at; at = &(*at)->next)
    if (*at == line) {
      *at = line->next;
      break;
    }
  if (!line->vouched)
    stranger_count--;
  if (why && setup.note) {
    char text[160];
    snprintf(text, sizeof text, "a connection from outside was refused: %s", why);
    setup.note(setup.context, text);
  }
  connection_delete(line);
}

void greet_stranger(Connection *line) {
  const bool known = line->vouched;
  const Connection::Greeting greeting = line->greet();
  if (line->vouched && !known) {
    stranger_count--;
    // Of one peer, the newest: recorded beginnings of others do not add up.
    for (Connection *other = strangers; other; other = other->next)
      if (other != line && other->vouched && other->peer == line->peer) {
        put_out(other, nullptr);
        break;
      }
  }
  if (greeting == Connection::Greeting::done) {
    for (Connection **at = &strangers; *at; at = &(*at)->next)
      if (*at == line) {
        *at = line->next;
        break;
      }
    establish(peers[line->peer], line);
  } else if (greeting == Connection::Greeting::failed) {
    put_out(line, line->ended());
  } else {
    watch(line->fd, EPOLL_CTL_MOD, greeting == Connection::Greeting::wants_input ? EPOLLIN : EPOLLOUT,
          from_stranger | line->id);
  }
}

void accept_some() {
  for (unsigned i = 0; i < accepts_a_look; i++) {
    const int fd = accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) {
      if (errno == EAGAIN || errno == ECONNABORTED || errno == EINTR)
        return;
      // No descriptors, no memory: nobody is let in before the next tick.
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
    greet_stranger(line); // what it has to say is mostly there already
  }
}

void tick() {
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
      begin(peer);
    }
  }
}

/// Nobody else is expected: nothing listens from here on.
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

// The table -----------------------------------------------------------------------------------------------------------

void handle(uint64_t what, unsigned &happened) {
  if (what == from_listener) {
    if (listener >= 0)
      accept_some();
  } else if (what == from_timer) {
    if (timer >= 0)
      tick();
  } else if (what >= from_stranger) {
    for (Connection *line = strangers; line; line = line->next)
      if (line->id == static_cast<uint32_t>(what)) {
        greet_stranger(line);
        break;
      }
  } else if (peers[what].state == State::strange) {
    greet_peer(peers[what]);
  } else {
    happened += serve(static_cast<int>(what));
  }
}

unsigned look_everywhere() {
  epoll_event events[64];
  unsigned happened = 0;
  const int count = epoll_wait(epoll_fd, events, 64, 0);
  for (int i = 0; i < count; i++)
    handle(events[i].data.u64, happened);
  return happened;
}

unsigned look() {
  unsigned happened = 0;
  if (reaping.exchange(false, std::memory_order_acquire))
    reap();
  if (settling.load(std::memory_order_acquire))
    settle();
  if (unsettled.load(std::memory_order_relaxed) == 0) {
    if (all_near) {
      for (unsigned i = 0; i < near_count; i++)
        happened += serve(near[i]);
      return happened;
    }
    if (last_heard >= 0 && (happened = serve(last_heard)))
      return happened;
  }
  return look_everywhere();
}

unsigned progress(unsigned looks) {
  constexpr unsigned first_clock = 8; // a look may be a few instructions or a system call
  constexpr uint64_t most_ns = 1000;
  unsigned count, next_clock = first_clock;
  uint64_t began = 0;
  if (closed)
    return 0;
  for (unsigned i = 1;; i++) {
    count = look();
    if (count || reporting.load(std::memory_order_relaxed) || i >= looks)
      break;
    if (i != next_clock)
      continue;
    next_clock *= 2;
    const uint64_t now = now_ns();
    if (i == first_clock)
      began = now;
    if (now - began > most_ns)
      break;
  }
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

/// The numeric address that was asked for, as a socket's. False: it is none, or not one.
bool parse_listen(const char *text, sockaddr_storage &address, socklen_t &bytes) {
  memset(&address, 0, sizeof address);
  auto &four = reinterpret_cast<sockaddr_in &>(address);
  auto &six = reinterpret_cast<sockaddr_in6 &>(address);
  if (inet_pton(AF_INET, text, &four.sin_addr) == 1 && four.sin_addr.s_addr != INADDR_ANY) {
    four.sin_family = AF_INET;
    bytes = sizeof four;
    return true;
  }
  if (inet_pton(AF_INET6, text, &six.sin6_addr) == 1 && !IN6_IS_ADDR_UNSPECIFIED(&six.sin6_addr)) {
    six.sin6_family = AF_INET6;
    bytes = sizeof six;
    return true;
  }
  return false;
}

int listen_for_others(char *error, size_t error_bytes) {
  sockaddr_storage address;
  socklen_t bytes;
  if (!parse_listen(setup.listen, address, bytes)) {
    snprintf(error, error_bytes, "'%s' is not the numeric address of one interface (tcp_listen)", setup.listen);
    return -1;
  }
  listener = socket(address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP);
  const int on = 1;
  if (listener < 0 || setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0)
    return fail(error, error_bytes, "socket");
  if (bind(listener, reinterpret_cast<sockaddr *>(&address), bytes) != 0)
    return fail(error, error_bytes, setup.listen);
  if (listen(listener, backlog) != 0 ||
      getsockname(listener, reinterpret_cast<sockaddr *>(&address), &(bytes = sizeof address)) != 0)
    return fail(error, error_bytes, "listen");
  own_address.family = address.ss_family;
  if (address.ss_family == AF_INET) {
    const auto &four = reinterpret_cast<sockaddr_in &>(address);
    own_address.port = four.sin_port;
    memcpy(own_address.host, &four.sin_addr, sizeof four.sin_addr);
  } else {
    const auto &six = reinterpret_cast<sockaddr_in6 &>(address);
    own_address.port = six.sin6_port;
    memcpy(own_address.host, &six.sin6_addr, sizeof six.sin6_addr);
  }
  watch(listener, EPOLL_CTL_ADD, EPOLLIN, from_listener);
  return 0;
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
  timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
  const itimerspec ticks = {{0, tick_ns}, {0, tick_ns}};
  if (epoll_fd < 0 || timer < 0 || timerfd_settime(timer, 0, &ticks, nullptr) != 0)
    return fail(error, error_bytes, "epoll");
  watch(timer, EPOLL_CTL_ADD, EPOLLIN, from_timer);
  return setup.self > 0 ? listen_for_others(error, error_bytes) : 0;
}

const void *address(size_t *bytes) {
  *bytes = sizeof own_address;
  return &own_address;
}

int connect(int number, const void *remote, size_t bytes, char *error, size_t error_bytes) {
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
  Address at;
  if (bytes != sizeof at) {
    snprintf(error, error_bytes, "its address has %zu bytes", bytes);
    return -1;
  }
  memcpy(&at, remote, sizeof at);
  memset(&peer.address, 0, sizeof peer.address);
  if (at.family == AF_INET) {
    auto &four = reinterpret_cast<sockaddr_in &>(peer.address);
    four.sin_family = AF_INET;
    four.sin_port = at.port;
    memcpy(&four.sin_addr, at.host, sizeof four.sin_addr);
    peer.address_bytes = sizeof four;
  } else if (at.family == AF_INET6) {
    auto &six = reinterpret_cast<sockaddr_in6 &>(peer.address);
    six.sin6_family = AF_INET6;
    six.sin6_port = at.port;
    memcpy(&six.sin6_addr, at.host, sizeof six.sin6_addr);
    peer.address_bytes = sizeof six;
  } else {
    snprintf(error, error_bytes, "its address is not understood");
    return -1;
  }
  peer.give_up_ns = now_ns() + patience_ns;
  peer.wanted = true;
  begin(peer);
  return 0;
}

int send(int to, void *message, size_t bytes) {
  const Posted posted = post(to, message, bytes);
  if (posted != Posted::kept)
    free(message);
  return posted == Posted::nobody ? -1 : 0;
}

int lend(int to, void *message, size_t bytes) { return post(to, message, bytes) == Posted::kept; }

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
  // The peers stay, all gone now: a sender that is just coming finds that it is too late.
}

void leave() {
  // A signal handler that calls exit() may have interrupted whoever holds one. Nobody sleeps for a lock here: who comes
  // later leaves his message in an inbox.
  for (int i = 0; i < setup.peers; i++)
    peers[i].lock.try_lock_for(second);
}

void abandon() {
  for (int i = 0; i < setup.peers; i++)
    if (peers[i].line)
      ::close(peers[i].line->fd);
  for (Connection *line = strangers; line; line = line->next)
    ::close(line->fd);
  for (int fd : {listener, timer, epoll_fd})
    if (fd >= 0)
      ::close(fd);
}

constexpr skein_transport table = {
    SKEIN_TRANSPORT_VERSION,
    "tcp",
    open,
    address,
    connect,
    send,
    lend,
    progress,
    wait_fd,
    arm,
    disconnect,
    pending,
    close,
    leave,
    abandon,
};

} // namespace

} // namespace skein::tcp

extern "C" __attribute__((visibility("default"))) const skein_transport *skein_transport_table() {
  return &skein::tcp::table;
}
