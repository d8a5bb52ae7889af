// Shared memory as programs use it: skein_shared_alloc, skein_shared_free, skein_shared_node, and the copies that
// compiled code asks for when a slice is not mapped (abi/entry_points.h).
//
// Order. A put has been applied at the owner when it returns, a get reads what is there when it arrives, and everything
// else is ordered by messages after that: what a thread wrote is seen by whoever joined it or passed a semaphore it
// signalled.
#ifndef SKEIN_DSM_SHARED_H
#define SKEIN_DSM_SHARED_H

namespace skein {

/// Register the handlers of dsm's messages. Before net_start.
void dsm_start();

} // namespace skein

#endif
