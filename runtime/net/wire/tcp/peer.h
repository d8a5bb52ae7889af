// The peers of this node, and what all parts of the transport over sockets know of them and of the node itself. How a
// connection comes about: acquaintance.h; what goes out on it: sending.h; what comes in: receiving.h.
//
// A peer is *strange* until it has proved who it is, then *open*, and *gone* from its end on, for ever. Its lock guards
// its state and all that is on its way out. What comes in, and what is to be connected, belongs to the kernel thread
// that is inside of `progress`.
#ifndef SKEIN_NET_WIRE_TCP_PEER_H
#define SKEIN_NET_WIRE_TCP_PEER_H

#include "base/fifo.h"
#include "net/wire/arrived.h"
#include "net/wire/tcp/connection.h"
#include "net/wire/tcp/frames.h"
#include "os/linux/mutex.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <netinet/in.h>
#include <sys/socket.h>

namespace skein::tcp {

inline constexpr size_t stage_bytes = 16384; // what a record of TLS holds
inline constexpr size_t input_bytes = 2 * (frame_most + sizeof(FrameHeader));
inline constexpr uint64_t second = 1000000000;

/// Events of epoll: a peer by its number, or
inline constexpr uint64_t from_listener = UINT64_C(1) << 32, from_timer = UINT64_C(2) << 32,
                          from_stranger = UINT64_C(3) << 32;

/// A message on its way out.
struct Outgoing {
  Outgoing *next;
  char *message; // from malloc
  size_t bytes;
};

union SocketAddress {
  sockaddr any;
  sockaddr_in four;
  sockaddr_in6 six;
};

enum class State : uint8_t { strange, open, gone };

struct alignas(64) Peer {
  Mutex lock; // for all up to `reader`
  State state = State::strange;
  bool blocked = false;        // its socket is full: epoll says when it is not
  bool broken = false;         // nothing can be sent any more; what had come before may still be read
  Connection *line = nullptr;  // the reader closes it
  Fifo<Outgoing> small, large; // messages of which nothing has been staged
  Outgoing *parted = nullptr;  // the large message that is under way
  size_t parted_at = 0;        // how much of it has been staged
  char *stage = nullptr;       // frames that leave next
  size_t stage_at = 0, stage_end = 0;
  char *direct = nullptr; // what leaves after the stage; it lies in a message
  size_t direct_left = 0;
  char *direct_message = nullptr;         // that message, to be freed afterwards
  unsigned staged = 0;                    // messages whose end is in the stage
  unsigned waiting = 0;                   // messages that have not left, apart from the inbox
  std::atomic<Outgoing *> inbox{nullptr}; // last one first; without the lock

  // Of the reader
  FrameReader reader;
  char *input = nullptr;
  size_t input_end = 0;
  bool unreported = false; // its connection has ended
  const char *why = nullptr;

  // While it is strange
  bool wanted = false; // this node connects to it
  SocketAddress address;
  socklen_t address_bytes = 0;
  uint64_t retry_at_ns = 0, retry_ns = 0, give_up_ns = 0;
};

extern skein_transport_setup setup;
extern Security security;
extern Peer *peers;
extern int epoll_fd;
extern std::atomic<unsigned> unsettled; // peers that are neither open nor gone
extern std::atomic<bool> settling;      // some have become so
extern std::atomic<bool> reaping;       // connections of those that are gone wait to be closed
extern std::atomic<bool> reporting;     // somebody's `unreported` is set

uint64_t now_ns();
[[noreturn]] void out_of_memory(size_t bytes);
/// Writes why `what` failed, by errno. Returns -1, as functions of the transport's table do.
int fail(char *error, size_t bytes, const char *what);
void watch(int fd, int operation, uint32_t events, uint64_t what);

Connection *connection_new(int fd, int to);
void connection_delete(Connection *line);

/// Under the lock: nothing goes to this peer any more, and nothing that comes from it is looked at.
void let_go(Peer &peer);
/// Called by the reader: the connection is over, which is to be reported.
void ended(Peer &peer, const char *why);
/// Closes the connections of peers that are gone.
void reap();

} // namespace skein::tcp

#endif
