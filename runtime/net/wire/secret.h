// The run's secret: 128 random bits that the launcher hands to each node on a socket of its own, and that nobody else
// may learn. It is in no command line, environment, file or message; in this process it lies on a page that core dumps
// leave out and that a child of fork finds empty.
#ifndef SKEIN_NET_WIRE_SECRET_H
#define SKEIN_NET_WIRE_SECRET_H

#include <cstdint>

namespace skein {

/// Its bytes (bootstrap::token_bytes); zeros until the welcome has come.
uint8_t *run_secret();

} // namespace skein

#endif
