// A transport that delays and reorders, for tests: SKEIN_OPTIONS=net_delay_us=500,seed=7 under any program.
//
// It wraps another one. What that delivers is held back, each message for a time of its own, so that any message may
// overtake any other; no protocol above relies on order, and this is how it is shown. Only the hello is not held: what
// comes before it is not authenticated, and dropped. While some are, nobody sleeps on the transport's descriptor: `arm`
// says that there is work.
#ifndef SKEIN_NET_WIRE_UNRULY_H
#define SKEIN_NET_WIRE_UNRULY_H

#include "net/wire/transport.h"

namespace skein {

/// `inner` itself if the knob is not set.
const skein_transport *unruly_transport(const skein_transport *inner);

} // namespace skein

#endif
