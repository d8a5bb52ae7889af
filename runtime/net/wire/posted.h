// What becomes of a message that a transport posts, and what its functions `send` and `lend` (transport.h) make of
// that.
#ifndef SKEIN_NET_WIRE_POSTED_H
#define SKEIN_NET_WIRE_POSTED_H

#include <cstdlib>

namespace skein {

/// It has left, or been copied; the transport keeps it until then; or there is no such peer.
enum class Posted { left, kept, nobody };

/// For `send`, whose message belongs to the transport: what it returns.
inline int result_of_send(Posted posted, void *message) {
  if (posted != Posted::kept)
    free(message);
  return posted == Posted::nobody ? -1 : 0;
}
/// For `lend`.
inline int result_of_lend(Posted posted) { return posted == Posted::kept; }

} // namespace skein

#endif
