// How messages to one peer become frames, records and system calls. tcp_transport.cpp says in which order they leave,
// and which kernel thread sends them.
#ifndef SKEIN_NET_WIRE_TCP_SENDING_H
#define SKEIN_NET_WIRE_TCP_SENDING_H

#include "net/wire/posted.h"
#include "net/wire/tcp/peer.h"

namespace skein::tcp {

/// Takes the peer's lock. It spins at first, since the holder is in a system call, or in TLS, for some microseconds,
/// unless it has lost its core.
void acquire(Peer &peer);
/// Gives it back, and sends what was put into the inbox meanwhile: either the sender sees the lock free, or this does.
void release(Peer &peer);

/// Without the lock. `later`: more will follow at once, from the same caller.
Posted post(int to, void *message, size_t bytes, bool later = false);

// Under the lock.
/// Queues what others have left in the inbox, in the order in which they came.
void collect(Peer &peer);
/// Sends as much as the socket takes.
void send_waiting(Peer &peer);
void drop_all(Peer &peer);

} // namespace skein::tcp

#endif
