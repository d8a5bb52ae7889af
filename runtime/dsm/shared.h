// Shared memory as programs use it: skein_shared_alloc, skein_shared_free, skein_shared_node, each done here or by a
// call to the keeper (slices.h). Accesses are in access.h.
#ifndef SKEIN_DSM_SHARED_H
#define SKEIN_DSM_SHARED_H

namespace skein {

/// Registers the handlers of dsm's messages. Before net_start.
void dsm_start();
/// Its part for the memory of other nodes' processes (<skein/halfproc.h>).
void peers_start();

} // namespace skein

#endif
