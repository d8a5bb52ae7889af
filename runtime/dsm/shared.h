// Shared memory as programs use it: skein_shared_alloc, skein_shared_free, skein_shared_node, each done here or by a
// call to the owner. Accesses are in access.h.
#ifndef SKEIN_DSM_SHARED_H
#define SKEIN_DSM_SHARED_H

namespace skein {

/// Register the handlers of dsm's messages. Before net_start.
void dsm_start();

} // namespace skein

#endif
