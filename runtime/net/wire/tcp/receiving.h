// What comes in: looks at sockets, and the way from bytes to messages. All of it belongs to who is inside of
// `progress`.
#ifndef SKEIN_NET_WIRE_TCP_RECEIVING_H
#define SKEIN_NET_WIRE_TCP_RECEIVING_H

#include "net/wire/tcp/peer.h"

namespace skein::tcp {

extern Arrived arrived;

/// One recv of one peer. Returns how much happened.
unsigned serve(int number);
/// Of an open peer: messages that came together with the end of its handshake.
void serve_greeted(int number);
/// A look at the open peers without epoll. True: nothing else needs to be looked at.
bool serve_near(unsigned &happened);
/// Who is open has changed.
void find_near();

} // namespace skein::tcp

#endif
