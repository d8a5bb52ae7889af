// Semaphores that work on every node: a handle names the node and the number of the semaphore there (numbers are never
// used again), its core (sync/semaphore) lives on that node, everybody else sends messages.
//
// A waiter elsewhere is a record in the core's queue that answers a call when its turn comes; the waiter itself is
// blocked on its node, where it stays until it is woken (blocked threads do not move).
#ifndef SKEIN_DSM_SEMAPHORES_H
#define SKEIN_DSM_SEMAPHORES_H

namespace skein {

void semaphores_start();

} // namespace skein

#endif
