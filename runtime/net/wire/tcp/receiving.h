// Looks at sockets, and makes messages of what has come. All of it belongs to the kernel thread that is inside of
// `progress`.
#ifndef SKEIN_NET_WIRE_TCP_RECEIVING_H
#define SKEIN_NET_WIRE_TCP_RECEIVING_H

#include "net/wire/tcp/peer.h"

namespace skein::tcp {

extern Arrived arrived;

/// Does one recv from one peer. Returns how much happened.
unsigned serve(int number);
/// Handles messages that came together with the end of a peer's handshake.
void serve_greeted(int number);
/// Looks at the open peers without epoll. True: nothing else needs to be looked at.
bool serve_near(unsigned &happened);
/// Called when a peer has become open or gone.
void find_near();
/// There are no peers any more.
void receiving_forget();

} // namespace skein::tcp

#endif
