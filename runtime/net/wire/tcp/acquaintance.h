// Until all nodes have connected, a socket listens that strangers can reach, too. They must not keep the nodes from
// connecting, nor cost them memory.
//
// A node listens for those with smaller numbers, on the one address that it was told (loopback by default), and closes
// that socket as soon as all of them have connected or are dead: during the run nothing listens. Strangers reach the
// handshake, and of that `strangers_most` at a time: one more closes the connection that has waited longest. A
// connection whose first bytes have shown that the other side knows the key is not closed because of strangers. Each
// handshake must be over within `greeting_ns`; a peer whose connection was refused tries again.
//
// All of it belongs to the kernel thread that is inside of `progress`, or opens the transport.
#ifndef SKEIN_NET_WIRE_TCP_ACQUAINTANCE_H
#define SKEIN_NET_WIRE_TCP_ACQUAINTANCE_H

#include "net/wire/tcp/peer.h"

namespace skein::tcp {

/// An address as nodes send it to each other by their launcher.
struct Address {
  uint16_t family; // AF_INET, AF_INET6; 0: nobody connects to this node
  uint16_t port;   // these two as the network has them
  uint8_t host[16];
};
static_assert(sizeof(Address) == 20);
extern Address own_address;

/// Listens, if any node is to connect here. 0, or -1 with the reason.
int acquaintance_open(char *error, size_t error_bytes);
/// The transport's `connect`: tries again and again until it works or `patience_ns` are over.
int connect_to(Peer &peer, const void *address, size_t bytes, char *error, size_t error_bytes);

// Events.
/// Goes on with the handshake of a connection that this node has made.
void greet_peer(Peer &peer);
/// The same for one that another process has made, by the number that it got here.
void greet_stranger(uint32_t id);
void accept_some();
void tick();
/// Some peers have become open, or are gone. If no other is expected, nothing listens from here on.
void settle();
/// In the child of a fork: closes what it has inherited.
void acquaintance_abandon();
/// In a copy of a process: forgets all strangers, and which descriptors there were.
void acquaintance_forget();

} // namespace skein::tcp

#endif
