// How nodes come to know each other: who listens, who connects, and what strangers can reach until all have.
//
// A node listens for those with smaller numbers, on the one address that it was told (loopback by default), and closes
// that socket as soon as all of them have connected, or are dead: during the run nothing listens. Until then strangers
// may come. What they can reach is the handshake, and of that `strangers_most` at a time: one more puts out the one
// that has waited longest. Who has shown with its first bytes that it knows the key is not put out by strangers. A
// handshake has `greeting_ns`, whoever makes it; a peer whose connection was refused tries again.
//
// All of it belongs to who is inside of `progress`, or opens the transport.
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

/// Begin: listens, if anybody is to connect here. 0, or -1 with the reason.
int acquaintance_open(char *error, size_t error_bytes);
/// Connects to a peer, again and again until it works or `patience_ns` are over. As the transport's.
int connect_to(Peer &peer, const void *address, size_t bytes, char *error, size_t error_bytes);

// Events.
/// The handshake of a connection that we have made, as far as it goes.
void greet_peer(Peer &peer);
/// Of one that others have made, by the number that it got here.
void greet_stranger(uint32_t id);
void accept_some();
void tick();
/// Some peers have become open, or are gone. If nobody else is expected, nothing listens from here on.
void settle();
/// In the child of a fork: closes what it has inherited.
void acquaintance_abandon();

} // namespace skein::tcp

#endif
